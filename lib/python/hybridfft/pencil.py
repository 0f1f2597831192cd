"""Process grids, pencils and transfers, with the class and method names of mpi4py-fft.

A pencil describes a global array distributed over a tuple of communicators, one for each axis. One axis, in which
the pencil is "aligned", is not distributed. A transfer redistributes arrays between pencils by
:class:`hybridfft.Plan`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np
from mpi4py import MPI
from numpy.typing import DTypeLike

from . import _core, arguments
from .arguments import INT_MAX, communicator, flag, instance, integer, integers, sequence
from .ending import agree, agree_on
from .errors import argument_error
from .layout import Layout
from .memory import capacity
from .plan import Plan


def balanced_block(n, parts, part):
    """Divides ``n`` points into ``parts`` parts, and returns ``(count, start)`` of one part. The first ``n % parts``
    parts have one point more than the others."""
    quotient, rest = divmod(n, parts)
    return quotient + (part < rest), part * quotient + min(part, rest)


def require(condition, message):
    """Raises an Error with the message unless the condition holds."""
    if not condition:
        raise argument_error(message)


def _axis(name, axis, d):
    """Returns the number from 0 of one of ``d`` axes; ``axis`` may be negative."""
    return integer(name, axis, -d, d - 1) % d


class Axes(tuple):
    """A tuple of communicators, one for each axis of an array. ``whole`` is a communicator of all ranks of the array,
    or None if it is unknown."""

    whole = None


def _sequence_of(communicators, whole):
    axes = Axes(communicators)
    axes.whole = whole
    return axes


def process_grid(name, dims, size):
    """Returns ``dims``, the number of ranks along each axis, as a list with 0 in place of negative numbers: MPI chooses
    these. Raises an Error if ``size`` ranks cannot form such a grid. ``name`` is the argument's name in the message."""
    dims = [max(0, d) for d in integers(name, dims, -INT_MAX, INT_MAX)]
    require(dims, f"{name} is empty, expected a number of ranks for each axis")
    fixed = math.prod(d for d in dims if d > 0)
    require(size % fixed == 0 if 0 in dims else size == fixed,
            f"{name} is {dims}, expected ranks along each axis whose product "
            f"{'divides' if 0 in dims else 'is'} {size}")
    return dims


class Subcomm(tuple):
    """The communicators of a process grid, one for each of its axes. Collective.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        Any communicator. A Cartesian one keeps its grid, and ``dims`` must be None.
    dims : int or sequence of int, optional
        Number of ranks along each axis; 0 leaves the choice to MPI. A single number is the number of axes. None
        means one axis, except for a Cartesian communicator.
    reorder : bool
        Whether MPI may renumber the ranks.
    """

    def __new__(cls, comm: MPI.Comm, dims: int | Sequence[int] | None = None, reorder: bool = True) -> Subcomm:
        comm = communicator(comm)
        dims, reorder = agree_on(comm, "dims and reorder", lambda: (cls._dims(comm, dims),
                                                                    flag("reorder", reorder)))
        grid = comm if dims is None else comm.Create_cart(dims, reorder=reorder)
        axes = range(grid.Get_dim())
        self = super().__new__(cls, [grid.Sub([axis == i for axis in axes]) for i in axes])
        self.whole = grid
        self._owns_whole = grid is not comm
        return self

    @staticmethod
    def _dims(comm, dims):
        """Returns the number of ranks along each axis, or None if the communicator is Cartesian already."""
        if comm.Get_topology() == MPI.CART:
            require(dims is None, f"dims is {dims}, but comm is Cartesian: expected None")
            return None
        if dims is None or not isinstance(dims, Iterable):
            dims = [0] * (1 if dims is None else integer("dims", dims, 1, INT_MAX))
        return MPI.Compute_dims(comm.Get_size(), process_grid("dims", dims, comm.Get_size()))

    def destroy(self) -> None:
        """Frees the communicators. Collective."""
        if not _core.is_running():
            return
        for comm in (*self, *([self.whole] if self._owns_whole else [])):
            if comm:
                comm.Free()


def ranks_of(axes):
    """Returns the argument ``comm`` of :func:`hybridfft.ending.vote` for a process grid: a communicator of all ranks,
    or, if it is unknown, a tuple of the axes' communicators."""
    whole = getattr(axes, "whole", None)
    return tuple(axes) if whole is None else whole


def whole_communicator(axes):
    """Returns ``(comm, made)``: a communicator of all ranks of a process grid, and whether it is a new one. The ranks
    of a new communicator are numbered row-major over the axes, and the caller must free it. Collective."""
    whole = getattr(axes, "whole", None)
    if whole is not None:
        return whole, False
    ranks = [MPI.COMM_WORLD.Get_rank()]
    for comm in reversed(axes):  # so that the last axis varies fastest
        ranks = list(itertools.chain.from_iterable(comm.allgather(ranks)))
    group = MPI.COMM_WORLD.Get_group().Incl(ranks)
    comm = MPI.COMM_WORLD.Create_group(group)
    group.Free()
    return comm, True


class Pencil:
    """The distribution of a global array over one communicator for each axis. ``axis`` is not distributed.

    Attributes
    ----------
    shape : tuple of int, extents of the global array
    axis : int, the undistributed axis, counted from 0
    subcomm : tuple of mpi4py.MPI.Comm, one for each axis
    subshape, substart : tuple of int
        Number of this rank's points along each axis, and the global index of the first. The sizes of blocks
        differ by at most 1.
    """

    def __init__(self, subcomm: Sequence[MPI.Comm], shape: Sequence[int], axis: int = -1) -> None:
        _core.require_running()
        self.shape = tuple(integers("shape", shape))
        d = len(self.shape)
        require(d >= 2, f"shape is {self.shape}, expected two axes or more")
        require(min(self.shape) >= 1, f"shape is {self.shape}, expected positive numbers")
        self.axis = _axis("axis", axis, d)
        for i, comm in enumerate(sequence("subcomm", subcomm, "communicators")):
            instance(f"subcomm[{i}]", comm, MPI.Comm)
        require(1 <= len(subcomm) <= d, f"there are {len(subcomm)} communicators, expected 1 to {d}")
        communicators = list(subcomm)
        if len(communicators) < d:
            communicators += [MPI.COMM_SELF] * (d - 1 - len(communicators))
            communicators.insert(self.axis, MPI.COMM_SELF)
        require(communicators[self.axis].Get_size() == 1,
                f"axis {self.axis} is cut over {communicators[self.axis].Get_size()} ranks, expected 1")
        self.subcomm = _sequence_of(communicators, getattr(subcomm, "whole", None))
        blocks = [balanced_block(n, c.Get_size(), c.Get_rank())
                  for n, c in zip(self.shape, communicators)]
        self.subshape = tuple(count for count, _ in blocks)
        self.substart = tuple(start for _, start in blocks)

    def __repr__(self) -> str:
        return (f"<hybridfft.pencil.Pencil {self.shape} over {tuple(c.Get_size() for c in self.subcomm)} ranks, "
                f"aligned in axis {self.axis}>")

    def pencil(self, axis: int) -> Pencil:
        """Returns the pencil of the same array with ``axis`` undistributed. In it, the axis undistributed in this
        pencil gets the communicator of ``axis``."""
        communicators = list(self.subcomm)
        i, j = self.axis, _axis("axis", axis, len(self.shape))
        communicators[i], communicators[j] = communicators[j], communicators[i]
        return Pencil(_sequence_of(communicators, self.subcomm.whole), self.shape, j)

    def transfer(self, pencil: Pencil, dtype: DTypeLike) -> Transfer:
        """Returns the :class:`Transfer` of arrays from this pencil to another pencil of the same array."""
        instance("pencil", pencil, Pencil)
        require(self.shape == pencil.shape,
                f"the other pencil has shape {pencil.shape}, expected {self.shape}")
        require(self.axis != pencil.axis, f"both pencils are aligned in axis {self.axis}")
        require(self.subcomm[pencil.axis] == pencil.subcomm[self.axis],
                f"axis {self.axis} of the other pencil is cut over another communicator than axis "
                f"{pencil.axis} of this one")
        shape = list(self.subshape)
        shape[pencil.axis] = self.shape[pencil.axis]
        return Transfer(self.subcomm[pencil.axis], shape, dtype, self.subshape, self.axis,
                        pencil.subshape, pencil.axis)

    def layout(self, comm: MPI.Comm) -> Layout:
        """Returns the same distribution as a :class:`hybridfft.Layout`. ``comm`` has all ranks of the process grid.
        Collective."""
        boxes = comm.allgather((self.substart, self.subshape))
        parts = [sorted({(start[a], count[a]) for start, count in boxes})
                 for a in range(len(self.shape))]
        counts = [[count for _, count in p] for p in parts]
        row_major = [(tuple(s for s, _ in p), tuple(c for _, c in p))
                     for p in itertools.product(*parts)]
        if row_major != boxes:  # ranks are not numbered row-major, or some blocks are empty
            return Layout.boxes(self.shape, [tuple(slice(s, s + c) for s, c in zip(start, count))
                                             for start, count in boxes])
        even = Layout.grid(self.shape, [len(c) for c in counts])
        if all(even.local_slice(r) == tuple(slice(s, s + c) for s, c in zip(*box))
               for r, box in enumerate(boxes)):
            return even
        return Layout.blocks(counts)


class Transfer:
    """Redistributes arrays of any dtype between two pencils that distribute different axes over one communicator.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        The communicator over which each pencil distributes one axis.
    shape : sequence of int
        Shape of the part of the global array on all ranks of ``comm`` together.
    dtype : dtype
    subshapeA, axisA, subshapeB, axisB
        For pencils A and B: shape of this rank's array, and the undistributed axis.
    """

    def __init__(self, comm: MPI.Comm, shape: Sequence[int], dtype: DTypeLike, subshapeA: Sequence[int], axisA: int,
                 subshapeB: Sequence[int], axisB: int) -> None:
        self.comm = communicator(comm)
        self.shape = tuple(integers("shape", shape, 0))
        self.dtype = arguments.dtype("dtype", dtype)
        d = len(self.shape)
        self.subshapeA, self.axisA = tuple(integers("subshapeA", subshapeA, 0)), _axis("axisA", axisA, d)
        self.subshapeB, self.axisB = tuple(integers("subshapeB", subshapeB, 0)), _axis("axisB", axisB, d)
        self._plans = {}

    def __repr__(self) -> str:
        return f"<hybridfft.pencil.Transfer {self.shape} {self.dtype}, axis {self.axisA} to {self.axisB}>"

    def forward(self, arrayA: np.ndarray, arrayB: np.ndarray) -> None:
        """Redistributes ``arrayA`` of shape ``subshapeA`` to ``arrayB``. Collective."""
        self._redistribute(arrayA, arrayB, True)

    def backward(self, arrayB: np.ndarray, arrayA: np.ndarray) -> None:
        """Redistributes ``arrayB`` of shape ``subshapeB`` to ``arrayA``. Collective."""
        self._redistribute(arrayB, arrayA, False)

    def destroy(self) -> None:
        """Drops the plans. They are destroyed after all ranks have dropped them. Collective."""
        self._plans.clear()

    def _redistribute(self, source, target, forward):
        agree(self.comm, lambda: self._require_arrays(source, target, forward))
        if min(self.shape) == 0:
            return
        plan = self._plan(forward)
        result = self._as_cells(target, plan.output_bytes)

        def operands():
            overlap = np.may_share_memory(source, target)
            cells = None if overlap else self._as_cells(source, plan.input_bytes)
            if cells is None:
                cells = plan.input
                self._visible(cells, source.shape)[...] = source
            return plan._operands(cells, result)

        def finish():
            if result is None:
                target[...] = self._visible(plan.output, target.shape)

        plan._execute(operands, finish, agreed=True)

    def _require_arrays(self, source, target, forward):
        shapes = (self.subshapeA, self.subshapeB) if forward else (self.subshapeB, self.subshapeA)
        for array, shape, name in zip((source, target), shapes, ("source", "target")):
            arguments.array(name, array)
            require(array.shape == shape, f"the {name} has shape {array.shape}, expected {shape}")
            require(array.dtype == self.dtype,
                    f"the {name} is of dtype {array.dtype}, expected {self.dtype}")
        require(target.flags.writeable, "the target is read-only, expected an array that can be written")

    def _plan(self, forward):
        """Returns the plan for one direction, made at its first use. Plans redistribute only complex numbers, so that
        each value of another dtype is sent as complex numbers with the same bits."""
        if forward not in self._plans:
            cell, howmany = self._cell()
            layouts = [self._layout(axis, howmany) for axis in (self.axisB, self.axisA)]
            layout_in, layout_out = layouts if forward else reversed(layouts)
            self._plans[forward] = Plan(layout_in=layout_in, layout_out=layout_out, dtype=cell,
                                        comm=self.comm, axes=(), effort="estimate")
        return self._plans[forward]

    def _cell(self):
        """Returns the complex dtype used to send values, and the number of complex numbers per value."""
        cell = np.dtype(np.complex128 if self.dtype.itemsize % 16 == 0 else np.complex64)
        return cell, -(-self.dtype.itemsize // cell.itemsize)

    def _layout(self, cut, howmany):
        size = self.comm.Get_size()
        counts = [[n] for n in self.shape]
        counts[cut] = [balanced_block(self.shape[cut], size, i)[0] for i in range(size)]
        parts = [len(c) for c in counts]
        even = Layout.grid(self.shape, parts, howmany=howmany)
        if all(even.local_slice(i)[cut] == slice(start, start + count) for i in range(size)
               for count, start in [balanced_block(self.shape[cut], size, i)]):
            return even
        return Layout.blocks(counts, howmany=howmany)

    def _as_cells(self, array, bytes_needed):
        """Returns a view of the array as complex numbers, or None if its dtype, order or memory requires a copy."""
        cell, howmany = self._cell()
        if (self.dtype.itemsize % cell.itemsize != 0 or not array.flags.c_contiguous
                or capacity(array) < bytes_needed):
            return None
        shape = array.shape + ((howmany,) if howmany > 1 else ())
        return np.ndarray(shape, cell, buffer=array)

    def _visible(self, cells, shape):
        """Returns a view, with the transfer's dtype, of the values in a plan's own array of complex numbers."""
        if cells.size == 0:
            return np.empty(shape, self.dtype)
        return np.ndarray(shape, self.dtype, buffer=cells, strides=cells.strides[:len(shape)])
