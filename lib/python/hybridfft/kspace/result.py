"""The results of a simulation: reads the records in an output file."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import argument_error, require_choice
from .input_file import linear_indices
from .problem import axis_of

if TYPE_CHECKING:
    import matplotlib.axes
    import xarray

_AXES = "xyz"
_RECORD = re.compile(r"(p|u[xyz])(_rms|_max|_min|_final|_max_all|_min_all)?|u[xyz]_non_staggered|"
                     r"I[xyz]_avg|Q_term")
#: Maps the first letter of a record's name to its quantity and unit.
_QUANTITIES = {"p": ("pressure", "Pa"), "u": ("velocity", "m/s"), "I": ("intensity", "W/m^2"),
               "Q": ("power density", "W/m^3")}
_FIELD = re.compile(r".*_(final|max_all|min_all)")  # records of the whole grid


def quantity(name: str) -> tuple[str, str]:
    """Returns the quantity and the unit of a record, such as ``("pressure", "Pa")``."""
    return _QUANTITIES[name[0]]


class Result(Mapping):
    """The records of a simulation: a mapping from their names to numpy arrays.

    - At the points of a mask, series such as ``p`` have the shape ``(points, steps)``, and records such as
      ``p_max`` the shape ``(points,)``. Row i belongs to ``points[i]``. The rows are in the order of
      ``numpy.argwhere(mask)``, or in MATLAB's with the order ``"F"``. If a file lists a point several times, it has
      several rows.
    - If the sensor is a transducer, ``p_elements`` has the shape ``(active elements, steps)``: the mean over the
      points of each element, after each point is advanced by its delay of the elevation focus.
    - At boxes, a record is a list with one array per box: ``(x, y[, z], steps)`` or ``(x, y[, z])``.
    - In the whole grid, records such as ``p_final`` have the shape ``(x, y[, z])``.

    Attributes
    ----------
    shape, spacing, dt : of the grid, spacing in metres, dt in seconds
    points : numpy.ndarray, indices of the mask's points (one row each), or None for boxes
    times : numpy.ndarray, times of the steps of series, in seconds
    axisymmetric : bool, whether the second axis is the radius
    diverged : bool, whether the simulation diverged
    log : str, the program's output
    """

    def __init__(self, records, shape, spacing, dt, points, first_step, diverged=False, log="",
                 axisymmetric=False):
        self._records, self.axisymmetric = records, axisymmetric
        self.shape, self.spacing, self.dt = tuple(shape), tuple(spacing), dt
        self.points, self._first_step = points, first_step
        self.diverged, self.log = diverged, log

    def __getitem__(self, name: str) -> np.ndarray | Any:
        if name not in self._records:
            raise KeyError(f"{name} was not recorded, only {', '.join(sorted(self._records))}")
        return self._records[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        return f"<hybridfft.kspace.Result of {self.shape}: {', '.join(sorted(self._records))}>"

    def _repr_html_(self) -> str:
        """Returns a table of the records in HTML, for notebooks."""
        rows = []
        for name, values in sorted(self._records.items()):
            boxes = values if isinstance(values, list) else [values]
            shapes = ", ".join(" × ".join(map(str, v.shape)) for v in boxes)
            low = min((float(v.min()) for v in boxes if v.size), default=math.nan)
            high = max((float(v.max()) for v in boxes if v.size), default=math.nan)
            label, unit = quantity(name)
            rows.append(f"<tr><td>{name}</td><td>{label}</td><td>{shapes}</td>"
                        f"<td>{low:.4g} to {high:.4g} {unit}</td></tr>")
        extents = " × ".join(map(str, self.shape))
        return (f"<p>hybridfft.kspace.Result of {extents} points{', diverged' if self.diverged else ''}</p>"
                "<table><tr><th>record</th><th>quantity</th><th>shape</th><th>values</th></tr>"
                + "".join(rows) + "</table>")

    @property
    def times(self) -> np.ndarray:
        """Times of the columns of series, in seconds."""
        steps = [v.shape[-1] for v in self._records.values()
                 if isinstance(v, np.ndarray) and v.ndim == 2 and self.is_series(v)]
        return (self._first_step - 1 + np.arange(steps[0] if steps else 0)) * self.dt

    def axis(self, axis: int) -> np.ndarray:
        """Returns the coordinates of the points along an axis in metres, with 0 in the middle. Radii begin at 0."""
        n, spacing = self.shape[axis], self.spacing[axis]
        return np.arange(n) * spacing if self.axisymmetric and axis == 1 else axis_of(n, spacing)

    def is_series(self, values: Any) -> bool:
        """Returns whether a record has one row per point and one column per step."""
        return self.points is not None and values.ndim == 2 and values.shape[0] == len(self.points) \
            and not self.is_field(values)

    def is_field(self, values: Any) -> bool:
        """Returns whether a record covers the whole grid."""
        return any(v is values and _FIELD.fullmatch(name) for name, v in self._records.items())

    def xarray(self) -> xarray.Dataset:
        """Returns an ``xarray.Dataset`` with all records except those at boxes.

        Fields have the dimensions x, y, z in metres. Records at a mask have the dimensions ``point`` (with its
        coordinates) and ``time`` in seconds. Variables have the attributes ``units`` and ``long_name``."""
        import xarray

        axes = _AXES[:len(self.shape)]
        places = {a: self.axis(i) for i, a in enumerate(axes)}
        variables = {}
        for name, values in self._records.items():
            if self.is_field(values):
                variables[name] = (tuple(axes), values, _attributes(name))
            elif isinstance(values, np.ndarray):
                rows = "element" if name == "p_elements" else "point"
                variables[name] = ((rows, "time")[:values.ndim], values, _attributes(name))
        coordinates = {a: (a, c, {"units": "m"}) for a, c in places.items()}
        if self.points is not None:
            for i, a in enumerate(axes):
                coordinates["point_" + a] = ("point", places[a][self.points[:, i]], {"units": "m"})
        if any("time" in dims for dims, _, _ in variables.values()):
            coordinates["time"] = ("time", self.times, {"units": "s"})
        return xarray.Dataset(variables, coordinates, {"dt": self.dt})

    def plot(self, name: str | None = None, file: str | os.PathLike[str] | None = None,
             **options: Any) -> matplotlib.axes.Axes:
        """Draws a record with matplotlib, and returns its axes: see :func:`hybridfft.kspace.plot.plot`."""
        from .plot import plot
        return plot(self, name, file, **options)


def _attributes(name):
    label, unit = quantity(name)
    return {"units": unit, "long_name": label}


def cut(result, margins):
    """Removes the outer points of all fields: ``margins`` has a pair ``(before, after)`` for each axis. No point of the
    sensor may be among them."""
    inside = tuple(slice(before, n - after) for (before, after), n in zip(margins, result.shape))
    for name, values in result.items():
        if result.is_field(values):
            result._records[name] = np.ascontiguousarray(values[inside])
    result.shape = tuple(n - before - after for (before, after), n in zip(margins, result.shape))
    if result.points is not None:
        result.points = result.points - [before for before, _ in margins]


def add(result, name, values):
    """Adds a record to a :class:`Result`."""
    result._records[name] = values


def recast(result, kind):
    """Converts all records to the dtype ``kind``."""
    for name, values in result.items():
        result._records[name] = [v.astype(kind) for v in values] if isinstance(values, list) else values.astype(kind)


def _scalar(file, name):
    return file[name][()].ravel()[0]


def read(file: str | os.PathLike[str], mask: ArrayLike | None = None, first_step: int = 1,
         order: str = "C") -> Result:
    """Reads an output file of ``hybridfft-kspace`` or k-Wave, and returns its :class:`Result`.

    Pass the sensor's ``mask`` if the file was written without ``--copy_sensor_mask``. Rows are sorted with the last
    axis fastest, or with ``order="F"`` the first. Raises :class:`hybridfft.Error` if the file is no output file or
    the mask has another shape than the grid.
    """
    import h5py

    with h5py.File(os.fspath(file), "r") as f:
        for name in ("Nx", "Ny", "Nz", "dt", "dx"):
            if name not in f:
                raise argument_error(f"{file}: there is no dataset {name}, expected an output file")
        kind = f.attrs.get("file_type", b"output")
        kind = kind.decode() if isinstance(kind, bytes) else str(kind)
        if kind != "output":
            raise argument_error(f"{file}: found a file of the type '{kind}', expected an output file")
        whole = tuple(int(_scalar(f, "N" + a)) for a in _AXES)
        shape = whole if whole[2] > 1 else whole[:2] if whole[1] > 1 else whole[:1]
        spacing = [float(_scalar(f, "d" + a)) for a in _AXES[:len(shape)]]
        if mask is not None:
            mask = _mask(mask, shape)
        columns = require_choice("order", order, {"C": slice(None, None, -1), "F": slice(None)})
        points = rows = None
        indices = _indices(f, mask, shape)
        if indices is not None:
            points = np.stack(np.unravel_index(indices - 1, shape, order="F"), axis=1)
            rows = np.lexsort(points.T[columns])
            points = points[rows]
        records = {name: _record(name, item, shape, rows) for name, item in f.items()
                   if _RECORD.fullmatch(name)}
        axisymmetric = "axisymmetric_flag" in f and bool(_scalar(f, "axisymmetric_flag"))
        return Result(records, shape, spacing, float(_scalar(f, "dt")), points, first_step,
                      axisymmetric=axisymmetric)


def _mask(mask, shape):
    """Returns a mask as a bool array of the grid's shape, or boxes unchanged. Raises an error for other shapes."""
    mask = np.asarray(mask)
    if mask.shape == shape:
        return mask != 0
    if mask.ndim == 2 and mask.shape[0] == 2 * len(shape):
        return mask
    raise argument_error(f"mask has the shape {mask.shape}, expected {shape}, that of the grid")


def _indices(file, mask, shape):
    """Returns the linear indices of the sensor's points, x fastest and counted from 1, in the order of the file's
    records, or None for boxes."""
    if "sensor_mask_index" in file:
        return file["sensor_mask_index"][()].ravel().astype(np.int64)
    return linear_indices(mask) if mask is not None and mask.shape == shape else None


def _record(name, item, shape, rows):
    if not hasattr(item, "shape"):  # a group has one dataset for each box
        return [_box(item[key][()], len(shape)) for key in sorted(item, key=int)]
    values = item[()]
    if _FIELD.fullmatch(name):
        return np.ascontiguousarray(values.reshape(shape[::-1]).T)
    values = values.reshape(values.shape[-2:]) if values.ndim == 3 else values
    values = values.T  # points by steps
    if rows is not None and values.shape[0] == len(rows):
        values = values[rows]
    return np.ascontiguousarray(values if values.shape[1] > 1 else values[:, 0])


def _box(values, dim):
    """Returns the record of one box with reversed axes: files have ``([steps,] z, y, x)``. Drops z, or y and z, if the
    grid lacks them."""
    values = values.T
    return np.ascontiguousarray(values[(slice(None),) * dim + (0,) * (3 - dim)])
