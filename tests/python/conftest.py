"""Runs the tests of the Python package on all ranks of one launch.

A test with the argument `comm` runs on 1, 2, 3 and all ranks (as far as the launch has them). Other ranks skip the
test and wait at its end. A failure on any rank aborts the job, because other ranks may wait for this rank forever.
"""

import sys

import pytest
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
SIZES = sorted({min(n, WORLD.size) for n in (1, 2, 3, WORLD.size)})


@pytest.fixture(params=SIZES, ids=lambda n: f"ranks{n}")
def comm(request):
    """A communicator of the first ranks. It is None on other ranks, which skip the test."""
    part = WORLD.Split(0 if WORLD.rank < request.param else 1, WORLD.rank)
    if WORLD.rank < request.param:
        yield part
    else:
        yield None
    part.Free()


def pytest_pyfunc_call(pyfuncitem):
    """Skips the test on ranks without a communicator."""
    if "comm" in pyfuncitem.funcargs and pyfuncitem.funcargs["comm"] is None:
        return True
    return None


def pytest_runtest_logreport(report):
    if report.failed and WORLD.size > 1:
        sys.stdout.flush()
        print(f"\nrank {WORLD.rank}: {report.nodeid} failed in {report.when}:\n{report.longreprtext}",
              file=sys.__stderr__, flush=True)
        WORLD.Abort(1)


def pytest_runtest_teardown():
    WORLD.Barrier()


def pytest_sessionfinish(session, exitstatus):
    """Makes a launch fail in which no test has passed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and not reporter.stats.get("passed"):
        session.exitstatus = 1
