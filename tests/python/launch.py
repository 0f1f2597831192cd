"""Launches of ranks from tests that are one process themselves."""

import shutil
import subprocess

import pytest

OPEN_MPI_OPTIONS = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]


def mpirun(ranks):
    """The command of a launch without the program."""
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun on the PATH")
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    return ["mpirun", *(OPEN_MPI_OPTIONS if "Open MPI" in version else []), "-np", str(ranks)]
