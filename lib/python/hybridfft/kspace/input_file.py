"""k-Wave's input files, version 1.2, from grids, media, sources and sensors."""

import datetime
import types

import numpy as np

from ..errors import argument_error, require_choice

_MODES = {"dirichlet": 0, "additive-no-correction": 1, "additive": 2}
_REFERENCES = {"min": np.min, "mean": np.mean, "max": np.max}
_AXES = "xyz"


def value_of(owner, name, default=None):
    """An attribute that k-wave-python's objects may lack, or have without a value."""
    value = getattr(owner, name, default)
    return default if value is None or np.size(value) == 0 else value


def normalized(grid, medium, source, sensor):
    """The problem in one form: points, spacings and arrays of plain numpy, whatever the objects are."""
    shape = tuple(int(n) for n in np.atleast_1d(grid.N).ravel())
    shape = shape[:int(grid.dim)]
    spacing = getattr(grid, "spacing", None)
    if spacing is None or len(np.atleast_1d(spacing)) != len(shape):
        spacing = [getattr(grid, "d" + a) for a in _AXES[:len(shape)]]
    dt, steps = value_of(grid, "dt"), value_of(grid, "Nt")
    if isinstance(dt, str) or isinstance(steps, str) or dt is None or steps is None:
        raise argument_error("the grid has no time steps: expected dt and Nt, as make_time() sets them")
    problem = types.SimpleNamespace(
        shape=shape, dim=len(shape), spacing=[float(d) for d in spacing], dt=float(dt),
        steps=int(steps), medium=medium, source=source, sensor=sensor)
    if problem.dim not in (2, 3):
        raise argument_error(f"the grid has {problem.dim} axes, expected 2 or 3")
    if not problem.dt > 0 or problem.steps < 1:
        raise argument_error(f"dt is {problem.dt} and Nt is {problem.steps}, expected positive numbers")
    return problem


def field(problem, name, value):
    """A number, or an array of the grid's shape."""
    array = np.squeeze(np.asarray(value, float)) if np.size(value) == 1 else np.asarray(value, float)
    if array.ndim and array.shape != problem.shape:
        raise argument_error(f"{name} has shape {array.shape}, expected a number or {problem.shape}")
    if not np.all(np.isfinite(array)):
        raise argument_error(f"{name} has values that are not finite")
    return array


def number(name, value):
    """One real number."""
    try:
        if np.size(value) == 1:
            return float(np.squeeze(value))
    except (TypeError, ValueError):
        pass
    shape = f"an array of shape {np.shape(value)}" if np.ndim(value) else repr(value)
    raise argument_error(f"{name} is {shape}, expected one number")


def mask_of(problem, name, value):
    """A mask of the grid's shape."""
    mask = np.asarray(value) != 0
    if mask.shape != problem.shape:
        raise argument_error(f"{name} has shape {mask.shape}, expected {problem.shape}")
    if not mask.any():
        raise argument_error(f"{name} has no point that is True, expected at least one")
    return mask


def linear_indices(mask):
    """Indices of the points of a mask, x fastest, from 1."""
    return np.flatnonzero(mask.ravel(order="F")) + 1


class Writer:
    """Datasets and attributes as k-Wave has them: arrays of three axes, x fastest on disk."""

    def __init__(self, file):
        self._file = file

    def attribute(self, owner, name, text):
        """A string of fixed length."""
        owner.attrs[name] = np.bytes_(text)

    def dataset(self, name, value, whole=False):
        """Real numbers in single precision, or whole ones of 64 bits."""
        array = np.asarray(value)
        array = array.reshape(array.shape + (1,) * (3 - array.ndim)).T
        data = np.ascontiguousarray(array, "<u8" if whole else "<f4")
        dataset = self._file.create_dataset(name, data=data)
        self.attribute(dataset, "domain_type", "real")
        self.attribute(dataset, "data_type", "long" if whole else "float")

    def flag(self, name, value):
        """A whole number."""
        self.dataset(name, int(value), whole=True)


def write(file, problem, pml_size, pml_alpha):
    """Writes a problem to an open h5py file."""
    writer = Writer(file)
    now = datetime.datetime.now().strftime("%d-%b-%Y-%H-%M-%S")
    for name, text in (("created_by", "hybridfft for Python"), ("creation_date", now),
                       ("file_description", "written by hybridfft.kspace"), ("file_type", "input"),
                       ("major_version", "1"), ("minor_version", "2")):
        writer.attribute(file, name, text)
    _write_grid(writer, problem, pml_size, pml_alpha)
    _write_medium(writer, problem)
    _write_sources(writer, problem)
    _write_sensor(writer, problem)


def _write_grid(writer, problem, pml_size, pml_alpha):
    for axis, name in enumerate(_AXES):
        writer.flag("N" + name, problem.shape[axis] if axis < problem.dim else 1)
        writer.flag(f"pml_{name}_size", pml_size[axis] if axis < problem.dim else 0)
        if axis < problem.dim:
            writer.dataset("d" + name, problem.spacing[axis])
            writer.dataset(f"pml_{name}_alpha", pml_alpha[axis])
    writer.flag("Nt", problem.steps)
    writer.dataset("dt", problem.dt)
    for name in ("nonuniform_grid_flag", "axisymmetric_flag", "elastic_flag", "sxx_source_flag",
                 "syy_source_flag", "szz_source_flag", "sxy_source_flag", "sxz_source_flag",
                 "syz_source_flag", "transducer_source_flag"):
        writer.flag(name, 0)


def _staggered(array, axis):
    """Means of neighbours along an axis; the last point keeps its value."""
    if array.ndim == 0:
        return array
    shifted = np.moveaxis(array.copy(), axis, 0)
    shifted[:-1] = (shifted[:-1] + shifted[1:]) / 2
    return np.moveaxis(shifted, 0, axis)


def _write_medium(writer, problem):
    medium = problem.medium
    speed = field(problem, "medium.sound_speed", medium.sound_speed)
    density = field(problem, "medium.density", value_of(medium, "density", 1000.0))
    for name, array in (("sound_speed", speed), ("density", density)):
        if not np.all(array > 0):
            raise argument_error(f"medium.{name} has the value {array.min()}, expected positive ones")
    reference = value_of(medium, "sound_speed_ref", "max")
    if isinstance(reference, str):
        reference = require_choice("medium.sound_speed_ref", reference, _REFERENCES)(speed)
    writer.dataset("c_ref", number("medium.sound_speed_ref", reference))
    writer.dataset("c0", speed)
    writer.dataset("rho0", density)
    for axis in range(problem.dim):
        writer.dataset("rho0_sg" + _AXES[axis], _staggered(density, axis))
    nonlinearity = value_of(medium, "BonA")
    writer.flag("nonlinear_flag", nonlinearity is not None)
    if nonlinearity is not None:
        writer.dataset("BonA", field(problem, "medium.BonA", nonlinearity))
    absorption, power = value_of(medium, "alpha_coeff"), value_of(medium, "alpha_power")
    mode = value_of(medium, "alpha_mode")
    if mode not in (None, "stokes"):
        raise argument_error(f"medium.alpha_mode is {mode!r}, expected None or 'stokes'")
    writer.flag("absorbing_flag", 0 if absorption is None else 2 if mode == "stokes" else 1)
    if absorption is not None:
        if power is None and mode != "stokes":
            raise argument_error("medium.alpha_power is None, expected the power of the absorption")
        writer.dataset("alpha_coeff", field(problem, "medium.alpha_coeff", absorption))
        writer.dataset("alpha_power", 2.0 if mode == "stokes" else number("medium.alpha_power", power))


def fortran_rows(mask):
    """For each point of a mask, x fastest, its row among ``numpy.argwhere(mask)``."""
    points = np.argwhere(mask.T)[:, ::-1]
    numbers = np.ravel_multi_index(tuple(points.T), mask.shape)
    return np.argsort(np.argsort(numbers))


def _signals(problem, name, value, mask):
    """Rows of a source in the order of files, x fastest: one for each point, or one for all."""
    rows = np.atleast_2d(np.asarray(value, float))
    points = np.count_nonzero(mask)
    if rows.shape[0] not in (1, points):
        raise argument_error(f"{name} has {rows.shape[0]} rows, expected 1 or {points}, the points of "
                             "its mask")
    if not np.all(np.isfinite(rows)):
        raise argument_error(f"{name} has values that are not finite")
    return rows if rows.shape[0] == 1 else rows[fortran_rows(mask)]


def _speed_at(problem, indices, rows):
    """Sound speeds that signals are scaled with: as in k-Wave that of the first point where one signal
    is for all points."""
    speed = field(problem, "medium.sound_speed", problem.medium.sound_speed)
    if speed.ndim == 0:
        return np.full((rows, 1), float(speed))
    return speed.ravel(order="F")[indices[:rows] - 1][:, None]


def _write_sources(writer, problem):
    source = problem.source
    p0 = value_of(source, "p0")
    writer.flag("p0_source_flag", p0 is not None)
    if p0 is not None:
        writer.dataset("p0_source_input", np.broadcast_to(field(problem, "source.p0", p0),
                                                          problem.shape))
    _write_pressure(writer, problem)
    _write_velocity(writer, problem)


def _write_pressure(writer, problem):
    """The source of mass: signals are scaled as Treeby and Cox's manual says of time-varying sources,
    2 dt / (D c dx) for additive ones and 1 / (D c^2) for prescribed ones."""
    signal = value_of(problem.source, "p")
    if signal is None:
        writer.flag("p_source_flag", 0)
        return
    mask = mask_of(problem, "source.p_mask", problem.source.p_mask)
    indices = linear_indices(mask)
    rows = _signals(problem, "source.p", signal, mask)
    mode = require_choice("source.p_mode", value_of(problem.source, "p_mode", "additive"), _MODES)
    speed = _speed_at(problem, indices, rows.shape[0])
    factor = (1 / (problem.dim * speed**2) if mode == 0
              else 2 * problem.dt / (problem.dim * speed * problem.spacing[0]))
    writer.flag("p_source_flag", rows.shape[1])
    writer.flag("p_source_mode", mode)
    writer.flag("p_source_many", rows.shape[0] > 1)
    writer.dataset("p_source_index", indices, whole=True)
    writer.dataset("p_source_input", rows * factor)


def _write_velocity(writer, problem):
    """The source of force: signals times 2 c dt / dx, prescribed ones as they are."""
    signals = {a: value_of(problem.source, "u" + a) for a in _AXES}
    if problem.dim == 2 and signals["z"] is not None:
        raise argument_error("source.uz is given, but the grid has two axes: expected None")
    if all(s is None for s in signals.values()):
        for axis in _AXES:
            writer.flag(f"u{axis}_source_flag", 0)
        return
    mask = mask_of(problem, "source.u_mask", problem.source.u_mask)
    indices = linear_indices(mask)
    mode = require_choice("source.u_mode", value_of(problem.source, "u_mode", "additive"), _MODES)
    many = set()
    for axis, (name, signal) in enumerate(signals.items()):
        if signal is None:
            writer.flag(f"u{name}_source_flag", 0)
            continue
        rows = _signals(problem, "source.u" + name, signal, mask)
        speed = _speed_at(problem, indices, rows.shape[0])
        factor = 1 if mode == 0 else 2 * speed * problem.dt / problem.spacing[axis]
        many.add(rows.shape[0] > 1)
        writer.flag(f"u{name}_source_flag", rows.shape[1])
        writer.dataset(f"u{name}_source_input", rows * factor)
    if len(many) > 1:
        raise argument_error("some of source.ux, uy, uz have a row for each point and some one for all: "
                             "expected all alike")
    writer.flag("u_source_mode", mode)
    writer.flag("u_source_many", many.pop())
    writer.dataset("u_source_index", indices, whole=True)


def is_corners(problem, mask):
    """Whether a sensor's mask has the corners of boxes."""
    return mask.ndim == 2 and mask.shape[0] == 2 * problem.dim and mask.shape != problem.shape


def sensor_mask(problem):
    """The sensor's mask, or corners of boxes; all points where it has none."""
    mask = value_of(problem.sensor, "mask") if problem.sensor is not None else None
    if mask is None:
        return np.ones(problem.shape, bool)
    mask = np.asarray(mask)
    if is_corners(problem, mask):
        return mask.astype(np.int64)
    if mask.ndim == 2 and mask.shape[0] == problem.dim and mask.shape != problem.shape:
        raise argument_error(f"sensor.mask has shape {mask.shape}: points between those of the grid are "
                             f"not recorded, expected a mask of shape {problem.shape} or corners")
    return mask_of(problem, "sensor.mask", mask)


def _write_sensor(writer, problem):
    mask = sensor_mask(problem)
    corners = is_corners(problem, mask)
    writer.flag("sensor_mask_type", corners)
    if not corners:
        writer.dataset("sensor_mask_index", linear_indices(mask), whole=True)
        return
    if problem.dim == 2:  # boxes of one plane
        one = np.ones((1, mask.shape[1]), np.int64)
        mask = np.vstack([mask[:2], one, mask[2:], one])
    shape = np.array(problem.shape + (1,) * (3 - problem.dim))[:, None]
    if mask.min() < 1 or (mask[3:] > shape).any() or (mask[:3] > mask[3:]).any():
        raise argument_error("sensor.mask has corners outside of the grid or in the wrong order, expected "
                             f"1 <= first <= last <= {problem.shape}")
    writer.dataset("sensor_mask_corners", mask, whole=True)
