"""Arrays in memory that is larger than the array, so that the library can work there in place.

Plans use the whole of both arrays as work space. On some ranks, where extents do not divide evenly,
that is more than the values of the rank. Arrays that are made here have the surplus behind their last
value, invisible to numpy, and :func:`capacity` knows about it; of all other arrays a plan uses exactly
the bytes that numpy shows.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import DTypeLike

from . import _core, arguments
from .arguments import integer, integers

#: Memory from the library's allocator. For each address: its bytes, and how many of them are in arrays. The rest is the
#: surplus.
_memories = {}


class Memory(np.ndarray):
    """The bytes that :func:`allocate` returns. They have a type of their own, so that :func:`memory_of` can recognise
    them behind views of views."""


def allocate(payload, capacity=0):
    """Allocates at least ``capacity`` zeroed bytes, of which arrays show ``payload``. The bytes come from the library's
    allocator: they are aligned to 64 bytes and first touched by the library's threads."""
    size = integer("number of bytes", max(payload, capacity, 1))
    memory = Memory(size, np.uint8, buffer=_core.Bytes(size))
    _memories[address(memory)] = (memory.nbytes, payload)
    weakref.finalize(memory, _memories.pop, address(memory), None).atexit = False
    return memory


def memory_of(array):
    """Returns the memory from :func:`allocate` in which the array lies, or None."""
    while isinstance(array, np.ndarray):
        if type(array) is Memory and address(array) in _memories:
            return array
        array = array.base
    return None


def empty(shape: int | Sequence[int], dtype: DTypeLike = float, capacity: int = 0) -> np.ndarray:
    """Makes a zeroed array in C order. Its memory has at least ``capacity`` bytes.

    ``capacity`` is what :attr:`hybridfft.Plan.input_bytes` or ``output_bytes`` say.
    """
    dtype = arguments.dtype("dtype", dtype)
    if not isinstance(shape, Iterable):
        shape = (shape,)
    shape = integers("shape", shape, 0)
    memory = allocate(math.prod(shape) * dtype.itemsize, integer("capacity", capacity, 0))
    return np.ndarray(shape, dtype, buffer=memory)


def address(array):
    """Address of the first value of an array."""
    return array.__array_interface__["data"][0]


def span(array):
    """Number of bytes from the first value of an array to the end of its last one; strides are not negative."""
    if array.size == 0:
        return 0
    return array.itemsize + sum((n - 1) * s for n, s in zip(array.shape, array.strides))


def capacity(array):
    """Number of bytes that a plan may use from the first value of an array on. This includes the additional bytes of
    :func:`allocate`, if the array extends to the end of the shown part."""
    shown = span(array)
    memory = memory_of(array)
    if memory is not None:
        first = address(memory)
        total, payload = _memories[first]
        if address(array) + shown == first + payload:
            return first + total - address(array)
    return shown
