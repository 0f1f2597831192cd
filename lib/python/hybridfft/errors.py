"""The exception of the package, and the codes that the library knows."""

from __future__ import annotations

import collections.abc
import enum


class ErrorCode(enum.IntEnum):
    """Kind of an error: ``enum hfft_error`` of the C header ``hybridfft/error.h``."""

    MPI_NOT_RUNNING = 1  #: before MPI_Init or after MPI_Finalize
    THREAD_LEVEL = 2  #: more than one thread per rank needs MPI_THREAD_FUNNELED
    NULL_POINTER = 3  #: an array, plan or communicator is missing
    EXTENTS = 4  #: fewer than two axes, or an extent or howmany that is not positive
    BLOCK = 5  #: a block size that is negative or too small for all ranks
    OVERFLOW = 6  #: sizes beyond what 64-bit byte counts can hold
    FLAGS = 7  #: unknown or contradicting options
    MISMATCH = 8  #: ranks of one communicator passed different arguments
    UNSUPPORTED = 9  #: a combination that no algorithm computes
    ARGUMENT = 10  #: any other bad argument
    ENVIRONMENT = 11  #: an HFFT_* environment variable has an unknown value
    OUT_OF_MEMORY = 12  #: memory could not be allocated
    MPI = 13  #: an MPI call failed
    FFTW = 14  #: FFTW could not plan
    INTERNAL = 15  #: a defect of the library
    NO_WISDOM = 16  #: wisdom_only, and wisdom has no plan for the problem
    WISDOM = 17  #: wisdom that is damaged, or a wisdom file that cannot be read or written
    LAYOUT = 18  #: a layout that does not tile its array, or not the one of the transform


class Error(RuntimeError):
    """A call of the library has failed.

    ``str(error)`` is the library's reason in words, which names what was found and what was expected;
    ``error.code`` is an :class:`ErrorCode`. Calls that are collective raise it on all ranks alike.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        try:
            self.code = ErrorCode(code)
        except ValueError:  # an error code of a later library
            self.code = int(code)

    def __reduce__(self):
        return (type(self), (int(self.code), str(self)))


class ArgumentTypeError(Error, TypeError):
    """An argument is of a wrong type: an :class:`Error` that is a TypeError, too, as numpy raises."""


def argument_error(message):
    """Returns an :class:`Error` for a bad argument that Python finds before it calls the library."""
    return Error(ErrorCode.ARGUMENT, message)


def type_error(message):
    """Returns an :class:`ArgumentTypeError`."""
    return ArgumentTypeError(ErrorCode.ARGUMENT, message)


def require_choice(name, value, choices):
    """Returns ``choices[value]``; an :class:`Error` names the argument, its value and the choices."""
    if isinstance(value, collections.abc.Hashable) and value in choices:
        return choices[value]
    raise argument_error(f"{name} is {value!r}, expected one of {', '.join(map(repr, choices))}")
