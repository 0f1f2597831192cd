"""Starts programs with mpirun from tests that run on one process."""

import shutil
import subprocess

import pytest

OPEN_MPI_OPTIONS = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]


def mpirun(ranks):
    """Returns the command that starts a program on this number of ranks, without the program."""
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun on the PATH")
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    return ["mpirun", *(OPEN_MPI_OPTIONS if "Open MPI" in version else []), "-np", str(ranks)]
