"""Distributed arrays, with the class and method names of mpi4py-fft."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Sequence
from numbers import Integral, Number
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI
from numpy.typing import DTypeLike

from . import _core, arguments
from .arguments import count, flag, instance, integer, integers, sequence, shown
from .ending import agree, vote
from .errors import type_error
from .io import FileBase, HDF5File, find_dataset, in_file, read_dataset, write_dataset
from .memory import allocate
from .pencil import Pencil, Subcomm, ranks_of, require, whole_communicator

if TYPE_CHECKING:
    from .mpifft import PFFT
    from .pencil import Transfer


def _selection(index, n):
    """Returns the selected indices of an axis of ``n`` points as a ``range``, and whether ``index`` is a single
    number."""
    if isinstance(index, Integral):
        require(-n <= index < n, f"index is {index}, expected {-n} to {n - 1}")
        return range(index % n, index % n + 1), True
    require(isinstance(index, slice), f"index is {index!r}, expected an integer or a slice")
    selected = range(*index.indices(n))
    require(selected.step > 0, f"step is {selected.step}, expected a positive number")
    return selected, False


def _local_part(selected, start, count):
    """Returns the selected global indices within ``[start, start + count)`` as two slices: one of the local array, one
    of the selection."""
    first, last = (min(len(selected), max(0, -(-(bound - selected.start) // selected.step)))
                   for bound in (start, start + count))
    begin = selected.start + first * selected.step - start
    return (slice(begin, begin + (last - first) * selected.step, selected.step),
            slice(first, last))


def _are_communicators(subcomm):
    """Returns whether ``subcomm`` is a list or tuple of communicators. Making an array then needs no communication."""
    return isinstance(subcomm, (tuple, list)) and all(isinstance(c, MPI.Comm) for c in subcomm)


def _is_short(global_shape, rank):
    """Returns whether arrays of this shape have fewer than two axes besides the ``rank`` tensor axes. They are then not
    distributed."""
    try:
        return len(global_shape) - rank < 2
    except TypeError:
        return False


class DistArray(np.ndarray):
    """This rank's part of a distributed array, with the distribution of the global array.

    Parameters
    ----------
    global_shape : sequence of int
        Shape of the global array. The first ``rank`` axes are tensor axes of any length and are not
        distributed, nor are arrays with a single other axis.
    subcomm : Subcomm, sequence of mpi4py.MPI.Comm or of int, optional
        For each axis its communicator, or its number of ranks (0: MPI chooses). By default all axes
        except ``alignment`` are distributed over MPI.COMM_WORLD.
    val : number, optional
        Initial value. Without ``val`` and ``buffer`` the array is zeroed.
    dtype : dtype
    buffer : optional
        Memory to use.
    alignment : int, optional
        The axis that is not distributed, by default the last possible one. Tensor axes do not count.
    rank : int
        Number of tensor axes: 0 for scalars, 1 for vectors, 2 for matrices.
    """

    def __new__(cls, global_shape: Sequence[int], subcomm: Sequence[MPI.Comm] | Sequence[int] | None = None,
                val: complex | None = None, dtype: DTypeLike = float, buffer: Any = None,
                strides: Sequence[int] | None = None, alignment: int | None = None, rank: int = 0) -> DistArray:
        def prepare():
            shape = tuple(integers("global_shape", global_shape, 0))
            if val is not None and not isinstance(val, Number):
                raise type_error(f"val is {shown(val)}, expected a number or None")
            tensor = count("rank", rank, len(shape))
            d = max(1, len(shape) - tensor)
            aligned = None if alignment is None else integer("alignment", alignment, -d, d - 1) % d
            return shape, tensor, aligned, arguments.dtype("dtype", dtype)

        if _are_communicators(subcomm) or _is_short(global_shape, rank):
            global_shape, rank, alignment, dtype = prepare()
        else:
            _core.require_running()
            global_shape, rank, alignment, dtype = agree(MPI.COMM_WORLD, prepare)
        axes = global_shape[rank:]
        pencil = None if len(axes) < 2 else cls._make_pencil(axes, subcomm, alignment)
        shape = global_shape if pencil is None else global_shape[:rank] + pencil.subshape
        if buffer is None:
            buffer = cls._allocate(shape, dtype, pencil, rank)
        self = super().__new__(cls, shape, dtype=dtype, buffer=buffer, strides=strides)
        if val is not None and val != 0:
            self.fill(val)
        self._p0 = pencil
        self._rank = rank
        return self

    @staticmethod
    def _make_pencil(shape, subcomm, alignment):
        if subcomm is None:
            dims = [0] * len(shape)
            alignment = len(shape) - 1 if alignment is None else alignment
            dims[alignment] = 1
            subcomm = Subcomm(MPI.COMM_WORLD, dims)
        elif not isinstance(subcomm, Subcomm):
            if not _are_communicators(subcomm):
                subcomm = Subcomm(MPI.COMM_WORLD, subcomm)
            require(len(subcomm) == len(shape),
                    f"subcomm has {len(subcomm)} entries, expected {len(shape)}")
        whole = [a for a, c in enumerate(subcomm) if c.Get_size() == 1]
        require(whole, f"all axes are cut ({[c.Get_size() for c in subcomm]} ranks), expected one "
                       "that is not")
        return Pencil(subcomm, shape, whole[-1] if alignment is None else alignment)

    @staticmethod
    def _allocate(shape, dtype, pencil, rank):
        """Allocates zeroed memory for the local values. Scalar arrays get as much memory as their largest local part in
        any alignment, so that redistributions need no copy."""
        payload = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        if pencil is None or rank > 0:
            return allocate(payload)
        longest = max(int(np.prod(pencil.pencil(a).subshape, dtype=np.int64))
                      for a in range(len(pencil.shape)))
        return allocate(payload, longest * dtype.itemsize + 16)

    def __array_finalize__(self, other):
        self._p0 = getattr(other, "_p0", None)
        self._rank = getattr(other, "_rank", None)

    @property
    def alignment(self) -> int:
        """The axis that is not distributed, not counting tensor axes."""
        return self._p0.axis

    @property
    def global_shape(self) -> tuple[int, ...]:
        """Shape of the global array, tensor axes first."""
        return self.shape[:self.rank] + self._p0.shape

    @property
    def substart(self) -> tuple[int, ...]:
        """Global index of the first local value along each axis."""
        return (0,) * self.rank + self._p0.substart

    @property
    def subcomm(self) -> tuple[MPI.Comm, ...]:
        """The communicators of the axes."""
        return (MPI.COMM_SELF,) * self.rank + self._p0.subcomm

    @property
    def commsizes(self) -> list[int]:
        """Number of ranks along each axis."""
        return [comm.Get_size() for comm in self.subcomm]

    @property
    def pencil(self) -> Pencil:
        """The distribution of the array as a :class:`hybridfft.pencil.Pencil`."""
        return self._p0

    @property
    def rank(self) -> int:
        """Number of tensor axes: 0 for scalars, 1 for vectors."""
        return self._rank

    @property
    def dimensions(self) -> int:
        """Number of axes without the tensor axes."""
        return len(self._p0.shape)

    @property
    def v(self) -> np.ndarray:
        """The local values as a plain numpy array that shares this array's memory."""
        return self.view(np.ndarray)

    def __getitem__(self, index: Any) -> Any:
        """Returns a component of a tensor as a DistArray, and everything else as a plain numpy array or a value."""
        taken = len(index) if isinstance(index, tuple) else 1
        if self.ndim > 1 and self.rank and taken <= self.rank \
                and all(isinstance(i, (Integral, slice))
                        for i in (index if isinstance(index, tuple) else (index,))):
            component = super().__getitem__(index)
            component._rank = self.rank - (self.ndim - component.ndim)
            return component
        if self.ndim == 1:
            return super().__getitem__(index)
        return self.v[index]

    def local_slice(self) -> tuple[slice, ...]:
        """This rank's part of the global array: a tuple of slices, one for each axis."""
        return tuple(slice(0, n) for n in self.shape[:self.rank]) + tuple(
            slice(start, start + n) for start, n in zip(self._p0.substart, self._p0.subshape))

    def get(self, gslice: Sequence[int | slice]) -> Any:
        """Returns a slice of the global array on the first rank, and None on the others. Collective.

        ``gslice`` has an integer or a slice (with a positive step) for each axis, tensor axes first.
        """
        def prepare():
            indices = sequence("gslice", gslice, "integers and slices")
            require(len(indices) == self.ndim, f"there are {len(indices)} indices, expected {self.ndim}")
            return [_selection(index, n) for index, n in zip(indices, self.global_shape)]

        _core.require_running()
        chosen, _ = vote(ranks_of(self._p0.subcomm), prepare)
        parts = [_local_part(selected, start, count) for (selected, _), start, count in
                 zip(chosen, self.substart, self.shape)]
        here = self.v[tuple(local for local, _ in parts)]
        pieces = [(tuple(place for _, place in parts), here)]
        for comm in self._p0.subcomm:
            gathered = comm.gather(pieces, root=0)
            if gathered is None:
                return None
            pieces = [piece for some in gathered for piece in some]
        result = np.empty([len(selected) for selected, _ in chosen], self.dtype)
        for place, values in pieces:
            result[place] = values
        return result[tuple(0 if single else slice(None) for _, single in chosen)]

    @contextlib.contextmanager
    def _ranks(self):
        """Context manager: yields a communicator of all ranks of the array, and frees it if it was made here."""
        require(self._p0 is not None, f"the array has the shape {self.shape}, expected two axes or more")
        comm, made = whole_communicator(self._p0.subcomm)
        try:
            yield comm
        finally:
            if made:
                comm.Free()

    def save(self, file: str | os.PathLike[str], name: str = "darray") -> None:
        """Writes the global array to a new HDF5 file, as the dataset ``name``. Collective.

        The dataset has the global shape, and any HDF5 program can read it. See :mod:`hybridfft.io`.
        """
        def work(opened):
            write_dataset(opened, name, self)
            opened[name].attrs["rank"] = self.rank

        with self._ranks() as comm:
            in_file(comm, file, "w", work)

    @classmethod
    def load(cls, file: str | os.PathLike[str], name: str = "darray",
             subcomm: Sequence[MPI.Comm] | Sequence[int] | None = None, alignment: int | None = None) -> DistArray:
        """Makes an array with the values of an HDF5 dataset. Collective.

        The array is distributed over MPI.COMM_WORLD, or over ``subcomm``. The number of ranks may differ from the one
        at :meth:`save`. The dataset may come from another program.
        """
        def shape_of(opened):
            dataset = find_dataset(opened, name)
            require(len(dataset.shape) > 1,
                    f"the dataset {name} has the shape {dataset.shape}, expected two axes or more")
            return dataset.shape, dataset.dtype, int(dataset.attrs.get("rank", 0))

        ranks = ranks_of(subcomm) if _are_communicators(subcomm) else MPI.COMM_WORLD
        (shape, dtype, rank), _ = vote(ranks, lambda: in_file(MPI.COMM_SELF, file, "r", shape_of))
        array = cls(shape, subcomm, dtype=dtype, alignment=alignment, rank=rank)
        with array._ranks() as comm:
            in_file(comm, file, "r", lambda opened: read_dataset(opened, name, array))
        return array

    def write(self, filename: str | os.PathLike[str] | FileBase, name: str = "darray", step: int = 0,
              global_slice: Sequence[int | slice] | None = None, domain: Sequence[Any] | None = None,
              as_scalar: bool = False) -> None:
        """Writes the array to a file as the step ``step`` of the field ``name``. Makes the file if there is none. See
        :class:`hybridfft.io.HDF5File`. Collective."""
        field = self if global_slice is None else (self, global_slice)
        if isinstance(filename, FileBase):
            filename.write(step, {name: [field]}, as_scalar=as_scalar)
            return
        with self._ranks() as comm:
            HDF5File(filename, domain, "a", comm).write(step, {name: [field]}, as_scalar=as_scalar)

    def read(self, filename: str | os.PathLike[str] | FileBase, name: str = "darray", step: int = 0) -> None:
        """Reads the step ``step`` of the field ``name`` from a file into the array. Collective."""
        if isinstance(filename, FileBase):
            filename.read(self, name, step)
            return
        with self._ranks() as comm:
            HDF5File(filename, None, "r", comm).read(self, name, step)

    def get_pencil_and_transfer(self, axis: int) -> tuple[Pencil, Transfer]:
        """Returns ``(pencil, transfer)``: the pencil with ``axis`` undistributed, and the
        :class:`hybridfft.pencil.Transfer` from this array's pencil to it."""
        pencil = self._p0.pencil(axis)
        return pencil, self._p0.transfer(pencil, self.dtype)

    def _new_alignment(self, axis, out):
        """Checks the arguments of :meth:`redistribute`. Returns the undistributed axis of its result, 0 or more."""
        d = self.dimensions
        if axis is not None:
            axis = integer("axis", axis, -d, d - 1) % d
        if out is None:
            require(axis is not None, "neither axis nor out is given")
            return axis
        _require_destination(out, self)
        require(axis is None or axis == out.alignment,
                f"out is aligned in axis {out.alignment}, expected {axis}")
        return out.alignment

    def redistribute(self, axis: int | None = None, out: DistArray | None = None) -> DistArray:
        """Redistributes the array so that ``axis`` is not distributed, or to the distribution of ``out``. Collective.

        Returns ``out`` if given. Otherwise returns a new array, or this array if ``axis`` is already undistributed.
        """
        _core.require_running()
        axis, _ = vote(ranks_of(self._p0.subcomm), lambda: self._new_alignment(axis, out))
        if out is None and axis == self.alignment:
            return self
        if out is None and self._p0.subcomm[axis].Get_size() == 1:
            self._p0 = Pencil(self._p0.subcomm, self._p0.shape, axis)
            return self
        if out is not None and self.commsizes == out.commsizes:
            out[...] = self.v
            return out
        pencil, transfer = self.get_pencil_and_transfer(axis)
        if out is None:
            out = DistArray(self.global_shape, subcomm=pencil.subcomm, dtype=self.dtype,
                            alignment=axis, rank=self.rank)
        for component in np.ndindex(self.shape[:self.rank]):
            transfer.forward(self.v[component], out.v[component])
        transfer.destroy()
        return out


def _require_destination(out, array):
    instance("out", out, DistArray)
    require(out.global_shape == array.global_shape,
            f"out has global shape {out.global_shape}, expected {array.global_shape}")
    require(np.can_cast(array.dtype, out.dtype, "same_kind"),
            f"out is of dtype {out.dtype}, expected one that {array.dtype} can become")
    require(out.flags.writeable, "out is read-only, expected an array that can be written")


def newDistArray(pfft: PFFT, forward_output: bool = True, val: complex | None = 0, rank: int = 0,
                 view: bool = False) -> DistArray | Any:
    """Makes an array for the output of ``pfft.forward`` or, with ``forward_output=False``, for its input.

    All values are ``val``. ``rank`` is the number of tensor axes; the length of each is the number of other axes.
    ``view=True`` returns a plain numpy array with the DistArray as its ``base``.
    """
    forward_output, view = flag("forward_output", forward_output), flag("view", view)
    rank = count("rank", rank)
    pencil = pfft.pencil[forward_output]
    dtype = pfft.dtype(forward_output)
    shape = (len(pencil.shape),) * rank + pencil.shape
    buffer = None
    if rank == 0:
        bytes_shown = math.prod(pencil.subshape) * dtype.itemsize
        buffer = allocate(bytes_shown, pfft.array_bytes(forward_output))
    array = DistArray(shape, subcomm=pencil.subcomm, val=val, dtype=dtype, buffer=buffer,
                      alignment=pencil.axis, rank=rank)
    return array.v if view else array


def Function(*args: Any, **kwargs: Any) -> DistArray | Any:
    """Old name of :func:`newDistArray` in mpi4py-fft. ``tensor`` other than None means ``rank=1``."""
    if kwargs.pop("tensor", None) is not None:
        kwargs["rank"] = 1
    return newDistArray(*args, **kwargs)
