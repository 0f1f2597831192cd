"""k-wave-python's linear array transducers (``NotATransducer``) as sources and as sensors.

A transducer is driven by one signal, which each of its points starts with a delay of its own; a sensor's
elements record the mean over their points.
"""

import dataclasses

import numpy as np

from ..errors import argument_error
from .attributes import brief, refuse_others, value_of

#: Attributes of a transducer used for its delays, masks and signals.
_USED = frozenset((
    "transducer", "active_elements", "mask", "indexed_mask", "indexed_element_voxel_mask", "dt", "sound_speed",
    "focus_distance", "elevation_focus_distance", "steering_angle", "steering_angle_max",
    "stored_steering_angle", "stored_steering_angle_max", "stored_appended_zeros",
    "stored_beamforming_delays_offset", "stored_input_signal",
    "transmit_apodization",  # of a source
    "record", "record_start_index",  # of a sensor
    "receive_apodization"))  # used by scan_line(), which the user calls with the records
_USED_OF_ARRAY = frozenset((
    "stored_grid_size", "grid_spacing", "number_elements", "element_width", "element_length", "element_spacing",
    "position"))


@dataclasses.dataclass
class TransducerSource:
    """The sending points of a transducer, and its signal. ``delays`` has one number of steps for each point of
    ``mask``, x fastest. ``signal`` is scaled like velocities, in m/s."""

    mask: np.ndarray
    delays: np.ndarray
    signal: np.ndarray

    @property
    def steps(self):
        """Time steps in which all points have a value of the signal."""
        return self.signal.size - int(self.delays.max())


def is_transducer(thing):
    """True for a transducer, by the methods that :mod:`hybridfft.kspace` calls."""
    return hasattr(thing, "active_elements_mask") and callable(getattr(thing, "delay_mask", None))


def check(role, transducer, grid, problem):
    """Raises an error for attributes that are not used, and for a transducer of another grid."""
    refuse_others(role, transducer, _USED, transducer=value_of(transducer, "transducer"), kgrid=grid)
    array = value_of(transducer, "transducer")
    if array is not None:
        refuse_others(role + ".transducer", array, _USED_OF_ARRAY, {"radius": float("inf")}, kgrid=grid)
    mask = np.asarray(transducer.active_elements_mask)
    if mask.shape != problem.shape:
        raise argument_error(f"{role} is a transducer in a grid of shape {mask.shape}, expected {problem.shape}")
    if not mask.any():
        raise argument_error(f"{role}.active_elements has no element that is active, expected at least one")
    for name, owner, expected in (("dt", transducer, problem.dt), ("grid_spacing", array, problem.spacing)):
        found = value_of(owner, name)
        if found is not None and not np.allclose(np.ravel(found), expected, rtol=1e-6, atol=0):
            raise argument_error(f"{role} is a transducer of a grid whose {name} is {brief(found)}, "
                                 f"expected {brief(expected)}")


def source_of(transducer):
    """The :class:`TransducerSource` of a transducer that sends."""
    apodization = value_of(transducer, "transmit_apodization", "Rectangular")
    uniform = apodization == "Rectangular" if isinstance(apodization, str) else np.all(np.equal(apodization, 1))
    if not uniform:
        raise argument_error(f"source.transmit_apodization is {brief(apodization)}, expected 'Rectangular': "
                             "k-Wave's files have one amplitude for all elements")
    signal = value_of(transducer, "input_signal")
    if signal is None:
        raise argument_error("source.input_signal is None, expected the signal of the transducer")
    mask = np.asarray(transducer.active_elements_mask) != 0
    try:
        delays = _at(transducer.delay_mask(), mask)
    except IndexError as error:  # k-wave-python numbers delays without a gap, but uses elements as indices
        raise argument_error(f"source.active_elements is {brief(transducer.active_elements)}, expected neighbours "
                             "where the transducer has a focus or a steering angle") from error
    source = TransducerSource(mask, delays, np.ravel(np.asarray(signal, float)))
    if not np.all(np.isfinite(source.signal)):
        raise argument_error("source.input_signal has values that are not finite")
    if source.steps < 1:
        raise argument_error(f"source.input_signal has {source.signal.size} steps, expected more than the "
                             f"largest delay of {source.delays.max()}")
    return source


def _at(field, mask):
    """Returns whole numbers at the points of a mask, x fastest."""
    return np.asarray(field).T[mask.T].astype(np.int64)


def element_signals(transducer, points, pressure):
    """Returns the signals of a transducer's active elements, ``(elements, steps)``. Each is the mean over the element's
    points, after each point has been advanced by its delay of the elevation focus.

    Parameters
    ----------
    points : numpy.ndarray
        The grid point of each row of ``pressure``.
    pressure : numpy.ndarray
        ``(points, steps)``.
    """
    where = tuple(points.T)
    elements = np.unique(np.asarray(transducer.indexed_active_elements_mask)[where], return_inverse=True)[1]
    focused = np.isfinite(value_of(transducer, "elevation_focus_distance", float("inf")))
    delays = np.asarray(transducer.delay_mask(2))[where].astype(np.int64) if focused else np.zeros_like(elements)
    steps = pressure.shape[1]
    sums = np.zeros((elements.max() + 1, steps))
    for row, element, delay in zip(pressure, elements, delays):
        sums[element, :max(steps - delay, 0)] += row[delay:]
    return (sums / np.bincount(elements)[:, None]).astype(pressure.dtype)
