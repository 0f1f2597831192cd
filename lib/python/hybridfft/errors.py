"""The package's exception classes, and the error codes of the C library."""

from __future__ import annotations

import collections.abc
import enum


class ErrorCode(enum.IntEnum):
    """Error codes, equal to ``enum hfft_error`` of the C header ``hybridfft/error.h``."""

    MPI_NOT_RUNNING = 1  #: a call before MPI_Init or after MPI_Finalize
    THREAD_LEVEL = 2  #: more than one thread per rank needs MPI_THREAD_FUNNELED
    NULL_POINTER = 3  #: an array, plan or communicator is missing
    EXTENTS = 4  #: too few axes, or an extent or howmany below 1
    BLOCK = 5  #: a negative block size, or blocks too small to hold the axis on all ranks
    OVERFLOW = 6  #: a size in bytes above the range of 64-bit integers
    FLAGS = 7  #: unknown or contradictory options
    MISMATCH = 8  #: ranks of one communicator passed different arguments
    UNSUPPORTED = 9  #: a combination of arguments without an implementation
    ARGUMENT = 10  #: any other bad argument
    ENVIRONMENT = 11  #: an HFFT_* environment variable has an unknown value
    OUT_OF_MEMORY = 12  #: memory could not be allocated
    MPI = 13  #: an MPI call failed
    FFTW = 14  #: FFTW could not plan
    INTERNAL = 15  #: a bug in the library
    NO_WISDOM = 16  #: wisdom_only is set, and wisdom has no plan for the problem
    WISDOM = 17  #: damaged wisdom, or a failure to read or write a wisdom file
    LAYOUT = 18  #: a layout with gaps or overlaps, or one of another array than the transform's


class Error(RuntimeError):
    """A call of the library failed.

    ``str(error)`` names the argument, the value found and the value expected. ``error.code`` is an
    :class:`ErrorCode`. Collective calls raise the error on all ranks.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        try:
            self.code = ErrorCode(code)
        except ValueError:  # a newer library may have more codes
            self.code = int(code)

    def __reduce__(self):
        return (type(self), (int(self.code), str(self)))


class ArgumentTypeError(Error, TypeError):
    """An argument has a wrong type. Derived from TypeError too, because numpy raises TypeError in such cases."""


def argument_error(message):
    """Returns an :class:`Error` for a bad argument found in Python, before any call of the library."""
    return Error(ErrorCode.ARGUMENT, message)


def type_error(message):
    """Returns an :class:`ArgumentTypeError` for an argument of a wrong type."""
    return ArgumentTypeError(ErrorCode.ARGUMENT, message)


def require_choice(name, value, choices):
    """Returns ``choices[value]``. If there is none, raises an :class:`Error` with the argument's ``name``, its value
    and the valid choices."""
    if isinstance(value, collections.abc.Hashable) and value in choices:
        return choices[value]
    raise argument_error(f"{name} is {value!r}, expected one of {', '.join(map(repr, choices))}")
