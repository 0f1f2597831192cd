"""Checks of arguments: each error names the argument, what was found and what was expected."""

import collections.abc
import math
import operator
import reprlib

import numpy as np
from mpi4py import MPI

from . import _core
from .errors import argument_error, type_error

#: Largest int of C, and the largest extent.
INT_MAX = 2**31 - 1
_INT64_MAX = 2**63 - 1


def shown(value):
    """A value in an error message."""
    return reprlib.repr(value)


def integer(name, value, least=-_INT64_MAX, most=_INT64_MAX):
    """An int, which may be of numpy; floating-point numbers, strings and booleans are refused."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise type_error(f"{name} is {shown(value)}, expected an integer") from None
    if not least <= number <= most:
        bounds = f"{least} or more" if most == _INT64_MAX and number < least else f"{least} to {most}"
        raise argument_error(f"{name} is {number}, expected {bounds}")
    return number


def count(name, value, most=INT_MAX):
    """An integer that is not negative."""
    return integer(name, value, 0, most)


def sequence(name, values, of="integers"):
    """A list of the members of an ordered sequence, which is not a string."""
    if (not isinstance(values, collections.abc.Iterable)
            or isinstance(values, (str, bytes, collections.abc.Set, collections.abc.Mapping))
            or isinstance(values, np.ndarray) and values.ndim == 0):
        raise type_error(f"{name} is {shown(values)}, expected a sequence of {of}")
    return list(values)


def integers(name, values, least=-_INT64_MAX, most=_INT64_MAX):
    """A list of ints."""
    return [integer(f"{name}[{i}]", v, least, most) for i, v in enumerate(sequence(name, values))]


def flag(name, value):
    """A bool: True or False, also of numpy, and as 1 or 0."""
    if isinstance(value, (bool, int, np.bool_, np.integer)) and value in (0, 1):
        return bool(value)
    raise type_error(f"{name} is {shown(value)}, expected True or False")


def number(name, value, least=-math.inf):
    """A finite float; strings and booleans are refused."""
    if np.ndim(value) != 0 or np.asarray(value).dtype.kind not in "iuf":
        raise type_error(f"{name} is {shown(value)}, expected a real number")
    if not math.isfinite(value) or value < least:
        raise argument_error(f"{name} is {value}, expected a finite number"
                             + (f" of {least} or more" if least > -math.inf else ""))
    return float(value)


def seconds(name, value):
    """A time limit as the library has it: negative for None."""
    return -1.0 if value is None else number(name, value, 0)


def text(name, value):
    """A str."""
    if not isinstance(value, str):
        raise type_error(f"{name} is {shown(value)}, expected a string")
    return value


def instance(name, value, *types):
    """The value, which is of one of these types."""
    if not isinstance(value, types):
        expected = " or ".join("mpi4py.MPI.Comm" if t is MPI.Comm else t.__name__ for t in types)
        raise type_error(f"{name} is of type {type(value).__name__}, expected {expected}")
    return value


def array(name, value):
    """A numpy array."""
    if not isinstance(value, np.ndarray):
        raise type_error(f"the {name} is of type {type(value).__name__}, expected numpy.ndarray")
    return value


def dtype(name, value, chars=None):
    """A numpy dtype, one of the native types of ``chars`` (those of transforms: ``"fdFD"``)."""
    names = [np.dtype(c).name for c in chars or ""]
    expected = f"{', '.join(names[:-1])} or {names[-1]}" if chars else "a dtype without objects"
    try:
        found = None if value is None else np.dtype(value)
    except TypeError:
        raise type_error(f"{name} is {shown(value)}, expected {expected}") from None
    if found is None or found.hasobject or chars is not None and not (
            found.char in chars and found.isnative):
        raise argument_error(f"{name} is {found}, expected {expected}")
    return found


def communicator(comm):
    """An intracommunicator, by default MPI.COMM_WORLD, while MPI runs. Local."""
    comm = instance("comm", MPI.COMM_WORLD if comm is None else comm, MPI.Comm)
    _core.require_communicator(comm)
    return comm
