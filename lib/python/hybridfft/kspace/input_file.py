"""Writes a simulation, checked by :mod:`hybridfft.kspace.assemble`, to an input file in k-Wave's format 1.2."""

import datetime

import numpy as np

_MODES = {"dirichlet": 0, "additive-no-correction": 1, "additive": 2}
_AXES = "xyz"


def linear_indices(mask):
    """Returns the linear indices of a mask's points, x fastest and counted from 1."""
    return np.flatnonzero(mask.ravel(order="F")) + 1


class Writer:
    """Writes datasets and attributes in k-Wave's format: arrays have three axes, and x varies fastest on disk."""

    def __init__(self, file, deflate):
        self._file, self._deflate = file, deflate

    def attribute(self, owner, name, text):
        """Writes an attribute as a string of fixed length."""
        owner.attrs[name] = np.bytes_(text)

    def dataset(self, name, value, whole=False):
        """Writes an array in single precision or, with ``whole``, as unsigned 64-bit integers."""
        array = np.asarray(value)
        array = array.reshape(array.shape + (1,) * (3 - array.ndim)).T
        data = np.ascontiguousarray(array, "<u8" if whole else "<f4")
        packed = {"compression": self._deflate} if self._deflate and data.size > 1 else {}
        dataset = self._file.create_dataset(name, data=data, **packed)
        self.attribute(dataset, "domain_type", "real")
        self.attribute(dataset, "data_type", "long" if whole else "float")

    def flag(self, name, value):
        """Writes a number or a bool as one 64-bit integer."""
        self.dataset(name, int(value), whole=True)


def write(file, problem):
    """Writes a problem to an open h5py file."""
    writer = Writer(file, problem.deflate)
    now = datetime.datetime.now().strftime("%d-%b-%Y-%H-%M-%S")
    for name, text in (("created_by", "hybridfft for Python"), ("creation_date", now),
                       ("file_description", "written by hybridfft.kspace"), ("file_type", "input"),
                       ("major_version", "1"), ("minor_version", "2")):
        writer.attribute(file, name, text)
    _write_grid(writer, problem)
    _write_medium(writer, problem)
    source = problem.source
    writer.flag("p0_source_flag", source.p0 is not None)
    if source.p0 is not None:
        writer.dataset("p0_source_input", source.p0)
    _write_pressure(writer, problem)
    _write_velocity(writer, problem)
    _write_transducer(writer, problem)
    _write_sensor(writer, problem)


def _write_grid(writer, problem):
    for axis, name in enumerate(_AXES):
        writer.flag("N" + name, problem.shape[axis] if axis < problem.dim else 1)
        writer.flag(f"pml_{name}_size", problem.pml_size[axis] if axis < problem.dim else 0)
        if axis < problem.dim:
            writer.dataset("d" + name, problem.spacing[axis])
            writer.dataset(f"pml_{name}_alpha", problem.pml_alpha[axis])
    writer.flag("Nt", problem.steps)
    writer.dataset("dt", problem.dt)
    writer.flag("axisymmetric_flag", problem.axisymmetric)
    for name in ("nonuniform_grid_flag", "elastic_flag", "sxx_source_flag", "syy_source_flag", "szz_source_flag",
                 "sxy_source_flag", "sxz_source_flag", "syz_source_flag"):
        writer.flag(name, 0)


def _staggered(array, axis):
    """Returns an array at points staggered by half a spacing along an axis: the means of neighbours. The last point
    keeps its value."""
    if array.ndim == 0:
        return array
    shifted = np.moveaxis(array.copy(), axis, 0)
    shifted[:-1] = (shifted[:-1] + shifted[1:]) / 2
    return np.moveaxis(shifted, 0, axis)


def _write_medium(writer, problem):
    medium = problem.medium
    writer.dataset("c_ref", medium.sound_speed_ref)
    writer.dataset("c0", medium.sound_speed)
    writer.dataset("rho0", medium.density)
    for axis in range(problem.dim):
        writer.dataset("rho0_sg" + _AXES[axis], _staggered(medium.density, axis))
    writer.flag("nonlinear_flag", medium.BonA is not None)
    if medium.BonA is not None:
        writer.dataset("BonA", medium.BonA)
    writer.flag("absorbing_flag", 0 if medium.alpha_coeff is None else 2 if medium.alpha_mode == "stokes" else 1)
    if medium.alpha_coeff is not None:
        writer.dataset("alpha_coeff", medium.alpha_coeff)
        writer.dataset("alpha_power", medium.alpha_power)


def _speed_at(problem, indices, rows):
    """Returns the sound speed at the first ``rows`` points as a column, used to scale signals. A single signal for all
    points uses the speed at the first point, as in k-Wave."""
    speed = problem.medium.sound_speed
    if speed.ndim == 0:
        return np.full((rows, 1), float(speed))
    return speed.ravel(order="F")[indices[:rows] - 1][:, None]


def _write_pressure(writer, problem):
    """Writes a pressure source. The solver expects densities, so signals are multiplied by the factors of k-Wave's
    manual (Treeby and Cox) for D dimensions: 2 dt / (D c dx) for additive sources, 1 / (D c^2) for prescribed
    pressures."""
    source = problem.source
    if source.p is None:
        writer.flag("p_source_flag", 0)
        return
    indices, rows, mode = linear_indices(source.p_mask), source.p, _MODES[source.p_mode]
    speed = _speed_at(problem, indices, rows.shape[0])
    factor = (1 / (problem.dim * speed**2) if mode == 0
              else 2 * problem.dt / (problem.dim * speed * problem.spacing[0]))
    writer.flag("p_source_flag", rows.shape[1])
    writer.flag("p_source_mode", mode)
    writer.flag("p_source_many", rows.shape[0] > 1)
    writer.dataset("p_source_index", indices, whole=True)
    writer.dataset("p_source_input", rows * factor if problem.scale_source_terms else rows)


def _write_velocity(writer, problem):
    """Writes a velocity source. Additive signals are multiplied by 2 c dt / dx. Prescribed velocities are not
    scaled."""
    source, mode = problem.source, _MODES[problem.source.u_mode]
    signals = [getattr(source, "u" + axis) for axis in _AXES]
    given = [rows for rows in signals if rows is not None]
    indices = linear_indices(source.u_mask) if given else None
    for axis, rows in enumerate(signals):
        name = f"u{_AXES[axis]}_source_"
        writer.flag(name + "flag", 0 if rows is None else rows.shape[1])
        if rows is not None:
            scaled = problem.scale_source_terms and mode != 0
            factor = 2 * _speed_at(problem, indices, rows.shape[0]) * problem.dt / problem.spacing[axis]
            writer.dataset(name + "input", rows * factor if scaled else rows)
    if given:
        writer.flag("u_source_mode", mode)
        writer.flag("u_source_many", given[0].shape[0] > 1)
        writer.dataset("u_source_index", indices, whole=True)


def _write_transducer(writer, problem):
    """Writes a transducer as a source: its signal times 2 c dt / dx, with the mean sound speed c at its points, and for
    each point its delay plus 1, an index into the signal counted from 1."""
    source = problem.transducer
    writer.flag("transducer_source_flag", 0 if source is None else source.steps)
    if source is None:
        return
    speed = problem.medium.sound_speed
    speed = float(speed) if speed.ndim == 0 else speed[source.mask].mean()
    factor = 2 * speed * problem.dt / problem.spacing[0] if problem.scale_source_terms else 1
    writer.dataset("transducer_source_input", source.signal * factor)
    writer.dataset("u_source_index", linear_indices(source.mask), whole=True)
    writer.dataset("delay_mask", source.delays + 1, whole=True)


def _write_sensor(writer, problem):
    writer.flag("sensor_mask_type", problem.corners is not None)
    if problem.corners is None:
        writer.dataset("sensor_mask_index", linear_indices(problem.mask), whole=True)
        return
    corners = problem.corners
    dim = problem.dim
    one = np.ones((3 - dim, corners.shape[1]), np.int64)  # missing axes have only index 1
    corners = np.vstack([corners[:dim], one, corners[dim:], one])
    writer.dataset("sensor_mask_corners", corners, whole=True)
