"""Parallel transforms with the class and method names of mpi4py-fft.

If all transforms are Fourier transforms without padding, PFFT uses one forward and one backward plan between the
layouts of its first and its last pencil, without copies of the arrays. Otherwise it alternates transforms along
undistributed axes with transfers between pencils.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, overload

import numpy as np
from mpi4py import MPI
from numpy.typing import ArrayLike, DTypeLike

from . import _core, arguments
from .arguments import (communicator, count, flag, instance, integer, integers, number, seconds, sequence,
                        shown, text)
from .distarray import DistArray
from .ending import agree, agree_on, vote
from .errors import argument_error, require_choice
from .memory import address, capacity, empty
from .pencil import Pencil, Subcomm, process_grid, ranks_of, require, whole_communicator
from .plan import Plan, WorkSpace
from .stages import Stage

#: Type of an output array passed by the caller.
_Output = TypeVar("_Output", bound=np.ndarray)
_EFFORTS = {f"FFTW_{name.upper()}": name for name in ("estimate", "measure", "patient", "exhaustive")}


class _Arrays:
    """The arrays of a PFFT: its own arrays, for calls without arguments, and arrays for copies.

    Side 0 has the points in space, side 1 the spectrum. Arrays are made at their first use.
    """

    def __init__(self, shapes, dtypes, bytes_needed):
        self.shapes, self.dtypes, self.bytes = shapes, dtypes, bytes_needed
        self._own, self._copies = [None, None], [None, None]
        #: For each own array: None if no call has returned it, else whether the last such call had an input.
        self._results = [None, None]

    def _new(self, side):
        return empty(self.shapes[side], self.dtypes[side], self.bytes[side])

    def own(self, side):
        """Returns the PFFT's own array for a side."""
        if self._own[side] is None:
            self._own[side] = self._new(side)
        return self._own[side]

    def copy(self, side):
        """Returns an internal array for copies. Users never see it."""
        if self._copies[side] is None:
            self._copies[side] = self._new(side)
        return self._copies[side]

    def result(self, side, has_input):
        """Returns the array for a result. Calls without an input reuse one array. An array returned by a call with an
        input belongs to the user, so that the next result gets a new array."""
        if self._results[side] is True or has_input and self._results[side] is not None:
            self._own[side] = None
        self._results[side] = has_input
        return self.own(side)

    def require(self, side, name, array):
        """Returns the argument ``name`` as a numpy array, and checks its shape."""
        found = np.asanyarray(array)
        require(found.shape == self.shapes[side],
                f"{name} has the shape {found.shape}, expected {self.shapes[side]}")
        return found

    def usable(self, side, array):
        """Returns whether plans can use the array without a copy."""
        return (array.dtype == self.dtypes[side] and array.flags.c_contiguous
                and capacity(array) >= self.bytes[side])


#: Bits of the ranks' vote before a transform: some rank needs a copy of its input or of its output, wants a normalised
#: result, or wants one that is not normalised.
_COPY_INPUT, _COPY_OUTPUT, _NORMALIZE, _DO_NOT_NORMALIZE = 1, 2, 4, 8


class Transform:
    """A parallel transform in one direction: serial transforms with transfers between them.

    Parameters
    ----------
    xfftn : sequence
        Serial transforms, called without arguments. Each has an ``input_array`` and an ``output_array``.
    transfer : sequence of callable
        Functions ``f(source, target)`` that redistribute the output of a serial transform to the input of the
        next one, such as :meth:`hybridfft.pencil.Transfer.forward`.
    pencil : sequence of two Pencil
        Distributions of the array before and after the transform.

    Attributes
    ----------
    input_array, output_array : numpy.ndarray
        The arrays of the first and the last serial transform.
    input_pencil, output_pencil : Pencil
    """

    def __init__(self, xfftn: Sequence[Callable[..., Any]], transfer: Sequence[Callable[..., Any]],
                 pencil: Sequence[Pencil]) -> None:
        self._xfftn, self._transfer, self._pencil = tuple(xfftn), tuple(transfer), tuple(pencil)
        require(len(self._xfftn) == len(self._transfer) + 1,
                f"transfer has {len(self._transfer)} functions, expected {len(self._xfftn) - 1}, one less than xfftn")
        require(len(self._pencil) == 2, f"pencil has {len(self._pencil)} pencils, expected 2")

    @property
    def input_array(self) -> np.ndarray:
        return self._xfftn[0].input_array

    @property
    def output_array(self) -> np.ndarray:
        return self._xfftn[-1].output_array

    @property
    def input_pencil(self) -> Pencil:
        return self._pencil[0]

    @property
    def output_pencil(self) -> Pencil:
        return self._pencil[1]

    def __repr__(self) -> str:
        return f"<hybridfft.Transform {self.input_pencil!r} to {self.output_pencil!r}>"

    def __call__(self, input_array: ArrayLike | None = None, output_array: np.ndarray | None = None,
                 **options: Any) -> np.ndarray | Any:
        """Copies ``input_array``, if given, to :attr:`input_array`, and transforms. Returns :attr:`output_array`,
        or copies it to the argument ``output_array`` and returns the argument. All serial transforms get
        ``options``. Collective."""
        if input_array is not None:
            self.input_array[...] = input_array
        for stage, transfer, following in zip(self._xfftn, self._transfer, self._xfftn[1:]):
            stage(**options)
            transfer(stage.output_array, following.input_array)
        self._xfftn[-1](**options)
        if output_array is None:
            return self.output_array
        output_array[...] = self.output_array
        return output_array


class _PlannedTransform(Transform):
    """The forward (side 0) or the backward (side 1) transform of a PFFT. ``run(source, target, normalize)`` computes
    it."""

    def __init__(self, fft, side, run):
        self._fft, self._side, self._run = fft, side, run
        self._pencil = fft.pencil[side], fft.pencil[1 - side]

    @property
    def input_array(self) -> np.ndarray:
        return self._fft._arrays.own(self._side)

    @property
    def output_array(self) -> np.ndarray:
        return self._fft._arrays.own(1 - self._side)

    @overload
    def __call__(self, input_array: ArrayLike | None = ..., output_array: None = ..., normalize: bool | None = ...,
                 **options: Any) -> np.ndarray: ...

    @overload
    def __call__(self, input_array: ArrayLike | None, output_array: _Output, normalize: bool | None = ...,
                 **options: Any) -> _Output: ...

    def __call__(self, input_array: ArrayLike | None = None, output_array: np.ndarray | None = None,
                 normalize: bool | None = None, **options: Any) -> np.ndarray | Any:
        """Transforms ``input_array`` to ``output_array`` and returns the output. Collective.

        A call with an input and without an output returns an array that belongs to the caller: no later call
        overwrites it. A call without arrays reads :attr:`input_array` and writes :attr:`output_array`, and
        the next such call overwrites it.

        C-contiguous arrays of the right dtype and size are transformed without a copy. If any rank has
        another array, all ranks copy. ``normalize`` divides the result by the number of points; the default is
        True forward and False backward. Other options of serial transforms are accepted and ignored.
        """
        _core.require_running()
        require(not self._fft._destroyed, "the PFFT has been destroyed, expected one that has not")
        with self._fft._lock:
            (source, target, normalize), bits = vote(
                self._fft._whole, lambda: self._operands(input_array, output_array, normalize),
                self._bits)
            if bits & _NORMALIZE and bits & _DO_NOT_NORMALIZE:
                raise argument_error("normalize is True on some ranks and False on others, expected one value")
            arrays, side = self._fft._arrays, self._side
            if bits & _COPY_INPUT:
                arrays.copy(side)[...] = source
                source = arrays.copy(side)
            if target is None:
                target = arrays.result(1 - side, input_array is not None)
            elif bits & _COPY_OUTPUT:
                self._run(source, arrays.copy(1 - side), normalize)
                target[...] = arrays.copy(1 - side)
                return output_array
            self._run(source, target, normalize)
            return target

    def _operands(self, input_array, output_array, normalize):
        """Checks the arguments. Returns the input, the output or None, and whether to normalise the result."""
        arrays, side = self._fft._arrays, self._side
        normalize = side == 0 if normalize is None else flag("normalize", normalize)
        if input_array is None:
            source = arrays.own(side)
        else:
            source = arrays.require(side, "input_array", input_array)
            require(np.can_cast(source.dtype, arrays.dtypes[side], "same_kind"),
                    f"input_array is of dtype {source.dtype}, expected {arrays.dtypes[side]}")
        if output_array is not None:
            arguments.array("output_array", output_array)
            arrays.require(1 - side, "output_array", output_array)
            require(np.can_cast(arrays.dtypes[1 - side], output_array.dtype, "same_kind"),
                    f"output_array is of dtype {output_array.dtype}, expected {arrays.dtypes[1 - side]}")
            require(output_array.flags.writeable,
                    "output_array is read-only, expected an array that can be written")
        return source, output_array, normalize

    def _bits(self, operands):
        source, target, normalize = operands
        arrays, side = self._fft._arrays, self._side
        bits = _NORMALIZE if normalize else _DO_NOT_NORMALIZE
        if not self._fft._is_direct:  # stages always copy
            return bits
        if not arrays.usable(side, source):
            bits |= _COPY_INPUT
        if target is not None and not (arrays.usable(1 - side, target)
                                       and not np.may_share_memory(source, target)):
            bits |= _COPY_OUTPUT
        return bits


class PFFT:
    """Parallel transforms of distributed arrays, forward and backward. Collective.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm or Subcomm
        The ranks, or their process grid.
    shape : sequence of int
        Points of the global array along each of two or more axes. With padding: modes of the spectrum.
    axes : int, sequence of int or of sequences of int, optional
        Axes to transform, starting with the last of them; default all. Before the forward transform the last
        one is not distributed, afterwards the first one. Real arrays have a half spectrum along the last one.
    dtype : dtype
        Type of the input of ``forward``: float32, float64, complex64 or complex128.
    grid : sequence of int, optional
        Number of ranks along each axis. MPI chooses in place of 0 and negative numbers. Missing numbers are 1.
    padding : False, number or sequence of numbers
        For each axis the ratio of points to modes, 1 or more. Forward transforms omit the modes outside the
        spectrum. If the number m of modes is even, mode m/2 is the sum of the modes m/2 and -m/2.
    collapse : bool
        Whether to transform undistributed axes together. This changes ``axes``, but not the results.
    backend : str
        Accepted and ignored: the transforms are always this library's.
    transforms : dict, optional
        Maps a tuple of axes to a pair of functions, forward and backward. Each plans a serial transform like
        the functions in :mod:`hybridfft.fftw`, or transforms an array like ``scipy.fft.dctn``.
    darray : DistArray, optional
        An array with the distribution of the input, in place of comm, shape, dtype and grid.
    slab : bool or int
        Distribute only one axis: the given one, or for True the axis after the last of ``axes``.
    threads, effort, planner_effort, time_limit, deterministic :
        See :class:`hybridfft.Plan`. ``planner_effort`` is the name of an FFTW flag, such as ``"FFTW_MEASURE"``.

    Attributes
    ----------
    forward, backward : Transform
    axes : tuple of tuples of int, the groups of axes transformed together
    pencil : [Pencil, Pencil], distributions of the input and of the output of ``forward``
    subcomm : tuple of communicators, one for each axis
    """

    def __init__(self, comm: MPI.Comm | Subcomm | None, shape: Sequence[int] | None = None,
                 axes: int | Sequence[int] | Sequence[Sequence[int]] | None = None, dtype: DTypeLike = float,
                 grid: Sequence[int] | None = None, padding: bool | float | Sequence[float] = False,
                 collapse: bool = False, backend: str = "fftw",
                 transforms: Mapping[tuple[int, ...], tuple[Callable[..., Any], Callable[..., Any]]] | None = None,
                 darray: DistArray | None = None, slab: bool | int = False, threads: int = 0, effort: str = "measure",
                 planner_effort: str | None = None, time_limit: float | None = None, deterministic: bool = False,
                 overwrite_input: bool | None = None) -> None:
        _core.require_running()
        if isinstance(darray, DistArray) and darray.pencil is not None:
            comm = darray.pencil.subcomm
        if not isinstance(comm, tuple):
            comm = communicator(comm)

        def prepare():
            text("backend", backend)
            self._options = self._checked_options(threads, effort, planner_effort, time_limit, deterministic)
            return self._checked(comm, shape, axes, dtype, grid, padding, collapse, transforms, darray, slab)

        modes, groups, char, grid, padding, collapse, slab, keys = agree_on(
            ranks_of(comm) if isinstance(comm, tuple) else comm, "the arguments of PFFT", prepare)
        dtype = np.dtype(char)
        shape = self._padded(modes, groups, padding)
        self.subcomm = self._communicators(comm, shape, groups, grid, slab)
        self.axes = self._collapsed(groups) if collapse else groups
        self._whole, self._made_whole = whole_communicator(self.subcomm)
        self._input_shape = tuple(shape)
        self._plans = {}
        self._destroyed = False
        self._lock = threading.Lock()
        transforms = dict(zip(keys, (transforms or {}).values()))
        agree(self._whole, lambda: self._make_stages(shape, modes, dtype, transforms))
        self._output_shape = self.pencil[1].shape
        self._is_direct = padding is None and not transforms
        run = self._direct(dtype) if self._is_direct else agree(self._whole, self._staged)
        self._arrays = _Arrays([pencil.subshape for pencil in self.pencil],
                               [dtype, self.xfftn[-1].dtype_out], self._bytes)
        self.forward = _PlannedTransform(self, 0, functools.partial(run, True))
        self.backward = _PlannedTransform(self, 1, functools.partial(run, False))

    @staticmethod
    def _checked_options(threads, effort, planner_effort, time_limit, deterministic):
        if planner_effort is not None:
            effort = require_choice("planner_effort", planner_effort, _EFFORTS)
        return dict(threads=count("threads", threads),
                    effort=require_choice("effort", effort, {name: name for name in _EFFORTS.values()}),
                    time_limit=None if time_limit is None else seconds("time_limit", time_limit),
                    deterministic=flag("deterministic", deterministic))

    @classmethod
    def _checked(cls, comm, shape, axes, dtype, grid, padding, collapse, transforms, darray, slab):
        """Checks the arguments that must be equal on all ranks. Returns them in a form to compare between ranks."""
        if darray is not None:
            instance("darray", darray, DistArray)
            require(darray.pencil is not None, "darray has one axis, expected two or more")
            shape, dtype = darray.pencil.shape, darray.dtype
        require(shape is not None, "neither shape nor darray is given")
        shape = integers("shape", shape, 1)
        require(len(shape) >= 2, f"shape is {tuple(shape)}, expected two axes or more")
        char = arguments.dtype("dtype", dtype, "fdFD").char
        groups = cls._groups(shape, axes, darray)
        d = len(shape)
        if grid is not None:
            require(not isinstance(comm, tuple), "grid is given, but comm is a grid already: expected None")
            require(slab is False or slab is None, "both grid and slab are given, expected one of them")
            grid = process_grid("grid", grid, comm.Get_size())
            require(len(grid) <= d, f"grid has {len(grid)} numbers, expected at most {d}")
        if slab is not None and not isinstance(slab, (bool, np.bool_)):
            slab = integer("slab", slab, -d, d - 1) % d
        elif slab:
            slab = (groups[-1][-1] + 1) % d
        else:
            slab = None
        if isinstance(comm, tuple):
            require(slab is None, f"slab is {slab}, but comm is a grid already: expected False")
            require(len(comm) == d, f"comm has {len(comm)} axes, expected {d}")
        keys = [cls._key(key, pair, d) for key, pair in
                instance("transforms", transforms or {}, dict).items()]
        return shape, groups, char, grid, cls._factors(padding, d), flag("collapse", collapse), slab, keys

    @staticmethod
    def _key(key, pair, d):
        require(isinstance(pair, (tuple, list)) and len(pair) == 2 and all(map(callable, pair)),
                f"transforms[{key!r}] is {shown(pair)}, expected two functions")
        return tuple(a % d for a in integers("an axis in transforms", key, -d, d - 1))

    @staticmethod
    def _factors(padding, d):
        """Returns the factors of padding, one for each axis, or None."""
        if padding is False or padding is None:
            return None
        if not isinstance(padding, Iterable):
            return [number("padding", padding, 1)] * d
        factors = [number(f"padding[{i}]", f, 1) for i, f in enumerate(sequence("padding", padding, "numbers"))]
        require(len(factors) == d, f"padding has {len(factors)} numbers, expected {d}")
        return factors

    @staticmethod
    def _groups(shape, axes, darray):
        d = len(shape)
        if axes is None:
            axes = list(range(d))
            if darray is not None:  # transform the undistributed axis first, the others in cyclic order
                axes = axes[darray.alignment + 1:] + axes[:darray.alignment + 1]
        groups = []
        for i, group in enumerate(sequence("axes", [axes] if isinstance(axes, (int, np.integer)) else axes)):
            group = integers(f"axes[{i}]", group) if isinstance(group, Iterable) \
                else [integer(f"axes[{i}]", group)]
            require(group and all(-d <= a < d for a in group),
                    f"axes has {group}, expected numbers of {-d} to {d - 1}")
            groups.append(tuple(a % d for a in group))
        flat = [a for group in groups for a in group]
        require(flat and len(set(flat)) == len(flat), f"axes is {axes}, expected each axis once")
        return tuple(groups)

    @staticmethod
    def _padded(shape, groups, factors):
        padded = list(shape)
        for group in groups:
            if factors is not None and len(group) == 1:
                a = group[0]
                padded[a] = max(shape[a], math.floor(shape[a] * factors[a]))
        return padded

    @staticmethod
    def _communicators(comm, shape, groups, grid, slab):
        d = len(shape)
        last = groups[-1]
        if isinstance(comm, tuple):
            axes = comm
        elif grid is not None:
            axes = Subcomm(comm, grid + [1] * (d - len(grid)))
        elif slab is None:
            axes = Subcomm(comm, [1 if a in last else 0 for a in range(d)])
        else:
            axes = Subcomm(comm, [comm.Get_size() if a == slab else 1 for a in range(d)])
        for a in last:
            require(axes[a].Get_size() == 1, f"axis {a} is cut over {axes[a].Get_size()} ranks, but it "
                                             "is transformed first: expected 1")
        return axes

    def _collapsed(self, groups):
        """Joins each group of undistributed axes with the group transformed before it."""
        collapsed = [[]]
        for group in reversed(groups):
            if all(self.subcomm[a].Get_size() == 1 for a in group):
                collapsed[0][:0] = group
            else:
                collapsed.insert(0, list(group))
        return tuple(tuple(group) for group in collapsed if group)

    def _make_stages(self, shape, modes, dtype, transforms):
        """Makes the stages of the forward transform, and the transfers between their pencils."""
        self.xfftn, self.transfer = [], []
        pencil = Pencil(self.subcomm, shape, self.axes[-1][-1])
        first = pencil
        for group in reversed(self.axes):
            if group is not self.axes[-1]:
                aligned = pencil.pencil(group[-1])
                self.transfer.append(pencil.transfer(aligned, dtype))
                pencil = aligned
            kept = modes[group[0]] if len(group) == 1 else None
            stage = Stage(pencil.subshape, group, dtype, kept, transforms.get(group), self._options)
            self.xfftn.append(stage)
            shape = list(pencil.shape)
            shape[group[-1]] = stage.length
            pencil = Pencil(pencil.subcomm, shape, group[-1])
            dtype = stage.dtype_out
        self.xfftn, self.transfer = tuple(self.xfftn), tuple(self.transfer)
        self.pencil = [first, pencil]
        self._points = math.prod(stage.points(first.shape) for stage in self.xfftn)

    def _direct(self, dtype):
        """Makes one plan per direction, and returns a function that executes them. Plans with the other choice of
        ``normalize`` are made at their first use."""
        flat = [a for group in self.axes for a in group]
        layouts = [pencil.layout(self._whole) for pencil in self.pencil]
        work = WorkSpace()

        def plan(forward, normalize):
            if (forward, normalize) not in self._plans:
                real = dtype.char in "fd"
                kind = ("r2c" if forward else "c2r") if real else "c2c"
                ends = layouts if forward else layouts[::-1]
                self._plans[forward, normalize] = Plan(
                    layout_in=ends[0], layout_out=ends[1], dtype=dtype, kind=kind, comm=self._whole,
                    direction="forward" if forward else "backward", axes=flat, work=work,
                    scale=1.0 / self._points if normalize else 1.0, **self._options)
            return self._plans[forward, normalize]

        def run(forward, source, target, normalize):
            # The caller has checked or copied the arrays, so the plan does not check them again.
            ends = self._bytes if forward else self._bytes[::-1]
            spans = (address(source), ends[0]), (address(target), ends[1])
            plan(forward, normalize)._execute(lambda: (spans, target), agreed=True)

        there, back = plan(True, True), plan(False, False)
        self._bytes = [max(there.input_bytes, back.output_bytes),
                       max(there.output_bytes, back.input_bytes)]
        return run

    def _staged(self):
        """Returns a function that alternates the transforms of ``xfftn`` with transfers between pencils."""
        first, last = self.xfftn[0], self.xfftn[-1]
        self._bytes = [first.input_array.nbytes, last.output_array.nbytes]
        scale = 1.0 / self._points

        def forward(source, target, normalize):
            first.input_array[...] = source
            for i, stage in enumerate(self.xfftn):
                agree(self._whole, stage.forward)
                if stage is not last:
                    self.transfer[i].forward(stage.output_array, self.xfftn[i + 1].input_array)
            np.multiply(last.output_array, scale if normalize else 1, out=target)

        def backward(source, target, normalize):
            last.output_array[...] = source
            for i, stage in reversed(list(enumerate(self.xfftn))):
                agree(self._whole, stage.backward)
                if stage is not first:
                    self.transfer[i - 1].backward(stage.input_array, self.xfftn[i - 1].output_array)
            np.multiply(first.input_array, scale if normalize else 1, out=target)

        return lambda is_forward, *operands: (forward if is_forward else backward)(*operands)

    def destroy(self) -> None:
        """Drops the plans and frees the communicators of the process grid. Collective."""
        self._destroyed = True
        self._plans.clear()
        for stage in (*self.transfer, *self.xfftn):
            stage.destroy()
        if self._made_whole and _core.is_running():
            self._whole.Free()
            self._made_whole = False
        if isinstance(self.subcomm, Subcomm):
            self.subcomm.destroy()

    def __repr__(self) -> str:
        return (f"<hybridfft.PFFT {self._input_shape} {self.dtype()} to {self._output_shape} {self.dtype(True)}, "
                f"axes {self.axes}, over {tuple(c.Get_size() for c in self.subcomm)} ranks>")

    def shape(self, forward_output: bool = True) -> tuple[int, ...]:
        """Shape of this rank's output of ``forward``, or of its input."""
        return self.pencil[flag("forward_output", forward_output)].subshape

    def local_slice(self, forward_output: bool = True) -> tuple[slice, ...]:
        """This rank's part of the global output of ``forward``, or of its input: a slice for each axis."""
        pencil = self.pencil[flag("forward_output", forward_output)]
        return tuple(slice(s, s + n) for s, n in zip(pencil.substart, pencil.subshape))

    def global_shape(self, forward_output: bool = False) -> tuple[int, ...]:
        """Shape of the global output of ``forward``, or of its input."""
        return self._output_shape if flag("forward_output", forward_output) else self._input_shape

    def array_bytes(self, forward_output: bool = True) -> int:
        """Number of bytes that this rank's array needs for a transform without a copy."""
        return self._bytes[flag("forward_output", forward_output)]

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return len(self._input_shape)

    def dtype(self, forward_output: bool = False) -> np.dtype[Any]:
        """Dtype of the output of ``forward``, or of its input."""
        return self._arrays.dtypes[flag("forward_output", forward_output)]
