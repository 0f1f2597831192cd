"""Finds the lines of a picture: the edge of the absorbing layer (PML), sources, and borders of materials."""
import dataclasses

import numpy as np

from .files import kind_of, places_of, read, read_real, read_simulation, require_dataset
from .planes import sides_of

MAX_MATERIALS = 12
# Value given to points that smoothing would remove from their area, such as layers one point thick. It keeps these
# points in the area.
THIN = 0.1


@dataclasses.dataclass
class Mark:
    """Lines as arrays [points][x, y] in grid points from 0. A source's line may consist of one point."""
    kind: str  # "medium", "source" or "pml"
    name: str
    lines: list


def _inner(side, size, pml, outer_only):
    """Returns the part (low, high) of a side between the layers of the PML, and whether its low and its high end are
    edges of a layer. With `outer_only` the side is mirrored at 0, and both its ends have the layer."""
    first, last = side.first - 0.5 * side.step, side.first + (side.points - 0.5) * side.step
    high = size - min(pml, size) - 0.5
    low = -high if outer_only else pml - 0.5
    edges = [pml > 0 and size > 1 and first < edge < last for edge in (low, high)]
    return (low if edges[0] else first, high if edges[1] else last), edges


def _pml_edges(plane, simulation):
    a, b = sides_of(plane.axis)
    x, x_edges = _inner(plane.across, simulation.sizes[a], simulation.pml[a], False)
    y, y_edges = _inner(plane.up, simulation.sizes[b], simulation.pml[b], simulation.axisymmetric and b == 1)
    return ([np.array([[at, y[0]], [at, y[1]]]) for at, edge in zip(x, x_edges) if edge]
            + [np.array([[x[0], at], [x[1], at]]) for at, edge in zip(y, y_edges) if edge])


def _source_points(file, plane, sizes):
    """Returns an array [up][across], True at the points of the plane in p_source_index or u_source_index."""
    a, b = sides_of(plane.axis)
    found = np.zeros((sizes[b], sizes[a]), bool)
    for name in ("p_source_index", "u_source_index"):
        if name in file:
            indices = read(require_dataset(file, name), ...).ravel()
            places = places_of(indices[indices > 0], sizes, file.filename, name)
            places = places[:, places[plane.axis] == plane.slice]
            found[places[b], places[a]] = True
    return found


def joined(points):
    """Returns a source's points and the lines between neighbouring points. Filled areas keep only their outline."""
    around = np.pad(points, 1)
    points = points & ~(around[:-2, 1:-1] & around[2:, 1:-1] & around[1:-1, :-2] & around[1:-1, 2:])
    around = np.pad(points, 1)
    rows, columns = points.shape
    lines = [np.array([[x, y]]) for y, x in np.argwhere(points)]
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        neighbours = around[1 + up:1 + up + rows, 1 + right:1 + right + columns]
        lines += [np.array([[x, y], [x + right, y + up]]) for y, x in np.argwhere(points & neighbours)]
    return lines


def contour(field, level):
    """Returns the contour lines of a field [up][across] at the value `level`."""
    from matplotlib.figure import Figure
    padded = np.pad(field, 1, mode="edge")
    if not padded.min() < level < padded.max():
        return []
    segments = Figure().add_subplot().contour(padded, [level]).allsegs[0]
    return [segment - 1 for segment in segments]


def _blurred(field):
    """Smooths a field by the weights (1 2 1) / 4 along both axes. Values at the edges are repeated beyond them."""
    around = np.pad(field, 1, mode="edge")
    around = (around[:-2] + 2 * around[1:-1] + around[2:]) / 4
    return (around[:, :-2] + 2 * around[:, 1:-1] + around[:, 2:]) / 4


def borders(labels):
    """Returns lines between areas of different labels, without the steps of the grid.

    The indicator function of each area is blurred. The border of an area is the line of equality between its blurred
    indicator and the largest one of the other areas. Each border is drawn once, for the smaller label.
    """
    shares = np.array([_blurred(_blurred((labels == label).astype(float))) for label in np.unique(labels)])
    lines = []
    for n, label in enumerate(np.unique(labels)[:-1]):
        lead = shares[n] - np.delete(shares, n, axis=0).max(axis=0)
        mine = labels == label
        lead = np.where(mine != (lead > 0), np.where(mine, THIN, -THIN), lead)
        lines += contour(lead, 0.)
    return lines


def _grid_plane(file, name, plane, sizes):
    """Returns a plane [up][across] of a real dataset of the grid's shape, or None if the file has no such dataset."""
    if name not in file:
        return None
    dataset = require_dataset(file, name)
    if dataset.shape != sizes[::-1] or kind_of(dataset) == "complex":
        return None
    return read_real(dataset, tuple(plane.slice if a == plane.axis else slice(None) for a in (2, 1, 0)))


def _medium_borders(file, plane, sizes):
    """Returns the borders of materials, distinguished by sound speed and density. If there are more than MAX_MATERIALS,
    returns the contour of the sound speed halfway between its extremes."""
    speed = _grid_plane(file, "c0", plane, sizes)
    if speed is None:
        return []
    density = _grid_plane(file, "rho0", plane, sizes)
    labels = np.zeros(speed.size, int)
    for values in (speed,) if density is None else (speed, density):
        kinds, numbers = np.unique(values, return_inverse=True)
        labels = labels * len(kinds) + numbers.ravel()
    if len(np.unique(labels)) <= MAX_MATERIALS:
        return borders(labels.reshape(speed.shape))
    return contour(speed, (speed.min() + speed.max()) / 2)


def block_lines(plane):
    """Returns a Mark with the outlines of a plane's blocks."""
    rectangles = [np.array([low, [high[0], low[1]], high, [low[0], high[1]], low]) for low, high in plane.blocks]
    return [Mark("medium", "block", rectangles)]


def find_marks(file, other, plane, dataset):
    """Returns the marks of a plane, read from the simulation's input file, which may be `file` or `other`.

    The marks are borders of materials (except in pictures of the medium), sources, the contour at half the largest
    initial pressure, and the inner edge of the PML.
    """
    simulation = read_simulation(file, other)
    sizes = simulation.sizes
    if not sizes or not plane.placed or plane.slice >= sizes[plane.axis]:
        return []
    source = other if "c0" in other or "p_source_flag" in other else file
    marks = []
    if dataset != "c0" and not dataset.startswith("rho0"):
        marks.append(Mark("medium", "border of materials", _medium_borders(source, plane, sizes)))
    marks.append(Mark("source", "source", joined(_source_points(source, plane, sizes))))
    pressure = _grid_plane(source, "p0_source_input", plane, sizes) if dataset != "p0_source_input" else None
    if pressure is not None and pressure.max() > 0:
        marks.append(Mark("medium", "half the initial pressure", contour(pressure, pressure.max() / 2)))
    if plane.up.first < 0:  # the picture is mirrored at the axis; _pml_edges() returns both halves
        for mark in marks:
            mark.lines += [line * [1, -1] for line in mark.lines]
    marks.append(Mark("pml", "edge of the PML", _pml_edges(plane, simulation)))
    return [mark for mark in marks if mark.lines]
