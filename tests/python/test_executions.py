"""Tests executions in the background: without a wait, with waits in other threads, and with failures.

Each array has its own pages of memory. The system unmaps them when Python drops the last reference, so that a later
write crashes the test.
"""

import asyncio
import gc
import mmap
import threading
import time
import weakref

import numpy as np
import pytest
from mpi4py import MPI

import hybridfft
from hybridfft import Error, Plan, WorkSpace
from hybridfft.execution import _active

THREADS = MPI.Query_thread() == MPI.THREAD_MULTIPLE


class Pages(np.ndarray):
    """Bytes in mapped pages. numpy keeps an object of a subclass as the base of the arrays in it."""


def guarded(layout, comm, dtype=complex):
    """Returns this rank's array of a layout in separate pages, and a weak reference to the pages."""
    count = layout.local_size(comm.rank) * np.dtype(dtype).itemsize
    memory = Pages(count, np.uint8, buffer=mmap.mmap(-1, count))
    return layout.view(memory, comm.rank, dtype), weakref.ref(memory)


def shape_of(comm):
    """Returns extents with equal blocks on all ranks. A plan then needs no more memory than its arrays."""
    return 8 * comm.size, 4 * comm.size, 40


def field(shape):
    values = np.random.default_rng(5).standard_normal((2, *shape))
    return values[0] + 1j * values[1]


def make_plan(comm, **options):
    return Plan(shape_of(comm), complex, comm, nonblocking=True, effort="estimate", **options)


def start(plan, whole=None):
    """Starts an execution. Returns it and weak references to the pages of its arrays."""
    (a, first), (b, second) = (guarded(layout, plan.comm) for layout in (plan.layout_in, plan.layout_out))
    a[...] = 1 if whole is None else whole[plan.input_slice]
    return plan.start(a, b), (first, second)


def check(plan, whole, result):
    # numpy and the library each have an error of about eps log2(N) times the size of a mode, sqrt(2 N).
    expected = np.fft.fftn(whole)[plan.output_slice]
    bound = 8 * np.finfo(float).eps * np.log2(whole.size) * np.sqrt(2 * whole.size)
    assert not expected.size or np.abs(result - expected).max() < bound


def expect_usable(plan):
    whole = field(shape_of(plan.comm))
    plan.input[...] = whole[plan.input_slice]
    check(plan, whole, plan.execute())


def expect_freed(pages):
    gc.collect()
    assert [page() for page in pages] == [None, None]


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(1e-3)


def test_execution_dropped_with_its_arrays_keeps_them_until_its_end(comm):
    for _ in range(5):
        plan = make_plan(comm)
        execution, pages = start(plan)
        del execution
        others = [np.ones(200) for _ in range(300)]
        expect_usable(plan)
        assert sum(other.sum() for other in others) == 60000
        expect_freed(pages)
        plan.destroy()
    assert not _active


def test_destroy_after_a_drop_waits_for_the_execution(comm):
    plan = make_plan(comm)
    execution, pages = start(plan)
    del execution
    plan.destroy()
    expect_freed(pages)


def test_destroy_waits_for_executions_with_handles(comm):
    whole = field(shape_of(comm))
    plan = make_plan(comm)
    execution, _ = start(plan, whole)
    plan.destroy()
    assert not execution.running()
    check(plan, whole, execution.result())


def test_execution_outlives_its_plan(comm):
    whole = field(shape_of(comm))
    plan = make_plan(comm)
    execution, pages = start(plan, whole)
    expected = np.fft.fftn(whole)[plan.output_slice]
    del plan
    gc.collect()
    result = execution.result()
    assert np.allclose(result, expected, rtol=0, atol=1e-9)
    del execution, result
    hybridfft.collect(comm)
    expect_freed(pages)


def test_cycle_with_an_execution_is_collected(comm):
    plan = make_plan(comm)
    execution, pages = start(plan)
    box = [execution, plan]
    box.append(box)
    del execution, box
    gc.collect()
    expect_usable(plan)
    expect_freed(pages)


def test_exception_between_start_and_wait_ends_the_execution(comm):
    plan = make_plan(comm)
    pages = []

    def fail():
        execution, found = start(plan)
        pages.extend(found)
        1 / 0

    with pytest.raises(ZeroDivisionError):
        fail()
    expect_usable(plan)
    expect_freed(pages)


def test_cancelled_await_ends_the_execution(comm):
    plan = make_plan(comm)
    pages = []

    async def transform():
        execution, found = start(plan)
        pages.extend(found)
        await execution

    async def cancel():
        task = asyncio.ensure_future(transform())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    # Other ranks start their transform after the broadcast. Until then the exchange cannot complete on rank 0.
    if comm.rank == 0 and comm.size > 1:
        asyncio.run(cancel())
        comm.bcast(None)
    else:
        comm.bcast(None)
        asyncio.run(transform())
    expect_usable(plan)
    expect_freed(pages)


@pytest.mark.skipif(not THREADS, reason="MPI lets one thread at a time call it")
@pytest.mark.parametrize("waits_first", [False, True])
def test_drop_on_one_rank_does_not_stop_the_others(comm, waits_first):
    """Rank 0 drops the execution and enters a barrier. Other ranks wait for the execution before or after the
    barrier."""
    whole = field(shape_of(comm))
    plan = make_plan(comm)
    execution, pages = start(plan, whole)
    if comm.rank == 0:
        del execution
        comm.Barrier()
    elif waits_first:
        time.sleep(0.3)
        check(plan, whole, execution.result())
        comm.Barrier()
    else:
        comm.Barrier()
        check(plan, whole, execution.result())
    comm.Barrier()
    until(lambda: not plan._started)
    execution = None
    expect_usable(plan)
    expect_freed(pages)


def test_callbacks_of_a_dropped_execution_are_called(comm):
    plan = make_plan(comm)
    execution, _ = start(plan)
    ended = []
    execution.add_done_callback(ended.append)
    del execution
    plan.destroy()
    assert len(ended) == 1 and ended[0].done() and ended[0].exception() is None


def test_plans_with_one_work_space_after_a_drop(comm):
    work = WorkSpace()
    first, second = make_plan(comm, work=work), make_plan(comm, work=work)
    execution, _ = start(first)
    with pytest.raises(Error, match="another plan with the same work space has been started"):
        second.execute()
    del execution
    expect_usable(second)
    execution, pages = start(first)
    del execution
    work.give(hybridfft.empty(max(1, work.size), np.uint8))
    expect_freed(pages)
    expect_usable(first)


@pytest.mark.skipif(not THREADS, reason="MPI lets one thread at a time call it")
def test_another_thread_waits(comm):
    whole = field(shape_of(comm))
    plan = make_plan(comm)
    made = []
    thread = threading.Thread(target=lambda: made.append(start(plan, whole)[0]))
    thread.start()
    thread.join()
    check(plan, whole, made[0].result())
    execution, _ = start(plan, whole)
    thread = threading.Thread(target=execution.wait)
    thread.start()
    thread.join()
    check(plan, whole, execution.result())


def test_execute_with_a_wrong_array_on_one_rank_is_refused_on_all(comm):
    plan = make_plan(comm)
    last = comm.size - 1
    wrong = np.zeros((1, 2)) if comm.rank == last else plan.empty_input()
    kept = plan.empty_output()
    kept.fill(7)
    words = "input is of dtype float64, expected complex128"
    with pytest.raises(Error, match=words if comm.rank == last else f"on rank {last}: .*{words}"):
        plan.execute(wrong, kept)
    assert np.all(kept == 7)
    expect_usable(plan)


def test_start_with_a_wrong_array_on_one_rank_fails_on_all(comm):
    plan = make_plan(comm)
    last = comm.size - 1
    words = "input is of dtype float64, expected complex128"
    if comm.rank == last:
        with pytest.raises(Error, match=words):
            plan.start(np.zeros((1, 2)), plan.empty_output())
    else:
        execution, _ = start(plan)
        with pytest.raises(Error, match=f"on rank {last}: .*{words}"):
            execution.wait()
        assert not execution.running() and f"on rank {last}" in str(execution.exception())
    expect_usable(plan)


def test_overlapping_arrays_are_refused(comm):
    plan = make_plan(comm)
    both = np.zeros(plan.input.size + plan.output.size, complex)
    a = both[:plan.input.size].reshape(plan.input.shape)
    for begin in (0, 1, plan.input.size - 1):
        b = both[begin:begin + plan.output.size].reshape(plan.output.shape)
        for method in (plan.execute, plan.start):
            with pytest.raises(Error, match=f"begins {16 * begin} bytes after the input and overlaps"):
                method(a, b)
    plan.execute(a, both[plan.input.size:].reshape(plan.output.shape))
    with pytest.raises(Error, match="overlaps"):
        make_plan(comm, input=a, output=b)
    in_place = make_plan(comm, in_place=True)
    with pytest.raises(Error, match="begins 16 bytes after the input, expected 0"):
        in_place.execute(both[:plan.input.size].reshape(plan.input.shape),
                         both[1:1 + plan.output.size].reshape(plan.output.shape))
