#!/usr/bin/env python3
"""Reads the XDMF description written by hybridfft-kspace --xdmf, and looks up every dataset that it names.

    xdmf_check.py H5DUMP FOLDER_OF_INPUTS WORK_FOLDER COMMAND...
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

h5dump, inputs, work, *command = sys.argv[1:]


def numbers(text):
    return [float(word) for word in text.split()]


def dump(*arguments):
    return subprocess.run([h5dump, *arguments], check=True, text=True, capture_output=True).stdout


def headers_of(path):
    """Returns type and extents of every dataset, as printed by HDF5's h5dump."""
    names = re.findall(r"dataset\s+(/\S+)", dump("-n", path))
    headers = {}
    for part in dump("-H", *(a for n in names for a in ("-d", n)), path).split('DATASET "')[1:]:
        kind = re.search(r"DATATYPE\s+(\w+)", part).group(1)
        extents = re.search(r"DATASPACE\s+SIMPLE\s*{\s*\(([^)]*)\)", part).group(1)
        headers[part[:part.index('"')]] = kind, [int(n) for n in extents.split(",")]
    assert sorted(headers) == sorted(names)
    return headers


def values(path, dataset):
    text = dump("-y", "-d", dataset, path)
    return numbers(text[text.index("DATA {") + 6:].split("}")[0].replace(",", " "))


def scalar(path, dataset):
    return values(path, dataset)[0]


def stretched(path, axis, n, d):
    """Returns the positions of points with spacing d / dxudxn, by Simpson's rule."""
    at, between = (values(path, f"/d{axis}ud{axis}n{tail}") for tail in ("", "_sg" + axis))
    places = [0.0]
    for i in range(n - 1):
        places.append(places[-1] + d / 6 * (1 / at[i] + 4 / between[i] + 1 / at[i + 1]))
    return places


class Checker:
    def __init__(self, folder, output, double):
        self.double = double
        self.output = os.path.join(folder, output)
        self.name = output
        self.seen = set()
        self.headers = headers_of(self.output)
        self.positions = None  # positions along x, y, z of a non-uniform grid
        self.first = (0, 0, 0) # first point of a cuboid

    def hdf(self, item):
        """Checks a reference to a whole dataset; returns its name and extents."""
        file, dataset = item.text.split(":")
        assert file == self.name, file
        kind, extents = self.headers[dataset]
        bits = 64 if self.double else 32
        assert kind == f"H5T_IEEE_F{bits}" + {"Little": "LE", "Big": "BE"}[item.get("Endian")], kind
        assert (item.get("NumberType"), item.get("Precision")) == ("Float", str(bits // 8))
        assert numbers(item.get("Dimensions")) == extents, (dataset, extents)
        self.seen.add(dataset[1:])
        return dataset, extents

    def grid(self, grid, origin, spacing, time, row=None):
        topology = grid.find("Topology")
        shape = numbers(topology.get("Dimensions"))
        geometry = grid.find("Geometry")
        kind = topology.get("TopologyType"), geometry.get("GeometryType")
        found = [numbers(item.text) for item in geometry]
        if self.positions:
            assert kind == ("3DRectMesh", "VXVYVZ"), kind
            assert [len(f) for f in found] == shape[::-1]
            expected = [p[i:i + len(f)] for p, i, f in zip(self.positions, self.first, found)]
            near = 1e-4 * max(spacing)  # tolerance: positions are sums of numbers with six digits
        else:
            assert kind == ("3DCoRectMesh", "ORIGIN_DXDYDZ"), kind
            expected = origin, spacing
            near = 1e-6 * max(spacing)
        for those, wanted in zip(found, expected):
            assert len(those) == len(wanted)
            assert all(abs(a - b) <= near for a, b in zip(those, wanted)), found
        assert abs(float(grid.find("Time").get("Value")) - time) <= 1e-5 * time
        attributes = grid.findall("Attribute")
        assert attributes
        for attribute in attributes:
            assert (attribute.get("AttributeType"), attribute.get("Center")) == ("Scalar", "Node")
            item = attribute.find("DataItem")
            assert numbers(item.get("Dimensions")) == shape
            if row is None:
                dataset, extents = self.hdf(item)
                assert extents == shape
            else:
                assert item.get("ItemType") == "HyperSlab"
                selection, source = item.findall("DataItem")
                dataset, extents = self.hdf(source)
                assert numbers(selection.get("Dimensions")) == [3, len(extents)]
                assert extents[1:] == shape
                start, stride, count = (numbers(selection.text)[4 * i:4 * i + 4] for i in range(3))
                assert (start, stride, count) == ([row, 0, 0, 0], [1] * 4, [1] + shape)
                assert row < extents[0]
            assert dataset.split("/")[1] == attribute.get("Name")


def check(name, output, start, options, cuboids):
    with tempfile.TemporaryDirectory(dir=work) as folder:
        path = os.path.join(folder, output)
        subprocess.run([*command, "-i", f"{inputs}/{name}_input.h5", "-o", path, "--xdmf",
                        "-s", str(start), *options], check=True, stdout=subprocess.DEVNULL)
        description = path[:-3] + ".xdmf" if output.endswith(".h5") else path + ".xdmf"
        domain = ET.parse(description).getroot().find("Domain")
        assert sorted(os.listdir(folder)) == sorted([output, os.path.basename(description)])
        checker = Checker(folder, output, "double" in options)
        d = [scalar(path, "/d" + axis) for axis in "xyz" if "/d" + axis in checker.headers]
        spacing = (d if len(d) == 3 else d + d[:1])[::-1]
        if scalar(path, "/nonuniform_grid_flag"):
            source = f"{inputs}/{name}_input.h5"
            sizes = [int(scalar(path, "/N" + axis)) for axis in "xyz"]
            checker.positions = [stretched(source, axis, n, h) for axis, n, h in zip("xyz", sizes, d)]
            checker.positions += [[0.0]] * (3 - len(d))
        dt, done = scalar(path, "/dt"), int(scalar(path, "/t_index"))
        last = (done - 1) * dt
        series = 0
        for grid in domain.findall("Grid"):
            words = grid.get("Name").split()
            first = cuboids[int(words[1]) - 1] if words[0] == "cuboid" else (1, 1, 1)
            checker.first = [c - 1 for c in first]
            origin = [(c - 1) * h for c, h in zip(first[::-1], spacing)]
            if grid.get("GridType") == "Uniform":
                checker.grid(grid, origin, spacing, last)
                continue
            assert grid.get("CollectionType") == "Temporal"
            rows = grid.findall("Grid")
            assert len(rows) == done - start + 1
            for row, one in enumerate(rows):
                checker.grid(one, origin, spacing, (start - 1 + row) * dt, row)
            series += 1
        # Every dataset of at least three dimensions must be described, except lists of points.
        expected = {n[1:] for n in checker.headers
                    if "/" in n[1:] or n.endswith(("_final", "_all"))}
        assert checker.seen == expected, checker.seen ^ expected
        assert series == (len(cuboids) if "--p_raw" in options else 0)
        assert checker.seen
        print(name, len(checker.seen), "datasets")


corners = [(2, 3, 4), (15, 13, 11), (1, 1, 6)]
check("odd_sizes", "out.h5", 36, ["--p_raw", "-u", "--p_max", "--p_final", "--I_avg"], corners)
check("odd_sizes", "a & b.1", 12, ["--p_max", "--u_min_all", "--precision", "double"], corners)
check("flat_corrected_velocity_stokes", "flat.h5", 39,
      ["--p_raw", "--u_rms", "--p_max_all", "--u_final"], [(2, 3, 1), (24, 20, 1), (1, 1, 1)])
check("flat_all_arrays", "list.h5", 1, ["--p_raw", "--p_final"], [])
check("flat_nonuniform", "stretched.h5", 1, ["--p_final"], [])
check("nonuniform_arrays", "stretched.h5", 1, ["--p_final", "--p_max_all"], [])

# The description must not replace the input or the checkpoint.
with tempfile.TemporaryDirectory(dir=work) as folder:
    source = shutil.copy(f"{inputs}/odd_sizes_input.h5", f"{folder}/taken.xdmf")
    for options, what in ((["-i", source], "input"),
                          (["-i", f"{inputs}/odd_sizes_input.h5", "--checkpoint_file", source,
                            "--checkpoint_timesteps", "3"], "checkpoint")):
        done = subprocess.run([*command, *options, "-o", f"{folder}/taken.h5", "--xdmf"], check=False,
                              text=True, capture_output=True)
        said = re.sub(r"[\s│]+", " ", done.stderr)
        assert done.returncode == 1 and f"for --xdmf, is the {what} file" in said, said
        assert open(source, "rb").read(4) == b"\x89HDF" and not os.path.exists(f"{folder}/taken.h5")
