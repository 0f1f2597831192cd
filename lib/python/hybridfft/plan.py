"""Plans: transforms of distributed numpy arrays, made once and executed many times."""

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
#: Names of transforms along one axis, with their numbers in the C type hfft_r2r_kind.
_LINES = {name: number for number, name in enumerate(
    ("dft", "r2hc", "hc2r", "dht", "redft00", "redft01", "redft10", "redft11", "rodft00", "rodft01", "rodft10",
     "rodft11"), start=-1)}
_DIRECTIONS = {"forward": _core.Direction.forward, "backward": _core.Direction.backward}
_EFFORTS = {name: getattr(_core.Effort, name) for name in
            ("estimate", "measure", "patient", "exhaustive")}
_WIRES = {None: _core.Wire.full,
          **{name: getattr(_core.Wire, name) for name in ("single", "bfloat16", "half")}}
#: Options that only slabs have, with their defaults.
_SLABS = dict(transposed_in=False, transposed_out=False, scrambled_in=False, scrambled_out=False, howmany=1,
              block_in=0, block_out=0)


def _types(dtype, kind, kinds=None):
    """Returns ``(single, kind, (dtype_in, dtype_out))`` of a plan; ``single`` is True for single precision."""
    dtype = arguments.dtype("dtype", dtype, "fdFD")
    real, complex_ = np.dtype(dtype.char.lower()), np.dtype(dtype.char.upper())
    if kind is None:
        all_real = kinds is not None and "dft" not in kinds
        kind = "c2c" if dtype != real else "r2r" if all_real else "r2c"
    require_choice("kind", kind, _KINDS)
    return (real == np.float32, kind,
            (real if kind in ("r2c", "r2r") else complex_, real if kind in ("c2r", "r2r") else complex_))


def _logical(line, n):
    """Returns FFTW's logical size of a transform of kind ``line`` with n points: the factor by which the transform and
    its inverse together multiply."""
    if line in ("redft00", "rodft00"):
        return 2 * (n - 1 if line == "redft00" else n + 1)
    return 2 * n if line.startswith("r") and "dft" in line else n


def _set_common(options, *, direction, effort, wire, scale, threads, time_limit, deterministic,
                nonblocking, wisdom_only, modes, kinds, work):
    """Checks the options common to slabs and other layouts, and sets them in ``options``."""
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
    """Checks the options of slabs. Returns the arguments of the extension's functions, and the two functions: one
    computes the bytes needed, the other makes the plan."""
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
    """Like :func:`_slab_problem`, for a transform between two layouts."""
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
    """Memory that several plans share for their intermediate data.

    Pass it as ``work`` to plans that are never executed at the same time, such as a forward and a backward
    plan. The library allocates the memory, as large as the largest of the plans needs, unless you call
    :meth:`give`.
    """

    def __init__(self) -> None:
        self._core = _core.WorkSpace()
        self._memory = None
        self._lock = None
        self._started = []

    def _shared(self):
        """Returns the lock shared by all plans with this work space, and the list of their started executions."""
        if self._lock is None:
            self._lock = new_lock()
        return self._lock, self._started

    @property
    def size(self) -> int:
        """Number of bytes that the plans made so far need on this rank."""
        return self._core.size

    def __repr__(self) -> str:
        return f"<hybridfft.WorkSpace of {self.size} bytes>"

    def give(self, array: np.ndarray) -> None:
        """Makes the plans use the memory of ``array`` from now on.

        The array must be contiguous, aligned to 64 bytes, and have at least :attr:`size` bytes;
        :func:`hybridfft.empty` makes such arrays. Raises :class:`hybridfft.Error` and changes nothing if the
        array is unsuitable or an execution uses the work space. Waits for dropped executions."""
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
    """A planned transform of a distributed array.

    A plan transforms slabs of an array of ``shape``, or transforms between any two layouts::

        plan = hybridfft.Plan((256, 256, 256), dtype=complex)        # slabs: the first axis is distributed
        plan.input[...] = ...                                        # this rank's part of the array
        plan.execute()
        print(plan.output_slice, plan.output)                        # this rank's part: global slice, values

        grid = hybridfft.choose_grid(shape, dtype=float)
        points, spectrum = hybridfft.pencils(shape, grid, real=True)
        plan = hybridfft.Plan(layout_in=points, layout_out=spectrum, dtype=float)

    :meth:`execute` reads and writes the arrays directly, without copies, and releases Python's global lock.
    Results are normalised only by ``scale``. Making, executing and destroying a plan is collective: all ranks
    of ``comm`` make these calls in the same order. The end of a ``with`` block destroys the plan. If you only
    drop a plan, it is destroyed after all ranks have dropped it, when they make the next plan on its
    communicator or call :func:`hybridfft.collect`. Destroy plans before you free their communicator;
    afterwards they stay allocated.

    Parameters
    ----------
    shape : sequence of int
        Points of the global array along each axis; for r2c and c2r of the real array. One axis makes a
        distributed one-dimensional transform, c2c or r2r. The spectrum of real data has ``n // 2 + 1`` points
        along its last axis. Slabs of real data are padded in memory like FFTW's; :attr:`input` and
        :meth:`empty_input` have this padding.
    dtype : dtype
        ``complex`` (default) makes a complex transform, ``float`` a real one (r2c). float32 and complex64
        select single precision.
    comm : mpi4py.MPI.Comm
        The ranks that share the arrays; default ``MPI.COMM_WORLD``.
    kind : str
        ``"c2c"``, ``"r2c"`` (forward), ``"c2r"`` (backward) or ``"r2r"`` (real to real). The default follows
        from the dtype and ``kinds``.
    kinds : sequence of str
        The transform along each axis (or along each of ``axes``): ``"dft"``, or one of FFTW's real-to-real
        kinds such as ``"redft10"``. Default: ``"dft"``. For slabs of real data, the last axis with ``"dft"``
        has the half spectrum.
    layout_in, layout_out : Layout
        Layouts of input and output, in place of ``shape``.
    direction : str
        ``"forward"`` (default) or ``"backward"``, for c2c.
    input, output : numpy.ndarray
        Arrays for planning and for later calls without arguments, returned as :attr:`input` and
        :attr:`output`. All efforts but ``"estimate"`` overwrite them. By default the plan makes its own arrays
        at their first use.
    in_place : bool
        Input and output share memory.
    axes : sequence of int
        For layouts: the axes to transform, default all. For r2c and c2r the last of them has the half
        spectrum. An empty sequence only redistributes the array.
    modes : sequence of int
        For pruned transforms: the number of modes of the spectrum along each axis. Forward transforms omit
        all other modes, backward ones take them as zero. See docs/operators.md.
    effort : str
        Effort of the search for a fast plan: ``"estimate"``, ``"measure"`` (default), ``"patient"`` or
        ``"exhaustive"``.
    scale : float
        Factor of the result, applied during the last transform without an additional pass over memory.
    transposed_in, transposed_out : bool
        For slabs: the second axis is distributed in place of the first, and both are exchanged in memory.
        You still index arrays in the order of ``shape``.
    scrambled_in, scrambled_out : bool
        For one axis: element ``k0 * n1 + k1`` is frequency ``k0 + n0 * k1``. This order saves an exchange. n0 is
        the largest factor of n = n0 n1 up to its square root.
    howmany, block_in, block_out : int
        For slabs: number of interleaved values per point (the last axis of arrays), and rows per rank.
    threads : int
        Threads per rank of this plan. 0 means the value of :func:`hybridfft.set_threads`.
    time_limit : float
        Seconds for planning. None means the limit of :func:`hybridfft.set_time_limit`.
    deterministic : bool
        Results have the same bits for any number of ranks and threads.
    wire : str
        Precision of messages: ``"single"`` for plans in double precision, ``"bfloat16"`` or ``"half"`` for
        single precision. Default: the plan's own.
    nonblocking : bool
        Tunes the plan for :meth:`start`: messages travel while the program does other work.
    wisdom_only : bool
        Raises an Error with ``ErrorCode.NO_WISDOM`` if wisdom has no plan for the problem.
    work : WorkSpace
        Memory shared with other plans; by default the plan has its own.

    Raises
    ------
    hybridfft.Error
        On all ranks, if an argument is wrong on any rank or the library fails.
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
        # ``memory`` keeps arrays that were made only for planning until the plan exists. The plan's own arrays are made
        # later, at their first use.
        memory, spans = agree(self.comm, lambda: self._planning_memory(input, output, effort))
        with settling(self._lock, self._started) as settle:
            settle()
            self._plan = plan(core_kind, single, *what, *spans, options)
        del memory
        self._aside = Aside.of(self.comm)
        self._number = self._aside.number()

    def _planning_memory(self, input, output, effort):
        """Returns the arrays for planning (the user's, or temporary memory), and an address and a number of bytes for
        input and output."""
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
        """Checks an input (side 0) or an output (side 1). Returns its address and its usable bytes."""
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
        """Checks pairs of address and bytes of input and output: both are large enough; they have equal addresses in
        place, and do not overlap out of place. Returns the pairs."""
        if self.in_place and spans[0][0] == spans[1][0]:  # both are views of one memory: use the larger size
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
        """Transforms ``input`` to ``output`` and returns the output. Collective.

        By default these are the plan's own arrays, :attr:`input` and :attr:`output`. Other arrays must have
        the same shape, strides, dtype and size in memory. :meth:`empty_input` and :meth:`empty_output` make
        such arrays, and most plain numpy arrays are suitable. Input and output must share memory if the plan
        is in place, and must not overlap otherwise. An unsuitable array on one rank raises an Error on all
        ranks. Threads may call this at the same time; they take turns.
        """
        return self._execute(lambda: self._operands(input, output))

    def _execute(self, prepare, finish=None, agreed=False):
        """Executes the plan under its lock, then calls ``finish()`` if given, and returns the output.

        ``prepare()`` returns the addresses and bytes of both arrays, and the output. If it raises on one rank, all
        ranks raise. ``agreed=True`` skips this vote because the caller has checked the arrays on all ranks.
        """
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
        """Starts an execution in the background and returns an :class:`Execution`, a future. A ``with``
        block waits for it at its end. Do not use the arrays before the execution has ended.
        Collective: all ranks start and end the same executions. Plans made with ``nonblocking=True`` are
        tuned for this use. ::

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
                error = e  # execute with other arrays, because other ranks wait for this rank's messages
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
            del error, execution  # the traceback of `error` refers to this frame: a cycle would keep both alive

    def _require_idle(self):
        """Raises an Error if the user still holds a started execution of this plan or of its work space."""
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
        """Returns a new input and output, for an execution with an unused result."""
        input = self.empty_input()
        return input, self._view_of(input, 1) if self.in_place else self.empty_output()

    def _alive(self):
        if self._plan is None:
            raise argument_error("the plan has been destroyed, expected one that has not")
        return self._plan

    def _view_of(self, array, side):
        """Returns the output (side 1) in the memory of a given input, or the input (side 0) in the memory of a given
        output. For plans in place."""
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
        """Returns a new zeroed array for the input."""
        return self._layouts[0].empty(self._rank, self._dtypes[0], self._bytes_in)

    def empty_output(self) -> np.ndarray:
        """Returns a new zeroed array for the output."""
        return self._layouts[1].empty(self._rank, self._dtypes[1], self._bytes_out)

    @property
    def input_bytes(self) -> int:
        """Number of bytes that an input array needs on this rank."""
        return self._bytes_in

    @property
    def output_bytes(self) -> int:
        """Number of bytes that an output array needs on this rank."""
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
        """This rank's part of the global input: a slice for each axis."""
        return self._layouts[0].local_slice(self._rank)

    @property
    def output_slice(self) -> tuple[slice, ...]:
        """This rank's part of the global output: a slice for each axis."""
        return self._layouts[1].local_slice(self._rank)

    @property
    def size(self) -> int:
        """Normalisation factor: a forward and a backward transform together multiply by it. For Fourier
        transforms it is the number of points."""
        side = 1 if self.kind == "c2r" else 0
        lengths = list(self._layouts[side].shape)
        for axis, line in self._lines.items():
            lengths[axis] = _logical(line, lengths[axis])
        return math.prod(lengths)

    @property
    def work_bytes(self) -> int:
        """Number of bytes of the plan's own work space on this rank, in addition to input and output."""
        return self._alive().work_bytes

    def describe(self) -> str:
        """Returns a text about the plan: stages, kernels, exchange, bytes, ranks and threads."""
        return self._alive().describe()

    def set_profiling(self, on: bool = True) -> None:
        """Starts or stops measuring the stages of executions. Starting sets all times to zero."""
        with settling(self._lock, self._started):
            self._alive().set_profiling(flag("on", on))

    def profile(self) -> list[dict[str, Any]]:
        """Returns the times of this rank's stages as a list with one dictionary per stage. Collective."""
        with settling(self._lock, self._started):
            return self._alive().profile()

    def destroy(self) -> None:
        """Destroys the plan, after waiting for its executions in the background. Collective."""
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
    """Returns a process grid ``(P0, P1)`` for pencils of an array of ``shape``: the fastest one, found by
    measuring, or with ``effort="estimate"`` the grid nearest to a square. Collective."""
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
