"""``python -m hybridfft`` prints the facts about this installation for a bug report."""

import platform
import re

import mpi4py
import numpy
from mpi4py import MPI

import hybridfft

_LEVELS = {getattr(MPI, name): name for name in
           ("THREAD_SINGLE", "THREAD_FUNNELED", "THREAD_SERIALIZED", "THREAD_MULTIPLE")}


def main() -> None:
    """On the first rank, prints versions, the MPI library, ranks, threads, and the options of the build."""
    if MPI.COMM_WORLD.rank != 0:
        return
    library = MPI.Get_library_version().strip("\0 \n").splitlines()[0]
    print(f"hybridfft {hybridfft.__version__} in {hybridfft.__path__[0]}")
    print(f"Python {platform.python_version()}, numpy {numpy.__version__}, mpi4py {mpi4py.__version__}")
    print(f"MPI: {library}; MPI_{_LEVELS[MPI.Query_thread()]}")
    plan = hybridfft.Plan((8, 8), comm=MPI.COMM_SELF, effort="estimate").describe()
    print(f"ranks: {MPI.COMM_WORLD.size}; threads per rank: {re.search(r' x ([0-9]+) threads', plan)[1]}")
    print(hybridfft.build_info(), end="")


main()
