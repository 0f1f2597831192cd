"""Compares plans and layouts with numpy's transforms of the whole array.

Tolerances: the data are random numbers of variance 1 or 2, so a mode has a size of up to sqrt(2 N). numpy and the
library each have an error of about eps log2(N) times this size. The factor 8 covers both, and the largest of N errors.
"""

import asyncio
import threading
import time

import numpy as np
import pytest

import hybridfft
from hybridfft import Error, ErrorCode, Layout, Plan

SHAPE = (12, 7, 10)


def field(shape, dtype):
    random = np.random.default_rng(5)
    values = random.standard_normal((2, *shape))
    return (values[0] if np.dtype(dtype).kind == "f" else values[0] + 1j * values[1]).astype(dtype)


def tolerance(shape, dtype):
    points = np.prod(shape)
    return 8 * np.finfo(dtype).eps * np.log2(points) * np.sqrt(2 * points)


def check(found, expected, shape, dtype):
    assert found.shape == expected.shape
    if found.size:
        assert np.abs(found - expected).max() < tolerance(shape, dtype)


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("in_place", [False, True])
def test_complex_slabs(comm, dtype, transposed, in_place):
    whole = field(SHAPE, dtype)
    with Plan(SHAPE, dtype, comm, transposed_out=transposed, in_place=in_place,
              effort="estimate") as plan:
        plan.input[...] = whole[plan.input_slice]
        result = plan.execute()
        assert result is plan.output
        assert np.shares_memory(plan.input, plan.output) == (in_place and plan.input.size > 0
                                                             and plan.output.size > 0)
        check(result, np.fft.fftn(whole)[plan.output_slice], SHAPE, dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_real_slabs_there_and_back(comm, dtype):
    whole = field(SHAPE, dtype)
    work = hybridfft.WorkSpace()
    there = Plan(SHAPE, dtype, comm, effort="estimate", work=work)
    back = Plan(SHAPE, dtype, comm, kind="c2r", effort="estimate", work=work, scale=1 / whole.size)
    assert there.size == back.size == whole.size
    there.input[...] = whole[there.input_slice]
    spectrum = there()
    check(spectrum, np.fft.rfftn(whole)[there.output_slice], SHAPE, dtype)
    back.execute(spectrum, there.input)
    error = np.abs(there.input - whole[there.input_slice])
    assert not error.size or error.max() < 20 * np.finfo(dtype).eps
    for plan in (there, back):
        plan.destroy()


def test_backward_and_scale(comm):
    whole = field(SHAPE, complex)
    plan = Plan(SHAPE, complex, comm, direction="backward", scale=1 / whole.size, effort="estimate")
    plan.input[...] = whole[plan.input_slice]
    check(plan(), np.fft.ifftn(whole)[plan.output_slice], (1,) * 3 + (2,), complex)


def lines(kind, n):
    """Returns the matrix of a kind of r2r transform by FFTW's definition, for the kinds in these tests."""
    j, k = np.meshgrid(*[np.arange(n, dtype=np.longdouble)] * 2)
    pi = np.arccos(np.longdouble(-1))
    return {"redft10": 2 * np.cos(pi * (j + 0.5) * k / n),
            "rodft11": 2 * np.sin(pi * (j + 0.5) * (k + 0.5) / n),
            "dht": np.cos(2 * pi * j * k / n) + np.sin(2 * pi * j * k / n),
            "dft": np.exp(-2j * pi * j * k / n)}[kind]


def by_definition(values, kinds):
    for axis, kind in enumerate(kinds):
        values = np.moveaxis(np.tensordot(lines(kind, values.shape[axis]), values, (1, axis)), 0, axis)
    return values


def test_kinds_of_real_and_mixed_transforms(comm):
    real, mixed = ("redft10", "rodft11", "dht"), ("dft", "dft", "redft10")
    whole = field(SHAPE, float)
    for transposed in (False, True):
        plan = Plan(SHAPE, dtype=float, comm=comm, kinds=real, transposed_out=transposed, effort="estimate")
        assert plan.kind == "r2r" and plan.size == 2 * 12 * 2 * 7 * 10
        plan.input[...] = whole[plan.input_slice]
        # Two of the kinds have a factor of 2 by definition. It is removed for the tolerance.
        check(plan.execute() / 4, by_definition(whole, real)[plan.output_slice] / 4, SHAPE, float)
    forward = Plan(SHAPE, dtype=float, comm=comm, kinds=mixed, effort="estimate")
    back = Plan(SHAPE, dtype=float, comm=comm, kind="c2r", kinds=("dft", "dft", "redft01"), effort="estimate")
    assert forward.kind == "r2c" and forward.size == back.size == 12 * 7 * 2 * 10
    forward.input[...] = whole[forward.input_slice]
    spectrum = forward.execute()
    expected = by_definition(whole, mixed)[:, :7 // 2 + 1]
    check(spectrum / 2, expected[forward.output_slice] / 2, SHAPE, float)
    back.input[...] = spectrum
    check(back.execute() / back.size, whole[back.output_slice], SHAPE, float)
    with pytest.raises(Error, match="kinds.1. is 'dct', expected one of 'dft'"):
        Plan(SHAPE, dtype=float, comm=comm, kinds=("dft", "dct", "dft"))


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_lines(comm, dtype):
    n, rows = 360, 18
    columns = n // rows
    whole = field((n,), dtype)
    expected = np.fft.fft(whole)
    forward = Plan((n,), dtype, comm, effort="estimate")
    assert forward.size == n and forward.layout_in.shape == (n,)
    forward.input[...] = whole[forward.input_slice]
    check(forward.execute(), expected[forward.output_slice], (n,), dtype)
    scrambled = Plan((n,), dtype, comm, scrambled_out=True, effort="estimate")
    scrambled.input[...] = whole[scrambled.input_slice]
    order = expected.reshape(columns, rows).T.ravel()
    check(scrambled.execute(), order[scrambled.output_slice], (n,), dtype)
    back = Plan((n,), dtype, comm, direction="backward", scrambled_in=True, scale=1 / n, effort="estimate")
    # The factor sqrt(n) makes points as large as modes, for the tolerance.
    check(back.execute(scrambled.output, back.output) * n**0.5, whole[back.output_slice] * n**0.5, (n,), dtype)
    with pytest.raises(Error, match="HFFT_SCRAMBLED_OUT"):
        Plan((n,), dtype, comm, scrambled_in=True, scrambled_out=True)
    with pytest.raises(Error, match="expected 2 or more"):
        Plan((n,), float, comm)


@pytest.mark.parametrize("block", [0, 21])
def test_real_lines(comm, block):
    whole = field((21, 4), float)
    plan = Plan((21,), float, comm, kinds=["rodft11"], howmany=4, block_in=block, effort="estimate")
    assert plan.kind == "r2r" and plan.size == 42
    plan.input[...] = whole[plan.input_slice]
    expected = np.tensordot(lines("rodft11", 21), whole, 1)
    check(plan.execute() / 2, expected[plan.output_slice] / 2, (21,), float)


def test_transposition_of_reals(comm):
    shape = (12, 35)
    whole = field(shape, float)
    before = Layout.slab(shape, comm)
    after = Layout.slab(shape, comm, transposed=True)
    plan = Plan(layout_in=before, layout_out=after, dtype=float, kind="r2r", axes=(), comm=comm, effort="estimate")
    plan.input[...] = whole[plan.input_slice]
    plan.execute()
    assert plan.output_slice[0] == slice(0, 12)
    assert (plan.output == whole[plan.output_slice]).all()


def test_layouts_of_pencils_and_bricks(comm):
    grid = hybridfft.choose_grid(SHAPE, float, comm, effort="estimate")
    assert grid[0] * grid[1] == comm.size
    points, spectrum = hybridfft.pencils(SHAPE, grid, real=True)
    bricks = Layout.grid((12, 7, 6), (1, 1, comm.size), order=(2, 0, 1))
    whole = field(SHAPE, float)
    for layout in (spectrum, bricks):
        plan = Plan(layout_in=points, layout_out=layout, dtype=float, comm=comm, effort="estimate")
        plan.input[...] = whole[plan.input_slice]
        check(plan(), np.fft.rfftn(whole)[plan.output_slice], SHAPE, float)


def test_some_axes_and_separate_fields(comm):
    whole = field((2, *SHAPE), complex)
    layouts = [Layout.grid(SHAPE, parts, howmany=2, fields="separate")
               for parts in ((1, comm.size, 1), (1, 1, comm.size))]
    plan = Plan(layout_in=layouts[0], layout_out=layouts[1], comm=comm, axes=(0, 2), effort="estimate")
    plan.input[...] = whole[(slice(None), *plan.input_slice)]
    expected = np.fft.fftn(whole, axes=(1, 3))
    check(plan(), expected[(slice(None), *plan.output_slice)], SHAPE, complex)


def test_redistribution_of_boxes_and_blocks(comm):
    whole = field(SHAPE, complex)
    rest = [slice(0, 7), slice(0, 10)]
    boxes = [(slice(0, 5), *rest)] + [(slice(5, 5), *rest)] * (comm.size - 2) + [(slice(5, 12), *rest)]
    if comm.size == 1:
        boxes = [(slice(0, 12), *rest)]
    cut = [0] * (comm.size - 1) + [10]
    layouts = Layout.boxes(SHAPE, boxes), Layout.blocks([[12], [7], cut])
    plan = Plan(layout_in=layouts[0], layout_out=layouts[1], comm=comm, axes=(), effort="estimate")
    plan.input[...] = whole[plan.input_slice]
    assert np.array_equal(plan(), whole[plan.output_slice])


def test_layout_knows_the_rank_of_each_point():
    layout = Layout.grid(SHAPE, (2, 3, 1), order=(1, 2, 0), padding=(1, 0, 0))
    assert layout.shape == SHAPE and layout.ranks == 6
    assert layout.local_slice(4) == (slice(6, 12), slice(3, 6), slice(0, 10))
    numbers = np.arange(layout.local_size(4), dtype=float)
    seen = layout.view(numbers.view(np.uint8), 4, float)
    for index in ((6, 3, 0), (11, 5, 9), (8, 4, 2)):
        rank, offset = layout.locate(index)
        assert rank == 4
        assert seen[tuple(i - s.start for i, s in zip(index, layout.local_slice(4)))] == offset
    assert layout == Layout.grid(SHAPE, (2, 3, 1), order=(1, 2, 0), padding=(1, 0, 0))
    assert layout != Layout.grid(SHAPE, (2, 3, 1))


def test_pruned_plans(comm):
    modes = (7, 5, 6)
    whole = field(SHAPE, float)
    plan = Plan(SHAPE, float, comm, modes=modes, effort="estimate")
    plan.input[...] = whole[plan.input_slice]
    full = np.fft.rfftn(whole)
    keep = [np.r_[0:m // 2 + 1, n - m // 2:n] for m, n in zip(modes[:2], SHAPE)]
    kept = full[keep[0]][:, keep[1]][:, :, :4].copy()
    kept[:, :, 3] = 0  # the Nyquist mode of an even number of modes
    check(plan(), kept[plan.output_slice], SHAPE, float)


def test_users_arrays_are_not_copied(comm):
    whole = field((4 * comm.size, 2 * comm.size, 6), complex)
    plan = Plan(whole.shape, complex, comm, effort="estimate")
    source = whole[plan.input_slice].copy()
    target = np.empty_like(source)
    assert plan.execute(source, target) is target
    check(target, np.fft.fftn(whole)[plan.output_slice], whole.shape, complex)
    assert np.array_equal(source, whole[plan.input_slice])


def test_executions_in_the_background(comm):
    whole = field(SHAPE, complex)
    plans = [Plan(SHAPE, complex, comm, nonblocking=True, effort="estimate") for _ in range(2)]
    for plan in plans:
        plan.input[...] = whole[plan.input_slice]
    finished = []
    with plans[0].start() as first, plans[1].start() as second:
        assert first.running()
        with pytest.raises(Error, match="has been started and not been waited for"):
            plans[0].start()
        first.add_done_callback(finished.append)
        while not second.done():
            time.sleep(1e-4)
    assert finished == [first] and not first.running() and first.exception() is None
    for execution, plan in zip((first, second), plans):
        assert execution.result(timeout=10) is plan.output
        check(plan.output, np.fft.fftn(whole)[plan.output_slice], SHAPE, complex)


def test_a_raising_block_ends_its_execution(comm):
    plan = Plan(SHAPE, complex, comm, nonblocking=True, effort="estimate")
    with pytest.raises(ZeroDivisionError):
        with plan.start() as execution:
            1 / 0
    assert not execution.running()
    plan.execute()


def test_await(comm):
    plan = Plan(SHAPE, complex, comm, nonblocking=True, effort="estimate")
    plan.input[...] = 1

    async def transform():
        return await plan.start()

    result = asyncio.run(transform())
    if comm.rank == 0:
        assert abs(result[0, 0, 0] - np.prod(SHAPE)) < 1e-10


def test_other_threads_run_during_an_execution():
    """Another thread counts during an execution, so the execution does not hold the interpreter's lock."""
    from mpi4py import MPI
    plan = Plan((96, 96, 96), complex, MPI.COMM_SELF, effort="estimate", threads=1)
    plan.execute()
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    most = 0
    for _ in range(20):
        before = counted[0]
        plan._plan.execute(plan._span(plan.input, 0), plan._span(plan.output, 1))
        most = max(most, counted[0] - before)
    stop.set()
    thread.join()
    assert most > 2


def refuse(code, words, *arguments, **options):
    with pytest.raises(Error, match=words) as caught:
        Plan(*arguments, **options)
    assert caught.value.code == code
    assert str(caught.value)


def test_errors_have_the_librarys_words(comm):
    refuse(ErrorCode.EXTENTS, r"n\[1\] is 0", (4, 0, 4), complex, comm)
    refuse(ErrorCode.EXTENTS, "1, expected 2 or more", (4,), float, comm)
    refuse(ErrorCode.ARGUMENT, "kind is 'x', expected one of 'c2c'", (4, 4), complex, comm, kind="x")
    refuse(ErrorCode.ARGUMENT, "dtype is int64, expected", (4, 4), int, comm)
    refuse(ErrorCode.ARGUMENT, "expected either shape", None, complex, comm)
    with pytest.raises(TypeError, match="comm is of type int, expected mpi4py.MPI.Comm"):
        Plan((4, 4), complex, 3)
    with pytest.raises(Error) as caught:
        Layout.grid((4, 4), (2,))
    assert caught.value.code == ErrorCode.LAYOUT
    if comm.size > 1:
        wrong = Layout.grid((4, 4), (1, 1))
        refuse(ErrorCode.LAYOUT, "1", None, complex, comm, layout_in=wrong, layout_out=wrong)
        # One rank has a wrong argument; all ranks raise the error.
        shape = (4, 4 + comm.rank // (comm.size - 1))
        refuse(ErrorCode.MISMATCH, "ank", shape, complex, comm, effort="estimate")
        array = np.zeros((2, 2)) if comm.rank == 0 else None
        refuse(ErrorCode.ARGUMENT, "dtype float64", (8, 8), complex, comm, input=array)


def test_wrong_arrays_are_refused_by_name():
    from mpi4py import MPI
    plan = Plan((4, 4, 4), float, MPI.COMM_SELF, effort="estimate")
    spectrum = plan.empty_output()
    for array, words in ((np.zeros((4, 4, 4), np.float32), "input is of dtype float32, expected float64"),
                         (np.zeros((4, 4, 5)), r"input has shape \(4, 4, 5\).*expected \(4, 4, 4\)"),
                         (np.zeros((4, 4, 4)), r"input has strides of .*empty_input\(\) makes"),
                         ([1.0], "input is of type list")):
        with pytest.raises(Error, match=words):
            plan.execute(array, spectrum)
    spectrum.flags.writeable = False
    with pytest.raises(Error, match="read-only"):
        plan.execute(plan.input, spectrum)
    plan.destroy()
    with pytest.raises(Error, match="has been destroyed"):
        plan.execute()


def test_part_of_a_larger_array_is_left_alone():
    """A plan may use memory beyond an output array only if the array owns it. Beyond a part lies other data."""
    from mpi4py import MPI
    plan = Plan((4, 4, 4), complex, MPI.COMM_SELF, effort="estimate")
    both = hybridfft.empty((2, 4, 4, 4), complex, 10 * plan.output_bytes)
    both[...] = 7
    plan.execute(plan.input, both[0])
    assert np.all(both[1] == 7)
    from hybridfft.memory import capacity
    assert capacity(both[0]) == both[0].nbytes
    assert capacity(both[1]) == 10 * plan.output_bytes - both[0].nbytes


def test_work_space_of_the_user(comm):
    work = hybridfft.WorkSpace()
    plan = Plan(SHAPE, complex, comm, work=work, effort="estimate")
    memory = hybridfft.empty(max(1, work.size), np.uint8)
    work.give(memory)
    whole = field(SHAPE, complex)
    plan.input[...] = whole[plan.input_slice]
    check(plan(), np.fft.fftn(whole)[plan.output_slice], SHAPE, complex)
    if work.size > 64:
        with pytest.raises(Error, match="bytes"):
            work.give(memory[:64])


def test_wisdom_profile_and_words(comm):
    plan = Plan(SHAPE, complex, comm, effort="measure")
    assert str(comm.size) in plan.describe()
    plan.set_profiling()
    plan.execute()
    stages = plan.profile()
    assert stages and all(s["calls"] == 1 and s["seconds"] >= 0 for s in stages)
    text = hybridfft.export_wisdom()
    hybridfft.forget_wisdom()
    hybridfft.import_wisdom(text)
    hybridfft.broadcast_wisdom(comm)
    Plan(SHAPE, complex, comm, wisdom_only=True)
    hybridfft.forget_wisdom()
    refuse(ErrorCode.NO_WISDOM, "wisdom has no plan", SHAPE, complex, comm, wisdom_only=True)
    with pytest.raises(Error) as caught:
        hybridfft.import_wisdom("no wisdom\n")
    assert caught.value.code == ErrorCode.WISDOM


def test_lengths_and_threads():
    assert hybridfft.next_fast_length(257) == 260 and hybridfft.is_fast_length(260)
    assert not hybridfft.is_fast_length(257)
    hybridfft.set_threads(1)
    assert hybridfft.threads() == 1
    hybridfft.set_threads(0)
    assert hybridfft.version() == hybridfft.__version__ and "FFTW" in hybridfft.build_info()


def test_plans_end_when_all_ranks_have_dropped_them(comm):
    """Ranks drop their plans in different orders without waiting for each other. Plans end when all ranks have done
    so."""
    from hybridfft.ending import Aside
    plans = [Plan(SHAPE, complex, comm, effort="estimate") for _ in range(3)]
    aside = Aside.of(comm)
    before = len(aside.dropped())
    kept = plans.pop(comm.rank % 3)
    plans.clear()
    expected = 2 if comm.size > 1 else 0
    assert len(aside.dropped()) == before + expected
    comm.Barrier()
    del kept
    hybridfft.collect(comm)
    assert not aside.dropped()
    with pytest.raises(Error, match="has been destroyed"):
        plan = Plan(SHAPE, complex, comm, effort="estimate")
        plan.destroy()
        plan.start()
