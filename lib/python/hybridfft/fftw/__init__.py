"""Serial transforms with mpi4py-fft's names, for the argument ``transforms`` of PFFT.

Each function plans a transform of an array along axes, by default the last one, and returns a
:class:`Serial`. Results are not normalised. All transforms are plans of this library on one rank.

``flags`` is one of FFTW's planning flags or a sequence of them. FFTW_ESTIMATE, FFTW_MEASURE (default),
FFTW_PATIENT and FFTW_EXHAUSTIVE set the effort of planning. With FFTW_WISDOM_ONLY planning fails if wisdom has
no plan. FFTW_DESTROY_INPUT, FFTW_PRESERVE_INPUT, FFTW_UNALIGNED and FFTW_CONSERVE_MEMORY have no effect:
neither planning nor transforms change the input.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import ArrayLike, DTypeLike

from .. import arguments
from ..arguments import flag, integer, integers, shown
from ..errors import argument_error
from ..layout import Layout
from ..plan import Plan, _logical
from . import utilities
from .utilities import (FFTW_CONSERVE_MEMORY, FFTW_DESTROY_INPUT, FFTW_ESTIMATE, FFTW_EXHAUSTIVE,  # noqa: F401
                        FFTW_MEASURE, FFTW_PATIENT, FFTW_PRESERVE_INPUT, FFTW_UNALIGNED, FFTW_WISDOM_ONLY,
                        aligned, aligned_like)

#: Maps the names of the flags to their values.
flag_dict = {name: value for name, value in vars(utilities).items() if name in utilities.FLAGS}
_ALL_FLAGS = sum(flag_dict.values())
_EFFORTS = {FFTW_ESTIMATE: "estimate", FFTW_EXHAUSTIVE: "exhaustive", FFTW_PATIENT: "patient"}

#: FFTW's kinds for the types 1 to 4 of cosine and sine transforms, and the type of the inverse of each type.
_DCT = {1: "redft00", 2: "redft10", 3: "redft01", 4: "redft11"}
_DST = {1: "rodft00", 2: "rodft10", 3: "rodft01", 4: "rodft11"}
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def get_fftw_lib(dtype: DTypeLike) -> bool | None:
    """Returns True for dtypes of single or double precision, and None for others."""
    return arguments.dtype("dtype", dtype).char.lower() in "fd" or None


class Serial:
    """A planned transform on one rank: ``serial(input, output, normalize=False)``.

    ``input_array`` and ``output_array`` are the arrays passed to the planner. Calls without arrays use them.
    """

    def __init__(self, run, input_array, output_array, length):
        self._run = run
        self.input_array = input_array
        self.output_array = output_array
        self._length = length

    def __repr__(self) -> str:
        return (f"<hybridfft.fftw.Serial {self.input_array.shape} {self.input_array.dtype} to "
                f"{self.output_array.shape} {self.output_array.dtype}>")

    def get_normalization(self) -> float:
        """Returns the factor that makes this transform and its inverse together the identity."""
        return 1.0 / self._length

    def destroy(self) -> None:
        """Frees the plan."""
        self._run = None

    def __call__(self, input_array: ArrayLike | None = None, output_array: np.ndarray | None = None,
                 implicit: bool = True, normalize: bool = False, **options: Any) -> np.ndarray:
        """Transforms ``input_array`` to ``output_array`` and returns the output. With ``implicit=False`` first
        copies the input to the attribute :attr:`input_array`. Other options are ignored."""
        if self._run is None:
            raise argument_error("the transform is called after destroy()")
        source, target = self.input_array, self.output_array
        implicit, normalize = flag("implicit", implicit), flag("normalize", normalize)
        if input_array is not None:
            given = np.asanyarray(input_array)
            _require_like("input_array", given, source.shape, given.dtype, source.dtype)
            if implicit:
                source = given
            else:
                source[...] = given
        if output_array is not None:
            arguments.array("output_array", output_array)
            _require_like("output_array", output_array, target.shape, target.dtype, output_array.dtype)
            target = output_array
        if not target.flags.writeable:
            raise argument_error("output_array is read-only, expected an array that can be written")
        self._run(source, target)
        if normalize:
            target *= self.get_normalization()
        return target


def _require_shape(name, array, shape):
    if np.shape(array) != tuple(shape):
        raise argument_error(f"{name} has the shape {np.shape(array)}, expected {tuple(shape)}")


def _require_like(name, array, shape, source, target):
    """Raises an Error unless the array has the shape ``shape``, and numpy can cast the dtype ``source`` to ``target``
    with the rule "same_kind" (not from complex to real)."""
    _require_shape(name, array, shape)
    if not np.can_cast(source, target, "same_kind"):
        raise argument_error(f"{name} is of dtype {array.dtype}, and {source} cannot become {target}")


def _effort(flags):
    """Returns the planning effort, and whether to use only plans from wisdom."""
    if flags is None or np.size(flags) == 0:
        return "estimate", False
    bits = 0
    for one in flags if isinstance(flags, (tuple, list, np.ndarray)) else [flags]:
        if not isinstance(one, (int, np.integer)) or isinstance(one, bool) or one < 0 or one & ~_ALL_FLAGS:
            raise argument_error(f"flags has {shown(one)}, expected some of {', '.join(flag_dict)}")
        bits |= int(one)
    effort = next((name for bit, name in _EFFORTS.items() if bits & bit), "measure")
    return effort, bool(bits & FFTW_WISDOM_ONLY)


def _axes(array, axes):
    """Returns the axes as a tuple of numbers from 0; None means all axes. Raises an Error for repeated axes."""
    arguments.array("input_array", array)
    d = array.ndim
    if d == 0:
        raise argument_error("input_array has no axes, expected one or more")
    if axes is None:
        return tuple(range(d))
    if not isinstance(axes, Iterable):
        axes = (axes,)
    axes = tuple(a % d for a in integers("axes", axes, -d, d - 1))
    if not axes or len(set(axes)) < len(axes):
        raise argument_error(f"axes is {axes}, expected one or more, each once")
    return axes


def _require_extents(array, s, axes):
    """Raises an Error if ``s`` differs from the array's extents along ``axes``: unlike numpy's, these transforms
    neither pad nor truncate."""
    if s is not None and integers("s", s) != [array.shape[a] for a in axes]:
        raise argument_error(f"s is {tuple(s)}, expected {tuple(array.shape[a] for a in axes)}, the extents of "
                             "the input along axes")


def _output(shape, dtype, given):
    """Returns the array for a result: ``given`` after a check of its shape and dtype, or a new one."""
    if given is None:
        return aligned(shape, dtype=dtype)
    arguments.array("output_array", given)
    _require_shape("output_array", given, shape)
    if given.dtype != dtype:
        raise argument_error(f"output_array has the dtype {given.dtype}, expected {np.dtype(dtype)}")
    return given


def _real_extents(array, s, axes):
    """Returns the extents of the real array with the half spectrum ``array``. ``s`` gives its extents along ``axes``;
    without ``s`` the extent along the last of them is even."""
    extents, last = list(array.shape), axes[-1]
    if s is None:
        extents[last] = 2 * (extents[last] - 1)
        return extents
    s = integers("s", s, 1)
    if len(s) != len(axes):
        raise argument_error(f"s has {len(s)} extents, expected {len(axes)}, one for each axis")
    for n, axis in zip(s, axes):
        extents[axis] = n
    halved = list(extents)
    halved[last] = halved[last] // 2 + 1
    if halved != list(array.shape):
        raise argument_error(f"s is {tuple(s)}, whose spectrum has the shape {tuple(halved)}, expected that "
                             f"of the input, {array.shape}")
    return extents


def _serial_plan(kind, direction, array, s, axes, output_array, threads, flags, line=None):
    """Checks the arguments and makes a :class:`Serial`. ``line`` is FFTW's kind of a cosine or sine transform along all
    axes, or None for a Fourier transform."""
    axes = _axes(array, axes)
    wanted = "fd" if kind in ("r2c", "r2r") else "FD"
    if array.dtype.char not in wanted:
        raise argument_error(f"input_array has the dtype {array.dtype}, expected "
                             + " or ".join(str(np.dtype(c)) for c in wanted))
    shape = list(array.shape)
    if kind == "r2c":
        shape[axes[-1]] = shape[axes[-1]] // 2 + 1
    if kind == "c2r":
        shape = _real_extents(array, s, axes)
    else:
        _require_extents(array, s, axes)
    dtype = array.dtype if kind in ("c2c", "r2r") else array.dtype.char.swapcase()
    output = _output(shape, np.dtype(dtype), output_array)
    length = _length(shape if kind == "c2r" else array.shape, axes, line)
    if array.size == 0:
        return Serial(lambda source, target: None, array, output, length)
    # Plans need two axes or more: prepend an axis of length 1 to arrays with one axis.
    more = (1,) * (2 - array.ndim)
    effort, wisdom_only = _effort(flags)
    ones = [1] * max(2, array.ndim)
    plan = Plan(layout_in=Layout.grid(more + array.shape, ones),
                layout_out=Layout.grid(more + tuple(shape), ones), dtype=array.dtype, kind=kind,
                direction=direction, axes=tuple(a + len(more) for a in axes),
                kinds=None if line is None else [line] * len(axes),
                comm=MPI.COMM_SELF, threads=threads, effort=effort, wisdom_only=wisdom_only)

    def run(source, target):
        # User arrays are copied, because they may be views, and plans overwrite the complete memory of both arrays.
        def operands():
            plan.input.reshape(array.shape)[...] = source
            return plan._operands(None, None)

        def finish():
            target[...] = plan.output.reshape(output.shape)

        plan._execute(operands, finish, agreed=True)

    return Serial(run, array, output, length)


def _length(shape, axes, line):
    """Returns the factor by which a transform along ``axes`` and its inverse together multiply."""
    return math.prod(shape[a] if line is None else _logical(line, shape[a]) for a in axes)


def fftn(input_array: np.ndarray, s: Sequence[int] | None = None, axes: int | Sequence[int] = (-1,), threads: int = 1,
         flags: int | Sequence[int] = (FFTW_MEASURE,), output_array: np.ndarray | None = None) -> Serial:
    """Plans a forward complex transform."""
    return _serial_plan("c2c", "forward", input_array, s, axes, output_array, threads, flags)


def ifftn(input_array: np.ndarray, s: Sequence[int] | None = None, axes: int | Sequence[int] = (-1,),
          threads: int = 1, flags: int | Sequence[int] = (FFTW_MEASURE,),
          output_array: np.ndarray | None = None) -> Serial:
    """Plans a backward complex transform, without normalisation."""
    return _serial_plan("c2c", "backward", input_array, s, axes, output_array, threads, flags)


def rfftn(input_array: np.ndarray, s: Sequence[int] | None = None, axes: int | Sequence[int] = (-1,),
          threads: int = 1, flags: int | Sequence[int] = (FFTW_MEASURE,),
          output_array: np.ndarray | None = None) -> Serial:
    """Plans a real-to-complex transform. The last one of ``axes`` has ``n // 2 + 1`` modes in the output."""
    return _serial_plan("r2c", "forward", input_array, s, axes, output_array, threads, flags)


def irfftn(input_array: np.ndarray, s: Sequence[int] | None = None, axes: int | Sequence[int] = (-1,),
           threads: int = 1, flags: int | Sequence[int] = (FFTW_MEASURE,),
           output_array: np.ndarray | None = None) -> Serial:
    """Plans a complex-to-real transform, without normalisation. ``s`` has the extents of the real array along
    ``axes``; by default the last one is even."""
    return _serial_plan("c2r", "backward", input_array, s, axes, output_array, threads, flags)


def _real(lines, type, inverse, array, s, axes, threads, flags, output_array):
    """Plans a cosine or sine transform of a type. Real and imaginary parts of a complex array are transformed
    separately."""
    type = integer("type", type, 1, 4)
    arguments.array("input_array", array)
    arguments.dtype("dtype of input_array", array.dtype, "fdFD")
    kind = "r2r" if array.dtype.char in "fd" else "c2c"
    return _serial_plan(kind, "forward", array, s, axes, output_array, threads, flags,
                        lines[_INVERSE[type] if inverse else type])


def dctn(input_array: np.ndarray, s: Sequence[int] | None = None, axes: int | Sequence[int] = (-1,), type: int = 2,
         threads: int = 1, flags: int | Sequence[int] = (FFTW_MEASURE,),
         output_array: np.ndarray | None = None) -> Serial:
    """Plans a cosine transform of a type from 1 to 4, defined as in FFTW."""
    return _real(_DCT, type, False, input_array, s, axes, threads, flags, output_array)


def idctn(input_array: np.ndarray, s: Sequence[int] | None = None, axes: int | Sequence[int] = (-1,), type: int = 2,
          threads: int = 1, flags: int | Sequence[int] = (FFTW_MEASURE,),
          output_array: np.ndarray | None = None) -> Serial:
    """Plans the inverse of the cosine transform of a type, without normalisation."""
    return _real(_DCT, type, True, input_array, s, axes, threads, flags, output_array)


def dstn(input_array: np.ndarray, s: Sequence[int] | None = None, axes: int | Sequence[int] = (-1,), type: int = 2,
         threads: int = 1, flags: int | Sequence[int] = (FFTW_MEASURE,),
         output_array: np.ndarray | None = None) -> Serial:
    """Plans a sine transform of a type from 1 to 4, defined as in FFTW."""
    return _real(_DST, type, False, input_array, s, axes, threads, flags, output_array)


def idstn(input_array: np.ndarray, s: Sequence[int] | None = None, axes: int | Sequence[int] = (-1,), type: int = 2,
          threads: int = 1, flags: int | Sequence[int] = (FFTW_MEASURE,),
          output_array: np.ndarray | None = None) -> Serial:
    """Plans the inverse of the sine transform of a type, without normalisation."""
    return _real(_DST, type, True, input_array, s, axes, threads, flags, output_array)
