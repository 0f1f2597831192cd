"""Reads HDF5 files with k-Wave's datasets: list of datasets, grid, time steps and sensor masks."""
import dataclasses
import os
import re
import typing

os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")  # some file systems have no locks
import h5py  # noqa: E402
import numpy as np  # noqa: E402

AXES = "xyz"
VALUES_AT_ONCE = 2**24


class Failure(Exception):
    """An error for the user. The message names file, dataset or option, value found and value expected."""


def open_file(path):
    try:
        with open(path, "rb"):
            pass
        if not h5py.is_hdf5(path):
            raise Failure(f"cannot open '{path}': it is not an HDF5 file")
        return h5py.File(path, "r")
    except OSError as error:
        raise Failure(f"cannot open '{path}': {error.strerror or error}") from error


def shape_text(shape):
    return " x ".join(map(str, shape))


def kind_of(dataset):
    return {"f": "real", "i": "integer", "u": "integer", "c": "complex"}.get(dataset.dtype.kind)


def dataset_names(group, prefix=""):
    """Returns the names of all datasets, "group/name" for datasets in groups. Does not follow links to groups."""
    names = []
    for name in sorted(group):
        item = group.get(name)
        if isinstance(item, h5py.Dataset):
            names.append(prefix + name)
        elif isinstance(item, h5py.Group) and isinstance(group.get(name, getlink=True), h5py.HardLink):
            names += dataset_names(item, f"{prefix}{name}/")
    return names


def dataset_table(file):
    """Returns a text with one line per dataset: name, shape, type, and the value if it is a single number."""
    rows = []
    for name in dataset_names(file):
        dataset = file[name]
        kind = kind_of(dataset)
        text = f"{kind}, {8 * dataset.dtype.itemsize} bits" if kind else "no numbers"
        if kind in ("real", "integer") and dataset.size == 1:
            value = read(dataset, ...).item()
            text += f" = {value:d}" if kind == "integer" else f" = {value:g}"
        rows.append((name, shape_text(dataset.shape or ()), text))
    if not rows:
        return "  (none)"
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(f"  {name:{widths[0]}}  {shape:{widths[1]}}  {text}" for name, shape, text in rows)


def require_dataset(file, name):
    """Returns the dataset `name`. Raises a Failure with a list of the file's datasets if there is none, or if it has no
    numbers."""
    item = file.get(os.fsencode(name))
    if isinstance(item, h5py.Group):
        members = [f"{name}/{member}" for member in dataset_names(item)]
        raise Failure(f"{file.filename}: '{name}' is a group, expected one of its datasets: "
                      + (", ".join(members) or "(the group has none)"))
    if item is None:
        raise Failure(f"{file.filename}: found no dataset '{name}', expected one of\n{dataset_table(file)}")
    where = f"{file.filename}: dataset {name}: found "
    if kind_of(item) is None:
        raise Failure(f"{where}elements that are no numbers, expected real, integer or complex")
    if not item.size:
        raise Failure(f"{where}shape {shape_text(item.shape or ())}, expected some values")
    return item


def dataset_beside(dataset, name):
    """Returns another dataset of the same group, or None."""
    found = dataset.parent.get(name)
    return found if isinstance(found, h5py.Dataset) else None


def read(dataset, selection):
    try:
        return dataset[selection]
    except (OSError, RuntimeError, ValueError) as error:
        name = dataset.name.lstrip("/")
        raise Failure(f"{dataset.file.filename}: dataset {name}: cannot be read: {error}") from error


def read_real(dataset, selection, magnitude=False):
    """Reads values as real numbers. Complex values, or with `magnitude` all values, become their magnitude."""
    values = read(dataset, selection)
    if magnitude or kind_of(dataset) == "complex":
        values = np.abs(values)
    return values.astype(np.float64)


def _positive(file, name):
    """Returns the value of a dataset with one number above 0, or None if the file lacks the dataset."""
    if name not in file:
        return None
    values = read(require_dataset(file, name), ...).ravel()
    where = f"{file.filename}: dataset {name}: found "
    if values.size != 1:
        raise Failure(f"{where}{values.size} values, expected one")
    value = values[0].item()
    if not (value > 0 and np.isfinite(value)):
        raise Failure(f"{where}{value:g}, expected a number above 0")
    return value


def _sizes(file):
    sizes = tuple(_positive(file, name) for name in ("Nx", "Ny", "Nz"))
    return None if None in sizes else tuple(map(int, sizes))


def _number(files, name):
    """Returns the single number of a dataset, from the first file that has it, else 0."""
    for file in files:
        if name in file:
            values = read(require_dataset(file, name), ...).ravel()
            return int(values[0]) if values.size == 1 else 0
    return 0


@dataclasses.dataclass
class Simulation:
    """Parameters of a simulation, each from the first file that has it.

    sizes: Nx, Ny, Nz, or None. spacing: distance of grid points along each axis in m, None if it is unknown or not
    uniform. dt: time step in s, or None. steps: Nt, or None. pml: thickness in points of the absorbing layer (PML) at
    both ends of each axis. axisymmetric: y is the radius, with a layer only at its outer end.
    """
    sizes: typing.Optional[tuple]
    spacing: list
    dt: typing.Optional[float]
    steps: typing.Optional[int]
    pml: list
    axisymmetric: bool

    @property
    def dimensions(self):
        """Number of axes up to the last one with more than one point; 3 if the sizes are unknown."""
        return max((a + 1 for a, n in enumerate(self.sizes) if n > 1), default=1) if self.sizes else 3

    @property
    def length_unit(self):
        """Name of the unit of lengths and its factor from m, chosen by the longest side of the grid."""
        known = [d * (self.sizes[a] if self.sizes else 1) for a, d in enumerate(self.spacing) if d]
        longest = max(known, default=0)
        return next(((name, factor) for least, name, factor in ((1e4, "km", 1e-3), (1, "m", 1), (1e-3, "mm", 1e3))
                     if longest >= least), ("µm", 1e6))

    def coordinate_text(self, point, axis):
        """Returns the coordinate of a grid point such as "12.8 mm", or its number if the spacing is unknown."""
        if not self.spacing[axis]:
            return str(point)
        unit, factor = self.length_unit
        return f"{round(float(point * self.spacing[axis] * factor), 3):g} {unit}"


def read_simulation(file, other):
    sizes, others = _sizes(file), _sizes(other)
    if sizes and others and sizes != others:
        raise Failure(f"{other.filename}: found a grid of {shape_text(others)} points, expected that of "
                      f"{file.filename}, {shape_text(sizes)}")
    files = (file, other)
    first = lambda name: next((v for v in (_positive(f, name) for f in files) if v is not None), None)  # noqa: E731
    flag = lambda name: any(_number((f,), name) == 1 for f in files)  # noqa: E731
    spacing = [None] * 3 if flag("nonuniform_grid_flag") else [first(f"d{axis}") for axis in AXES]
    steps = first("Nt")
    simulation = Simulation(sizes or others, spacing, first("dt"), None if steps is None else int(steps),
                            [_number(files, f"pml_{axis}_size") for axis in AXES], False)
    simulation.axisymmetric = simulation.dimensions == 2 and flag("axisymmetric_flag")
    return simulation


def attribute(dataset, name):
    """Returns an attribute as text, or None."""
    value = dataset.attrs.get(name)
    return value.decode() if isinstance(value, bytes) else None if value is None else str(value)


def whole_number(dataset, name):
    """Returns an attribute as an integer, or None. Raises a Failure if it is no integer."""
    text = attribute(dataset, name)
    if text is not None and not re.fullmatch("[0-9]+", text):
        raise Failure(f"{dataset.file.filename}: attribute {name} of dataset {dataset.name.lstrip('/')}: found "
                      f"'{text}', expected a whole number")
    return None if text is None else int(text)


@dataclasses.dataclass
class Steps:
    """The time steps, counted from 0, of the rows of a series. The recorded values belong to a time `offset` steps
    later."""
    first: int = 0
    interval: int = 1
    offset: float = 0.

    def of(self, row):
        return self.first + row * self.interval


def first_step(simulation, times):
    """Returns the first of `times` steps that end with the simulation's last step."""
    return max(simulation.steps or 0, times) - times


def steps_of(dataset, name, simulation, times):
    """Returns the Steps of a series, from the attributes first_step and step_interval if the dataset has them.

    Otherwise the series of a sensor has the simulation's last steps, and the steps of planes and volumes over time are
    unknown (None).
    """
    first, interval = whole_number(dataset, "first_step"), whole_number(dataset, "step_interval")
    if first is not None and interval is not None:
        text = attribute(dataset, "time_offset") or "0"
        try:
            return Steps(first, interval, float(text))
        except ValueError as error:
            raise Failure(f"{dataset.file.filename}: attribute time_offset of dataset {name}: found '{text}', expected "
                          "a number") from error
    if dataset.ndim == 4 and cuboid_number(name) is None:
        return None
    return Steps(first_step(simulation, times))


@dataclasses.dataclass
class IndexMask:
    """sensor_mask_index: a list of grid points, counted from 1, x fastest."""
    dataset: h5py.Dataset
    sizes: tuple

    @property
    def points(self):
        return self.dataset.size

    @property
    def path(self):
        return self.dataset.file.filename

    def places(self, first, count):
        """Returns `count` grid points beginning with number `first`, as an array of rows x, y, z counted from 0."""
        along = int(np.argmax(self.dataset.shape))
        selection = tuple(slice(first, first + count) if a == along else slice(None)
                          for a in range(self.dataset.ndim))
        return places_of(read(self.dataset, selection).ravel(), self.sizes, self.path, "sensor_mask_index")


def places_of(indices, sizes, path, name):
    """Converts linear indices, counted from 1, to an array of rows x, y, z counted from 0."""
    bad = indices[(indices < 1) | (indices > np.prod(sizes))]
    if bad.size:
        raise Failure(f"{path}: {name}: found index {bad[0]}, expected 1 to {np.prod(sizes)}")
    z, y, x = np.unravel_index(indices.astype(np.int64) - 1, sizes[::-1])
    return np.stack([x, y, z])


def find_mask(file, other, simulation):
    """Returns the sensor mask of `other`, else of `file`, else None. Also returns None if the grid's size is
    unknown."""
    for holder in (other, file):
        if "sensor_mask_index" in holder and simulation.sizes:
            return IndexMask(require_dataset(holder, "sensor_mask_index"), simulation.sizes)
    return None


def cuboid_number(name):
    """Returns N for a dataset named "quantity/N", the record of a cuboid of the sensor, else None."""
    found = re.fullmatch(r".*/(0*[1-9][0-9]{0,8})", name)
    return int(found[1]) if found else None


def find_cuboid(file, other, number):
    """Returns the first grid point (from 0) and the numbers of points along x, y, z of a cuboid in the dataset
    sensor_mask_corners, or None if there is no such dataset. `number` counts cuboids from 1."""
    holder = next((f for f in (other, file) if "sensor_mask_corners" in f), None)
    if holder is None:
        return None
    corners = read(require_dataset(holder, "sensor_mask_corners"), ...).ravel()
    where = f"{holder.filename}: sensor_mask_corners: found "
    if number > corners.size // 6:
        raise Failure(f"{where}{corners.size // 6} cuboids, expected at least {number}")
    low, high = corners[6 * number - 6:6 * number].astype(np.int64).reshape(2, 3)
    for axis, first, last in zip(AXES, low, high):
        if not 1 <= first <= last:
            raise Failure(f"{where}{first} to {last} along {axis} of cuboid {number}, expected 1 or more, in rising "
                          "order")
    return tuple(int(n) - 1 for n in low), tuple(int(n) for n in high - low + 1)
