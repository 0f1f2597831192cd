"""Tests plans before MPI_Init, after MPI_Finalize, in children of fork(), in several threads, and at the end of the
interpreter. Each test starts a program, which must not hang."""

import os
import re
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from launch import mpirun
from mpi4py import MPI

import hybridfft
from hybridfft import Plan, fftw


def run(program, ranks=None, **environment):
    """Runs a program and returns its output. Fails unless its exit status is 0."""
    launch = [] if ranks is None else mpirun(ranks)
    found = subprocess.run([*launch, sys.executable, "-c", textwrap.dedent(program)], capture_output=True,
                           text=True, env={**os.environ, **environment}, timeout=100)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


CALLS = """
    import numpy as np

    def calls():
        import hybridfft
        from hybridfft import fftw, pencil
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        return [lambda: hybridfft.Plan((8, 8)), lambda: hybridfft.choose_grid((8, 8, 8)),
                lambda: hybridfft.PFFT(world, (8, 8)), lambda: hybridfft.DistArray((8, 8)),
                lambda: pencil.Subcomm(world, (0, 0)), lambda: pencil.Pencil([world] * 2, (8, 8)),
                lambda: hybridfft.collect(), lambda: hybridfft.broadcast_wisdom(),
                lambda: hybridfft.Layout.slab((8, 8), world), lambda: fftw.fftn(np.zeros((4, 4), complex))]

    def expect_not_running(*functions):
        import hybridfft
        for function in functions:
            try:
                function()
            except hybridfft.Error as error:
                assert error.code == hybridfft.ErrorCode.MPI_NOT_RUNNING, error
            else:
                assert False, function
"""


def test_calls_before_init_and_after_finalize_are_errors():
    run(CALLS + """
    import mpi4py
    mpi4py.rc.initialize = False
    import hybridfft
    from hybridfft import PFFT, Plan, fftw
    from mpi4py import MPI
    expect_not_running(*calls())
    array = hybridfft.empty((4, 4), complex)
    MPI.Init_thread()
    plan = Plan((8, 8), nonblocking=True)
    plan.input.fill(1)
    assert plan.execute()[0, 0] == 64
    fft, serial, dropped = PFFT(MPI.COMM_WORLD, (8, 8)), fftw.fftn(array), Plan((8, 8))
    held = hybridfft.newDistArray(fft)
    execution = plan.start()
    MPI.Finalize()
    assert not execution.running() and execution.result() is plan.output
    expect_not_running(*calls(), plan.execute, plan.start, fft.forward, serial, lambda: held.get((0, 0)),
                       lambda: held.redistribute(0), plan.profile)
    plan.describe(), plan.input_slice, plan.output_slice, plan.empty_input(), repr(plan)
    fft.destroy()
    del dropped
    plan.destroy()
    """)


def test_child_of_fork_raises_and_the_parent_goes_on():
    """The child process exits normally, with the interpreter's cleanup."""
    output = run(CALLS + """
    import os, sys, threading
    import hybridfft
    from hybridfft import PFFT, Plan, fftw
    from mpi4py import MPI
    plan = Plan((32, 32, 32), threads=2, nonblocking=True)
    plan.input.fill(1)
    busy = Plan((64, 64, 64), threads=2)
    fft, serial = PFFT(MPI.COMM_WORLD, (8, 8), threads=2), fftw.fftn(np.zeros((4, 4), complex))
    plan.execute(), fft.forward()
    execution = plan.start()
    stop = threading.Event()

    def work():  # holds the lock of a plan most of the time
        while not stop.is_set():
            busy.execute()

    thread = threading.Thread(target=work)
    thread.start()
    children = []
    for _ in range(5):
        child = os.fork()
        if child == 0:
            expect_not_running(*calls(), plan.execute, plan.start, busy.execute, fft.forward, serial, execution.wait)
            hybridfft.empty((64, 64, 64), complex).fill(1)
            sys.exit(3)
        children.append(child)
    for child in children:
        assert os.waitpid(child, 0) == (child, 3 << 8)
    stop.set()
    thread.join()
    assert execution.result()[0, 0, 0] == 32**3 == plan.execute()[0, 0, 0]
    print("end")
    """, OMP_NUM_THREADS="2")
    assert output == "end\n"


def test_pool_of_forked_workers_gets_an_error():
    run("""
    import multiprocessing
    import hybridfft
    plan = hybridfft.Plan((32, 32, 32), threads=2)
    plan.execute()

    def work(_):
        return plan.execute()[0, 0, 0]

    with multiprocessing.get_context("fork").Pool(2) as pool:
        for result in [pool.apply_async(work, (i,)) for i in range(4)]:
            try:
                result.get(60)
            except hybridfft.Error as error:
                assert error.code == hybridfft.ErrorCode.MPI_NOT_RUNNING and "fork" in str(error)
            else:
                assert False
    """)


def in_threads(work, count=4):
    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, count + 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_threads_executing_one_plan_take_turns():
    n, right = 32, []
    plans = [Plan((n, n, n), comm=MPI.COMM_SELF, work=work) for work in [None] + [hybridfft.WorkSpace()] * 2]

    def work(k):
        for turn in range(30):
            plan = plans[0] if turn % 2 else plans[1 + k % 2]
            a, b = plan.empty_input(), plan.empty_output()
            a[...] = k
            plan.execute(a, b)
            peak = b[0, 0, 0]
            b[0, 0, 0] = 0
            right.append(abs(peak / n**3 - k) < 1e-12 and np.abs(b).max() < 1e-9)

    in_threads(work)
    assert len(right) == 120 and all(right)


def test_threads_of_one_serial_transform_take_turns():
    serial, right = fftw.fftn(fftw.aligned((64, 64), dtype=complex), axes=(0, 1)), []

    def work(k):
        for _ in range(30):
            found = serial(np.full((64, 64), k, complex), np.zeros((64, 64), complex))
            right.append(found[0, 0] == 64 * 64 * k)

    in_threads(work)
    assert len(right) == 120 and all(right)


#: A program that starts an execution with arrays in mapped pages and drops the arrays. Ranks with the condition
#: `{here}` then run `{rest}`, other ranks wait for the result.
STARTED = """
    import mpi4py
    mpi4py.rc.thread_level = "{level}"
    import mmap, time
    import numpy as np
    import hybridfft
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    plan = hybridfft.Plan((8 * comm.size, 4 * comm.size, 40), nonblocking=True, effort="estimate")

    def array(layout):
        count = 16 * layout.local_size(comm.rank)
        return layout.view(np.frombuffer(mmap.mmap(-1, count), np.uint8), comm.rank, complex)

    a, b = array(plan.layout_in), array(plan.layout_out)
    a.fill(1)
    execution = plan.start(a, b)
    del a, b
    if {here}:
        {rest}
    else:
        time.sleep(0.5)
        result = execution.result()
        assert np.abs(result).sum() == (plan.size if comm.rank == 0 else 0)
    print("end")
"""


@pytest.mark.parametrize("here, rest", [("True", "pass"), ("True", "MPI.Finalize()"), ("comm.rank == 0", "pass"),
                                        ("comm.rank == 0", "del execution, plan"),
                                        ("comm.rank == 0", "MPI.Finalize()")])
def test_end_of_the_process_ends_executions(here, rest):
    assert run(STARTED.format(level="multiple", here=here, rest=rest), 3).count("end") == 3


@pytest.mark.parametrize("level", ["single", "serialized"])
def test_drop_with_one_thread_calling_mpi_at_a_time(level):
    rest = "del execution; plan.execute()"
    assert run(STARTED.format(level=level, here="True", rest=rest), 3).count("end") == 3
    assert run(STARTED.format(level=level, here="comm.rank == 0", rest="del execution"), 3).count("end") == 3


def test_debugging_allocator_finds_no_write_into_freed_memory():
    program = STARTED.format(level="multiple", here="True", rest="del execution; plan.execute()")
    assert run(program, 2, PYTHONMALLOC="debug").count("end") == 2


def test_module_prints_the_installation():
    """`python -m hybridfft` prints the versions for a bug report, on one rank only."""
    text = subprocess.run([*mpirun(2), sys.executable, "-m", "hybridfft"], capture_output=True, text=True, check=True,
                          env={**os.environ, "OMP_NUM_THREADS": "1"}).stdout
    for pattern in (r"^hybridfft \d+\.\d+\.\d+ in /", r"^Python 3\.\d+\.\d+, numpy .*, mpi4py \d",
                    r"^MPI: .*; MPI_THREAD_", r"^ranks: 2; threads per rank: 1$", r"^SIMD in use: "):
        assert len(re.findall(pattern, text, re.MULTILINE)) == 1, (pattern, text)
