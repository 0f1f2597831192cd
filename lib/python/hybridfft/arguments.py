"""Checks of arguments. Each error names the argument, the value found and the value expected."""

import collections.abc
import math
import operator
import reprlib

import numpy as np
from mpi4py import MPI

from . import _core
from .errors import argument_error, type_error

#: Largest int of C.
INT_MAX = 2**31 - 1
_INT64_MAX = 2**63 - 1


def shown(value):
    """Formats a value for an error message, shortened if it is long."""
    return reprlib.repr(value)


def integer(name, value, least=-_INT64_MAX, most=_INT64_MAX):
    """Returns an integer of Python or numpy as int. Raises an Error for other types, booleans included, and for values
    outside ``least`` to ``most``."""
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
    """Returns an integer from 0 to ``most`` as int."""
    return integer(name, value, 0, most)


def sequence(name, values, of="integers"):
    """Returns the members of an ordered iterable as a list. Raises an Error for strings, sets and dictionaries. ``of``
    describes the members in the error message."""
    if (not isinstance(values, collections.abc.Iterable)
            or isinstance(values, (str, bytes, collections.abc.Set, collections.abc.Mapping))
            or isinstance(values, np.ndarray) and values.ndim == 0):
        raise type_error(f"{name} is {shown(values)}, expected a sequence of {of}")
    return list(values)


def integers(name, values, least=-_INT64_MAX, most=_INT64_MAX):
    """Returns a sequence of integers as a list of int, checked like :func:`integer`."""
    return [integer(f"{name}[{i}]", v, least, most) for i, v in enumerate(sequence(name, values))]


def flag(name, value):
    """Returns a boolean of Python or numpy, or the integer 0 or 1, as bool."""
    if isinstance(value, (bool, int, np.bool_, np.integer)) and value in (0, 1):
        return bool(value)
    raise type_error(f"{name} is {shown(value)}, expected True or False")


def number(name, value, least=-math.inf):
    """Returns a finite real number of at least ``least`` as float. Raises an Error for strings and booleans."""
    if np.ndim(value) != 0 or np.asarray(value).dtype.kind not in "iuf":
        raise type_error(f"{name} is {shown(value)}, expected a real number")
    if not math.isfinite(value) or value < least:
        raise argument_error(f"{name} is {value}, expected a finite number"
                             + (f" of {least} or more" if least > -math.inf else ""))
    return float(value)


def seconds(name, value):
    """Returns a time limit in seconds. For None returns -1, the library's value for its default."""
    return -1.0 if value is None else number(name, value, 0)


def text(name, value):
    """Returns the value. Raises an Error if it is no str."""
    if not isinstance(value, str):
        raise type_error(f"{name} is {shown(value)}, expected a string")
    return value


def instance(name, value, *types):
    """Returns the value. Raises an Error if it has none of the given types."""
    if not isinstance(value, types):
        expected = " or ".join("mpi4py.MPI.Comm" if t is MPI.Comm else t.__name__ for t in types)
        raise type_error(f"{name} is of type {type(value).__name__}, expected {expected}")
    return value


def array(name, value):
    """Returns the value. Raises an Error if it is no numpy array."""
    if not isinstance(value, np.ndarray):
        raise type_error(f"the {name} is of type {type(value).__name__}, expected numpy.ndarray")
    return value


def dtype(name, value, chars=None):
    """Returns the value as a numpy dtype. Raises an Error unless it is a native type with one of the type codes
    ``chars``, such as ``"fdFD"`` for transforms (None: any type without objects)."""
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
    """Returns the communicator; None means MPI.COMM_WORLD. Raises an Error for an intercommunicator, and if MPI is not
    running. Local."""
    comm = instance("comm", MPI.COMM_WORLD if comm is None else comm, MPI.Comm)
    _core.require_communicator(comm)
    return comm
