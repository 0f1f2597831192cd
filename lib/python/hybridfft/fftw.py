"""Serial transforms, under the names that mpi4py-fft's users know: for ``transforms`` of PFFT.

Each function plans a transform of an array along axes and returns a :class:`Serial`. None of them
normalises. Complex and real-to-complex ones are plans of the library on one rank; cosine and sine
transforms are scipy's.
"""

import numpy as np
from mpi4py import MPI

from .errors import argument_error
from .layout import Layout
from .memory import empty
from .plan import Plan

#: The factor of a pair of transforms of a type along an axis of n points.
_DCT_LENGTH = {1: lambda n: 2 * (n - 1), 2: lambda n: 2 * n, 3: lambda n: 2 * n, 4: lambda n: 2 * n}
_DST_LENGTH = {1: lambda n: 2 * (n + 1), 2: lambda n: 2 * n, 3: lambda n: 2 * n, 4: lambda n: 2 * n}
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def get_fftw_lib(dtype):
    """A true value for the precisions that are there: single and double."""
    return np.dtype(dtype).char.lower() in "fd" or None


def aligned(shape, n=64, dtype=float, fill=None):
    """A new array, zeroed or filled, on a boundary of 64 bytes."""
    array = empty(shape, dtype)
    if fill is not None:
        array.fill(fill)
    return array


def aligned_like(z, fill=None):
    """A new array of the shape and dtype of another one."""
    return aligned(z.shape, dtype=z.dtype, fill=fill)


class Serial:
    """A planned transform on one rank: ``serial(input, output, normalize=False)``.

    ``input_array`` and ``output_array`` are its own; calls without arrays use them.
    """

    def __init__(self, run, input_array, output_array, length):
        self._run = run
        self.input_array = input_array
        self.output_array = output_array
        self._length = length

    def get_normalization(self):
        """One over what this transform and its inverse multiply by together."""
        return 1.0 / self._length

    def __call__(self, input_array=None, output_array=None, normalize=False, **options):
        if input_array is not None:
            self.input_array[...] = input_array
        self._run(self.input_array, self.output_array)
        if normalize:
            self.output_array *= self.get_normalization()
        if output_array is None:
            return self.output_array
        output_array[...] = self.output_array
        return output_array


def _axes(array, axes):
    return tuple(a % array.ndim for a in (range(array.ndim) if axes is None else np.atleast_1d(axes)))


def _serial_plan(kind, direction, array, s, axes, output_array, threads):
    axes = _axes(array, axes)
    spectrum = list(array.shape)
    dtype = array.dtype
    if kind == "r2c":
        spectrum[axes[-1]] = spectrum[axes[-1]] // 2 + 1
    elif kind == "c2r":
        if s is None and output_array is None:
            raise argument_error("s is None, expected the extents of the real array along the axes")
        spectrum = list(array.shape)
        spectrum[axes[-1]] = int(s[-1]) if s is not None else output_array.shape[axes[-1]]
    ones = [1] * array.ndim
    plan = Plan(layout_in=Layout.grid(array.shape, ones), layout_out=Layout.grid(spectrum, ones),
                dtype=dtype, kind=kind, direction=direction, axes=axes, comm=MPI.COMM_SELF,
                threads=threads, effort="estimate")
    real = spectrum if kind == "c2r" else array.shape
    return Serial(lambda a, b: plan.execute(a, b), plan.input, plan.output,
                  int(np.prod([real[a] for a in axes])))


def fftn(input_array, s=None, axes=None, threads=1, flags=None, output_array=None):
    """Plans a forward complex transform."""
    return _serial_plan("c2c", "forward", input_array, s, axes, output_array, threads)


def ifftn(input_array, s=None, axes=None, threads=1, flags=None, output_array=None):
    """Plans a backward complex transform, which is not normalised."""
    return _serial_plan("c2c", "backward", input_array, s, axes, output_array, threads)


def rfftn(input_array, s=None, axes=None, threads=1, flags=None, output_array=None):
    """Plans a real-to-complex transform; the last one of ``axes`` is halved."""
    return _serial_plan("r2c", "forward", input_array, s, axes, output_array, threads)


def irfftn(input_array, s=None, axes=None, threads=1, flags=None, output_array=None):
    """Plans a complex-to-real transform, which is not normalised. ``s``: extents of the real array along
    ``axes``."""
    return _serial_plan("c2r", "backward", input_array, s, axes, output_array, threads)


def _real(name, lengths, type, inverse, array, axes):
    try:
        import scipy.fft
    except ImportError as e:
        raise ImportError("cosine and sine transforms are scipy's: pip install scipy") from e
    if type not in _INVERSE:
        raise argument_error(f"type is {type}, expected 1, 2, 3 or 4")
    axes = _axes(array, axes)
    length = int(np.prod([lengths[type](array.shape[a]) for a in axes]))
    transform = getattr(scipy.fft, name)
    kind = _INVERSE[type] if inverse else type

    def run(source, target):
        target[...] = transform(source, type=kind, axes=axes)

    return Serial(run, aligned_like(array), aligned_like(array), length)


def dctn(input_array, s=None, axes=None, type=2, threads=1, flags=None, output_array=None):
    """Plans a cosine transform of a type 1 to 4, as FFTW defines them."""
    return _real("dctn", _DCT_LENGTH, type, False, input_array, axes)


def idctn(input_array, s=None, axes=None, type=2, threads=1, flags=None, output_array=None):
    """Plans the inverse of the cosine transform of a type, which is not normalised."""
    return _real("dctn", _DCT_LENGTH, type, True, input_array, axes)


def dstn(input_array, s=None, axes=None, type=2, threads=1, flags=None, output_array=None):
    """Plans a sine transform of a type 1 to 4, as FFTW defines them."""
    return _real("dstn", _DST_LENGTH, type, False, input_array, axes)


def idstn(input_array, s=None, axes=None, type=2, threads=1, flags=None, output_array=None):
    """Plans the inverse of the sine transform of a type, which is not normalised."""
    return _real("dstn", _DST_LENGTH, type, True, input_array, axes)
