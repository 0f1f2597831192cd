"""Parallel transforms, under the names that mpi4py-fft's users know.

Where all axes have Fourier transforms and no padding, PFFT is one plan forward and one backward, between
the layouts of its first and its last pencil, and arrays are transformed where they lie. Otherwise it is a
sequence of transforms of whole axes and transfers between pencils.
"""

import math

import numpy as np

from .distarray import DistArray
from .memory import address, capacity, empty
from .pencil import Pencil, Subcomm, require, whole_communicator
from .plan import Plan, WorkSpace
from .stages import Stage

_EFFORTS = {f"FFTW_{name.upper()}": name for name in ("estimate", "measure", "patient", "exhaustive")}


def _usable(array, like, bytes_needed):
    """Whether a plan for arrays like another one can take this one as it is."""
    return (isinstance(array, np.ndarray) and array.dtype == like.dtype
            and array.shape == like.shape and array.flags.c_contiguous
            and capacity(array) >= bytes_needed)


class Transform:
    """A parallel transform in one direction.

    Attributes
    ----------
    input_array, output_array : numpy.ndarray
        Its own arrays, which calls without arrays use. Those of forward and backward are the same two.
    input_pencil, output_pencil : Pencil
    """

    def __init__(self, arrays, pencils, run, bytes_needed, normalize):
        self.input_array, self.output_array = arrays
        self.input_pencil, self.output_pencil = pencils
        self._run = run
        self._bytes = bytes_needed
        self._normalize = normalize

    def __call__(self, input_array=None, output_array=None, normalize=None, **options):
        """Transforms; returns ``output_array``, or the transform's own one. Collective.

        Arrays of the right dtype, shape and order are transformed where they lie; others are copied.
        ``normalize``: whether the result is divided by the number of points; default yes forward, no
        backward. Other options of serial transforms are accepted and have no effect.
        """
        source, target = self.input_array, self.output_array
        if input_array is not None:
            if _usable(input_array, source, self._bytes[0]):
                source = input_array
            else:
                source[...] = input_array
        if output_array is not None and output_array.flags.writeable \
                and _usable(output_array, target, self._bytes[1]) \
                and address(output_array) != address(source):
            target = output_array
        self._run(source, target, self._normalize if normalize is None else bool(normalize))
        if output_array is None or output_array is target:
            return target
        output_array[...] = target
        return output_array


class PFFT:
    """Parallel transforms of distributed arrays, forward and backward. Collective.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm or Subcomm
        The ranks, or their grid.
    shape : sequence of int
        Points of the whole array (with padding: those of the spectrum), two axes or more.
    axes : int, sequence of int or of sequences of int, optional
        Axes to transform, the last ones first; default all. The last one is whole on each rank before
        the forward transform, the first one afterwards; of real arrays the last one is halved.
    dtype : dtype
        Of the input of ``forward``: float32, float64, complex64 or complex128.
    grid : sequence of int, optional
        Ranks along each axis; MPI chooses where there is no positive number. Missing ones are 1.
    padding : False, number or sequence of numbers
        How many times finer than the spectrum the grid is along each axis. Transforms forward leave out
        the modes that the spectrum has not; the one at half of an even number stands for both signs.
    collapse : bool
        Whether axes that are whole together are transformed together: changes ``axes``, not results.
    backend : str
        Accepted: the transforms are the library's.
    transforms : dict, optional
        For tuples of axes a pair of functions that plan serial transforms, as those in
        :mod:`hybridfft.fftw`, or of functions of arrays like ``scipy.fft.dctn``.
    darray : DistArray, optional
        In place of comm, shape, dtype and grid.
    slab : bool or int
        Cut one axis only: this one, or the one after the last one of ``axes``.
    threads, effort, planner_effort, time_limit, deterministic :
        As of :class:`hybridfft.Plan`; ``planner_effort`` is ``"FFTW_MEASURE"`` and so on.

    Attributes
    ----------
    forward, backward : Transform
    axes : tuple of tuples of int, the groups that are whole together
    pencil : [Pencil, Pencil], of the input and of the output of ``forward``
    subcomm : the communicators of the axes
    """

    def __init__(self, comm, shape=None, axes=None, dtype=float, grid=None, padding=False,
                 collapse=False, backend="fftw", transforms=None, darray=None, slab=False, threads=0,
                 effort="measure", planner_effort=None, time_limit=None, deterministic=False,
                 overwrite_input=None):
        if darray is not None:
            shape, dtype = darray.pencil.shape, darray.dtype
        require(shape is not None, "neither shape nor darray is given")
        shape = [int(n) for n in shape]
        dtype = np.dtype(dtype)
        require(dtype.char in "fdFD", f"dtype is {dtype}, expected float32, float64, complex64 or "
                                      "complex128")
        if planner_effort is not None:
            require(planner_effort in _EFFORTS,
                    f"planner_effort is {planner_effort!r}, expected one of {', '.join(_EFFORTS)}")
            effort = _EFFORTS[planner_effort]
        self._options = dict(threads=threads, effort=effort, time_limit=time_limit,
                             deterministic=deterministic)
        groups = self._groups(shape, axes, darray)
        modes = list(shape)
        shape = self._padded(shape, groups, padding)
        self.subcomm = self._communicators(comm, shape, groups, grid, slab, darray)
        self.axes = self._collapsed(groups) if collapse else groups
        self._whole, self._made_whole = whole_communicator(self.subcomm)
        self._input_shape = tuple(shape)
        self._plans = {}
        transforms = {tuple(a % len(shape) for a in key): pair for key, pair in
                      (transforms or {}).items()}
        self._make_stages(shape, modes, dtype, transforms)
        self._output_shape = self.pencil[1].shape
        if padding is False and not transforms:
            self._make_direct(dtype)
        else:
            self._make_staged()

    @staticmethod
    def _groups(shape, axes, darray):
        d = len(shape)
        if axes is None:
            axes = list(range(d))
            if darray is not None:  # the one that is whole comes first in the transform
                axes = axes[darray.alignment + 1:] + axes[:darray.alignment + 1]
        groups = []
        for group in [axes] if isinstance(axes, (int, np.integer)) else axes:
            group = [group] if isinstance(group, (int, np.integer)) else list(group)
            require(group and all(-d <= a < d for a in group),
                    f"axes has {group}, expected numbers of {-d} to {d - 1}")
            groups.append(tuple(int(a) % d for a in group))
        flat = [a for group in groups for a in group]
        require(flat and len(set(flat)) == len(flat), f"axes is {axes}, expected each axis once")
        return tuple(groups)

    @staticmethod
    def _padded(shape, groups, padding):
        if padding is False:
            return shape
        factors = [padding] * len(shape) if np.ndim(padding) == 0 else list(padding)
        require(len(factors) == len(shape),
                f"padding has {len(factors)} numbers, expected {len(shape)}")
        padded = list(shape)
        for group in groups:
            if len(group) == 1:
                padded[group[0]] = max(shape[group[0]], math.floor(shape[group[0]] * factors[group[0]]))
        return padded

    @staticmethod
    def _communicators(comm, shape, groups, grid, slab, darray):
        d = len(shape)
        last = groups[-1]
        if darray is not None:
            axes = darray.pencil.subcomm
        elif isinstance(comm, Subcomm):
            require(grid is None and slab is False, "grid or slab is given, but comm is a grid already")
            require(len(comm) == d, f"comm has {len(comm)} axes, expected {d}")
            axes = comm
        elif grid is not None:
            require(slab is False, "both grid and slab are given")
            grid = [int(n) for n in grid]
            require(len(grid) <= d, f"grid has {len(grid)} numbers, expected at most {d}")
            axes = Subcomm(comm, grid + [1] * (d - len(grid)))
        elif slab is False or slab is None:
            axes = Subcomm(comm, [1 if a in last else 0 for a in range(d)])
        else:
            cut = (last[-1] + 1) % d if slab is True else int(slab) % d
            axes = Subcomm(comm, [comm.Get_size() if a == cut else 1 for a in range(d)])
        for a in last:
            require(axes[a].Get_size() == 1, f"axis {a} is cut over {axes[a].Get_size()} ranks, but it "
                                             "is transformed first: expected 1")
        return axes

    def _collapsed(self, groups):
        """Groups of axes, from the last ones on, that are whole from the beginning become one."""
        collapsed = [[]]
        for group in reversed(groups):
            if all(self.subcomm[a].Get_size() == 1 for a in group):
                collapsed[0][:0] = group
            else:
                collapsed.insert(0, list(group))
        return tuple(tuple(group) for group in collapsed if group)

    def _make_stages(self, shape, modes, dtype, transforms):
        """The stages of the forward transform, with the pencils between them."""
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

    def _make_direct(self, dtype):
        """One plan in each direction, and two arrays that they share."""
        flat = [a for group in self.axes for a in group]
        layouts = [pencil.layout(self._whole) for pencil in self.pencil]
        work = WorkSpace()

        def plan(forward, normalize, arrays=(None, None)):
            if (forward, normalize) not in self._plans:
                real = dtype.char in "fd"
                kind = ("r2c" if forward else "c2r") if real else "c2c"
                ends = layouts if forward else layouts[::-1]
                self._plans[forward, normalize] = Plan(
                    layout_in=ends[0], layout_out=ends[1], dtype=dtype, kind=kind, comm=self._whole,
                    direction="forward" if forward else "backward", axes=flat, work=work,
                    scale=1.0 / self._points if normalize else 1.0, input=arrays[0],
                    output=arrays[1], **self._options)
            return self._plans[forward, normalize]

        there, back = plan(True, True), plan(False, False)
        self._bytes = [max(there.input_bytes, back.output_bytes),
                       max(there.output_bytes, back.input_bytes)]
        arrays = [empty(self.pencil[0].subshape, dtype, self._bytes[0]),
                  empty(self.pencil[1].subshape, self.xfftn[-1].dtype_out, self._bytes[1])]
        self.forward = Transform(
            arrays, self.pencil, lambda a, b, normalize: plan(True, normalize).execute(a, b),
            self._bytes, True)
        self.backward = Transform(
            arrays[::-1], self.pencil[::-1],
            lambda a, b, normalize: plan(False, normalize).execute(a, b), self._bytes[::-1], False)

    def _make_staged(self):
        """Transforms of whole axes and transfers, one after the other."""
        first, last = self.xfftn[0], self.xfftn[-1]
        self._bytes = [first.input_array.nbytes, last.output_array.nbytes]
        scale = 1.0 / self._points

        def forward(source, target, normalize):
            first.input_array[...] = source
            for i, stage in enumerate(self.xfftn):
                stage.forward()
                if stage is not last:
                    self.transfer[i].forward(stage.output_array, self.xfftn[i + 1].input_array)
            np.multiply(last.output_array, scale if normalize else 1, out=target)

        def backward(source, target, normalize):
            last.output_array[...] = source
            for i, stage in reversed(list(enumerate(self.xfftn))):
                stage.backward()
                if stage is not first:
                    self.transfer[i - 1].backward(stage.input_array, self.xfftn[i - 1].output_array)
            np.multiply(first.input_array, scale if normalize else 1, out=target)

        arrays = [empty(first.input_array.shape, first.input_array.dtype),
                  empty(last.output_array.shape, last.output_array.dtype)]
        self.forward = Transform(arrays, self.pencil, forward, self._bytes, True)
        self.backward = Transform(arrays[::-1], self.pencil[::-1], backward, self._bytes[::-1], False)

    def destroy(self):
        """Ends the plans and frees the communicators of the grid. Collective."""
        self._plans.clear()
        for stage in (*self.transfer, *self.xfftn):
            stage.destroy()
        if self._made_whole:
            self._whole.Free()
            self._made_whole = False
        if isinstance(self.subcomm, Subcomm):
            self.subcomm.destroy()

    def shape(self, forward_output=True):
        """Shape of this rank's output of ``forward``, or of its input."""
        return self.pencil[bool(forward_output)].subshape

    def local_slice(self, forward_output=True):
        """The part of the whole output of ``forward`` (or input) that this rank has: slices."""
        pencil = self.pencil[bool(forward_output)]
        return tuple(slice(s, s + n) for s, n in zip(pencil.substart, pencil.subshape))

    def global_shape(self, forward_output=False):
        """Shape of the whole output of ``forward``, or of its input."""
        return self._output_shape if forward_output else self._input_shape

    def array_bytes(self, forward_output=True):
        """Bytes that an array of this rank needs to be transformed where it lies."""
        return self._bytes[bool(forward_output)]

    @property
    def dimensions(self):
        """Number of axes."""
        return len(self._input_shape)

    def dtype(self, forward_output=False):
        """Dtype of the output of ``forward``, or of its input."""
        return (self.forward.output_array if forward_output else self.forward.input_array).dtype
