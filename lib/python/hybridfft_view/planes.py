"""Reads the values of a picture: a plane of a dataset, or time series at sensor points.

In this module `o` has the program's options, `file` is the input file, and `other` the file of --kwave-input.
"""
import dataclasses
import typing

import numpy as np

from .files import (AXES, VALUES_AT_ONCE, Failure, attribute, cuboid_number, dataset_beside, find_cuboid, find_mask,
                    first_step, read, read_real, read_simulation, require_dataset, shape_text, steps_of, whole_number)
from .scale import time_unit


@dataclasses.dataclass
class Side:
    """One side of a plane. Value i lies at grid point first + i * step. spacing: of grid points in m, or None."""
    name: str
    points: int
    first: int = 0
    step: int = 1
    spacing: typing.Optional[float] = None


@dataclasses.dataclass
class Plane:
    """A plane of values[up][across], NaN at points without a record.

    place: text for the title, may be empty. axis: number 0 to 2 of the axis normal to the plane. slice: the plane's
    grid point along this axis; for a maximum along the axis the middle one. placed: False if the grid points along some
    axis are unknown. unit: name of the unit of lengths, and its factor from m. blocks: corners [low, high][across, up]
    of blocks in the plane, in grid points.
    """
    across: Side
    up: Side
    values: np.ndarray
    place: str = ""
    axis: int = 1
    slice: int = 0
    placed: bool = True
    unit: tuple = ("mm", 1e3)
    blocks: typing.Sequence = ()


class Source:
    """A dataset as a box of values. Along each axis, value i lies at grid point first + i * step.

    `times` is the number of rows of a time series, or 1. `offset` is the distance from a grid point to its value, in
    points (0.5 for values in the middle of cells). `moment` is the time of the values as text for the title, or ''.
    """
    offset = 0
    moment = ""

    def __init__(self, dataset, magnitude, spacing):
        self.dataset, self.magnitude, self.spacing = dataset, magnitude, spacing
        self.points, self.first, self.step, self.placed = [1] * 3, [0] * 3, [1] * 3, [True] * 3
        self.times = 1

    def rows(self, row):
        """Returns the rows to read: the given one, or for None all rows, to show the maximum over time."""
        return range(self.times) if row is None else range(row, row + 1)

    def simulation_of(self, simulation):
        """Returns the simulation's parameters, with the grid of these values."""
        return simulation

    def blocks(self, axis, at):
        """Returns the corners of blocks in the plane at value `at` along `axis`; see Plane."""
        return ()

    def empty(self, axis):
        up, across = (self.points[a] for a in sides_of(axis)[::-1])
        return np.full((up, across), np.nan)


class Volume(Source):
    """A dataset [Ny][Nx], [Nz][Ny][Nx] or [times][Nz][Ny][Nx]. `origin` is the grid point of its first value; an
    unknown coordinate is None."""

    def __init__(self, dataset, magnitude, spacing, origin=(0, 0, 0)):
        super().__init__(dataset, magnitude, spacing)
        self.points = (list(dataset.shape[::-1]) + [1])[:3]
        self.first = [place or 0 for place in origin]
        self.placed = [place is not None for place in origin]
        if dataset.ndim == 4:
            self.times = dataset.shape[0]

    def plane(self, axis, at, row):
        """Returns the plane [up][across] normal to `axis` at value `at`, or for None the maximum along the axis."""
        result = self.empty(axis)
        box = [slice(0, n) for n in self.points]
        if at is not None:
            box[axis] = slice(at, at + 1)
        shape = [s.stop - s.start for s in box]
        depth = max(1, VALUES_AT_ONCE // (shape[0] * shape[1]))
        for z in range(box[2].start, box[2].stop, depth):
            last = min(z + depth, box[2].stop)
            part = result if axis == 2 else result[z:last]
            for time in self.rows(row):
                selection = (time, slice(z, last), box[1], box[0])[4 - self.dataset.ndim:]
                values = read_real(self.dataset, selection, self.magnitude).reshape(last - z, shape[1], shape[0])
                part[...] = np.fmax(part, np.fmax.reduce(values, axis=2 - axis))
        return result


class Sensor(Source):
    """A dataset [1][times][points] at the points of a mask, as the smallest box that contains all points."""

    AT_ONCE = 2**20

    def __init__(self, dataset, magnitude, spacing, mask):
        super().__init__(dataset, magnitude, spacing)
        self.mask, self.times = mask, dataset.shape[1]
        start = low = high = mask.places(0, 1)[:, 0]
        step = np.zeros(3, np.int64)
        for _, places in self._parts():
            low, high = np.minimum(low, places.min(axis=1)), np.maximum(high, places.max(axis=1))
            step = np.gcd(step, np.gcd.reduce(places - start[:, None], axis=1))
        step = np.maximum(step, 1)
        self.first, self.step = low.tolist(), step.tolist()
        self.points = ((high - low) // step + 1).tolist()

    def _parts(self):
        for first in range(0, self.mask.points, self.AT_ONCE):
            yield first, self.mask.places(first, min(self.AT_ONCE, self.mask.points - first))

    def plane(self, axis, at, row):
        result = self.empty(axis)
        across, up = sides_of(axis)
        for first, places in self._parts():
            where = (places - np.array(self.first)[:, None]) // np.array(self.step)[:, None]
            chosen = slice(None) if at is None else where[axis] == at
            where = where[:, chosen]
            if not where.shape[1]:
                continue
            values = self._values(first, places.shape[1], row)[chosen]
            np.fmax.at(result, (where[up], where[across]), values)
        return result

    def _values(self, first, count, row):
        result = np.full(count, np.nan)
        rows = self.rows(row)
        some = max(1, VALUES_AT_ONCE // count)
        for time in range(rows.start, rows.stop, some):
            selection = (0, slice(time, min(time + some, rows.stop)), slice(first, first + count))
            result = np.fmax(result, np.fmax.reduce(read_real(self.dataset, selection, self.magnitude), axis=0))
        return result


class Blocks(Source):
    """A dataset [blocks][n]..[n] of an adaptive mesh, as values on a uniform grid of its finest cells. The dataset
    `leaf` of the same group has the level and the position x, y[, z] of each block.
    """
    offset = 0.5

    def __init__(self, dataset, magnitude, leaf, h):
        self.flat = leaf.shape[1] == 3
        finest = int(leaf[:, 0].max())
        self.shift = finest - leaf[:, 0].astype(np.int64)
        sizes = (dataset.shape[-1] << self.shift)[:, None]
        self.low, self.high = leaf[:, 1:] * sizes, (leaf[:, 1:] + 1) * sizes
        if self.flat:
            self.low = np.pad(self.low, ((0, 0), (0, 1)))
            self.high = np.pad(self.high, ((0, 0), (0, 1)), constant_values=1)
        distance = h and h / 2**finest
        super().__init__(dataset, magnitude, [distance, distance, None if self.flat else distance])
        self.points = self.high.max(axis=0).tolist()
        time = attribute_time(dataset)
        if time is not None:
            unit, factor = time_unit(time)
            self.moment = f"t = {time * factor:.4g} {unit}"

    def simulation_of(self, simulation):
        return dataclasses.replace(simulation, sizes=tuple(self.points), spacing=self.spacing)

    def _numbers(self, axis, at):
        """Returns the numbers of the blocks that intersect the plane at value `at`, or for None of all blocks."""
        inside = at is None or (self.low[:, axis] <= at) & (at < self.high[:, axis])
        return np.flatnonzero(inside | np.zeros(len(self.low), bool))

    def blocks(self, axis, at):
        sides = list(sides_of(axis))
        return [(self.low[n, sides], self.high[n, sides]) for n in self._numbers(axis, at)]

    def plane(self, axis, at, row):
        result = self.empty(axis)
        across, up = sides_of(axis)
        for n in self._numbers(axis, at):
            values = read_real(self.dataset, int(n), self.magnitude)
            values = values[None] if self.flat else values
            if at is not None:
                inside = (at - self.low[n, axis]) >> (0 if self.flat and axis == 2 else self.shift[n])
                values = values.take([inside], 2 - axis)
            values = np.fmax.reduce(values, axis=2 - axis)
            for side, direction in ((up, 0), (across, 1)):
                if not (self.flat and side == 2):
                    values = values.repeat(1 << self.shift[n], direction)
            part = result[self.low[n, up]:self.high[n, up], self.low[n, across]:self.high[n, across]]
            part[...] = np.fmax(part, values)
        return result


def attribute_time(dataset):
    """Returns the time of a dataset in s: the attribute `time` of its group, else the file's dataset `time`, else
    None."""
    time = dataset.parent.attrs.get("time", dataset.file.get("time"))
    values = np.ravel(time[()]) if time is not None else ()
    return float(values[0]) if len(values) == 1 else None


def find_blocks(file, o):
    """Returns the dataset as Blocks, or None if it has no blocks."""
    dataset = require_dataset(file, o.dataset)
    leaf = dataset_beside(dataset, "leaf")
    if leaf is None or leaf.ndim != 2 or leaf.shape[1] not in (3, 4):
        return None
    if dataset.ndim != leaf.shape[1] or dataset.shape[0] != leaf.shape[0]:
        return None
    h = file.get("h", file.attrs.get("h"))
    return Blocks(dataset, o.db is not None, read(leaf, ...), None if h is None else float(np.ravel(h[()])[0]))


def sides_of(axis):
    """Returns the two axes of a plane normal to `axis`: the horizontal and the vertical one of the picture."""
    return 1 if axis == 0 else 0, 1 if axis == 2 else 2


def _wrong_shape(file, name, shape, expected):
    return Failure(f"{file.filename}: dataset {name}: found shape {shape_text(shape)}, expected {expected}")


def _cuboid(file, other, o, dataset, simulation, number):
    found = find_cuboid(file, other, number)
    if found is None:
        raise Failure(f"{file.filename}: dataset {o.dataset} is of a cuboid: found no sensor_mask_corners, expected "
                      "them there or in the file given by --kwave-input")
    first, points = found
    if points[::-1] != dataset.shape[-3:]:
        raise _wrong_shape(file, o.dataset, dataset.shape, f"the {shape_text(points[::-1])} points of cuboid {number}")
    return Volume(dataset, o.db is not None, simulation.spacing, first)


def _origin_over_time(dataset, name, simulation):
    """Returns the first grid point of a plane or a volume over time: 0 along axes with all points of the grid, and None
    along axes with an unknown position.

    hybridfft-elastic writes the position of a plane to the attributes plane_axis and plane_index.
    """
    index = whole_number(dataset, "plane_index")
    plane_axis = attribute(dataset, "plane_axis") if index is not None else None
    origin = [None] * 3
    for a, axis in enumerate(AXES):
        points, size = dataset.shape[3 - a], simulation.sizes[a] if simulation.sizes else None
        if points == size if size else points > 1:
            origin[a] = 0
        if plane_axis == axis:
            if points != 1 or (size and index >= size):
                raise Failure(f"{dataset.file.filename}: attribute plane_index of dataset {name}: found {axis} = "
                              f"{index}, expected one plane of the grid")
            origin[a] = index
    return origin


def _refuse_time_step(o, dataset, whole_grid, mask):
    option, value = ("--frames", o.frames) if o.frames is not None else ("--time-step", o.time_step)
    if whole_grid or dataset.ndim != 3 or dataset.shape[0] != 1:
        expected = f"none: dataset {o.dataset} has no time series"
    elif mask:
        expected = (f"values at the {mask.points} points of {mask.path}: dataset {o.dataset} has the shape "
                    + shape_text(dataset.shape))
    else:
        expected = (f"also --kwave-input with the file of the sensor mask: dataset {o.dataset} has values over time at "
                    "sensor points")
    raise Failure(f"{option}: found {value}, expected {expected}")


def make_source(file, other, o):
    """Returns the dataset as a Source. Its type follows from the dataset's name and shape, and the sensor mask."""
    blocks = find_blocks(file, o)
    if blocks:
        return blocks
    if o.blocks:
        raise Failure(f"--blocks: found dataset {o.dataset} without blocks, expected one of shape blocks x n x n [x n] "
                      "beside a dataset leaf, as hybridfft-euler writes them")
    dataset = require_dataset(file, o.dataset)
    shape = dataset.shape
    simulation = read_simulation(file, other)
    magnitude = o.db is not None
    number = cuboid_number(o.dataset)
    if number and simulation.sizes and dataset.ndim in (3, 4):
        return _cuboid(file, other, o, dataset, simulation, number)
    if dataset.ndim == 4 and sum(n > 1 for n in shape[1:]) > 1:
        return Volume(dataset, magnitude, simulation.spacing, _origin_over_time(dataset, o.dataset, simulation))
    if dataset.ndim not in (2, 3):
        raise _wrong_shape(file, o.dataset, shape, "2 or 3 dimensions, or a plane or a volume over time")
    whole_grid = simulation.sizes is not None and shape[::-1] == simulation.sizes
    mask = find_mask(file, other, simulation)
    if not whole_grid and dataset.ndim == 3 and shape[0] == 1 and mask and mask.points == shape[2]:
        return Sensor(dataset, magnitude, simulation.spacing, mask)
    if sum(n == 1 for n in shape) + 1 >= dataset.ndim:
        raise _wrong_shape(file, o.dataset, shape, f"values at the {mask.points} points of {mask.path}" if mask else
                           "a plane or a volume; values at sensor points need a file with sensor_mask_index, given by "
                           "--kwave-input")
    if o.time_step is not None or o.frames is not None:
        _refuse_time_step(o, dataset, whole_grid, mask)
    if simulation.sizes and not whole_grid and dataset.ndim == 3 and shape[0] == 1:
        where = (f"at the {mask.points} points of {mask.path}" if mask else
                 "over time at sensor points with the file of their mask, given by --kwave-input, or --point for "
                 "curves")
        raise _wrong_shape(file, o.dataset, shape,
                           f"the grid of {shape_text(simulation.sizes[::-1])} points, or values {where}")
    return Volume(dataset, magnitude, simulation.spacing if whole_grid else [None] * 3)


def choose_row(o, source):
    """Returns the row of --time-step, or None without this option."""
    if o.time_step is None:
        return None
    found = f"--time-step: found {o.time_step}, expected "
    if source.times == 1:
        raise Failure(f"{found}none: dataset {o.dataset} has one value per point")
    if o.time_step >= source.times:
        raise Failure(f"{found}0 to {source.times - 1}, the rows of dataset {o.dataset}")
    return o.time_step


def _choose_slice(source, axis, o):
    """Returns the number of the value along `axis` for --index, by default the middle one."""
    if o.index is None:
        return source.points[axis] // 2
    first, step = source.first[axis], source.step[axis]
    last = first + (source.points[axis] - 1) * step
    if not first <= o.index <= last or (o.index - first) % step:
        steps = f" in steps of {step}" if step > 1 else ""
        raise Failure(f"--index: found {o.index}, expected {first} to {last}{steps} along {AXES[axis]}")
    return (o.index - first) // step


def _choose_axis(source, o):
    singles = [a for a in range(3) if source.points[a] == 1]
    return AXES.index(o.axis) if o.axis else singles[0] if len(singles) == 1 else 1


def moment_text(simulation, steps, times, row):
    """Returns the time of a row for the title, such as "t = 12.34 µs" in a unit suitable for the last row. If the time
    step dt is unknown, returns "time step 30", and if the steps are unknown "frame 3"."""
    if steps is None:
        return f"frame {row}"
    if not simulation.dt:
        return f"time step {steps.of(row)}"
    unit, factor = time_unit((steps.of(times - 1) + steps.offset) * simulation.dt)
    return f"t = {(steps.of(row) + steps.offset) * simulation.dt * factor:.2f} {unit}"


class PlaneReader:
    """Reads the plane selected by the options, for one row of a series or as the maximum over all rows."""

    def __init__(self, file, other, o):
        self.options, self.path = o, file.filename
        self.source = source = make_source(file, other, o)
        self.simulation = source.simulation_of(read_simulation(file, other))
        self.steps = steps_of(source.dataset, o.dataset, self.simulation, source.times) if source.times > 1 else None
        self.axis = _choose_axis(source, o)
        self.at = None if o.max_projection else _choose_slice(source, self.axis, o)
        self.slice = source.first[self.axis] + source.step[self.axis] * (
            source.points[self.axis] // 2 if self.at is None else self.at)

    def moment(self, row):
        return moment_text(self.simulation, self.steps, self.source.times, row)

    def _place(self, row):
        source, axis = self.source, self.axis
        parts = []
        if self.at is None:
            parts.append(f"maximum along {AXES[axis]}")
        elif source.placed[axis] and (axis < 2 or source.points[2] > 1 or self.slice > 0 or source.spacing[2]):
            point = self.slice + source.offset
            parts.append(f"{AXES[axis]} = " + (self.simulation.coordinate_text(point, axis) if source.spacing[axis]
                                               else str(self.slice)))
        if source.moment:
            parts.append(source.moment)
        if source.times > 1:
            parts.append("maximum over time" if row is None else self.moment(row))
        return parts

    def plane(self, row):
        source, axis = self.source, self.axis
        values = source.plane(axis, self.at, row)
        parts = self._place(row)
        if not np.isfinite(values).any():
            raise Failure(f"{self.path}: dataset {self.options.dataset}: found no finite value in the part to be shown"
                          + (f" ({', '.join(parts)})" if parts else ""))
        across, up = (Side(AXES[a], source.points[a], source.first[a] + source.offset, source.step[a],
                           source.spacing[a]) for a in sides_of(axis))
        if self.simulation.axisymmetric and axis == 2 and source.first[1] == 0 and up.points > 1:
            values = np.concatenate([values[:0:-1], values])  # add the mirror image below the axis
            up.first, up.points = -(up.points - 1) * up.step, 2 * up.points - 1
            parts.append("mirrored at the axis")
        return Plane(across, up, values, ", ".join(parts), axis, self.slice, all(source.placed),
                     self.simulation.length_unit, source.blocks(axis, self.at))


def read_plane(file, other, o):
    reader = PlaneReader(file, other, o)
    return reader.plane(choose_row(o, reader.source))


@dataclasses.dataclass
class Series:
    """Curves of values over time. `places` and `values` have one entry per curve; dt is in s, or None. For values along
    a line in space, `along` has their positions and the label of the axis."""
    first_step: int
    dt: typing.Optional[float]
    places: list
    values: list
    along: typing.Optional[tuple] = None


def _recording(file, other, o, dataset, simulation):
    """Checks a series. Returns its numbers of rows and points, a function from the number of a point to an index of the
    dataset, and a function from this number to the grid point (None if unknown)."""
    def refuse(why):
        raise Failure(f"--point: found dataset {o.dataset} of shape {shape_text(dataset.shape)}, expected values over "
                      f"time at {why}")
    number, shape = cuboid_number(o.dataset), dataset.shape
    if number and dataset.ndim == 4:
        cuboid = find_cuboid(file, other, number)
        times, points = shape[0], int(np.prod(shape[1:]))
        select = lambda n: (slice(None), *np.unravel_index(n, shape[1:]))  # noqa: E731
        place = (lambda n: np.add(np.unravel_index(n, shape[1:])[::-1], cuboid[0]).tolist()) if cuboid else None
    else:
        if dataset.ndim != 3 or shape[0] != 1:
            refuse("sensor points")
        mask = find_mask(file, other, simulation)
        if mask and mask.points != shape[2]:
            refuse(f"the {mask.points} sensor points of {mask.path}")
        times, points = shape[1:]
        select = lambda n: (0, slice(None), n)  # noqa: E731
        place = (lambda n: mask.places(n, 1)[:, 0].tolist()) if mask else None
    if times < 2:
        refuse("sensor points, 2 at least")
    return times, points, select, place


def points_of_series(file, other, o, most):
    """Returns the numbers of points to draw as curves by default: at most `most`, evenly spread. Returns an empty list
    if the dataset is no series, or if it has more than `most` points with known positions: it is then drawn as a
    plane."""
    dataset = require_dataset(file, o.dataset)
    simulation = read_simulation(file, other)
    shape = dataset.shape
    if simulation.sizes is None or len(shape) != 3 or shape[0] != 1 or shape[1] < 2 or shape[::-1] == simulation.sizes:
        return []
    mask = find_mask(file, other, simulation)
    if mask and (mask.points != shape[2] or mask.points > most):
        return []
    count = min(most, shape[2])
    return sorted({n * (shape[2] - 1) // max(1, count - 1) for n in range(count)})


def read_line(file, other, o):
    """Returns a field on a one-dimensional grid as a Series with one curve, or None for other datasets."""
    dataset = require_dataset(file, o.dataset)
    simulation = read_simulation(file, other)
    sizes = simulation.sizes
    if sizes is None or sizes[0] < 2 or sizes[1:] != (1, 1) or dataset.shape != sizes[::-1]:
        return None
    unit, factor = simulation.length_unit
    spacing = simulation.spacing[0]
    along = (np.arange(sizes[0]) * (spacing * factor if spacing else 1), f"x [{unit}]" if spacing else "x")
    values = read_real(dataset, (0, 0)).ravel()
    if not np.isfinite(values).any():
        raise Failure(f"{file.filename}: dataset {o.dataset}: found no finite value along x")
    return Series(0, None, ["all points along x"], [values], along)


def read_series(file, other, o):
    """Returns the values over time at the points of --point, which count from 0 in the order of the mask."""
    dataset = require_dataset(file, o.dataset)
    simulation = read_simulation(file, other)
    times, points, select, place = _recording(file, other, o, dataset, simulation)
    series = Series(first_step(simulation, times), simulation.dt, [], [])
    for point in o.point:
        if point >= points:
            raise Failure(f"--point: found {point}, expected 0 to {points - 1}, the points of dataset {o.dataset}")
        series.places.append(f"point {point}" if place is None else ", ".join(
            f"{AXES[a]} = {simulation.coordinate_text(n, a)}"
            for a, n in enumerate(place(point)[:simulation.dimensions])))
        series.values.append(read_real(dataset, select(point)).ravel())
    if not any(np.isfinite(values).any() for values in series.values):
        raise Failure(f"{file.filename}: dataset {o.dataset}: found no finite value at the points to be shown")
    return series
