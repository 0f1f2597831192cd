"""The distribution of an array over ranks, and the places of its elements in memory."""

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
    """Returns a number of ranks, given as such or as a communicator."""
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
    """Returns the starts and the counts of a box given as a tuple of slices."""
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
    """The distribution of a global array over ranks: the box of points of each rank, and the order of its axes in
    memory.

    Layouts are made by :meth:`grid`, :meth:`slab`, :meth:`blocks` and :meth:`boxes`, which is local;
    all ranks make the same ones. Ranks of a grid are numbered row-major over its axes.

    Common arguments of these methods:

    order : sequence of int
        The axes from the slowest to the fastest in memory; default ``0, 1, ...`` (C order).
    padding : sequence of int
        Values without meaning after each local line along an axis; default none.
    howmany : int
        Values per point; arrays have one more axis for more than one.
    fields : str
        ``"interleaved"``: the values of a point lie beside each other (the last axis of arrays);
        ``"separate"``: one local array after another (the first axis).

    All raise :class:`hybridfft.Error` if the arguments do not define a layout.
    """

    def __init__(self, core):
        self._core = core

    @classmethod
    def grid(cls, shape: Sequence[int], parts: Sequence[int], *, order: Sequence[int] | None = None,
             padding: Sequence[int] | None = None, howmany: int = 1, fields: str = "interleaved") -> Layout:
        """Axis ``a`` is cut into ``parts[a]`` blocks of ``ceil(shape[a] / parts[a])`` points.

        ``(P, 1, 1)`` is a slab, ``(P0, P1, 1)`` a pencil, ``(P0, P1, P2)`` a brick.
        """
        return cls(_core.Layout.grid(_shape(shape), integers("parts", parts, 1, INT_MAX),
                                     *_options(order, padding, howmany, fields)))

    @classmethod
    def blocks(cls, counts: Sequence[Sequence[int]], *, order: Sequence[int] | None = None,
               padding: Sequence[int] | None = None, howmany: int = 1, fields: str = "interleaved") -> Layout:
        """A grid of unequal blocks: part ``i`` of axis ``a`` has ``counts[a][i]`` points, also 0."""
        return cls(_core.Layout.blocks(
            [integers(f"counts[{a}]", c) for a, c in enumerate(sequence("counts", counts, "sequences"))],
            *_options(order, padding, howmany, fields)))

    @classmethod
    def boxes(cls, shape: Sequence[int], boxes: Sequence[Sequence[slice]], *, order: Sequence[int] | None = None,
              padding: Sequence[int] | None = None, howmany: int = 1, fields: str = "interleaved") -> Layout:
        """A box for each rank, together exactly the array: ``boxes[rank]`` is a tuple of slices, one for
        each axis. Boxes may be empty."""
        shape = _shape(shape)
        pairs = [_bounds(box, shape, rank) for rank, box in enumerate(sequence("boxes", boxes, "boxes"))]
        return cls(_core.Layout.boxes(shape, pairs, *_options(order, padding, howmany, fields)))

    @classmethod
    def slab(cls, shape: Sequence[int], ranks: int | MPI.Comm, *, transposed: bool = False, block: int = 0,
             howmany: int = 1, padding: int = 0) -> Layout:
        """FFTW-MPI's layout: the first axis cut over all ranks in blocks of ``block`` (0: even ones).

        ``transposed``: stored with the first two axes exchanged, and the second one cut.
        ``ranks`` is their number or a communicator; ``padding`` is that of the last axis.
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
        """Number of ranks that the array lies over."""
        return self._core.ranks

    @property
    def howmany(self) -> int:
        """Values per point."""
        return self._core.howmany

    @property
    def fields(self) -> str:
        """``"interleaved"`` or ``"separate"``: where the values of a point lie."""
        return self._core.fields.name

    def local_slice(self, rank: int) -> tuple[slice, ...]:
        """The part of the global array that a rank has: a slice for each axis (a global slice)."""
        start, count, _ = self._core.local_part(_rank(rank))
        return tuple(slice(s, s + n) for s, n in zip(start, count))

    def local_shape(self, rank: int) -> tuple[int, ...]:
        """Shape of a rank's array, with the axis of the values of a point where there are several."""
        _, count, _ = self._core.local_part(_rank(rank))
        return self._with_fields(tuple(count), (self.howmany,))

    def local_size(self, rank: int) -> int:
        """Values that a rank's array spans in memory, padding included."""
        return self._core.local_size(_rank(rank))

    def strides(self, rank: int) -> tuple[int, ...]:
        """Strides of a rank's array, in values."""
        _, _, stride = self._core.local_part(_rank(rank))
        return self._with_fields(tuple(stride[:-1]), (stride[-1],))

    def locate(self, index: Sequence[int]) -> tuple[int, int]:
        """``(rank, offset)`` of a global point: who has it, and where in its memory, in values."""
        return self._core.locate(integers("index", index))

    def view(self, memory: Buffer, rank: int, dtype: DTypeLike) -> np.ndarray:
        """The array of a rank in a one-dimensional buffer of bytes."""
        dtype = arguments.dtype("dtype", dtype)
        strides = tuple(s * dtype.itemsize for s in self.strides(rank))
        found, needed = memoryview(memory).nbytes, self._span(rank) * dtype.itemsize
        if found < needed:
            raise argument_error(f"memory has {found} bytes, expected {needed} or more")
        return np.ndarray(self.local_shape(rank), dtype, buffer=memory, strides=strides)

    def empty(self, rank: int, dtype: DTypeLike, capacity: int = 0) -> np.ndarray:
        """A zeroed array of a rank, with room for ``capacity`` bytes where these are more."""
        dtype = arguments.dtype("dtype", dtype)
        whole = self.local_size(rank) * dtype.itemsize  # includes the padding of the last line
        return self.view(allocate(self._span(rank) * dtype.itemsize,
                                  max(whole, integer("capacity", capacity, 0))), rank, dtype)

    def _span(self, rank):
        """Number of values in memory from the first to the last one of a rank."""
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
    """Layouts of pencils on a process grid ``(P0, P1)``: ``(points, spectrum)``.

    Points are cut along the first two axes, the spectrum along the second and the third (of two axes:
    along the first, and along the second). ``real``: the spectrum has ``n // 2 + 1`` points along its
    last axis. ``modes``: of a pruned transform. Other arguments as those of :class:`Layout`.
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
