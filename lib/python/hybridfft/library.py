"""Functions that need no plan: version, threads, time limit, fast lengths, and wisdom (stored results of planning)."""

from __future__ import annotations

import os

from mpi4py import MPI

from . import _core, arguments
from .arguments import communicator, count, integer
from .errors import Error, ErrorCode, type_error


def _path(file):
    try:
        return os.fsdecode(file)
    except TypeError:
        raise type_error(f"file is {file!r}, expected a path") from None


def version() -> str:
    """Returns the version of the loaded library as ``"major.minor.patch"``."""
    return _core.version()


def build_info() -> str:
    """Returns a text of several lines for bug reports: build options, version of FFTW, instruction sets."""
    return _core.build_info()


def set_threads(threads: int) -> None:
    """Sets the number of threads per rank for future plans. 0 (the default) means OMP_NUM_THREADS."""
    _core.set_threads(count("threads", threads))


def threads() -> int:
    """Returns the last value of :func:`set_threads`."""
    return _core.threads()


def set_time_limit(seconds: float | None) -> None:
    """Sets the number of seconds that planning may take from now on. None (the default) means no limit."""
    _core.set_time_limit(arguments.seconds("seconds", seconds))


def next_fast_length(n: int) -> int:
    """Returns the smallest length of at least ``n`` whose transform uses only the fastest kernels."""
    return _core.next_fast_length(integer("n", n))


def is_fast_length(n: int) -> bool:
    """Returns whether a transform of length ``n`` uses only the fastest kernels: no prime factor exceeds 13."""
    return _core.kind_of_length(integer("n", n)) == 0


def export_wisdom() -> str:
    """Returns all wisdom, the fastest plans found so far, as text."""
    return _core.export_wisdom()


def import_wisdom(text: str) -> None:
    """Adds wisdom from a text. If the text is damaged, raises an Error and adds nothing."""
    _core.import_wisdom(arguments.text("text", text))


def save_wisdom(file: str | os.PathLike[str]) -> None:
    """Writes all wisdom to a file."""
    _core.save_wisdom(_path(file))


def load_wisdom(file: str | os.PathLike[str]) -> None:
    """Adds wisdom from a file."""
    _core.load_wisdom(_path(file))


def forget_wisdom() -> None:
    """Deletes all wisdom in memory. Files are not changed."""
    _core.forget_wisdom()


def broadcast_wisdom(comm: MPI.Comm | None = None) -> None:
    """Copies the wisdom of rank 0 to all ranks, in addition to their own. Collective."""
    _core.broadcast_wisdom(communicator(comm))


def gather_wisdom(comm: MPI.Comm | None = None) -> None:
    """Copies the wisdom of all ranks to rank 0, in addition to its own. Collective."""
    _core.gather_wisdom(communicator(comm))


def require_same_mpi() -> None:
    """Raises an ImportError if mpi4py and this package use different MPI libraries: MPI handles of one are invalid in
    the other."""
    ours, theirs = _core.mpi_library_version(), MPI.Get_library_version()
    # Some MPI libraries end their version text with a null character.
    ours, theirs = ours.strip("\0 \n"), theirs.strip("\0 \n")
    if ours != theirs or MPI._sizeof(MPI.Comm) != _core.sizeof_communicator:
        raise ImportError(
            f"hybridfft was built for {_core.mpi} and runs with '{ours}', but mpi4py uses '{theirs}': "
            "programs with two MPI libraries abort. Install mpi4py for the same MPI (pip install "
            "--no-binary mpi4py mpi4py, with its mpicc first on the PATH), or hybridfft for that of "
            "mpi4py")


__all__ = ["Error", "ErrorCode", "broadcast_wisdom", "build_info", "export_wisdom", "forget_wisdom",
           "gather_wisdom", "import_wisdom", "is_fast_length", "load_wisdom", "next_fast_length",
           "save_wisdom", "set_threads", "set_time_limit", "threads", "version"]
