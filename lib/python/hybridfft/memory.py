"""numpy arrays with spare memory behind their last value.

Plans use their input and output arrays as work space. If an extent is not divisible by the number of ranks,
some ranks need more memory than their values fill. Arrays made here have the additional bytes behind their last
value. numpy does not show them, but :func:`capacity` counts them. In all other arrays a plan uses only the bytes
that numpy shows.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import DTypeLike

from . import _core, arguments
from .arguments import integer, integers

#: Memory from the library's allocator: maps its address to (total bytes, bytes shown in arrays).
_memories = {}


class Memory(np.ndarray):
    """The byte array returned by :func:`allocate`. Its own type lets :func:`memory_of` find it as the base of views."""


def allocate(payload, capacity=0):
    """Allocates ``max(payload, capacity)`` zeroed bytes; arrays show the first ``payload`` of them. The library's
    allocator aligns them to 64 bytes, and its threads touch them first."""
    size = integer("number of bytes", max(payload, capacity, 1))
    memory = Memory(size, np.uint8, buffer=_core.Bytes(size))
    _memories[address(memory)] = (memory.nbytes, payload)
    weakref.finalize(memory, _memories.pop, address(memory), None).atexit = False
    return memory


def memory_of(array):
    """Returns the :class:`Memory` that contains the array, or None."""
    while isinstance(array, np.ndarray):
        if type(array) is Memory and address(array) in _memories:
            return array
        array = array.base
    return None


def empty(shape: int | Sequence[int], dtype: DTypeLike = float, capacity: int = 0) -> np.ndarray:
    """Makes a zeroed array in C order. Its memory has at least ``capacity`` bytes.

    Pass :attr:`hybridfft.Plan.input_bytes` or ``output_bytes`` as ``capacity``.
    """
    dtype = arguments.dtype("dtype", dtype)
    if not isinstance(shape, Iterable):
        shape = (shape,)
    shape = integers("shape", shape, 0)
    memory = allocate(math.prod(shape) * dtype.itemsize, integer("capacity", capacity, 0))
    return np.ndarray(shape, dtype, buffer=memory)


def address(array):
    """Returns the address of an array's first value as an int."""
    return array.__array_interface__["data"][0]


def span(array):
    """Returns the number of bytes from an array's first value to the end of its last one. No stride is negative."""
    if array.size == 0:
        return 0
    return array.itemsize + sum((n - 1) * s for n, s in zip(array.shape, array.strides))


def capacity(array):
    """Returns the number of bytes that a plan may use, counted from the array's first value. This includes the spare
    bytes of :func:`allocate` if the array extends to the end of the shown bytes."""
    shown = span(array)
    memory = memory_of(array)
    if memory is not None:
        first = address(memory)
        total, payload = _memories[first]
        if address(array) + shown == first + payload:
            return first + total - address(array)
    return shown
