"""Runs the code blocks of docs/python.md on all ranks. The test docs.blocks compares both texts."""

import numpy as np
import pytest
from mpi4py import MPI

import hybridfft


def test_plan():
    # The first example of the page.
    # isort: off
    import numpy as np
    from mpi4py import MPI
    import hybridfft

    plan = hybridfft.Plan((64, 48, 40), dtype=complex, comm=MPI.COMM_WORLD)  # the first axis is cut
    plan.input[...] = np.random.default_rng(plan.comm.rank).standard_normal(plan.input.shape)
    spectrum = plan.execute()          # this rank's part: plan.output_slice says which
    total = np.random.default_rng(plan.comm.rank).standard_normal(plan.input.shape).sum()
    total = plan.comm.allreduce(total)
    if plan.comm.rank == 0:
        assert abs(spectrum[0, 0, 0] - total) < 1e-9


def test_layouts():
    n = (64, 48, 40)
    grid = hybridfft.choose_grid(n, dtype=float)               # measured: P0 x P1 ranks
    points, spectrum = hybridfft.pencils(n, grid, real=True)
    plan = hybridfft.Plan(layout_in=points, layout_out=spectrum, dtype=float)
    bricks = hybridfft.Layout.grid(n, (2, 2, 2), order=(2, 0, 1))    # for 8 ranks
    planes = hybridfft.Layout.grid(n, (plan.comm.size, 1, 1))
    move = hybridfft.Plan(layout_in=points, layout_out=planes, axes=())  # only redistributes
    assert bricks.ranks == 8
    move.input[...] = np.arange(np.prod(n), dtype=float).reshape(n)[move.input_slice]
    moved = move.execute()
    assert (moved == np.arange(np.prod(n), dtype=float).reshape(n)[move.output_slice]).all()


def test_files(tmp_path, monkeypatch):
    pytest.importorskip("h5py")
    monkeypatch.chdir(MPI.COMM_WORLD.bcast(tmp_path))
    u = hybridfft.DistArray((64, 48, 40), dtype=complex)
    u.save("u.h5")                                         # a new file with the dataset "darray"
    v = hybridfft.DistArray.load("u.h5", alignment=0)      # datasets of other programs, too
    u.write("steps.h5", "u", step=3)                       # mpi4py-fft's groups: /u/3D/3
    v.read("steps.h5", "u", step=3)
    assert v.alignment == 0 and v.global_shape == u.global_shape and v.dtype == complex
    MPI.COMM_WORLD.Barrier()


def test_background():
    shape, done = (16, 12, 10), []

    def work():
        done.append("work")

    def use(result):
        done.append(result)

    plan = hybridfft.Plan(shape, nonblocking=True)
    a, b = plan.empty_input(), plan.empty_output()
    with plan.start(a, b) as execution:
        work()                   # messages travel meanwhile
        execution.done()         # makes progress
    use(execution.result())      # b; or: result = await plan.start(a, b)
    assert done[0] == "work" and done[1] is b
