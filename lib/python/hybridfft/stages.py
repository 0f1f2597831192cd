"""The local steps of PFFT: transforms along axes that are not distributed, without communication."""

import math

import numpy as np
from mpi4py import MPI

from .layout import Layout
from .memory import empty
from .plan import Plan


class _Function:
    """Gives a function like ``scipy.fft.fftn(array, axes=...)`` the interface of a planned transform: calls without
    arguments, from ``input_array`` to ``output_array``."""

    def __init__(self, function, array, axes):
        self._function, self._axes = function, axes
        self.input_array = array

    def __call__(self):
        self.output_array[...] = self._function(self.input_array, axes=self._axes)


def _planned(function, array, axes, threads):
    """Returns a transform of ``array`` with ``input_array`` and ``output_array``. ``function`` may be a planner like
    those of :mod:`hybridfft.fftw`, or transform arrays directly like scipy's."""
    try:
        made = function(array, s=tuple(array.shape[a] for a in axes), axes=axes,
                        threads=max(1, threads), flags=())
    except TypeError:
        made = function(array, axes=axes)
    if not isinstance(made, np.ndarray):
        return made
    run = _Function(function, array, axes)
    run.output_array = np.zeros_like(made)
    return run


class Stage:
    """Transforms the local array along a group of axes, forward and backward.

    ``kept`` is the number of modes retained along a padded axis (None: all). ``pair`` holds the user's two functions
    for other transforms (None: Fourier transforms). The attribute ``length`` is the length of the group's last axis
    after the forward transform. Arrays and plans are made at their first use.
    """

    def __init__(self, shape, axes, dtype, kept, pair, options):
        self.axes = axes
        self._shape, self._dtype, self._pair = tuple(shape), dtype, pair
        self._options = options
        self._real = dtype.char in "fd"
        n = shape[axes[-1]]
        self._kept = kept if kept is not None and kept < n else None
        self._made = None
        if pair is not None:
            self._make()
            self.dtype_out = self.output_array.dtype
            self.length = self.output_array.shape[axes[-1]]
            return
        self.dtype_out = np.dtype(dtype.char.upper())
        modes = n if self._kept is None else kept
        self.length = modes // 2 + 1 if self._real else modes

    def points(self, shape):
        """Returns the factor by which a forward and a backward transform multiply an array of this shape."""
        if self._pair is not None and hasattr(self._forward, "get_normalization"):
            return 1.0 / self._forward.get_normalization()
        return math.prod(shape[a] for a in self.axes)

    @property
    def input_array(self):
        """This rank's array before the transform."""
        self._make()
        return self._made[0]

    @property
    def output_array(self):
        """This rank's array after the transform, with only the retained modes."""
        self._make()
        return self._made[1]

    def forward(self):
        """Transforms ``input_array`` to ``output_array``; the result is not normalised."""
        self._run(True)
        if self._kept is not None:
            self._truncate()

    def backward(self):
        """Transforms ``output_array`` back to ``input_array``; the result is not normalised."""
        if self._kept is not None:
            self._pad()
        self._run(False)

    def destroy(self):
        """Frees the arrays and the plans."""
        self._made = self._forward = self._backward = None

    def _run(self, forward):
        self._make()
        if self._spectrum.size == 0:
            return
        run = self._forward if forward else self._backward
        arrays = (self._made[0], self._spectrum)
        if isinstance(run, Plan):
            run.execute(*(arrays if forward else arrays[::-1]))
            return
        source, target = arrays if forward else arrays[::-1]
        if run.input_array is not source:
            run.input_array[...] = source
        run()
        if run.output_array is not target:
            target[...] = run.output_array

    def _make(self):
        if self._made is not None:
            return
        if self._pair is not None:
            array = empty(self._shape, self._dtype)
            threads = self._options["threads"]
            self._forward = _planned(self._pair[0], array, self.axes, threads)
            self._spectrum = self._forward.output_array
            self._backward = _planned(self._pair[1], self._spectrum, self.axes, threads)
            self._made = (self._forward.input_array, self._spectrum)
            return
        full = list(self._shape)
        if self._real:
            full[self.axes[-1]] = full[self.axes[-1]] // 2 + 1
        needs = self._make_plans(full)
        self._spectrum = empty(full, self.dtype_out, needs[1])
        output = self._spectrum
        if self._kept is not None:
            full[self.axes[-1]] = self.length
            output = empty(full, self.dtype_out)
        self._made = (empty(self._shape, self._dtype, needs[0]), output)

    def _make_plans(self, full):
        """Makes the forward and the backward plan, unless the local array is empty. Returns the bytes that the plans
        need in the input and in the output array."""
        self._forward = self._backward = None
        if math.prod(self._shape) == 0:
            return 0, 0
        ones = [1] * len(full)
        layouts = [Layout.grid(self._shape, ones), Layout.grid(full, ones)]
        common = dict(axes=self.axes, dtype=self._dtype, comm=MPI.COMM_SELF, **self._options)
        self._forward = Plan(layout_in=layouts[0], layout_out=layouts[1], **common)
        self._backward = Plan(layout_in=layouts[1], layout_out=layouts[0], direction="backward",
                              kind="c2r" if self._real else "c2c", **common)
        return (max(self._forward.input_bytes, self._backward.output_bytes),
                max(self._forward.output_bytes, self._backward.input_bytes))

    def _along(self, array, part):
        index = [slice(None)] * array.ndim
        index[self.axes[-1]] = part
        return array[tuple(index)]

    def _truncate(self):
        """Copies the retained modes from the full spectrum to ``output_array``. If their number m is even, mode m/2
        becomes the sum of the modes m/2 and -m/2."""
        source, target = self._spectrum, self._made[1]
        half = self._kept // 2
        even = self._kept % 2 == 0
        if self._real:
            target[...] = self._along(source, slice(0, half + 1))
            if even:
                middle = self._along(target, half)
                middle[...] = 2 * middle.real
            return
        positive = half if even else half + 1
        self._along(target, slice(0, positive))[...] = self._along(source, slice(0, positive))
        self._along(target, slice(self._kept - half, None))[...] = self._along(source,
                                                                                slice(-half, None))
        if even:
            self._along(target, half)[...] += self._along(source, half)

    def _pad(self):
        """Copies the retained modes from ``output_array`` to the full spectrum and zeros the others. If their number m
        is even, the modes m/2 and -m/2 each get half of mode m/2."""
        source, target = self._made[1], self._spectrum
        half = self._kept // 2
        even = self._kept % 2 == 0
        target.fill(0)
        if self._real:
            self._along(target, slice(0, half + 1))[...] = source
            if even:
                middle = self._along(target, half)
                middle[...] = 0.5 * middle.real
            return
        positive = half if even else half + 1
        self._along(target, slice(0, positive))[...] = self._along(source, slice(0, positive))
        self._along(target, slice(-half, None))[...] = self._along(source, slice(-half, None))
        if even:
            middle = 0.5 * self._along(source, half)
            self._along(target, half)[...] = middle
            self._along(target, -half)[...] = middle
