"""Supports k-wave-python's linear array transducers (``NotATransducer``) as sources and as sensors.

As a source, all points of a transducer emit one signal, each with its own delay. As a sensor, each element of the
transducer records the mean over its points.
"""

import dataclasses

import numpy as np

from ..errors import argument_error
from .attributes import brief, refuse_others, value_of

#: Supported attributes of a transducer.
_USED = frozenset((
    "transducer", "active_elements", "mask", "indexed_mask", "indexed_element_voxel_mask", "dt", "sound_speed",
    "focus_distance", "elevation_focus_distance", "steering_angle", "steering_angle_max",
    "stored_steering_angle", "stored_steering_angle_max", "stored_appended_zeros",
    "stored_beamforming_delays_offset", "stored_input_signal",
    "transmit_apodization",  # of a source
    "record", "record_start_index",  # of a sensor
    "receive_apodization"))  # used later by k-wave-python's scan_line()
_USED_OF_ARRAY = frozenset((
    "stored_grid_size", "grid_spacing", "number_elements", "element_width", "element_length", "element_spacing",
    "position"))


@dataclasses.dataclass
class TransducerSource:
    """A transducer as a source. ``mask`` marks its active points. ``delays`` is a number of time steps for each of
    these points, x fastest. ``signal`` is a velocity in m/s."""

    mask: np.ndarray
    delays: np.ndarray
    signal: np.ndarray

    @property
    def steps(self):
        """Number of time steps before the end of the signal at the point with the largest delay."""
        return self.signal.size - int(self.delays.max())


def is_transducer(thing):
    """Returns whether ``thing`` has the methods of a transducer called by :mod:`hybridfft.kspace`."""
    return hasattr(thing, "active_elements_mask") and callable(getattr(thing, "delay_mask", None))


def check(role, transducer, grid, problem):
    """Raises an error for unsupported attributes of a transducer, and if it was made for another grid."""
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
    """Returns the :class:`TransducerSource` of a transducer."""
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
    except IndexError as error:  # k-wave-python fails if the active elements are not adjacent
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
    """Returns the values of an integer field at the points of a mask, x fastest."""
    return np.asarray(field).T[mask.T].astype(np.int64)


def element_signals(transducer, points, pressure):
    """Returns the signals recorded by a transducer's active elements, an array ``(elements, steps)``. The signal of an
    element is the mean over its points, after each point is advanced by its delay of the elevation focus.

    Parameters
    ----------
    points : numpy.ndarray
        Grid indices of the point of each row of ``pressure``.
    pressure : numpy.ndarray
        Recorded pressure, ``(points, steps)``.
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
