"""Quantities and units of datasets, and the mapping from values to colours."""
import dataclasses
import re
import typing

import numpy as np

from .files import Failure

_PREFIXES = (("G", 1e-9), ("M", 1e-6), ("k", 1e-3), ("", 1.), ("m", 1e3), ("µ", 1e6), ("n", 1e9))
# Pattern of a dataset's name, quantity, unit, and True if the unit takes a prefix.
_QUANTITIES = (
    (r"p|p_.*|p0_.*", "pressure", "Pa", True),
    (r"u_peak", "speed", "m/s", True),
    (r"(?:snapshot_\w+_)?u([xyz]).*", "velocity along {}", "m/s", True),
    (r"I([xyz])_avg", "intensity along {}", "W/m²", True),
    (r"Q_term", "heat", "W/m³", True),
    (r"c0.*|c_ref|vp", "speed of sound", "m/s", False),
    (r"vs", "speed of shear waves", "m/s", False),
    (r"rho|rho0.*", "density", "kg/m³", False),
)
# Names of matplotlib's colour maps. They are perceptually uniform: equal steps of a value change the lightness equally.
SEQUENTIAL, DIVERGING, GREY = "magma", "coolwarm", "gray"


def _prefixed(unit, magnitude):
    """Returns the unit with a prefix, and the factor to it. The prefix is the largest one with which the magnitude is at
    least 1."""
    if not magnitude > 0:
        return unit, 1.
    return next(((prefix + unit, factor) for prefix, factor in _PREFIXES if magnitude * factor >= 1),
                (_PREFIXES[-1][0] + unit, _PREFIXES[-1][1]))


def unit_of(name, magnitude):
    """Returns the unit for values of dataset `name` up to `magnitude`, and the factor to it: ("", 1.) if unknown."""
    for pattern, _, unit, prefix in _QUANTITIES:
        if re.fullmatch(pattern, name.split("/")[0]):
            return _prefixed(unit, magnitude) if prefix else (unit, 1.)
    return "", 1.


def described(name):
    """Returns a dataset's name with its quantity, such as "pressure p_max", if the name is one of k-Wave's."""
    for pattern, quantity, _, _ in _QUANTITIES:
        found = re.fullmatch(pattern, name.split("/")[0])
        if found:
            return f"{quantity.format(*found.groups())} {name}"
    return name


def time_unit(seconds):
    return ("s", 1.) if seconds >= 1 else _prefixed("s", seconds)


@dataclasses.dataclass
class Scale:
    """A mapping from values to colours, linear or in decibels: 20 log10(|value| / reference).

    lowest, highest: values of the first and the last colour, in `unit`. factor: from the file's unit to `unit`. beyond:
    the ends of the scale exceeded by some values, in the words of matplotlib's colour bars ("neither", "min", "max",
    "both"). reference: in the file's unit, None on a linear scale.
    """
    colours: str
    lowest: float
    highest: float
    unit: str
    factor: float
    label: str
    reference: typing.Optional[float] = None
    beyond: str = "neither"

    def with_data(self, low, high):
        """Sets `beyond` for data from `low` to `high`, and returns the scale."""
        room = 1e-6 * (self.highest - self.lowest)
        low, high = (float(self.shown(value)) for value in (low, high))
        self.beyond = (("neither", "max"), ("min", "both"))[low < self.lowest - room][high > self.highest + room]
        return self

    def shown(self, values):
        """Converts values to the unit of the scale. In dB, 0 gets the lower limit of the scale."""
        if self.reference is None:
            return values * self.factor
        with np.errstate(divide="ignore"):
            level = 20 * np.log10(np.abs(values) / self.reference)
        return np.where(np.isneginf(level), self.lowest, level)


def _colours(o, both_signs):
    return {"sequential": SEQUENTIAL, "diverging": DIVERGING, "grey": GREY,
            "auto": DIVERGING if both_signs else SEQUENTIAL}[o.colour_map]


def _decibels(low, high, o):
    reference = o.max if o.max is not None else max(high, -low)
    if not reference > 0:
        raise Failure(f"--db: found nothing but zeros in dataset {o.dataset}, expected some value to refer to")
    unit, factor = unit_of(o.dataset, reference)
    label = f"{described(o.dataset)} [dB re {reference * factor:.3g}{' ' * bool(unit)}{unit}]"
    return Scale(_colours(o, False), -o.db, 0., "dB", 1., label, reference).with_data(low, high)


def limits(low, high, o, room):
    """Returns the lower and the upper limit: --min and --max, or the range of the data extended by `room` at both
    ends."""
    lowest = o.min if o.min is not None else low - room
    highest = o.max if o.max is not None else high + room
    if not lowest < highest:
        name, value = ("--min", o.min) if o.min is not None else ("--max", o.max)
        raise Failure(f"{name}: found {value:.6g}, expected a limit within the data, which goes from {low:.6g} to "
                      f"{high:.6g}")
    return lowest, highest


def make_scale(low, high, o):
    """Returns the scale for data from `low` to `high`. A diverging scale is symmetric about 0, unless --min or --max
    is given."""
    if o.db is not None:
        return _decibels(low, high, o)
    least, most = (low if o.min is None else o.min), (high if o.max is None else o.max)
    colours = _colours(o, least < 0 < most)
    reach = max(abs(least), abs(most))
    room = (0.1 * abs(low) or 1.) if low == high else 0.
    if colours == DIVERGING and o.min is None:
        least = -reach
    if colours == DIVERGING and o.max is None:
        most = reach
    if colours != DIVERGING or not least < most:
        least, most = limits(low, high, o, room)
    unit, factor = unit_of(o.dataset, max(abs(least), abs(most)))
    label = described(o.dataset) + (f" [{unit}]" if unit else "")
    return Scale(colours, least * factor, most * factor, unit, factor, label).with_data(low, high)


def finite_range(values):
    finite = values[np.isfinite(values)]
    return float(finite.min()), float(finite.max())
