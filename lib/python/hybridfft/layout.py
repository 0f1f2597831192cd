"""Layouts: the part of a global array on each rank, and the order of its elements in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI
from numpy.typing import DTypeLike

from . import _core, arguments
from .arguments import INT_MAX, communicator, flag, instance, integer, integers, sequence
from .errors import argument_error, require_choice, type_error
from .memory import allocate

if TYPE_CHECKING:
    from typing_extensions import Buffer

_FIELDS = {"interleaved": _core.Fields.interleaved, "separate": _core.Fields.separate}


def _ranks(ranks):
    """Returns the number of ranks; ``ranks`` is this number or a communicator."""
    if isinstance(ranks, MPI.Comm):
        return communicator(ranks).Get_size()
    return integer("ranks", ranks, 1, INT_MAX)


def _shape(shape):
    extents = integers("shape", shape)
    if not extents:
        raise argument_error("shape is empty, expected one axis or more")
    return extents


def _rank(rank):
    return integer("rank", rank, -INT_MAX, INT_MAX)


def _options(order, padding, howmany, fields):
    return ([] if order is None else integers("order", order, 0, INT_MAX),
            [] if padding is None else integers("padding", padding),
            integer("howmany", howmany), require_choice("fields", fields, _FIELDS))


def _bounds(box, shape, rank):
    """Returns two lists, the start and the number of points along each axis, of a box given as a tuple of slices."""
    name = f"boxes[{rank}]"
    slices = sequence(name, box, "slices")
    if len(slices) != len(shape):
        raise argument_error(f"{name} has {len(slices)} slices, expected {len(shape)}, one for each axis")
    bounds = []
    for a, (s, n) in enumerate(zip(slices, shape)):
        instance(f"{name}[{a}]", s, slice)
        try:
            start, stop, step = s.indices(n)
        except TypeError:
            raise type_error(f"{name}[{a}] is {s}, expected a slice of integers") from None
        if step != 1:
            raise argument_error(f"{name}[{a}] has the step {step}, expected 1")
        bounds.append((start, max(0, stop - start)))
    return [start for start, _ in bounds], [count for _, count in bounds]


class Layout:
    """The distribution of a global array over ranks: each rank has one box of points, with a given order of axes in
    memory.

    Make layouts by :meth:`grid`, :meth:`slab`, :meth:`blocks` or :meth:`boxes`. These calls are local, but all ranks
    must make the same layout. Ranks are numbered row-major over the axes of a process grid.

    Common arguments of these methods:

    order : sequence of int
        Axes from the slowest to the fastest in memory; default ``0, 1, ...`` (C order).
    padding : sequence of int
        For each axis the number of unused values after each local line; default 0.
    howmany : int
        Number of values per point. If it is above 1, arrays have one more axis.
    fields : str
        ``"interleaved"``: the values of a point are adjacent in memory (the additional axis comes last);
        ``"separate"``: each value has an array of its own (the additional axis comes first).

    All raise :class:`hybridfft.Error` if the arguments do not define a layout.
    """

    def __init__(self, core):
        self._core = core

    @classmethod
    def grid(cls, shape: Sequence[int], parts: Sequence[int], *, order: Sequence[int] | None = None,
             padding: Sequence[int] | None = None, howmany: int = 1, fields: str = "interleaved") -> Layout:
        """Divides axis ``a`` into ``parts[a]`` blocks of ``ceil(shape[a] / parts[a])`` points.

        ``(P, 1, 1)`` is a slab, ``(P0, P1, 1)`` a pencil, ``(P0, P1, P2)`` a brick.
        """
        return cls(_core.Layout.grid(_shape(shape), integers("parts", parts, 1, INT_MAX),
                                     *_options(order, padding, howmany, fields)))

    @classmethod
    def blocks(cls, counts: Sequence[Sequence[int]], *, order: Sequence[int] | None = None,
               padding: Sequence[int] | None = None, howmany: int = 1, fields: str = "interleaved") -> Layout:
        """Divides axes into unequal blocks: block ``i`` of axis ``a`` has ``counts[a][i]`` points, 0 or more."""
        return cls(_core.Layout.blocks(
            [integers(f"counts[{a}]", c) for a, c in enumerate(sequence("counts", counts, "sequences"))],
            *_options(order, padding, howmany, fields)))

    @classmethod
    def boxes(cls, shape: Sequence[int], boxes: Sequence[Sequence[slice]], *, order: Sequence[int] | None = None,
              padding: Sequence[int] | None = None, howmany: int = 1, fields: str = "interleaved") -> Layout:
        """Gives each rank any box: ``boxes[rank]`` is a tuple of slices, one for each axis. The boxes must
        cover the array without overlaps, and may be empty."""
        shape = _shape(shape)
        pairs = [_bounds(box, shape, rank) for rank, box in enumerate(sequence("boxes", boxes, "boxes"))]
        return cls(_core.Layout.boxes(shape, pairs, *_options(order, padding, howmany, fields)))

    @classmethod
    def slab(cls, shape: Sequence[int], ranks: int | MPI.Comm, *, transposed: bool = False, block: int = 0,
             howmany: int = 1, padding: int = 0) -> Layout:
        """FFTW-MPI's layout: divides the first axis over all ranks in blocks of ``block`` points (0: equal blocks).

        ``transposed`` divides the second axis instead, and exchanges the first two axes in memory.
        ``ranks`` is a number or a communicator. ``padding`` is the padding of the last axis.
        """
        return cls(_core.Layout.slab(_shape(shape), _ranks(ranks),
                                     flag("transposed", transposed), integer("block", block),
                                     integer("howmany", howmany), integer("padding", padding)))

    @property
    def shape(self) -> tuple[int, ...]:
        """Points of the whole array along each axis."""
        return tuple(self._core.extents)

    @property
    def ranks(self) -> int:
        """Number of ranks that share the array."""
        return self._core.ranks

    @property
    def howmany(self) -> int:
        """Values per point."""
        return self._core.howmany

    @property
    def fields(self) -> str:
        """Order of the values of a point: ``"interleaved"`` or ``"separate"``."""
        return self._core.fields.name

    def local_slice(self, rank: int) -> tuple[slice, ...]:
        """Returns a rank's part of the global array: a slice for each axis."""
        start, count, _ = self._core.local_part(_rank(rank))
        return tuple(slice(s, s + n) for s, n in zip(start, count))

    def local_shape(self, rank: int) -> tuple[int, ...]:
        """Returns the shape of a rank's array, including the additional axis if ``howmany`` is above 1."""
        _, count, _ = self._core.local_part(_rank(rank))
        return self._with_fields(tuple(count), (self.howmany,))

    def local_size(self, rank: int) -> int:
        """Returns the number of values of a rank's array in memory, including padding."""
        return self._core.local_size(_rank(rank))

    def strides(self, rank: int) -> tuple[int, ...]:
        """Returns the strides of a rank's array, in values."""
        _, _, stride = self._core.local_part(_rank(rank))
        return self._with_fields(tuple(stride[:-1]), (stride[-1],))

    def locate(self, index: Sequence[int]) -> tuple[int, int]:
        """Returns ``(rank, offset)`` of a global point: its rank, and its offset in the rank's array, in values."""
        return self._core.locate(integers("index", index))

    def view(self, memory: Buffer, rank: int, dtype: DTypeLike) -> np.ndarray:
        """Returns the array of a rank as a view of a buffer of bytes. Raises an Error if the buffer is too small."""
        dtype = arguments.dtype("dtype", dtype)
        strides = tuple(s * dtype.itemsize for s in self.strides(rank))
        found, needed = memoryview(memory).nbytes, self._span(rank) * dtype.itemsize
        if found < needed:
            raise argument_error(f"memory has {found} bytes, expected {needed} or more")
        return np.ndarray(self.local_shape(rank), dtype, buffer=memory, strides=strides)

    def empty(self, rank: int, dtype: DTypeLike, capacity: int = 0) -> np.ndarray:
        """Makes a zeroed array of a rank. Its memory has at least ``capacity`` bytes."""
        dtype = arguments.dtype("dtype", dtype)
        whole = self.local_size(rank) * dtype.itemsize  # includes the padding of the last line
        return self.view(allocate(self._span(rank) * dtype.itemsize,
                                  max(whole, integer("capacity", capacity, 0))), rank, dtype)

    def _span(self, rank):
        """Returns the distance in memory from a rank's first value to the end of its last value, in values."""
        shape, strides = self.local_shape(rank), self.strides(rank)
        return 1 + sum((n - 1) * s for n, s in zip(shape, strides)) if min(shape) > 0 else 0

    def _with_fields(self, axes, fields):
        if self.howmany == 1:
            return axes
        return fields + axes if self.fields == "separate" else axes + fields

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self._core == other._core

    __hash__ = None

    def __repr__(self) -> str:
        return f"<hybridfft.Layout {self._core.describe()} over {self.ranks} ranks>"


def pencils(shape: Sequence[int], grid: Sequence[int], *, real: bool = False, modes: Sequence[int] | None = None,
            **options: Any) -> tuple[Layout, Layout]:
    """Returns two layouts of pencils on a process grid ``(P0, P1)``: ``(points, spectrum)``.

    The points are divided along the first two axes, the spectrum along the second and the third. With two axes,
    the points are divided along the first, the spectrum along the second. ``real=True`` makes a spectrum of
    ``n // 2 + 1`` points along the last axis. ``modes`` are the extents of the spectrum of a pruned transform.
    :class:`Layout` explains the other arguments.
    """
    shape = _shape(shape)
    spectrum = list(shape) if modes is None else integers("modes", modes)
    grid = integers("grid", grid, 1, INT_MAX)
    if len(spectrum) != len(shape):
        raise argument_error(f"modes has {len(spectrum)} numbers, expected {len(shape)}")
    if len(grid) != 2:
        raise argument_error(f"grid has {len(grid)} numbers, expected 2")
    before = [1] * len(spectrum)
    after = [1] * len(spectrum)
    for i in range(min(2, len(spectrum) - 1)):
        before[i] = after[i + 1] = grid[i]
    if flag("real", real):
        spectrum[-1] = spectrum[-1] // 2 + 1
    return Layout.grid(shape, before, **options), Layout.grid(spectrum, after, **options)
