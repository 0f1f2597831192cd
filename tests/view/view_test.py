"""Tests hybridfft-view: planes and series read from files, marks, scales, pictures, and output files.

    view_test.py [unittest's arguments]
"""
import contextlib
import io
import os
import pathlib
import shutil
import sys
import tempfile
import unittest
import unittest.mock
import warnings

import h5py
import numpy as np
from PIL import Image

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 2, "lib", "python"))
import matplotlib  # noqa: E402
from hybridfft_view import figure, files, marks, planes, program, scale  # noqa: E402

NX, NY, NZ = 5, 4, 3
NAN = np.nan


def options(dataset, *arguments):
    return program.make_parser("").parse_args(["-i", "none", "-o", "none.png", "-d", dataset, *map(str, arguments)])


def value_at(x, y, z):
    return x + 10. * y + 100. * z


def mask_index(x, y, z, nx=NX, ny=NY):
    return 1 + x + nx * (y + ny * z)


def write_grid(file, sizes=(NX, NY, NZ), spacing=(1e-3, 2e-3, 0.5e-3)):
    for axis, size, step in zip("xyz", sizes, spacing):
        file[f"N{axis}"] = np.full((1, 1, 1), size, "u8")
        file[f"d{axis}"] = np.full((1, 1, 1), step, "f4")


class Scratch(unittest.TestCase):
    """A temporary folder with the file planes.h5. Subclasses write its datasets in add()."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = self.file("planes.h5")
        with h5py.File(self.path, "w") as file:
            self.add(file)

    def add(self, file):
        write_grid(file)
        z, y, x = np.indices((NZ, NY, NX))
        file["f"] = value_at(x, y, z).astype("f4")

    def file(self, name):
        return os.path.join(self.folder.name, name)

    def change(self, path=None, **datasets):
        with h5py.File(path or self.path, "a") as file:
            for name, values in datasets.items():
                file[name] = values

    def read(self, dataset, *arguments, other=None, path=None, reader=planes.read_plane):
        with files.open_file(path or self.path) as file, files.open_file(other or path or self.path) as more:
            return reader(file, more, options(dataset, *arguments))

    def refusal(self, *arguments, **more):
        with self.assertRaises(files.Failure) as caught:
            self.read(*arguments, **more)
        return str(caught.exception)


class Planes(Scratch):
    def test_SliceAlongEachAxis_HasValuesPlaceAndSpacings(self):
        z = self.read("f", "--axis", "z", "--index", 2)
        self.assertEqual((z.across.name, z.up.name, z.place), ("x", "y", "z = 1 mm"))
        self.assertEqual((z.values.shape, z.values[1, 3]), ((NY, NX), value_at(3, 1, 2)))
        y = self.read("f", "--axis", "y", "--index", 3)
        self.assertEqual((y.up.name, y.values[2, 4]), ("z", value_at(4, 3, 2)))
        self.assertEqual((y.across.spacing, y.up.spacing), (np.float32(1e-3), np.float32(0.5e-3)))
        x = self.read("f", "--axis", "x", "--index", 0)
        self.assertEqual((x.across.name, x.values[1, 2]), ("y", value_at(0, 2, 1)))

    def test_NoOption_ShowsTheMiddleOfY(self):
        plane = self.read("f")
        self.assertEqual((plane.place, plane.values[2, 1]), ("y = 4 mm", value_at(1, 2, 2)))

    def test_MaximumProjection_AlongEachAxis(self):
        for axis, at, expected in (("x", (2, 1), (NX - 1, 1, 2)), ("y", (2, 1), (1, NY - 1, 2)),
                                   ("z", (2, 1), (1, 2, NZ - 1))):
            plane = self.read("f", "--axis", axis, "--max-projection")
            self.assertEqual((plane.values[at], plane.place), (value_at(*expected), f"maximum along {axis}"))

    def test_Blocks_GiveTheSamePlanes(self):
        expected = [self.read("f", "--axis", axis, "--max-projection").values for axis in "xyz"]
        whole, planes.VALUES_AT_ONCE = planes.VALUES_AT_ONCE, 1
        self.addCleanup(setattr, planes, "VALUES_AT_ONCE", whole)
        for axis, values in zip("xyz", expected):
            np.testing.assert_array_equal(self.read("f", "--axis", axis, "--max-projection").values, values)

    def test_Errors_NameWhatTheFileHas(self):
        self.assertEqual(self.refusal("g"), f"""{self.path}: found no dataset 'g', expected one of
  Nx  1 x 1 x 1  integer, 64 bits = 5
  Ny  1 x 1 x 1  integer, 64 bits = 4
  Nz  1 x 1 x 1  integer, 64 bits = 3
  dx  1 x 1 x 1  real, 32 bits = 0.001
  dy  1 x 1 x 1  real, 32 bits = 0.002
  dz  1 x 1 x 1  real, 32 bits = 0.0005
  f   3 x 4 x 5  real, 32 bits""")
        self.assertEqual(self.refusal("f", "--axis", "z", "--index", 3), "--index: found 3, expected 0 to 2 along z")
        self.assertEqual(self.refusal("f", "--time-step", 1),
                         "--time-step: found 1, expected none: dataset f has no time series")
        self.assertIn("dataset Nx: found shape 1 x 1 x 1, expected a plane", self.refusal("Nx"))

    def test_LengthUnit_SuitsTheGrid(self):
        simulation = self.read("f", reader=lambda file, other, o: files.read_simulation(file, other))
        for spacing, expected in ((1e-6, "2 µm"), (1e-3, "2 mm"), (1, "2 m"), (1e4, "20 km")):
            simulation.spacing = [spacing] * 3
            self.assertEqual(simulation.coordinate_text(2, 0), expected)

    def test_SensorIndexOutsideTheGrid_IsRefused(self):
        self.change(sensor_mask_index=np.array([[[1, 61]]], "u8"), p_max=np.ones((1, 1, 2)))
        self.assertEqual(self.refusal("p_max"), f"{self.path}: sensor_mask_index: found index 61, expected 1 to 60")

    def test_SeriesWithoutMask_IsNoPlane(self):
        self.change(p=np.ones((1, 7, 6)))
        self.assertEqual(self.refusal("p"),
                         f"{self.path}: dataset p: found shape 1 x 7 x 6, expected the grid of 3 x 4 x 5 points, or "
                         "values over time at sensor points with the file of their mask, given by --kwave-input, or "
                         "--point for curves")

    def test_MaskInAnotherFile_InAnyOrder(self):
        mask = np.arange(NX * NY * NZ, 0, -1, dtype="u8")
        n = mask.astype(int) - 1
        output = self.file("output.h5")
        self.change(output, p_max=value_at(n % NX, n // NX % NY, n // NX // NY).reshape(1, 1, -1))
        self.change(sensor_mask_index=mask.reshape(1, 1, -1))
        plane = self.read("p_max", "--axis", "x", "--index", 3, path=output, other=self.path)
        self.assertEqual(plane.values[1, 2], value_at(3, 2, 1))
        plane = self.read("p_max", "--axis", "x", "--max-projection", path=output, other=self.path)
        self.assertEqual(plane.values[1, 2], value_at(NX - 1, 2, 1))
        self.refusal("p_max", "--axis", "x", path=output)


class OtherKinds(Scratch):
    def add(self, file):
        super().add(file)
        file["flat"] = np.arange(6).reshape(2, 3) * (3 - 4j)
        file["whole"] = np.array([[-1, 2, -3], [4, -5, 6]], "i8")
        file["gone"] = np.full((2, 3), NAN)
        file["some"] = np.array([[NAN, 1, NAN], [2, NAN, 3]])
        file["deep"] = np.ones((1, 1, 1, 6))
        file["line"] = np.ones((1, 1, 9))
        file["text"] = "text"
        file["group/1"] = np.ones((2, 2))
        file["empty"] = np.ones((1, 4, 0))

    def test_ComplexValues_AreShownByTheirMagnitude(self):
        plane = self.read("flat")
        self.assertIsNone(plane.across.spacing)
        np.testing.assert_allclose(plane.values, [[0, 5, 10], [15, 20, 25]], rtol=1e-15)

    def test_Decibels_AreOfTheMagnitude(self):
        np.testing.assert_array_equal(self.read("whole").values, [[-1, 2, -3], [4, -5, 6]])
        np.testing.assert_array_equal(self.read("whole", "--db", 20).values, [[1, 2, 3], [4, 5, 6]])

    def test_MissingValues_StayUnlessThereAreNoOthers(self):
        np.testing.assert_array_equal(self.read("some").values, [[NAN, 1, NAN], [2, NAN, 3]])
        self.assertIn("gone: found no finite value", self.refusal("gone"))

    def test_OtherDatasets_AreRefused(self):
        self.assertIn("found shape 1 x 1 x 1 x 6, expected 2 or 3 dimensions, or", self.refusal("deep"))
        self.assertIn("--kwave-input", self.refusal("line"))
        self.assertIn("dataset text: found elements that are no numbers", self.refusal("text"))
        self.assertEqual(self.refusal("group"),
                         f"{self.path}: 'group' is a group, expected one of its datasets: group/1")
        self.assertEqual(self.refusal("empty"),
                         f"{self.path}: dataset empty: found shape 1 x 4 x 0, expected some values")


class SensorPlanes(Scratch):
    """Records at the points x = 0, 2, 4, y = 1, z = 0, 1, 2, except (4, 1, 2), which is not in the sensor mask."""

    def add(self, file):
        super().add(file)
        places = [(x, 1, z) for z in range(NZ) for x in range(0, NX, 2) if (x, z) != (4, 2)]
        file["sensor_mask_index"] = np.array([[[mask_index(*place) for place in places]]], "u8")
        maxima = np.array([value_at(*place) for place in places])
        file["p_max"] = maxima.reshape(1, 1, -1)
        file["p"] = np.multiply.outer([-1., 0.5, -2.], maxima)[None]

    def test_Values_AreBackOnTheGrid(self):
        plane = self.read("p_max")
        self.assertEqual((plane.place, plane.across.points, plane.across.step, plane.up.points, plane.up.name),
                         ("y = 2 mm", 3, 2, 3, "z"))
        self.assertEqual((plane.values[2, 1], plane.values[1, 2]), (value_at(2, 1, 2), value_at(4, 1, 1)))
        self.assertTrue(np.isnan(plane.values[2, 2]))

    def test_TimeStep_OrTheLargestOverTime(self):
        last = self.read("p", "--time-step", 2)
        self.assertEqual((last.values[0, 1], last.place), (-2 * value_at(2, 1, 0), "y = 2 mm, time step 2"))
        self.assertEqual(self.read("p").values[0, 1], 0.5 * value_at(2, 1, 0))
        self.assertEqual(self.read("p", "--db", 10).values[0, 1], 2 * value_at(2, 1, 0))

    def test_Parts_GiveTheSamePlane(self):
        expected = self.read("p").values
        self.addCleanup(setattr, planes.Sensor, "AT_ONCE", planes.Sensor.AT_ONCE)
        self.addCleanup(setattr, planes, "VALUES_AT_ONCE", planes.VALUES_AT_ONCE)
        planes.Sensor.AT_ONCE, planes.VALUES_AT_ONCE = 3, 3
        np.testing.assert_array_equal(self.read("p").values, expected)

    def test_Time_FollowsFromTheTimeStep(self):
        self.change(dt=np.full((1, 1, 1), 0.25e-6), Nt=np.full((1, 1, 1), 10, "u8"))  # the three rows are steps 7 to 9
        self.assertEqual(self.read("p", "--time-step", 2).place, "y = 2 mm, t = 2.25 µs")

    def test_Errors_NameTheRange(self):
        self.assertEqual(self.refusal("p", "--time-step", 3),
                         "--time-step: found 3, expected 0 to 2, the rows of dataset p")
        self.assertEqual(self.refusal("p_max", "--time-step", 0),
                         "--time-step: found 0, expected none: dataset p_max has one value per point")
        self.assertEqual(self.refusal("p_max", "--axis", "x", "--index", 1),
                         "--index: found 1, expected 0 to 4 in steps of 2 along x")


class Snapshots(Scratch):
    """Snapshots of the plane z = 2 after steps 4, 9 and 14."""

    def add(self, file):
        super().add(file)
        file["Nt"], file["dt"] = np.full((1, 1, 1), 17, "u8"), np.full((1, 1, 1), 1e-3)
        for name in ("placed", "unplaced", "wrong"):
            file[name] = 1. + np.arange(3 * NX * NY).reshape(3, 1, NY, NX)
        for name in ("placed", "wrong"):
            file[name].attrs.update(first_step=np.bytes_("4"), step_interval="5", plane_axis="z",
                                    plane_index="two" if name == "wrong" else "2")

    def test_PlaceAndTime_FollowFromAttributes(self):
        plane = self.read("placed", "--time-step", 2)
        self.assertEqual((plane.place, plane.slice, plane.placed), ("z = 1 mm, t = 14.00 ms", 2, True))
        self.assertEqual(self.refusal("placed", "--time-step", 2, "--index", 0),
                         "--index: found 0, expected 2 to 2 along z")
        self.assertIn("attribute plane_index of dataset wrong: found 'two', expected a whole number",
                      self.refusal("wrong"))

    def test_WithoutAttributes_RowsAreCountedAndNothingIsMarked(self):
        plane = self.read("unplaced", "--time-step", 2)
        self.assertEqual((plane.place, plane.placed), ("frame 2", False))
        with files.open_file(self.path) as file:
            self.assertEqual(marks.find_marks(file, file, plane, "unplaced"), [])


class BlocksOfAForest(Scratch):
    """Blocks of 2 x 2 (x 2) cells with the values 100 level + 10 z + y + x / 8; x, y and z count cells of the level."""

    def add(self, file):
        file.attrs["h"], file["time"] = 0.5, 2e-3
        self.blocks(file, [(0, 0, 0), (1, 2, 0), (1, 3, 0), (1, 2, 1)])  # the block (1, 3, 1) is missing
        self.blocks(file.create_group("solid"), [(0, 0, 0, 0), (0, 1, 0, 0)])

    def blocks(self, group, leaves):
        group["leaf"] = np.array(leaves, "i4")
        cells = np.indices([2] * (len(leaves[0]) - 1))
        values = []
        for level, *place in leaves:
            x, y, z = ([at + 2 * p for at, p in zip(cells[::-1], place)] + [0])[:3]
            values.append(100. * level + 10 * z + y + x / 8)
        group["rho"] = values

    def test_Blocks_AreOnTheFinestCells(self):
        plane = self.read("rho", "--blocks")
        coarse = np.array([[0, .125], [1, 1.125]]).repeat(2, 0).repeat(2, 1)
        fine = 100 + np.add.outer(np.arange(4.), np.arange(4, 8) / 8)
        fine[2:, 2:] = NAN
        np.testing.assert_array_equal(plane.values, np.hstack([coarse, fine]))
        self.assertEqual((plane.across.first, plane.across.spacing, plane.axis), (0.5, 0.25, 2))
        self.assertEqual([np.ravel(b).tolist() for b in plane.blocks],
                         [[0, 0, 4, 4], [4, 0, 6, 2], [6, 0, 8, 2], [4, 2, 6, 4]])
        self.assertEqual(plane.place, "t = 2 ms")

    def test_BlocksInThreeDimensions_HaveSlicesAndMaxima(self):
        top = self.read("solid/rho", "--axis", "z", "--index", 1)
        np.testing.assert_array_equal(top.values, 10 + np.add.outer(np.arange(2.), np.arange(4) / 8))
        side = self.read("solid/rho", "--axis", "x", "--index", 2)
        np.testing.assert_array_equal(side.values, [[.25, 1.25], [10.25, 11.25]])
        largest = self.read("solid/rho", "--axis", "x", "--max-projection")
        np.testing.assert_array_equal(largest.values, [[.375, 1.375], [10.375, 11.375]])
        self.assertEqual(len(side.blocks), 1)

    def test_Lines_AreAroundBlocksWhereTheyAreAskedFor(self):
        plane = self.read("rho")
        lines = marks.block_lines(plane)[0].lines
        self.assertEqual(lines[1].tolist(), [[4, 0], [6, 0], [6, 2], [4, 2], [4, 0]])
        sizes = []
        for extra in ([], ["--blocks"]):
            picture = self.file("picture.png")
            self.assertEqual(program.main(["-i", self.path, "-d", "rho", "-o", picture, *extra]), 0)
            sizes.append(Image.open(picture).convert("RGB").tobytes())
        self.assertNotEqual(sizes[0], sizes[1])

    def test_OtherDatasets_AreRefusedWithBlocks(self):
        self.change(plain=np.ones((4, 4)))
        with self.assertRaisesRegex(files.Failure, "^--blocks: found dataset plain without blocks, expected"):
            self.read("plain", "--blocks")


class Axisymmetric(Scratch):
    """An axisymmetric file: x is along the axis, y is the radius."""

    def add(self, file):
        write_grid(file, (4, 3, 1), (1e-3, 1e-3, 1e-3))
        for name, value in (("axisymmetric_flag", 1), ("pml_x_size", 0), ("pml_y_size", 1)):
            file[name] = np.full((1, 1, 1), value, "u8")
        file["f"] = np.arange(12.).reshape(1, 3, 4)
        file["p_source_index"] = np.full((1, 1, 1), 1 + 2 + 4, "u8")

    def test_Plane_IsMirroredAtItsAxis(self):
        plane = self.read("f")
        self.assertEqual((plane.up.points, plane.up.first), (5, -2))
        np.testing.assert_array_equal(plane.values, np.arange(12.).reshape(3, 4)[[2, 1, 0, 1, 2]])
        self.assertIn("mirrored at the axis", plane.place)
        with files.open_file(self.path) as file:
            source, pml = marks.find_marks(file, file, plane, "f")
        self.assertEqual([line.tolist() for line in source.lines], [[[2, 1]], [[2, -1]]])
        self.assertEqual([line.tolist() for line in pml.lines],
                         [[[-0.5, -1.5], [3.5, -1.5]], [[-0.5, 1.5], [3.5, 1.5]]])


class Marks(Scratch):
    """A file with a PML of 1 point along x and y, three source points, and c0 = 1500 for x < 3, else 1600."""

    def add(self, file):
        super().add(file)
        file["pml_x_size"] = file["pml_y_size"] = np.ones((1, 1, 1), "u8")
        file["p_source_index"] = np.array([[[mask_index(1, 2, 1), mask_index(3, 2, 2), mask_index(1, 3, 1)]]], "u8")
        file["c0"] = np.where(np.arange(NX) < 3, 1500., 1600.) * np.ones((NZ, NY, 1))

    def marks(self, axis, index, dataset="f"):
        plane = self.read(dataset, "--axis", axis, "--index", index)
        with files.open_file(self.path) as file:
            return {mark.kind: mark.lines for mark in marks.find_marks(file, file, plane, dataset)}

    def test_PmlSourcesAndBorders_AreWhereTheFileHasThem(self):
        found = self.marks("z", 1)
        self.assertEqual(list(found), ["medium", "source", "pml"])
        self.assertEqual({x for line in found["medium"] for x in line[:, 0]}, {2.5})
        self.assertEqual(sorted(y for line in found["medium"] for y in line[:, 1])[::len(found["medium"][0]) - 1],
                         [-1, NY])  # the border reaches from edge to edge
        # The plane has two source points, joined by a line. The third point is in the plane z = 2.
        self.assertEqual([line.tolist() for line in found["source"]], [[[1, 2]], [[1, 3]], [[1, 2], [1, 3]]])
        self.assertEqual([line.tolist() for line in found["pml"]],
                         [[[0.5, 0.5], [0.5, 2.5]], [[3.5, 0.5], [3.5, 2.5]], [[0.5, 0.5], [3.5, 0.5]],
                          [[0.5, 2.5], [3.5, 2.5]]])

    def test_OtherPlanes_HaveOtherMarks(self):
        found = self.marks("y", 2)
        self.assertEqual((len(found["source"]), len(found["pml"])), (2, 2))  # no line, no layer along z
        self.assertEqual(list(self.marks("x", 0)), ["pml"])  # one material, no source
        self.assertNotIn("medium", self.marks("z", 1, "c0"))

    def test_FilledSource_IsOutlined(self):
        filled = np.ones((5, 6), bool)
        points = {tuple(line[0]) for line in marks.joined(filled) if len(line) == 1}
        self.assertEqual(points, {(x, y) for x in range(6) for y in range(5) if x in (0, 5) or y in (0, 4)})

    def test_ContourOfACone_IsACircle(self):
        # The contour has a chord in each cell of length 1. Its distance from the circle of radius 8 is below 1/64.
        y, x = np.indices((31, 41))
        lines = marks.contour(10 - np.hypot(x - 20, y - 15), 2.)
        distance = np.concatenate([np.hypot(*(line - [20, 15]).T) for line in lines])
        np.testing.assert_allclose(distance, 8, atol=0.02)
        length = sum(np.hypot(*np.diff(line, axis=0).T).sum() for line in lines)
        self.assertAlmostEqual(length, 16 * np.pi, delta=0.32 * np.pi)

    def test_Borders_AreSmoothAndKeepThinLayers(self):
        y, x = np.indices((30, 40))
        labels = np.where(x == 35, 2, (np.hypot(x - 15, y - 15) <= 7).astype(int))
        points = np.concatenate(marks.borders(labels))
        layer = points[:, 0] > 30
        self.assertLess(abs(points[layer, 0] - 35).max(), 1)
        self.assertGreaterEqual(layer.sum(), 50)  # points on both sides of the layer
        # The raster of labels deviates from the circle by up to a cell.
        np.testing.assert_allclose(np.hypot(*(points[~layer] - 15).T), 7.2, atol=0.6)


STEPS, TIMES = 20, 4  # recorded from step 16 on


class SeriesOfPoints(Scratch):
    """Records at a list of points (p) and in a cuboid (ux/2), and an input file with the sensor masks."""

    def add(self, file):
        grid = ((8, 6, 5), (1e-3, 2e-3, 0.5e-3))
        self.input = self.file("input.h5")
        with h5py.File(self.input, "w") as more:
            write_grid(more, *grid)
            more["dt"], more["Nt"] = np.full((1, 1, 1), 5e-8, "f4"), np.full((1, 1, 1), STEPS, "u8")
            more["sensor_mask_index"] = np.array([[[mask_index(7, 0, 4, 8, 6), mask_index(2, 3, 1, 8, 6)]]], "u8")
            more["sensor_mask_corners"] = np.array([[[1] * 6, [2, 1, 3, 3, 4, 4]]], "u8")
        at = lambda x, y, z: np.multiply.outer(np.arange(TIMES) - 1.5, value_at(x, y, z))  # noqa: E731
        file["p"] = np.stack([at(7, 0, 4), at(2, 3, 1)], axis=1)[None]
        file["p_max"] = np.ones((1, 1, 2))
        z, y, x = np.indices((2, 4, 2))
        file["ux/2"] = at(x + 1, y, z + 2)
        file["ux_max/2"] = file["ux/2"][-1]
        file["gone"] = np.full((1, TIMES, 2), NAN)

    def series(self, dataset, points, with_input=True):
        return self.read(dataset, "--point", points, other=self.input if with_input else None,
                         reader=planes.read_series)

    def refusal_of(self, *arguments, **more):
        with self.assertRaises(files.Failure) as caught:
            self.series(*arguments, **more)
        return str(caught.exception)

    def test_ListedPoints_HaveValuesPlacesAndTimes(self):
        series = self.series("p", "1,0")
        self.assertEqual((series.first_step, series.dt), (STEPS - TIMES, np.float32(5e-8)))
        self.assertEqual(series.places, ["x = 2 mm, y = 6 mm, z = 0.5 mm", "x = 7 mm, y = 0 mm, z = 2 mm"])
        np.testing.assert_array_equal(series.values[0], (np.arange(TIMES) - 1.5) * value_at(2, 3, 1))
        np.testing.assert_array_equal(series.values[1], (np.arange(TIMES) - 1.5) * value_at(7, 0, 4))

    def test_PointsOfACuboid_AreCountedWithXFastest(self):
        series = self.series("ux/2", "0,13")  # point x + 2 (y + 4 z) of 2 x 4 x 2: 13 is (1, 2, 1)
        self.assertEqual(series.places, ["x = 1 mm, y = 0 mm, z = 1 mm", "x = 2 mm, y = 4 mm, z = 1.5 mm"])
        np.testing.assert_array_equal(series.values[1], (np.arange(TIMES) - 1.5) * value_at(2, 2, 3))

    def test_WithoutMaskAndTimeStep_BothAreCounted(self):
        series = self.series("p", "1", with_input=False)
        self.assertEqual((series.places, series.dt, series.first_step), (["point 1"], None, 0))

    def test_Errors_NameWhatThereIs(self):
        self.assertEqual(self.refusal_of("p", "2"), "--point: found 2, expected 0 to 1, the points of dataset p")
        self.assertEqual(self.refusal_of("p_max", "0"), "--point: found dataset p_max of shape 1 x 1 x 2, expected "
                         "values over time at sensor points, 2 at least")
        self.assertEqual(self.refusal_of("ux_max/2", "0"), "--point: found dataset ux_max/2 of shape 2 x 4 x 2, "
                         "expected values over time at sensor points")
        self.assertEqual(self.refusal_of("ux", "0"),
                         f"{self.path}: 'ux' is a group, expected one of its datasets: ux/2")
        self.assertIn("gone: found no finite value", self.refusal_of("gone", "0"))

    def test_LinesOfAGrid_AreCurvesOverX(self):
        path = self.file("line.h5")
        with h5py.File(path, "w") as file:
            write_grid(file, (5, 1, 1), (1e-3,) * 3)
            file["p_final"] = np.array([[[3., 1, 4, 1, 5]]])
            file["p"], file["sensor_mask_index"] = np.ones((1, 4, 2)), np.array([[[2, 5]]], "u8")
        line = self.read("p_final", path=path, reader=planes.read_line)
        np.testing.assert_array_equal(line.values, [[3, 1, 4, 1, 5]])
        positions, name = figure.time_axis(line)
        np.testing.assert_allclose(positions, range(5), rtol=1e-6)
        self.assertEqual(name, "x [mm]")
        self.assertIsNone(self.read("p", path=path, reader=planes.read_line))
        self.assertEqual(self.read("p", "--point", "1", path=path, reader=planes.read_series).places, ["x = 4 mm"])
        picture = self.file("line.png")
        self.assertEqual(program.main(["-i", path, "-o", picture, "-d", "p_final"]), 0)
        self.assertGreater(matplotlib.image.imread(picture).std(), 0.02)

    def test_Cuboids_LieAtTheirCorners(self):
        plane = self.read("ux_max/2", "--axis", "z", "--index", 3, other=self.input)
        self.assertEqual((plane.place, plane.across.first, plane.values[3, 1]),
                         ("z = 1.5 mm", 1, value_at(2, 3, 3) * (TIMES - 2.5)))
        largest = self.read("ux/2", "--axis", "z", "--index", 3, other=self.input)
        self.assertEqual((largest.place, largest.values[3, 1]), ("z = 1.5 mm, maximum over time", plane.values[3, 1]))
        step = self.read("ux/2", "--axis", "z", "--index", 3, "--time-step", 1, other=self.input)
        self.assertEqual(step.values[3, 1], -0.5 * value_at(2, 3, 3))
        self.assertEqual(self.refusal("ux/2", "--time-step", TIMES, other=self.input),
                         "--time-step: found 4, expected 0 to 3, the rows of dataset ux/2")

    def test_Cuboids_NeedTheirCorners(self):
        other = self.file("other.h5")
        with h5py.File(other, "w") as file:
            write_grid(file, (8, 6, 5))
        self.assertIn("found no sensor_mask_corners", self.refusal("ux_max/2", other=other))
        self.change(other, sensor_mask_corners=np.array([[[1, 1, 1, 2, 2, 2]]], "u8"))
        self.assertEqual(self.refusal("ux_max/2", other=other),
                         f"{other}: sensor_mask_corners: found 1 cuboids, expected at least 2")

    def test_GridsThatAreNotUniform_AreCountedInPoints(self):
        self.change(self.input, nonuniform_grid_flag=np.ones((1, 1, 1), "u8"))
        self.assertEqual(self.series("p", "1").places, ["x = 2, y = 3, z = 1"])

    def test_FilesOfDifferentGrids_AreRefused(self):
        small = self.file("small.h5")
        with h5py.File(small, "w") as file:
            write_grid(file, (3, 3, 3))
        self.assertEqual(self.refusal("sensor_mask_corners", path=self.input, other=small),
                         f"{small}: found a grid of 3 x 3 x 3 points, expected that of {self.input}, 8 x 6 x 5")


class Units(unittest.TestCase):
    def test_Unit_SuitsQuantityAndMagnitude(self):
        for name, magnitude, expected in (
                ("p_max", 2.3e6, "MPa"), ("p_max", 999e3, "kPa"), ("p", 12, "Pa"), ("p_final", 0.02, "mPa"),
                ("ux_max", 0.3, "mm/s"), ("snapshot_z0_ux", 0.3, "mm/s"), ("u_peak", 2, "m/s"), ("c0", 1500, "m/s"),
                ("rho0_sgx", 1000, "kg/m³"), ("p/2", 2e3, "kPa"), ("ux_non_staggered/1", 2, "m/s"),
                ("Iy_avg", 2e4, "kW/m²"), ("Q_term", 3e6, "MW/m³"), ("data", 5, ""), ("pml_x", 5, "")):
            self.assertEqual(scale.unit_of(name, magnitude)[0], expected, name)
        self.assertEqual(scale.unit_of("p_final", 0.02)[1], 1e3)
        self.assertEqual([scale.time_unit(t)[0] for t in (18e-6, 5e-9, 2500)], ["µs", "ns", "s"])

    def test_Scale_SpansTheDataAndNamesTheUnit(self):
        found = scale.make_scale(1e6, 3e6, options("p_max"))
        self.assertEqual((found.colours, found.label), (scale.SEQUENTIAL, "pressure p_max [MPa]"))
        self.assertEqual((found.lowest, found.highest, found.beyond), (1, 3, "neither"))

    def test_BothSigns_HaveZeroInTheMiddle(self):
        found = scale.make_scale(-1, 4, options("p_final"))
        self.assertEqual((found.colours, found.lowest, found.highest), (scale.DIVERGING, -4, 4))
        found = scale.make_scale(-1, 4, options("p_final", "--min", "-2e0"))
        self.assertEqual((found.lowest, found.highest), (-2, 4))

    def test_Decibels_ReferToTheLargestValue(self):
        found = scale.make_scale(0, 1000, options("p_max", "--db", 40))
        self.assertEqual((found.label, found.lowest, found.highest), ("pressure p_max [dB re 1 kPa]", -40, 0))
        np.testing.assert_allclose(found.shown(np.array([1000, 100, -10, 1, 0, 31.622776601683793])),
                                   [0, -20, -40, -60, -40, -30], atol=1e-13)
        self.assertEqual(scale.make_scale(1, 6, options("data", "--db", 20, "--max", 10)).reference, 10)

    def test_ConstantData_HaveRoom(self):
        found = scale.make_scale(5, 5, options("data"))
        self.assertEqual((found.lowest, found.highest), (4.5, 5.5))

    def test_ValuesBeyondTheColours_AreNoted(self):
        for arguments, expected in (((), "neither"), (("--max", 5), "max"), (("--min", 2), "min"),
                                    (("--min", 2, "--max", 5), "both")):
            self.assertEqual(scale.make_scale(1, 6, options("data", *arguments)).beyond, expected)

    def test_LimitsBeyondTheData_AreRefused(self):
        with self.assertRaisesRegex(files.Failure,
                                    "^--min: found 50, expected a limit within the data, which goes from 1 to 6$"):
            scale.make_scale(1, 6, options("data", "--min", 50))
        with self.assertRaisesRegex(files.Failure, "^--db: found nothing but zeros in dataset data"):
            scale.make_scale(0, 0, options("data", "--db", 20))


def cielab(colours):
    """Converts sRGB colours to CIE 1976 L*, a*, b* with the white point D65."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055)**2.4)
    xyz = linear @ np.array([[.4124564, .2126729, .0193339], [.3575761, .7151522, .1191920],
                             [.1804375, .0721750, .9503041]]) / [.95047, 1, 1.08883]
    f = np.where(xyz > (6 / 29)**3, np.cbrt(xyz), xyz / (3 * (6 / 29)**2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


class ColourMaps(unittest.TestCase):
    def test_Steps_DifferByLessThanFour(self):
        """Bounds the ratio of the largest to the smallest CIELAB distance of adjacent colours.

        The bounds allow for the inaccuracy of CIELAB for saturated colours. Rainbow colour maps
        have ratios of 20 and more.
        """
        for name, bound in ((scale.SEQUENTIAL, 4), (scale.DIVERGING, 2.5), (scale.GREY, 2.5)):
            colours = cielab(matplotlib.colormaps[name](np.linspace(0, 1, 65))[:, :3])
            steps = np.linalg.norm(np.diff(colours, axis=0), axis=1)
            self.assertLess(steps.max() / steps.min(), bound, name)

    def test_Lightness_RisesOrPeaksAtZero(self):
        lightness = {name: cielab(matplotlib.colormaps[name](np.linspace(0, 1, 65))[:, :3])[:, 0]
                     for name in (scale.SEQUENTIAL, scale.DIVERGING, scale.GREY)}
        for name in (scale.SEQUENTIAL, scale.GREY):
            self.assertGreater(np.diff(lightness[name]).min(), 0)
        both = lightness[scale.DIVERGING]
        self.assertLess(abs(both - both[::-1]).max(), 8)
        self.assertEqual(both.argmax(), 32)


def example(values, spacing=1e-3):
    """A plane of 3 x 2 values, 2 mm apart along x from x = 5 mm and 1 mm apart along z from z = 0."""
    values = np.array(values, float).reshape(2, 3)
    return planes.Plane(planes.Side("x", 3, 5, 2, spacing), planes.Side("z", 2, 0, 1, spacing), values)


def picture(plane, *arguments, lines=(), title="title", dataset="data"):
    o = options(dataset, *arguments)
    colours = scale.make_scale(*scale.finite_range(plane.values), o)
    return figure.picture_of_plane(plane, colours, list(lines), o, title)


def box_of(drawn, axes=None):
    """Returns left, top, right and bottom of axes in pixels of the picture."""
    height = drawn.figure.bbox.height
    box = (axes or drawn.axes).get_window_extent()
    return [round(edge) for edge in (box.x0, height - box.y1, box.x1, height - box.y0)]


def inside(drawn):
    """Returns the pixels of the axes."""
    left, top, right, bottom = box_of(drawn)
    return drawn.pixels()[top:bottom, left:right]


class Figures(unittest.TestCase):
    def test_Values_AreDrawnTrueToTheirDistances(self):
        plane = example([0, 1, 2, 3, NAN, 5])
        drawn = picture(plane, "--scale", 10, "--interpolation", "nearest", "--colour-map", "grey")
        pixels = inside(drawn)
        self.assertEqual(pixels.shape, (20, 60, 3))
        grey = matplotlib.colormaps["gray"]
        for j in range(2):
            for i in range(3):
                if np.isnan(plane.values[j, i]):
                    continue
                # The pixels of a value, except for two pixels at its borders.
                cell = pixels[10 * (1 - j) + 2:10 * (1 - j) + 8, 20 * i + 2:20 * i + 18]
                expected = np.round(255 * grey(plane.values[j, i] / 5)[0])
                self.assertLessEqual(abs(cell.astype(int) - expected).max(), 1, (i, j))

    def test_MissingValues_AreHatchedAndExplained(self):
        plane = example([0, 1, 2, 3, NAN, 5])
        hole = inside(picture(plane, "--scale", 20, "--colour-map", "grey"))[2:18, 42:78]
        self.assertEqual(hole.max(), 255)  # the hatching is white and grey
        self.assertLess(hole.min(), 230)
        self.assertGreater(hole.min(), 100)
        plane.values[1, 1] = 4.
        self.assertLess(inside(picture(plane, "--scale", 20, "--colour-map", "grey"))[2:18, 42:78].max(), 255)
        self.assertIsNone(picture(plane).axes.get_legend())

    def test_ValuesBesideMissingOnes_AreShown(self):
        plane = example([0, 1, 2, 3, NAN, 5])
        clipped = picture(plane)._clipped(plane.values)
        np.testing.assert_array_equal(clipped[~np.isnan(plane.values)], plane.values[~np.isnan(plane.values)])
        self.assertEqual(clipped[1, 1], np.mean([0, 1, 2, 3, 5]))

    def test_ColourBar_EndsWithTheEndColours(self):
        drawn = picture(example(range(6)))
        left, top, right, bottom = box_of(drawn, drawn.bar.ax)
        column = drawn.pixels()[top:bottom, (left + right) // 2].astype(int)
        ends = 255 * np.array(matplotlib.colormaps[scale.SEQUENTIAL]([1., 0.]))[:, :3]
        self.assertLess(abs(column[[3, -4]] - ends).max(), 8)
        self.assertEqual(drawn.size[0], 798)  # 6 mm with 133 pixels each
        self.assertEqual([drawn.bar.vmin, drawn.bar.vmax], [0, 5])

    def test_Axes_HaveUnits(self):
        plane = example(range(6))
        axes = picture(plane).axes
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("x [mm]", "z [mm]"))
        np.testing.assert_allclose([*axes.get_xlim(), *axes.get_ylim()], [4, 10, -0.5, 1.5])
        plane.unit = ("µm", 1e6)
        np.testing.assert_allclose(picture(plane).axes.get_xlim(), [4000, 10000])
        axes = picture(example(range(6), None)).axes
        self.assertEqual(axes.get_xlabel(), "x [grid points]")

    def test_Marks_AreDrawnWhereTheyAre(self):
        plane = planes.Plane(planes.Side("x", 20), planes.Side("y", 10), np.zeros((10, 20)))
        lines = [marks.Mark("medium", "border", [np.array([[4., 2.], [4., 8.]])]),
                 marks.Mark("source", "source", [np.array([[12, 5]])]),
                 marks.Mark("pml", "PML", [np.array([[16., -0.5], [16., 9.5]])])]
        drawn = picture(plane, "--scale", 10, "--colour-map", "grey", "--min", 0, "--max", 1, lines=lines)
        pixels = inside(drawn).astype(int)
        at = lambda x, y: pixels[94 - 10 * y, 10 * x + 4:10 * x + 7]  # noqa: E731
        self.assertGreater(at(4, 5).max(), 120)
        self.assertEqual(at(4, 1).max(), 0)  # below the end of the line
        self.assertEqual(at(6, 5).max(), 0)
        self.assertGreater(at(12, 5)[1, 1], 150)
        self.assertLess(at(12, 5)[1, 0], 120)
        self.assertEqual(at(13, 5).max(), 0)
        bright = (pixels[:, 163:168].max(axis=(1, 2)) > 100).mean()
        self.assertTrue(0.4 < bright < 0.8, bright)  # a dashed line
        self.assertEqual([text.get_text() for text in drawn.axes.get_legend().get_texts()], ["border", "source", "PML"])

    def test_ColourBar_IsPointedWhereValuesLieBeyond(self):
        plane = example(range(6))
        self.assertEqual(picture(plane).bar.extend, "neither")
        self.assertEqual(picture(plane, "--max", 3).bar.extend, "max")

    def test_LongTexts_AreWrappedInsideThePicture(self):
        text = "A text that is longer than the picture is wide: 160 x 160 x 160 points on 2 x 1 MPI ranks, " + 120 * "W"
        drawn = picture(example(range(6)), "--scale", 10, "--caption", text, "--caption", "$1 and $2", title=text)
        self.assertEqual(drawn.title.get_text().replace("\n", " ").replace(" ", ""), text.replace(" ", ""))
        width, height = drawn.figure.bbox.size
        boxes = [t.get_window_extent(drawn.measure) for t in drawn.axes.texts]
        self.assertEqual(len(boxes), 2)
        for box in boxes:
            self.assertTrue(0 < box.x0 and box.x1 < width and 0 < box.y0 and box.y1 < height, box)
        pixels = drawn.pixels()
        self.assertEqual(min(side.min() for side in (pixels[:2], pixels[-2:], pixels[:, :2], pixels[:, -2:])), 255)

    def test_LettersBeyondAscii_AreDrawn(self):
        shapes = {letter: picture(example(range(6)), title=letter).pixels()[:60].tobytes() for letter in "τßéöµ×"}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            missing = picture(example(range(6)), title="\U0010fffd").pixels()[:60].tobytes()
        self.assertIn("missing from", str(caught[0].message))
        self.assertEqual(len({*shapes.values(), missing}), 7)

    def test_Notes_AreWhereTheyBelong(self):
        drawn = picture(example(range(6)), "--note", "7.5,-1e-1,focus, the largest")
        note = drawn.axes.texts[0]
        self.assertEqual((note.get_position(), note.get_text()), ((7.5, -0.1), "focus, the largest"))
        with self.assertRaisesRegex(files.Failure, "^--note: found '12,1,far', expected a place in the picture, from "
                                    "4,-0.5 to 10,1.5$"):
            picture(example(range(6)), "--note", "12,1,far")

    def test_PicturesThatAreTooLarge_AreRefused(self):
        plane = planes.Plane(planes.Side("x", 40000), planes.Side("z", 40000), np.zeros((1, 1)))
        with self.assertRaisesRegex(files.Failure, "^--scale: found 2 pixels per point, expected"):
            figure.pixels_of(plane, 2)
        self.assertEqual(figure.pixels_of(plane, None), (1, 1))


def curves(*values, dt=1e-6, first_step=0):
    return planes.Series(first_step, dt, [f"place {n}" for n in range(len(values))],
                         [np.array(v, float) for v in values])


class Curves(unittest.TestCase):
    def test_Axes_HaveUnitsThatSuit(self):
        series = curves([-2e5, 1e5, 2e5], first_step=10)
        axes = figure.picture_of_curves(series, options("p_raw"), "").axes
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("t [µs]", "pressure p_raw [kPa]"))
        np.testing.assert_allclose(axes.get_xlim(), (10, 12))
        self.assertTrue(axes.get_ylim()[0] < -200 and axes.get_ylim()[1] > 200)
        np.testing.assert_allclose(axes.lines[0].get_xydata(), [[10, -200], [11, 100], [12, 200]])
        series.dt = None
        self.assertEqual(figure.picture_of_curves(series, options("p_raw"), "").axes.get_xlabel(), "time step")

    def test_Curves_PassThroughTheirValues(self):
        drawn = figure.picture_of_curves(curves([0, 25, 50, 75, 100]), options("p", "--min", 0, "--max", 100), "")
        pixels = inside(drawn).astype(int)
        height, width = pixels.shape[:2]
        blue = abs(pixels - [0x00, 0x72, 0xb2]).max(axis=2) < 40
        for x in (80, 200, 333, 640):
            rows = height - 1 - np.flatnonzero(blue[:, x])
            self.assertTrue(len(rows) and abs(rows - x / (width - 1) * (height - 1)).max() < 2.5, (x, rows))

    def test_ExtremesOfManyValues_AreKept(self):
        values = np.zeros(400000)
        values[(values.size - 1) * 247 // 799], values[(values.size - 1) * 646 // 799] = 90, -90
        pixels = inside(figure.picture_of_curves(curves(values), options("p", "--min", -100, "--max", 100), ""))
        dark = (pixels[:, :, 0] < 120)
        self.assertLess(np.flatnonzero(dark[:, 245:250].any(axis=1)).min(), 25)  # the peak of 90 is near the top
        self.assertGreater(np.flatnonzero(dark[:, 644:649].any(axis=1)).max(), 375)

    def test_Several_HaveALegend(self):
        self.assertIsNone(figure.picture_of_curves(curves([0, 1]), options("p"), "").axes.get_legend())
        two = figure.picture_of_curves(curves([0, 1], [1, 0]), options("p"), "")
        self.assertEqual([text.get_text() for text in two.axes.get_legend().get_texts()], ["place 0", "place 1"])
        self.assertEqual(len(set(figure.CURVES)), program.MAX_CURVES)

    def test_LimitsBeyondTheData_AreRefused(self):
        with self.assertRaisesRegex(files.Failure, "^--max: found -5, expected a limit within the data"):
            figure.picture_of_curves(curves([0, 1]), options("p", "--max", -5), "")


class OutputFiles(Scratch):
    def test_AFile_IsMadeWhereALinkLeads(self):
        os.symlink("made.png", self.file("link.png"))
        with program.new_file(self.file("link.png")) as output:
            output.write(b"picture")
        self.assertTrue(os.path.islink(self.file("link.png")))
        self.assertEqual(pathlib.Path(self.file("made.png")).read_bytes(), b"picture")

    def test_AReplacedFile_KeepsItsPermissions(self):
        path = pathlib.Path(self.file("private.png"))
        for mode in (0o600, 0o666, 0o444):
            path.write_bytes(b"old")
            path.chmod(mode)
            with program.new_file(str(path)) as output:
                self.assertEqual(os.fstat(output.fileno()).st_mode & 0o777 & ~mode, 0)
                output.write(b"new")
            self.assertEqual((path.read_bytes(), path.stat().st_mode & 0o777), (b"new", mode))
            path.unlink()

    def test_ControlCharacters_AreEscapedInMessages(self):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            status = program.main(["-i", self.path, "-d", "p\x1b[31m\x9b\udcff\u00e9", "-o", self.file("a.png")])
        self.assertEqual(status, 1)
        self.assertIn("p\\x1b[31m\\xc2\\x9b\\xff\u00e9", said.getvalue())
        self.assertNotIn("\x1b", said.getvalue())

    def test_AnError_LeavesTheFileAsItWas(self):
        path = pathlib.Path(self.file("old.png"))
        path.write_bytes(b"old")
        for error in (files.Failure("failed"), SystemExit(143)):
            with self.assertRaises(type(error)):
                with program.new_file(str(path)) as output:
                    output.write(b"half")
                    raise error
        self.assertEqual(path.read_bytes(), b"old")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["old.png", "planes.h5"])

    def test_FoldersAndMissingFolders_AreRefused(self):
        os.mkdir(self.file("occupied.png"))
        for name, expected in (("occupied.png", "it is not a regular file"), ("absent/a.png", "there is no folder")):
            with self.assertRaisesRegex(files.Failure, f"cannot create '.*{name}': {expected}"):
                with program.new_file(self.file(name)):
                    pass

    def test_Animation_HasAllFramesWithTheirTimes(self):
        values = np.random.default_rng(1).normal(size=(9, 1, 30, 40))
        values[4] = values[0]
        self.change(snapshot_y0_ux=values.transpose(0, 2, 1, 3))
        output = self.file("frames.png")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = program.main(["-i", self.path, "-d", "snapshot_y0_ux", "--frames", "3", "--frame-duration", "50",
                                   "-o", output, "--scale", "4", "--title", "waves"])
        self.assertEqual(status, 0)
        self.assertIn(f"{output}: 3 frames of ", said.getvalue())
        with Image.open(output) as image:
            self.assertEqual((image.n_frames, image.info["loop"]), (3, 0))
            frames = []
            for n in range(3):
                image.seek(n)
                self.assertEqual(image.info["duration"], 50)
                frames.append(np.asarray(image.convert("RGB")).astype(int))
        self.assertEqual(len({frame.shape for frame in frames}), 1)
        # The frames show rows 0, 4 and 8. Rows 0 and 4 have equal values, so only the title changes.
        changed = [np.flatnonzero((a != b).any(axis=(1, 2))) for a, b in zip(frames, frames[1:])]
        self.assertTrue(0 < len(changed[0]) < 30, changed[0])
        self.assertGreater(len(changed[1]), 100)

    def draw(self, output, *arguments):
        """Runs the program on the test's file. Returns its exit status and output."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = program.main(["-i", self.path, "-o", self.file(output), *map(str, arguments)])
        return status, said.getvalue()

    def test_Pictures_AreWrittenAsPngSvgAndPdf(self):
        self.assertEqual(self.draw("a.png", "-d", "f", "--title", "a title")[0], 0)
        self.assertEqual(self.draw("b.png", "-d", "f", "--title", "a title", "--dpi", 200)[0], 0)
        with Image.open(self.file("a.png")) as small, Image.open(self.file("b.png")) as large:
            for image, dpi in ((small, 100), (large, 200)):
                np.testing.assert_allclose(image.info["dpi"], (dpi, dpi), rtol=1e-3)  # the file has pixels per metre
            np.testing.assert_allclose(large.size, np.multiply(small.size, 2), atol=1)
            # Both resolutions show the same picture, with letters of the same size in print.
            halved = large.convert("L").resize(small.size, Image.Resampling.BOX)
            difference = np.abs(np.asarray(halved, float) - np.asarray(small.convert("L"), float))
            self.assertLess(difference.mean(), 4)
        for name, first, last in (("c.svg", b"<?xml", b"</svg>"), ("d.pdf", b"%PDF", b"%%EOF")):
            status, said = self.draw(name, "-d", "f", "--title", "a title")
            self.assertEqual(status, 0, said)
            self.assertRegex(said, r": \d+ x \d+ mm, a title, f from 20 to 224")
            text = pathlib.Path(self.file(name)).read_bytes().strip()
            self.assertTrue(text.startswith(first) and text.endswith(last), name)
        self.assertIn("expected a name that ends in .png, .svg or .pdf", self.draw("e.gif", "-d", "f")[1])
        self.assertIn("--dpi: found 5, expected 20 to 1200", self.draw("e.png", "-d", "f", "--dpi", 5)[1])

    def test_Animations_AreWrittenAsGifAndMp4(self):
        self.change(snapshot_y0_ux=np.random.default_rng(1).normal(size=(9, 30, 1, 40)))
        frames = ("-d", "snapshot_y0_ux", "--frames", 3, "--scale", 4, "--frame-duration", 50)
        self.assertEqual(self.draw("a.gif", *frames)[0], 0)
        with Image.open(self.file("a.gif")) as image:
            self.assertEqual((image.n_frames, image.info["duration"], image.info["loop"]), (3, 50, 0))
        status, said = self.draw("a.mp4", *frames)
        if shutil.which("ffmpeg"):
            self.assertEqual(status, 0, said)
            self.assertEqual(pathlib.Path(self.file("a.mp4")).read_bytes()[4:8], b"ftyp")
            self.assertGreater(os.path.getsize(self.file("a.mp4")), 5000)
        with unittest.mock.patch.dict(os.environ, {"PATH": self.folder.name}):
            status, said = self.draw("b.mp4", *frames)
        self.assertEqual(status, 1)
        self.assertIn("found an MP4 file, but no ffmpeg", said)
        self.assertFalse(os.path.exists(self.file("b.mp4")))
        self.assertIn("a name that ends in .png, .gif or .mp4", self.draw("a.svg", *frames)[1])

    def test_AnimationOfAWave_BeginsWhereItIsSeen(self):
        sizes = np.where(np.arange(21) < 10, 1e-9, np.arange(21))
        ranges = lambda rows: [(0, sizes[row]) for row in rows]  # noqa: E731
        rows, found = program.rows_to_show(5, 21, ranges)
        self.assertEqual((rows, found), ([10, 12, 15, 17, 20], ranges([10, 12, 15, 17, 20])))
        self.assertEqual(program.rows_to_show(3, 21, lambda rows: [(-1, 0)] * 3)[0], [0, 10, 20])
        last = lambda rows: [(0, float(row == 20)) for row in rows]  # noqa: E731
        self.assertEqual(program.rows_to_show(5, 21, last)[0], [16, 17, 18, 19, 20])

    def test_ASeriesWithoutAMask_IsDrawnAsCurves(self):
        times, points = 9, 13
        self.change(p=np.arange(float(times * points)).reshape(1, times, points))
        with files.open_file(self.path) as file:
            self.assertEqual(planes.points_of_series(file, file, options("p"), 6), [0, 2, 4, 7, 9, 12])
            self.assertEqual(planes.points_of_series(file, file, options("f"), 6), [])
        status, said = self.draw("p.png", "-d", "p")
        self.assertEqual(status, 0, said)
        self.assertIn("Pressure p at 6 points", said)


if __name__ == "__main__":
    unittest.main()
