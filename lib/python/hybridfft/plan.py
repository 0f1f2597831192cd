"""Plans: transforms of distributed numpy arrays, made once and executed as often as you like."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import DTypeLike

from . import _core, arguments, ending
from .arguments import INT_MAX, count, flag, instance, integer, integers
from .ending import Aside, agree
from .errors import argument_error, require_choice
from .execution import Execution, Started, new_lock, settling
from .layout import _FIELDS, Layout
from .memory import address, allocate, capacity, memory_of

_KINDS = {"c2c": _core.Kind.c2c, "r2c": _core.Kind.r2c, "c2r": _core.Kind.c2r, "r2r": _core.Kind.r2r}
#: Transforms along one axis, by the numbers of hfft_r2r_kind.
_LINES = {name: number for number, name in enumerate(
    ("dft", "r2hc", "hc2r", "dht", "redft00", "redft01", "redft10", "redft11", "rodft00", "rodft01", "rodft10",
     "rodft11"), start=-1)}
_DIRECTIONS = {"forward": _core.Direction.forward, "backward": _core.Direction.backward}
_EFFORTS = {name: getattr(_core.Effort, name) for name in
            ("estimate", "measure", "patient", "exhaustive")}
_WIRES = {None: _core.Wire.full,
          **{name: getattr(_core.Wire, name) for name in ("single", "bfloat16", "half")}}
#: Options of slabs, and their defaults.
_SLABS = dict(transposed_in=False, transposed_out=False, scrambled_in=False, scrambled_out=False, howmany=1,
              block_in=0, block_out=0)


def _types(dtype, kind, kinds=None):
    """Returns whether a plan has single precision, its kind, and the dtypes of input and output."""
    dtype = arguments.dtype("dtype", dtype, "fdFD")
    real, complex_ = np.dtype(dtype.char.lower()), np.dtype(dtype.char.upper())
    if kind is None:
        all_real = kinds is not None and "dft" not in kinds
        kind = "c2c" if dtype != real else "r2r" if all_real else "r2c"
    require_choice("kind", kind, _KINDS)
    return (real == np.float32, kind,
            (real if kind in ("r2c", "r2r") else complex_, real if kind in ("c2r", "r2r") else complex_))


def _logical(line, n):
    """Returns the length of the Fourier transform equivalent to a cosine or sine transform of n points: a transform and
    its inverse multiply by it."""
    if line in ("redft00", "rodft00"):
        return 2 * (n - 1 if line == "redft00" else n + 1)
    return 2 * n if line.startswith("r") and "dft" in line else n


def _set_common(options, *, direction, effort, wire, scale, threads, time_limit, deterministic,
                nonblocking, wisdom_only, modes, kinds, work):
    """Sets the options common to slabs and other layouts."""
    options.direction = require_choice("direction", direction, _DIRECTIONS)
    options.effort = require_choice("effort", effort, _EFFORTS)
    options.wire = require_choice("wire", wire, _WIRES)
    options.scale = arguments.number("scale", scale)
    options.threads = count("threads", threads)
    options.time_limit = arguments.seconds("time_limit", time_limit)
    options.deterministic = flag("deterministic", deterministic)
    options.nonblocking = flag("nonblocking", nonblocking)
    options.wisdom_only = flag("wisdom_only", wisdom_only)
    options.modes = [] if modes is None else integers("modes", modes)
    options.kinds = [] if kinds is None else [
        require_choice(f"kinds[{i}]", line, _LINES)
        for i, line in enumerate(arguments.sequence("kinds", kinds, "names"))]
    if work is not None:
        options.set_work(instance("work", work, WorkSpace)._core)


def _slab_problem(options, shape, axes, slabs):
    """Returns the extension's functions for slabs, and their arguments."""
    if axes is not None:
        raise argument_error(f"axes is {axes!r}, but slabs have all axes transformed: expected "
                             "layout_in and layout_out")
    for name in ("transposed_in", "transposed_out", "scrambled_in", "scrambled_out"):
        setattr(options, name, flag(name, slabs[name]))
    options.howmany = integer("howmany", slabs["howmany"])
    options.block_in = integer("block_in", slabs["block_in"], 0)
    options.block_out = integer("block_out", slabs["block_out"], 0)
    return (integers("shape", shape),), _core.need_of_slabs, _core.plan_slabs


def _layout_problem(options, layout_in, layout_out, axes, slabs):
    """Returns the extension's functions for other layouts, and their arguments."""
    for name, given in slabs.items():
        if not isinstance(given, (int, np.integer, np.bool_)) or given != _SLABS[name]:
            raise argument_error(f"{name} is {arguments.shown(given)}, but layouts have their own: expected none")
    if axes is not None:
        options.axes = integers("axes", axes, -INT_MAX, INT_MAX)
        options.redistribute_only = not options.axes
    instance("layout_in", layout_in, Layout)
    instance("layout_out", layout_out, Layout)
    return (layout_in._core, layout_out._core), _core.need_of_layouts, _core.plan_layouts


class WorkSpace:
    """Memory that several plans share for the data between their steps.

    Plans that have it as ``work`` take turns in it: forward and backward plans need one together. It is
    the library's, as large as the largest plan needs, until :meth:`give` is called.
    """

    def __init__(self) -> None:
        self._core = _core.WorkSpace()
        self._memory = None
        self._lock = None
        self._started = []

    def _shared(self):
        """The lock of all plans that work in it, and their executions in the background."""
        if self._lock is None:
            self._lock = new_lock()
        return self._lock, self._started

    @property
    def size(self) -> int:
        """Bytes that the plans made so far need on this rank."""
        return self._core.size

    def __repr__(self) -> str:
        return f"<hybridfft.WorkSpace of {self.size} bytes>"

    def give(self, array: np.ndarray) -> None:
        """From now on the work space is this array's memory: at least :attr:`size` bytes, contiguous, on
        a boundary of 64 bytes (:func:`hybridfft.empty` makes such arrays). Raises
        :class:`hybridfft.Error`, and changes nothing, for less, and while an execution uses it. An
        execution that was dropped is waited for."""
        arguments.array("array", array)
        if not array.flags.c_contiguous:
            raise argument_error(f"array has strides {array.strides}, expected a contiguous one")
        if not array.flags.writeable:
            raise argument_error("array is read-only, expected an array that can be written")
        with settling(self._lock, self._started) as settle:
            settle()
            self._core.give((address(array), array.nbytes))
            self._memory = array


class Plan:
    """A transform of a distributed array, planned.

    A plan is between slabs of ``shape``, or between any two layouts::

        plan = hybridfft.Plan((256, 256, 256), dtype=complex)        # the first axis cut over the ranks
        plan.input[...] = ...                                        # this rank's part of the array
        plan.execute()
        print(plan.output_slice, plan.output)                        # which part it is, and its values

        grid = hybridfft.choose_grid(shape, dtype=float)
        points, spectrum = hybridfft.pencils(shape, grid, real=True)
        plan = hybridfft.Plan(layout_in=points, layout_out=spectrum, dtype=float)

    Nothing is copied: the arrays that are given to :meth:`execute` are transformed where they lie, and
    Python's lock is released meanwhile. Results are not normalised unless ``scale`` says so. Making a
    plan and executing it is collective: all ranks of ``comm`` do it, in the same order. So is
    :meth:`destroy`, and the end of a ``with`` block. A plan that is merely dropped ends when all ranks have
    dropped it and make the next one on its communicator, or call :func:`hybridfft.collect`. Plans end
    before their communicator is freed, or never.

    Parameters
    ----------
    shape : sequence of int
        Points of the global array; of r2c and c2r those of the real array. One axis makes a plan of
        distributed lines: complex ones, or ``kind="r2r"`` ones. The spectrum of real data has ``n // 2 + 1`` points along its
        last axis, and slabs of real data are padded in memory as FFTW's are: :attr:`input`,
        :meth:`empty_input` know how.
    dtype : dtype
        ``complex`` (default): a complex transform; ``float``: a real one, r2c. float32 and complex64 are
        single precision.
    comm : mpi4py.MPI.Comm
        Whose ranks have the arrays; default ``MPI.COMM_WORLD``.
    kind : str
        ``"c2c"``, ``"r2c"`` (forward), ``"c2r"`` (backward) or ``"r2r"`` (real to real); default by the
        dtype and ``kinds``.
    kinds : sequence of str
        The transform of each axis (of each of ``axes``): ``"dft"``, or one of FFTW's between real lines:
        ``"redft10"`` and so on. Default: Fourier transforms. Between slabs the last axis with ``"dft"`` is
        the halved one of real data.
    layout_in, layout_out : Layout
        In place of ``shape``.
    direction : str
        ``"forward"`` (default) or ``"backward"``, of c2c.
    input, output : numpy.ndarray
        Arrays to plan with, which :attr:`input` and :attr:`output` are then; all efforts but
        ``"estimate"`` overwrite them. Default: arrays of the plan's own, when they are asked for.
    in_place : bool
        Input and output share memory.
    axes : sequence of int
        Of layouts: the axes to transform, for r2c and c2r the halved one last; default all. An empty
        one transforms nothing: the array is redistributed.
    modes : sequence of int
        Of pruned transforms: how many modes the spectrum has along each axis; the others are left out,
        or zero. See docs/operators.md.
    effort : str
        ``"estimate"``, ``"measure"`` (default), ``"patient"``, ``"exhaustive"``: how long to search.
    scale : float
        Factor of the result, applied in the pass of the last transform.
    transposed_in, transposed_out : bool
        Of slabs: the array is cut along its second axis, and stored with the first two exchanged.
        Arrays are indexed in the order of ``shape`` nevertheless.
    scrambled_in, scrambled_out : bool
        Of one axis: element ``k0 * n1 + k1`` is frequency ``k0 + n0 * k1``, which saves an exchange. n0 is
        the largest factor of n = n0 n1 up to its root.
    howmany, block_in, block_out : int
        Of slabs: interleaved values per point (the last axis of arrays), rows on a rank.
    threads : int
        Threads per rank of this plan; 0: those of :func:`hybridfft.set_threads`.
    time_limit : float
        Seconds for planning; None: as long as it takes.
    deterministic : bool
        The same bits for any number of ranks and threads.
    wire : str
        Precision of messages, ``"single"`` for double plans, ``"bfloat16"`` or ``"half"`` for
        single ones.
    nonblocking : bool
        For :meth:`start`: messages travel while the program does other work.
    wisdom_only : bool
        Only a plan that wisdom knows; else an Error with ``ErrorCode.NO_WISDOM``.
    work : WorkSpace
        Memory that plans share; default the plan's own.

    Raises
    ------
    hybridfft.Error
        On all ranks alike, with the library's words.
    """

    def __init__(self, shape: Sequence[int] | None = None, dtype: DTypeLike = complex, comm: MPI.Comm | None = None,
                 *, kind: str | None = None, layout_in: Layout | None = None, layout_out: Layout | None = None,
                 direction: str = "forward", input: np.ndarray | None = None, output: np.ndarray | None = None,
                 in_place: bool = False, axes: Sequence[int] | None = None, modes: Sequence[int] | None = None,
                 kinds: Sequence[str | None] | None = None,
                 effort: str = "measure", scale: float = 1.0, transposed_in: bool = False,
                 transposed_out: bool = False, scrambled_in: bool = False, scrambled_out: bool = False,
                 howmany: int = 1, block_in: int = 0, block_out: int = 0,
                 threads: int = 0, time_limit: float | None = None, deterministic: bool = False,
                 wire: str | None = None, nonblocking: bool = False, wisdom_only: bool = False,
                 work: WorkSpace | None = None) -> None:
        self._plan = None
        self.comm = arguments.communicator(comm)
        self._work = work
        self._rank = self.comm.Get_rank()
        options = _core.Options(self.comm)
        common = dict(direction=direction, effort=effort, scale=scale, threads=threads,
                      time_limit=time_limit, deterministic=deterministic, wire=wire,
                      nonblocking=nonblocking, wisdom_only=wisdom_only, modes=modes, kinds=kinds, work=work)
        slabs = dict(transposed_in=transposed_in, transposed_out=transposed_out, scrambled_in=scrambled_in,
                     scrambled_out=scrambled_out, howmany=howmany,
                     block_in=block_in, block_out=block_out)

        def prepare():
            _set_common(options, **common)
            self.in_place = flag("in_place", in_place) or (input is not None and input is output)
            if shape is not None and layout_in is None and layout_out is None:
                return _types(dtype, kind, kinds), _slab_problem(options, shape, axes, slabs)
            if shape is None and layout_in is not None and layout_out is not None:
                return _types(dtype, kind, kinds), _layout_problem(options, layout_in, layout_out, axes, slabs)
            raise argument_error("expected either shape, or layout_in and layout_out")

        (single, self.kind, self._dtypes), (what, need, plan) = agree(self.comm, prepare)
        core_kind = _KINDS[self.kind]
        core_in, core_out, self._bytes_in, self._bytes_out = need(core_kind, single, *what, options)
        if self.in_place:
            self._bytes_in = self._bytes_out = max(self._bytes_in, self._bytes_out)
        self._layouts = (Layout(core_in), Layout(core_out))
        self._shapes = tuple(l.local_shape(self._rank) for l in self._layouts)
        self._strides = tuple(tuple(s * d.itemsize for s in l.strides(self._rank))
                              for l, d in zip(self._layouts, self._dtypes))
        self._lines = {} if kinds is None else dict(zip(
            range(len(self._shapes[0])) if axes is None else axes, kinds))
        self._arrays = [input, output]
        self._lock, self._started = (new_lock(), []) if work is None else work._shared()
        # Arrays made here are freed at the end of this call. The plan's own arrays are made at their first use.
        memory, spans = agree(self.comm, lambda: self._planning_memory(input, output, effort))
        with settling(self._lock, self._started) as settle:
            settle()
            self._plan = plan(core_kind, single, *what, *spans, options)
        del memory
        self._aside = Aside.of(self.comm)
        self._number = self._aside.number()

    def _planning_memory(self, input, output, effort):
        """Makes the arrays for planning. Returns them with their addresses and bytes."""
        self._require_idle()
        arrays = [input, output]
        spans = [None if a is None else self._span(a, side) for side, a in enumerate(arrays)]
        if input is not None and effort != "estimate" and not input.flags.writeable:
            raise argument_error("the input is read-only, expected an array that planning can overwrite, "
                                 "or effort='estimate'")
        for side, needed in enumerate((self._bytes_in, self._bytes_out)):
            if spans[side] is None and self.in_place and spans[1 - side] is not None:
                spans[side] = spans[1 - side]
            elif spans[side] is None:
                arrays[side] = allocate(needed)
                spans[side] = (address(arrays[side]), arrays[side].nbytes)
        return arrays, self._checked(spans)

    def _span(self, array, side):
        """Returns the address and the usable bytes of an array that is the input (side 0) or the output (side 1)."""
        self._require_array(array, side)
        return address(array), capacity(array)

    def _require_array(self, array, side):
        name = ("input", "output")[side]
        arguments.array(name, array)
        if array.dtype != self._dtypes[side]:
            raise argument_error(f"the {name} is of dtype {array.dtype}, expected {self._dtypes[side]}")
        if array.shape != self._shapes[side]:
            raise argument_error(f"the {name} has shape {array.shape} on rank {self._rank}, "
                                 f"expected {self._shapes[side]}")
        expected = self._strides[side]
        if array.size > 0 and any(n > 1 and found != s for n, found, s in
                                  zip(array.shape, array.strides, expected)):
            raise argument_error(
                f"the {name} has strides of {array.strides} bytes, expected {expected}: "
                f"Plan.empty_{name}() makes arrays with the padding and the order of the plan")
        if side == 1 and not array.flags.writeable:
            raise argument_error("the output is read-only, expected an array that can be written")

    def _checked(self, spans):
        """Checks the addresses and sizes of input and output: both are large enough, equal in place, and separate out
        of place. Returns them."""
        if self.in_place and spans[0][0] == spans[1][0]:  # both are views of one memory: the larger one counts
            spans = (max(spans),) * 2
        for name, (_, found), needed in zip(("input", "output"), spans,
                                            (self._bytes_in, self._bytes_out)):
            if found < needed:
                raise argument_error(f"the {name} has {found} bytes on rank {self._rank}, "
                                     f"expected {needed}, because the plan works in it: "
                                     f"Plan.empty_{name}() makes arrays with room")
        distance = spans[1][0] - spans[0][0]
        if self.in_place and distance != 0:
            raise argument_error(f"the output begins {distance} bytes after the input, expected 0: "
                                 "the plan is in place")
        if not self.in_place and -self._bytes_out < distance < self._bytes_in:
            raise argument_error(f"the output begins {distance} bytes after the input and overlaps it, "
                                 "expected separate arrays: the plan is out of place")
        return spans

    def execute(self, input: np.ndarray | None = None, output: np.ndarray | None = None) -> np.ndarray:
        """Transforms and returns the output. Collective.

        Without arrays those of the plan; else arrays with their shape, strides and dtype, in place if
        and only if planned so, and as large: :meth:`empty_input` and :meth:`empty_output` make such, and
        most plain numpy arrays are. Input and output do not overlap, unless in place. An array that is
        wrong on some rank is refused on all. Threads take turns.
        """
        return self._execute(lambda: self._operands(input, output))

    def _execute(self, prepare, finish=None, agreed=False):
        """Executes the plan under its lock. ``prepare()`` returns addresses, bytes and the output. If it raises on one
        rank, all ranks raise, except with ``agreed``: the ranks have then agreed before. ``finish()`` is called at the
        end."""
        self._alive()
        with settling(self._lock, self._started) as settle:
            spans, output = prepare() if agreed else ending.vote(self._aside, prepare, held=self._lock)[0]
            settle()
            self._alive().execute(*spans)
            if finish is not None:
                finish()
        return output

    __call__ = execute

    def start(self, input: np.ndarray | None = None, output: np.ndarray | None = None) -> Execution:
        """Starts an execution in the background and returns an :class:`Execution`, a future. As a
        context manager it waits at the end of the block. The program must not use the arrays before
        the execution has ended. Collective; all ranks start and end the same executions. Plans made
        with ``nonblocking=True`` are tuned for this use. ::

            with plan.start(a, b) as execution:
                work()                # messages travel meanwhile
                execution.done()      # makes progress
            use(b)

        If an array is invalid on one rank, that rank raises the error at once. The other ranks
        raise it when the execution ends, and the values of their outputs are undefined.
        """
        self._alive()
        with settling(self._lock, self._started) as settle:
            core, error = self._alive(), None
            self._require_idle()
            try:
                spans, result = self._operands(input, output)
                arrays = (self.input if input is None else input, result)
            except Exception as e:
                if self._layouts[0].ranks == 1:
                    raise
                error = e  # other ranks wait for this rank's part
                arrays = self._substitutes()
                spans, result = self._operands(*arrays)
            settle()
            execution = Execution(Started(self, core, arrays, result))
            execution._started.begin(spans, self._aside.vote(failure=error or ""))
        try:
            if error is not None:
                raise error
            return execution
        finally:
            del error, execution  # its traceback refers to this frame

    def _require_idle(self):
        """Raises an Error if the user still has a handle of an execution that uses the plan or its work space."""
        for started in self._started:
            if not started.dropped:
                which = "the plan" if started.is_of(self) else "another plan with the same work space"
                raise argument_error(f"an execution of {which} has been started and not been waited for, "
                                     "expected none")

    def _operands(self, input, output):
        self._alive()
        self._require_idle()
        input = self.input if input is None else input
        if output is None:
            output = self._view_of(input, 1) if self.in_place and input is not self._arrays[0] \
                else self.output
        return self._checked((self._span(input, 0), self._span(output, 1))), output

    def _substitutes(self):
        """Makes arrays for an execution whose result is not used."""
        input = self.empty_input()
        return input, self._view_of(input, 1) if self.in_place else self.empty_output()

    def _alive(self):
        if self._plan is None:
            raise argument_error("the plan has been destroyed, expected one that has not")
        return self._plan

    def _view_of(self, array, side):
        """Returns the output for a given input in place, or the input for a given output."""
        self._require_array(array, 1 - side)
        memory = memory_of(array)
        if memory is None or address(memory) != address(array):
            raise argument_error("only one array is given in place, expected both: views of one memory")
        return self._layouts[side].view(memory, self._rank, self._dtypes[side])

    @property
    def input(self) -> np.ndarray:
        """The plan's own input array: this rank's part, indexed in the order of the global axes."""
        return self._own(0)

    @property
    def output(self) -> np.ndarray:
        """The plan's own output array."""
        return self._own(1)

    def _own(self, side):
        if self._arrays[side] is None:
            if self.in_place and self._arrays[1 - side] is not None:
                self._arrays[side] = self._view_of(self._arrays[1 - side], side)
            else:
                self._arrays[side] = (self.empty_input, self.empty_output)[side]()
        return self._arrays[side]

    def empty_input(self) -> np.ndarray:
        """A new zeroed array for the input."""
        return self._layouts[0].empty(self._rank, self._dtypes[0], self._bytes_in)

    def empty_output(self) -> np.ndarray:
        """A new zeroed array for the output."""
        return self._layouts[1].empty(self._rank, self._dtypes[1], self._bytes_out)

    @property
    def input_bytes(self) -> int:
        """Bytes that an input array needs on this rank."""
        return self._bytes_in

    @property
    def output_bytes(self) -> int:
        """Bytes that an output array needs on this rank."""
        return self._bytes_out

    @property
    def layout_in(self) -> Layout:
        """Layout of the input."""
        return self._layouts[0]

    @property
    def layout_out(self) -> Layout:
        """Layout of the output."""
        return self._layouts[1]

    @property
    def input_slice(self) -> tuple[slice, ...]:
        """Which part of the global input this rank has: a slice for each axis."""
        return self._layouts[0].local_slice(self._rank)

    @property
    def output_slice(self) -> tuple[slice, ...]:
        """Which part of the global output this rank has."""
        return self._layouts[1].local_slice(self._rank)

    @property
    def size(self) -> int:
        """Number of points of the transform: forward and backward multiply by it."""
        side = 1 if self.kind == "c2r" else 0
        lengths = list(self._layouts[side].shape)
        for axis, line in self._lines.items():
            lengths[axis] = _logical(line, lengths[axis])
        return math.prod(lengths)

    @property
    def work_bytes(self) -> int:
        """Bytes of work space that the plan owns on this rank, beside its arrays."""
        return self._alive().work_bytes

    def describe(self) -> str:
        """The plan in words: stages, kernels, exchange, bytes, ranks and threads."""
        return self._alive().describe()

    def set_profiling(self, on: bool = True) -> None:
        """Starts to measure the stages of the following executions, from zero, or stops."""
        with settling(self._lock, self._started):
            self._alive().set_profiling(flag("on", on))

    def profile(self) -> list[dict[str, Any]]:
        """The times of the stages of this rank: a dictionary for each. Collective."""
        with settling(self._lock, self._started):
            return self._alive().profile()

    def destroy(self) -> None:
        """Ends the plan. Collective; an execution in the background is waited for."""
        if self._plan is None:
            return
        own = [started for started in self._started if started.is_of(self)]
        for started in own:
            started.wait()
        self._plan = None

    def __del__(self):
        plan, self._plan = getattr(self, "_plan", None), None
        if plan is not None and self._layouts[0].ranks > 1:
            self._aside.put(self._number, plan)

    def __enter__(self) -> Plan:
        return self

    def __exit__(self, *exception: object) -> None:
        self.destroy()

    def __repr__(self) -> str:
        if self._plan is None:
            return "<hybridfft.Plan, destroyed>"
        return (f"<hybridfft.Plan {self.kind} {self._dtypes[0]}: {self._layouts[0]!r} to "
                f"{self._layouts[1]!r}>")


def choose_grid(shape: Sequence[int], dtype: DTypeLike = complex, comm: MPI.Comm | None = None, *,
                kind: str | None = None, effort: str = "measure", howmany: int = 1, fields: str = "interleaved",
                wisdom_only: bool = False) -> tuple[int, int]:
    """The process grid ``(P0, P1)`` of pencils for these extents: the fastest one, measured, or with
    ``effort="estimate"`` the one nearest to a square. Collective."""
    comm = arguments.communicator(comm)
    options = _core.Options(comm)

    def prepare():
        single, core_kind, _ = _types(dtype, kind)
        options.effort = require_choice("effort", effort, _EFFORTS)
        options.howmany = integer("howmany", howmany)
        options.wisdom_only = flag("wisdom_only", wisdom_only)
        return (_KINDS[core_kind], single, integers("shape", shape), options,
                require_choice("fields", fields, _FIELDS))

    return tuple(_core.choose_grid(*agree(comm, prepare)))
