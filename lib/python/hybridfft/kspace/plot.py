"""Draws the records of a simulation with matplotlib."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import argument_error
from .result import quantity

if TYPE_CHECKING:
    import matplotlib.axes
    from .result import Result


_PREFIXES = (("G", 1e-9), ("M", 1e-6), ("k", 1e-3), ("", 1.0), ("m", 1e3), ("µ", 1e6), ("n", 1e9))


def _figure(axes):
    """Returns the axes to draw in: ``axes``, or those of a new figure."""
    import matplotlib.pyplot as plt

    if axes is None:
        axes = plt.subplots(layout="constrained")[1]
    return axes


def plot(result: Result, name: str | None = None, file: str | os.PathLike[str] | None = None, *,
         axes: matplotlib.axes.Axes | None = None, plane: tuple[str, int] | None = None, step: int | None = None,
         points: Sequence[int] | None = None, cmap: str | None = None) -> matplotlib.axes.Axes:
    """Draws a record and returns its matplotlib axes.

    A field of the whole grid is drawn as an image: of one plane in three dimensions, and as a curve in one dimension.
    Time series are drawn as one curve per point, or as an image of all points if there are many. Records with one
    value per point are drawn over the number of the point.

    Parameters
    ----------
    result : Result
    name : str
        Name of the record; default the first one.
    file : path
        File to save the picture in.
    axes : matplotlib.axes.Axes
        Axes to draw in; default those of a new figure.
    plane : tuple
        For fields in three dimensions: the plane, such as ``("z", index)``. Default: the middle along z.
    step : int
        For series: draws the values of this step (column) over the points.
    points : sequence of int
        For series: rows to draw as curves. Default: all, if there are at most 8.
    cmap : str
        matplotlib's colour map. By default it is symmetric about 0 if there are negative values.
    """
    name = next(iter(result)) if name is None else name
    values = result[name]
    if isinstance(values, list):
        raise argument_error(f"{name} was recorded at boxes, expected a field or records at points")
    axes = _figure(axes)
    if result.is_field(values):
        _plot_field(result, name, values, axes, plane, cmap)
    elif values.ndim == 2 and step is None:
        _plot_series(result, name, values, axes, points, cmap)
    else:
        values, label = _shown(name, values)
        axes.plot(values if values.ndim == 1 else values[:, step])
        axes.set(xlabel="point of the sensor", ylabel=label)
    axes.set_title(name)
    if file is not None:
        axes.figure.savefig(file, dpi=150)
    return axes


def _shown(name, values):
    """Returns the values in a unit with a suitable prefix, such as kPa, and a label with quantity and unit."""
    largest = float(np.abs(values).max())
    prefix, factor = next((item for item in _PREFIXES if largest * item[1] >= 1), ("", 1.0))
    label, unit = quantity(name)
    return values * factor, f"{label} [{prefix}{unit.replace('^2', '²').replace('^3', '³')}]"


def _colours(values, cmap):
    largest = float(np.abs(values).max()) or 1.0
    if values.min() < 0:
        return dict(cmap=cmap or "RdBu_r", vmin=-largest, vmax=largest)
    return dict(cmap=cmap or "inferno", vmin=0, vmax=largest)


def _plot_field(result, name, values, axes, plane, cmap):
    if values.ndim == 1:
        values, label = _shown(name, values)
        axes.plot(1e3 * result.axis(0), values)
        axes.set(xlabel="x [mm]", ylabel=label)
        return
    shown = [0, 1]
    if values.ndim == 3:
        across, index = plane if plane is not None else ("z", result.shape[2] // 2)
        if across not in ("x", "y", "z") or not 0 <= index < result.shape["xyz".index(across)]:
            raise argument_error(f"plane is {plane}, expected an axis and an index of {result.shape}")
        shown = [a for a in range(3) if a != "xyz".index(across)]
        values = np.take(values, index, "xyz".index(across))
    values, label = _shown(name, values)
    millimetres = [1e3 * result.axis(a)[[0, -1]] for a in shown]
    picture = axes.imshow(values, extent=[*millimetres[1], *millimetres[0][::-1]], aspect="equal",
                          **_colours(values, cmap))
    axes.set(xlabel=f"{'xyz'[shown[1]]} [mm]", ylabel=f"{'xyz'[shown[0]]} [mm]")
    axes.figure.colorbar(picture, ax=axes, label=label)


def _plot_series(result, name, values, axes, points, cmap):
    microseconds = 1e6 * result.times
    values, label = _shown(name, values)
    if points is None and len(values) > 8:
        picture = axes.imshow(values, aspect="auto", interpolation="nearest",
                              extent=[microseconds[0], microseconds[-1], len(values), 0],
                              **_colours(values, cmap))
        axes.set(xlabel="time [µs]", ylabel="point of the sensor")
        axes.figure.colorbar(picture, ax=axes, label=label)
        return
    for row in range(len(values)) if points is None else points:
        axes.plot(microseconds, values[row], label=f"point {tuple(int(i) for i in result.points[row])}")
    axes.set(xlabel="time [µs]", ylabel=label)
    axes.legend()
