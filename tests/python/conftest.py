"""Tests of the Python package, on all ranks of one launch.

A test that takes `comm` runs on 1, 2, 3 and all ranks, as far as there are any; ranks that are not in the
communicator go on to the next test and wait there. A failure on some rank ends the job at once: the other
ranks would wait for it for ever.
"""

import sys

import pytest
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
SIZES = sorted({min(n, WORLD.size) for n in (1, 2, 3, WORLD.size)})


@pytest.fixture(params=SIZES, ids=lambda n: f"ranks{n}")
def comm(request):
    """The first ranks of the world; other ranks skip the test by having no communicator."""
    part = WORLD.Split(0 if WORLD.rank < request.param else 1, WORLD.rank)
    if WORLD.rank < request.param:
        yield part
    else:
        yield None
    part.Free()


def pytest_pyfunc_call(pyfuncitem):
    """Ranks outside of a test's communicator have nothing to do in it."""
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
    """A launch in which nothing ran does not pass."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and not reporter.stats.get("passed"):
        session.exitstatus = 1
