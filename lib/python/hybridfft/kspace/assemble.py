"""Checks the grid, medium, source and sensor of a simulation, and converts them to plain numbers and arrays.

The objects may be this package's or k-wave-python's. All arrays are float64 or bool and have the grid's shape.
"""

import dataclasses
import warnings
from typing import Any, List, Optional, Tuple

import numpy as np

from ..errors import argument_error, require_choice
from . import transducer as transducers
from .attributes import brief, is_kwave, refuse_others, value_of
from .problem import Medium, Sensor, Source

_AXES = "xyz"
_MODES = ("dirichlet", "additive-no-correction", "additive")
_REFERENCES = {"min": np.min, "mean": np.mean, "max": np.max}
_VELOCITIES = ("ux", "uy", "uz")

_OF_GRIDS = frozenset((
    "N", "spacing", "dim", "dt", "Nt", "t_array", *("N" + a for a in _AXES), *("d" + a for a in _AXES),
    "k", "k_vec",  # derived from N and spacing
    "n_vec", "n_vec_sg", "dudn", "dudn_sg"))  # of non-uniform grids
_OF_MEDIA = frozenset(f.name for f in dataclasses.fields(Medium)) | {"absorbing", "stokes"}
_OF_SOURCES = frozenset(f.name for f in dataclasses.fields(Source)) | {"p_frequency_ref", "u_frequency_ref"}
_OF_SENSORS = frozenset(f.name for f in dataclasses.fields(Sensor)) | {
    "time_reversal_boundary_data",
    "recorded_pressure"}  # results kept by users for k-wave-python's TimeReversal


@dataclasses.dataclass
class Problem:
    """A checked simulation, ready to be written to an input file. Made by :func:`assemble`."""

    shape: Tuple[int, ...]  #: points along each axis, including an absorbing layer outside of the user's grid
    spacing: List[float]
    dt: float
    steps: int
    axisymmetric: bool = False
    order: str = "C"  #: order of points in the rows of the user's signals and records, "C" or "F"
    medium: Optional[Medium] = None  #: numbers and arrays of the grid's shape
    source: Optional[Source] = None  #: its signals have one row per point of the mask, x fastest, or a single row
    transducer: Optional[transducers.TransducerSource] = None
    mask: Any = None  #: the sensor's points, a bool array of the grid's shape
    corners: Any = None  #: the sensor's boxes in place of ``mask``: columns of first and last indices, from 1
    elements: Any = None  #: the transducer, if the sensor is one
    record: Tuple[str, ...] = ("p",)
    first_step: int = 1
    pml_size: Optional[List[int]] = None
    pml_alpha: Optional[List[float]] = None
    margins: Any = None  #: per axis a pair: number of layer points added before and after the user's grid
    scale_source_terms: bool = True
    deflate: int = 0

    @property
    def dim(self):
        """Number of axes."""
        return len(self.shape)


def assemble(grid, medium, source, sensor, settings, record=None, order=None):
    """Returns the :class:`Problem` of a grid, a medium, a source and a sensor.

    Raises an :class:`Error` for a wrong value, and for an attribute that the solver would ignore.
    """
    problem = _grid(grid)
    problem.axisymmetric = settings.axisymmetric
    problem.scale_source_terms, problem.deflate = settings.scale_source_terms, settings.deflate
    if problem.axisymmetric and problem.dim != 2:
        raise argument_error(f"axisymmetric is True and the grid has {problem.dim} axes, expected 2")
    problem.order = _order(order, source, sensor)
    problem.medium = _medium(problem, medium)
    problem.record = _record(sensor, record)
    _read_sensor(problem, sensor, grid)
    data = value_of(sensor, "time_reversal_boundary_data")
    if data is not None:
        source = _reversed(problem, source, data)
    if transducers.is_transducer(source):
        transducers.check("source", source, grid, problem)
        problem.source, problem.transducer = Source(), transducers.source_of(source)
    else:
        problem.source = _source(problem, source)
    if settings.smooth_p0 and problem.source.p0 is not None:
        problem.source.p0 = _smooth_p0(problem, problem.source.p0)
    _add_layer(problem, settings)
    for name, smooth in (("sound_speed", settings.smooth_c0), ("density", settings.smooth_rho0)):
        if smooth and getattr(problem.medium, name).ndim:
            setattr(problem.medium, name, smoothed(getattr(problem.medium, name)))
    return problem


def _order(order, source, sensor):
    """Returns the order of points in rows of signals and records: "C" or "F". The default is "F" (first axis fastest,
    as in MATLAB) for k-wave-python's objects, and "C" for all others."""
    if order is None:
        return "F" if is_kwave(source, sensor) else "C"
    return require_choice("order", order, {"C": "C", "F": "F"})


def _grid(grid):
    refuse_others("grid", grid, _OF_GRIDS, {"nonuniform": False})
    for name in ("n_vec", "n_vec_sg", "dudn", "dudn_sg"):
        vectors = value_of(grid, name)
        if any(np.any(v) for v in getattr(vectors, "data", vectors if vectors is not None else ())):
            raise argument_error(f"grid.{name} is {brief(vectors)}, expected zeros: simulate() has uniform grids")
    shape = tuple(int(n) for n in np.atleast_1d(grid.N).ravel())
    shape = shape[:int(grid.dim)]
    spacing = value_of(grid, "spacing")
    if spacing is None or len(np.atleast_1d(spacing)) != len(shape):
        spacing = [getattr(grid, "d" + a) for a in _AXES[:len(shape)]]
    dt, steps = value_of(grid, "dt"), value_of(grid, "Nt")
    if isinstance(dt, str) or isinstance(steps, str) or dt is None or steps is None:
        raise argument_error("the grid has no time steps: expected dt and Nt, as make_time() sets them")
    problem = Problem(shape, [float(d) for d in spacing], number("grid.dt", dt), whole("grid.Nt", steps, None))
    if problem.dim not in (1, 2, 3):
        raise argument_error(f"the grid has {problem.dim} axes, expected 1, 2 or 3")
    if not problem.dt > 0 or problem.steps < 1:
        raise argument_error(f"dt is {problem.dt} and Nt is {problem.steps}, expected positive numbers")
    return problem


def _hint_of_axes(array, problem):
    """Returns the end of an error message about a wrong shape: a hint if the array looks transposed, else ''."""
    reverse = array.shape == problem.shape[::-1]
    return ": the order of axes looks reversed, use the transposed array (.T)" if reverse else ""


def field(problem, name, value):
    """Returns ``value`` as a float64 array: of zero axes for one number, else of the grid's shape. Raises an
    :class:`Error` for other shapes and for values that are not finite."""
    array = np.squeeze(np.asarray(value, float)) if np.size(value) == 1 else np.asarray(value, float)
    if array.ndim and array.shape != problem.shape:
        raise argument_error(f"{name} has shape {array.shape}, expected a number or {problem.shape}"
                             + _hint_of_axes(array, problem))
    if not np.all(np.isfinite(array)):
        raise argument_error(f"{name} has values that are not finite")
    return array


def number(name, value):
    """Returns ``value``, a number or an array with one element, as a float."""
    try:
        if np.size(value) == 1:
            return float(np.squeeze(value))
    except (TypeError, ValueError):
        pass
    shape = f"an array of shape {np.shape(value)}" if np.ndim(value) else repr(value)
    raise argument_error(f"{name} is {shape}, expected one number")


def whole(name, value, least):
    """Returns ``value`` as an int. Raises an :class:`Error` if it is no whole number, or below ``least`` (None: no
    bound)."""
    try:
        found = int(value)
        if found == value and (least is None or found >= least):
            return found
    except (TypeError, ValueError, OverflowError):
        pass
    limit = "" if least is None else f" of at least {least}"
    raise argument_error(f"{name} is {value!r}, expected a whole number{limit}")


def mask_of(problem, name, value):
    """Returns a mask as a bool array of the grid's shape. Accepts only the values 0 and 1, and at least one 1."""
    mask = np.asarray(value)
    if mask.shape != problem.shape:
        raise argument_error(f"{name} has shape {mask.shape}, expected {problem.shape}"
                             + _hint_of_axes(mask, problem))
    chosen = mask != 0
    if not chosen.any():
        raise argument_error(f"{name} has no point that is True, expected at least one")
    other = mask[chosen & (mask != 1)]
    if other.size:
        raise argument_error(f"{name} has the value {other[0]}, expected 0 and 1: there are no labelled masks")
    return chosen


def _medium(problem, medium):
    refuse_others("medium", medium, _OF_MEDIA)
    speed = field(problem, "medium.sound_speed", medium.sound_speed)
    density = field(problem, "medium.density", value_of(medium, "density", 1000.0))
    for name, array in (("sound_speed", speed), ("density", density)):
        if not np.all(array > 0):
            raise argument_error(f"medium.{name} has the value {array.min()}, expected positive ones")
    reference = value_of(medium, "sound_speed_ref", "max")
    if isinstance(reference, str):
        reference = require_choice("medium.sound_speed_ref", reference, _REFERENCES)(speed)
    nonlinearity = value_of(medium, "BonA")
    return Medium(speed, density, *_absorption(problem, medium),
                  None if nonlinearity is None else field(problem, "medium.BonA", nonlinearity),
                  number("medium.sound_speed_ref", reference))


def _absorption(problem, medium):
    """Returns the coefficient, the power and the mode of absorption, all None without absorption. On axisymmetric grids
    the power is always 2, as in k-Wave."""
    coefficient, power = value_of(medium, "alpha_coeff"), value_of(medium, "alpha_power")
    mode = value_of(medium, "alpha_mode")
    if mode not in (None, "stokes"):
        raise argument_error(f"medium.alpha_mode is {mode!r}, expected None or 'stokes'")
    stokes = mode == "stokes" or problem.axisymmetric
    if coefficient is None:
        for name, value in (("alpha_power", power), ("alpha_mode", mode)):
            if value is not None:
                raise argument_error(f"medium.{name} is {brief(value)} and medium.alpha_coeff is None, expected both "
                                     "or none of them")
    for name, set_here in (("absorbing", coefficient is not None), ("stokes", stokes)):
        if value_of(medium, name, False) and not set_here:
            raise argument_error(f"medium.{name} is True, expected False: alpha_coeff and alpha_mode decide")
    if coefficient is None:
        return None, None, None
    coefficient = field(problem, "medium.alpha_coeff", coefficient)
    if stokes:
        if power is not None and number("medium.alpha_power", power) != 2:
            raise argument_error(f"medium.alpha_power is {brief(power)}, expected None or 2, the power of Stokes's "
                                 "absorption" + (" on axisymmetric grids" if problem.axisymmetric else ""))
        return coefficient, 2.0, "stokes"
    if power is None:
        raise argument_error("medium.alpha_power is None, expected the power of the absorption")
    return coefficient, number("medium.alpha_power", power), None


def _record(sensor, record):
    names = record if record is not None else value_of(sensor, "record")
    names = [names] if isinstance(names, str) else list(names if names is not None else ())
    if value_of(sensor, "time_reversal_boundary_data") is not None:
        names.append("p_final")
    return tuple(dict.fromkeys(names or ["p"]))


def _read_sensor(problem, sensor, grid):
    """Sets the problem's sensor (points, boxes or transducer) and its first recorded step."""
    if transducers.is_transducer(sensor):
        transducers.check("sensor", sensor, grid, problem)
        problem.elements = sensor
        problem.mask = np.asarray(sensor.active_elements_mask) != 0
    else:
        refuse_others("sensor", sensor, _OF_SENSORS)
        _read_mask(problem, value_of(sensor, "mask"))
    problem.first_step = whole("sensor.record_start_index", value_of(sensor, "record_start_index", 1), 1)
    if problem.first_step > problem.steps:
        raise argument_error(f"sensor.record_start_index is {problem.first_step}, expected at most Nt, "
                             f"{problem.steps}")


def _read_mask(problem, mask):
    if mask is None:
        problem.mask = np.ones(problem.shape, bool)
        return
    mask = np.asarray(mask)
    if mask.ndim == 2 and mask.shape != problem.shape:
        if mask.shape[0] == 2 * problem.dim:
            problem.corners = _corners(problem, mask)
            return
        if mask.shape[0] == problem.dim:
            raise argument_error(f"sensor.mask has shape {mask.shape}: points between those of the grid are "
                                 f"not recorded, expected a mask of shape {problem.shape} or corners")
    problem.mask = mask_of(problem, "sensor.mask", mask)


def _corners(problem, mask):
    corners = mask.astype(np.int64)
    first, last = corners[:problem.dim], corners[problem.dim:]
    outside = (first < 1).any() or (last > np.array(problem.shape)[:, None]).any() or (first > last).any()
    if outside or (corners != mask).any():
        raise argument_error("sensor.mask has corners outside of the grid, in the wrong order or between its points, "
                             f"expected whole numbers 1 <= first <= last <= {problem.shape}")
    return corners


def _reversed(problem, source, data):
    """Returns the source of a time-reversal simulation: the sensor's points emit the pressure recorded there earlier,
    in reverse order of time. ``source`` must be None or have no signals."""
    for name in () if source is None else (f.name for f in dataclasses.fields(Source)):
        value = value_of(source, name)
        if value is not None and not name.endswith("_mode"):
            raise argument_error(f"source.{name} is {brief(value)}, expected None: "
                                 "sensor.time_reversal_boundary_data is the source")
    if problem.mask is None or problem.elements is not None:
        raise argument_error("sensor.time_reversal_boundary_data is given, expected a mask of points as sensor.mask")
    points = np.count_nonzero(problem.mask)
    data = np.asarray(data, float)
    if data.ndim != 2 or data.shape[0] != points:
        raise argument_error(f"sensor.time_reversal_boundary_data has shape {data.shape}, expected {points} rows, one "
                             "for each point of sensor.mask")
    points = problem.mask
    if problem.record == ("p_final",):
        problem.mask = np.ones(problem.shape, bool)  # k-wave-python's files have the same default
    return Source(p_mask=points, p=data[:, ::-1], p_mode="dirichlet")


def _source(problem, source):
    refuse_others("source", source, _OF_SOURCES)
    p0 = value_of(source, "p0")
    result = Source(p0=None if p0 is None else np.broadcast_to(field(problem, "source.p0", p0), problem.shape))
    result.p_mode, result.u_mode = (_mode(problem, source, "p"), _mode(problem, source, "u"))
    for name in _VELOCITIES[problem.dim:]:
        if value_of(source, name) is not None:
            axes = "one axis" if problem.dim == 1 else "two axes"
            raise argument_error(f"source.{name} is given, but the grid has {axes}: expected None")
    for mask_name, signals in (("p_mask", ("p",)), ("u_mask", _VELOCITIES)):
        given = {name: value_of(source, name) for name in signals}
        given = {name: value for name, value in given.items() if value is not None}
        mask = value_of(source, mask_name)
        if given and mask is None:
            raise argument_error(f"source.{mask_name} is None, expected the points of source.{next(iter(given))}")
        if mask is not None and not given:
            raise argument_error(f"source.{mask_name} is given and source.{', '.join(signals)} is None, expected a "
                                 "signal")
        if given:
            setattr(result, mask_name, mask_of(problem, "source." + mask_name, mask))
        for name, value in given.items():
            setattr(result, name, _signals(problem, "source." + name, value, getattr(result, mask_name))
                    * _correction(problem, source, name[0]))
    if all(getattr(result, name) is None for name in ("p0", "p", *_VELOCITIES)):
        raise argument_error("source has none of p0, p, ux, uy and uz, expected one of them at least")
    if len({getattr(result, u).shape[0] > 1 for u in _VELOCITIES if getattr(result, u) is not None}) > 1:
        raise argument_error("some of source.ux, uy, uz have a row for each point and some one for all: "
                             "expected all alike")
    return result


def _mode(problem, source, letter):
    """Returns the mode of a source of pressure (``letter`` "p") or velocity ("u"). With a reference frequency the
    solver makes no k-space correction: :func:`_correction` scales the signal instead."""
    name = letter + "_mode"
    mode = value_of(source, name, "additive")
    require_choice("source." + name, mode, dict.fromkeys(_MODES))
    if value_of(source, letter + "_frequency_ref") is None:
        return mode
    if mode == "dirichlet":
        raise argument_error(f"source.{name} is 'dirichlet' and source.{letter}_frequency_ref is given, expected "
                             "'additive'")
    return "additive-no-correction"


def _correction(problem, source, letter):
    """Returns cos(pi f dt), the value of the k-space source correction at the reference frequency f, or 1 if the source
    has no reference frequency."""
    frequency = value_of(source, letter + "_frequency_ref")
    if frequency is None:
        return 1.0
    name = f"source.{letter}_frequency_ref"
    frequency = number(name, frequency)
    highest = problem.medium.sound_speed.min() / (2 * max(problem.spacing))
    if not 0 < frequency <= highest:
        raise argument_error(f"{name} is {frequency}, expected a positive number of at most {highest}, the highest "
                             "frequency of the grid")
    return np.cos(np.pi * frequency * problem.dt)


def fortran_rows(mask):
    """Returns an index array: element i is the row in ``numpy.argwhere(mask)`` of the mask's i-th point in Fortran
    order (x fastest)."""
    points = np.argwhere(mask.T)[:, ::-1]
    numbers = np.ravel_multi_index(tuple(points.T), mask.shape)
    return np.argsort(np.argsort(numbers))


def _signals(problem, name, value, mask):
    """Returns the signals of a source as an array [rows, steps]. There is one row per point of the mask, in the files'
    order (x fastest), or a single row for all points."""
    rows = np.atleast_2d(np.asarray(value, float))
    points = np.count_nonzero(mask)
    if rows.ndim != 2 or rows.shape[0] not in (1, points):
        raise argument_error(f"{name} has {rows.shape[0]} rows, expected 1 or {points}, the points of "
                             "its mask")
    if not np.all(np.isfinite(rows)):
        raise argument_error(f"{name} has values that are not finite")
    if rows.shape[1] > problem.steps:
        warnings.warn(f"{name} has {rows.shape[1]} steps, of which the simulation uses {problem.steps}", stacklevel=2)
    return rows if rows.shape[0] == 1 or problem.order == "F" else rows[fortran_rows(mask)]


def smoothed(values):
    """Smooths an array as k-Wave's ``smooth`` does: multiplies its spectrum by a radially symmetric Blackman window.
    The window is interpolated from samples of its radial profile, one per point of the longest axis."""
    odd = [n + 1 - n % 2 for n in values.shape]
    axes = [np.fft.ifftshift(np.linspace(-1, 1, m)[:n]) for n, m in zip(values.shape, odd)]
    radius = np.sqrt(sum(x**2 for x in np.meshgrid(*axes, indexing="ij", sparse=True)))
    samples = np.linspace(-1, 1, max(odd))
    profile = 0.42 + 0.5 * np.cos(np.pi * samples) + 0.08 * np.cos(2 * np.pi * samples)
    window = np.abs(np.interp(np.minimum(radius, 1), samples, profile))
    return np.fft.ifftn(np.fft.fftn(values) * window).real


def _smooth_p0(problem, p0):
    """Smooths an initial pressure, then scales it so that its largest absolute value is unchanged. On axisymmetric
    grids the pressure is first extended as the solver extends its fields: even about the axis, odd about the outer
    end."""
    if problem.axisymmetric:
        radii = p0.shape[1]
        half = np.concatenate([p0, np.zeros((p0.shape[0], 1)), -p0[:, :0:-1]], axis=1)
        smooth = smoothed(np.concatenate([half, -half], axis=1))
        return (smooth * (np.abs(p0).max() / np.abs(smooth).max()))[:, :radii]
    smooth = smoothed(p0)
    return smooth * (np.abs(p0).max() / np.abs(smooth).max())


def _add_layer(problem, settings):
    """Sets the size and the strength of the absorbing layer. If the layer lies outside of the user's grid, also
    enlarges the grid: pads all fields (media by their edge values, others by zeros) and shifts the sensor's boxes."""
    problem.pml_size = _pml_size(problem, settings)
    problem.pml_alpha = [number("pml_alpha", a) for a in _per_axis("pml_alpha", settings.pml_alpha, problem.dim)]
    problem.margins = [(0, 0)] * problem.dim
    if settings.pml_inside:
        return
    problem.margins = [(0 if problem.axisymmetric and axis == 1 else size, size)
                       for axis, size in enumerate(problem.pml_size)]
    for owner in (problem.medium, problem.source, problem.transducer, problem):
        for name, value in list(vars(owner).items()) if owner is not None else ():
            if isinstance(value, np.ndarray) and value.shape == problem.shape and _is_field(owner, name):
                mode = "edge" if owner is problem.medium else "constant"
                setattr(owner, name, np.pad(value, problem.margins, mode=mode))
    if problem.corners is not None:
        problem.corners = problem.corners + np.array([m[0] for m in problem.margins] * 2)[:, None]
    problem.shape = tuple(n + sum(m) for n, m in zip(problem.shape, problem.margins))


def _is_field(owner, name):
    """Returns whether an attribute holds a field on the grid. Signals do not, even if their shape happens to be the
    grid's."""
    return isinstance(owner, Medium) or name in ("p0", "p_mask", "u_mask", "mask")


def _pml_size(problem, settings):
    """Returns the thickness of the absorbing layer along each axis, in points. The default is k-Wave's, limited to a
    quarter of the axis."""
    size = settings.pml_size
    if size is None:
        size = [min(10 if problem.dim == 3 else 20, n // 4) for n in problem.shape]
    sizes = [whole("pml_size", s, 0) for s in _per_axis("pml_size", size, problem.dim)]
    ends = [1 if problem.axisymmetric and axis == 1 else 2 for axis in range(problem.dim)]
    if settings.pml_inside and any(e * s >= n for e, s, n in zip(ends, sizes, problem.shape)):
        raise argument_error(f"pml_size is {tuple(sizes)}, expected less than half of {problem.shape}")
    return sizes


def _per_axis(name, value, dim):
    """Returns a list with one value per axis: ``value`` repeated if it is a number, else its ``dim`` elements."""
    if np.ndim(value) == 0:
        return [value] * dim
    if np.shape(value) != (dim,):
        raise argument_error(f"{name} is {value!r}, expected a number or {dim} of them, one for each axis")
    return list(value)
