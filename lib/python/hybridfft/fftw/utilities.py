"""Aligned arrays, and FFTW's constants, with the names of ``mpi4py_fft.fftw.utilities``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from .. import arguments
from ..memory import address, empty

FFTW_FORWARD = -1
FFTW_R2HC = 0
FFTW_BACKWARD = 1
FFTW_HC2R = 1
FFTW_DHT = 2
FFTW_REDFT00 = 3
FFTW_REDFT01 = 4
FFTW_REDFT10 = 5
FFTW_REDFT11 = 6
FFTW_RODFT00 = 7
FFTW_RODFT01 = 8
FFTW_RODFT10 = 9
FFTW_RODFT11 = 10

C2C_FORWARD = -1
C2C_BACKWARD = 1
R2C = -2
C2R = 2

FFTW_MEASURE = 0
FFTW_DESTROY_INPUT = 1
FFTW_UNALIGNED = 2
FFTW_CONSERVE_MEMORY = 4
FFTW_EXHAUSTIVE = 8
FFTW_PRESERVE_INPUT = 16
FFTW_PATIENT = 32
FFTW_ESTIMATE = 64
FFTW_WISDOM_ONLY = 1 << 21

#: Names of the planner flags.
FLAGS = ("FFTW_MEASURE", "FFTW_DESTROY_INPUT", "FFTW_UNALIGNED", "FFTW_CONSERVE_MEMORY", "FFTW_EXHAUSTIVE",
         "FFTW_PRESERVE_INPUT", "FFTW_PATIENT", "FFTW_ESTIMATE", "FFTW_WISDOM_ONLY")


def get_alignment(array: np.ndarray) -> int:
    """Returns the alignment of an array in bytes: the largest power of two, at most 32, by which its address is
    divisible."""
    place = address(arguments.array("array", array))
    return min(32, place & -place) if place else 32


def aligned(shape: int | Sequence[int], n: int = 64, dtype: DTypeLike = float,
            fill: complex | None = None) -> np.ndarray:
    """Makes an array aligned to 64 bytes, zeroed or filled with ``fill``. ``n`` is ignored."""
    array = empty(shape, dtype)
    if fill is not None:
        array.fill(fill)
    return array


def aligned_like(z: np.ndarray, fill: complex | None = None) -> np.ndarray:
    """Makes an aligned array with the shape and dtype of ``z``, zeroed or filled with ``fill``."""
    return aligned(z.shape, dtype=z.dtype, fill=fill)
