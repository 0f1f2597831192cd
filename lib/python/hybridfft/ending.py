"""Common state of the ranks of a communicator: votes on failures, and the end of plans.

A failure on one rank is an error on all ranks. Ranks therefore vote before collective operations.

Ending a plan is collective, but the garbage collectors of the ranks drop references at different
times. Each rank therefore stores its dropped plans. A plan is ended when all ranks of its
communicator have dropped it. They compare their lists when they make the next plan there.
"""

from __future__ import annotations

import zlib

from mpi4py import MPI

from . import _core, execution
from .arguments import communicator, shown
from .errors import Error, ErrorCode, argument_error

#: Bit of a vote: this rank has dropped plans. The other bits are for callers.
_HAS_DROPPED = 1 << 63


class Aside:
    """State of a communicator: a duplicate of it for votes, and the plans that were dropped on this rank."""

    _keyval = None
    #: All objects with such plans. They outlive their communicator, since destroying them would be collective.
    _all = set()

    def __init__(self, comm):
        self._rank = comm.Get_rank()
        self._votes = comm.Dup() if comm.Get_size() > 1 else None
        self._made = 0
        self._dropped = {}

    @classmethod
    def of(cls, comm):
        """Returns the object of a communicator, which holds it as an attribute. The first call for a communicator is
        collective."""
        if cls._keyval is None:
            cls._keyval = MPI.Comm.Create_keyval(delete_fn=cls._comm_is_freed)
        aside = comm.Get_attr(cls._keyval)
        if aside is None:
            aside = cls(comm)
            comm.Set_attr(cls._keyval, aside)
        return aside

    @classmethod
    def _comm_is_freed(cls, comm, keyval, aside):
        votes, aside._votes = aside._votes, None
        if votes is not None and MPI.Is_initialized() and not MPI.Is_finalized():
            votes.Free()

    def vote(self, bits=0, failure=""):
        """Starts a vote: tells all ranks some bits, and the failure of this rank (an exception or a text). Collective.
        Returns None on a single rank, and if the communicator has been freed."""
        if self._votes is None:
            return None
        if isinstance(failure, Exception):
            failure = f"on rank {self._rank}: {type(failure).__name__}: {failure}"
        return _core.Vote(self._votes, bits, failure.encode(errors="replace"))

    def number(self):
        """A number for a new plan, the same one on all ranks."""
        self._made += 1
        return self._made

    def put(self, number, plan):
        """Keeps a plan that was dropped here."""
        self._dropped[number] = plan
        self._all.add(self)

    def dropped(self):
        """Numbers of the plans that were dropped here."""
        return set(self._dropped)

    def end_dropped(self):
        """Ends the plans that all ranks have dropped, in the same order. Collective."""
        for number in sorted(set.intersection(*self._votes.allgather(self.dropped()))):
            del self._dropped[number]
        if not self._dropped:
            self._all.discard(self)


def vote(comm, prepare, bits=lambda result: 0, held=None):
    """Calls ``prepare()`` on each rank. Returns its result and ``bits(result)``, combined by "or" over all ranks. If it
    raises on some rank of ``comm``, all ranks raise: that rank its own error, the others an error that names the rank.
    Executions in the background make progress meanwhile. ``held`` is the lock of a plan, if the caller holds it.
    Collective over ``comm``: a communicator, its :class:`Aside`, or a tuple of communicators that form a grid."""
    _core.require_running()
    error = result = None
    united, reason = 0, ""
    try:
        result = prepare()
        united = bits(result)
    except Exception as e:
        error = e
    try:
        for one in comm if isinstance(comm, tuple) else (comm,):
            aside = one if isinstance(one, Aside) else Aside.of(one)
            ballot = aside.vote(united | (_HAS_DROPPED if aside.dropped() else 0), error or reason)
            if ballot is not None:
                execution.finish_vote(ballot, held)
                united, reason = ballot.bits, ballot.text
        if error is not None:
            raise error
        if reason:
            raise argument_error(reason)
        return result, united
    finally:
        del error  # its traceback refers to this frame


def agree(comm, prepare):
    """Calls ``prepare()`` like :func:`vote`, without bits. Then ends the plans that all ranks have dropped."""
    result, bits = vote(comm, prepare)
    if bits & _HAS_DROPPED:
        Aside.of(comm).end_dropped()
    return result


def agree_on(comm, names, prepare):
    """Calls ``prepare()``, and raises on all ranks if it raises on one, or if the results do not have the same ``repr``
    on all ranks. ``names`` are the arguments that the result depends on. Collective."""
    mask = (1 << 31) - 1

    def digest(value):
        number = zlib.crc32(repr(value).encode()) & mask
        return number | (~number & mask) << 31

    value, bits = vote(comm, prepare, digest)
    if bits & bits >> 31 & mask:
        raise Error(ErrorCode.MISMATCH, f"the ranks disagree on {names}: found {shown(value)} on this one, "
                                        "expected the same on all")
    return value


def collect(comm: MPI.Comm | None = None) -> None:
    """Ends the plans that all ranks of a communicator (default MPI.COMM_WORLD) have dropped; making a
    plan on it does so, too. Collective."""
    agree(communicator(comm), lambda: None)
