"""Wisdom, threads, lengths: functions of the library that need no plan."""

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
    """``"major.minor.patch"`` of the library that is loaded."""
    return _core.version()


def build_info() -> str:
    """The library's part of a bug report: build options, FFTW, instruction sets; several lines."""
    return _core.build_info()


def set_threads(threads: int) -> None:
    """Threads per rank of plans made from now on; 0 (the default): OMP_NUM_THREADS."""
    _core.set_threads(count("threads", threads))


def threads() -> int:
    """The last value of :func:`set_threads`."""
    return _core.threads()


def set_time_limit(seconds: float | None) -> None:
    """Seconds that planning may take from now on; None (the default): as long as it needs."""
    _core.set_time_limit(arguments.seconds("seconds", seconds))


def next_fast_length(n: int) -> int:
    """The smallest length from ``n`` on for which there are the fastest kernels."""
    return _core.next_fast_length(integer("n", n))


def is_fast_length(n: int) -> bool:
    """Whether all prime factors of ``n`` have the fastest kernels (they are at most 13)."""
    return _core.kind_of_length(integer("n", n)) == 0


def export_wisdom() -> str:
    """The planner's knowledge of fast plans, as text."""
    return _core.export_wisdom()


def import_wisdom(text: str) -> None:
    """Adds to what is known about fast plans. Text that is damaged is refused as a whole."""
    _core.import_wisdom(arguments.text("text", text))


def save_wisdom(file: str | os.PathLike[str]) -> None:
    """Writes what is known about fast plans to a file."""
    _core.save_wisdom(_path(file))


def load_wisdom(file: str | os.PathLike[str]) -> None:
    """Adds what a file knows about fast plans."""
    _core.load_wisdom(_path(file))


def forget_wisdom() -> None:
    """Forgets what was measured; files are not changed."""
    _core.forget_wisdom()


def broadcast_wisdom(comm: MPI.Comm | None = None) -> None:
    """Adds the wisdom of rank 0 to that of all ranks. Collective."""
    _core.broadcast_wisdom(communicator(comm))


def gather_wisdom(comm: MPI.Comm | None = None) -> None:
    """Adds the wisdom of all ranks to that of rank 0. Collective."""
    _core.gather_wisdom(communicator(comm))


def require_same_mpi() -> None:
    """Raises an ImportError if mpi4py and the library use two different MPI libraries, since neither can use the
    other's handles."""
    ours, theirs = _core.mpi_library_version(), MPI.Get_library_version()
    # In some versions the text of MPI's library ends with a null character.
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
