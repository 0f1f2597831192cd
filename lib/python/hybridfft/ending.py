"""Agreement between the ranks of a communicator on failures and on the destruction of plans.

A failure on one rank must raise an error on all ranks. The ranks therefore vote before collective operations.

Destroying a plan is collective, but the garbage collectors of the ranks drop references at different
times. Each rank therefore keeps its dropped plans in a list. The ranks compare their lists when they make
the next plan on the communicator, and destroy the plans that all of them have dropped.
"""

from __future__ import annotations

import zlib

from mpi4py import MPI

from . import _core, execution
from .arguments import communicator, shown
from .errors import Error, ErrorCode, argument_error

#: Bit of a vote: this rank has dropped plans. Callers may use the other bits.
_HAS_DROPPED = 1 << 63


class Aside:
    """Additional state of a communicator: a duplicate of it for votes, and the plans dropped on this rank."""

    _keyval = None
    #: Objects with dropped plans. This set keeps them alive after their communicator is freed, because destroying
    #: their plans would be collective.
    _all = set()

    def __init__(self, comm):
        self._rank = comm.Get_rank()
        self._votes = comm.Dup() if comm.Get_size() > 1 else None
        self._made = 0
        self._dropped = {}

    @classmethod
    def of(cls, comm):
        """Returns the communicator's object, stored as an MPI attribute. The first call for a communicator makes it and
        is collective."""
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
        """Starts a vote: combines the bits of all ranks by "or", and sends a failure of this rank (an exception or a
        text) to all ranks. Returns the pending vote, or None on a single rank or a freed communicator. Collective."""
        if self._votes is None:
            return None
        if isinstance(failure, Exception):
            failure = f"on rank {self._rank}: {type(failure).__name__}: {failure}"
        return _core.Vote(self._votes, bits, failure.encode(errors="replace"))

    def number(self):
        """Returns the next plan number. Ranks make plans in the same order, so that a plan has one number on all."""
        self._made += 1
        return self._made

    def put(self, number, plan):
        """Adds a plan to the plans dropped on this rank."""
        self._dropped[number] = plan
        self._all.add(self)

    def dropped(self):
        """Returns the numbers of the plans dropped on this rank."""
        return set(self._dropped)

    def end_dropped(self):
        """Destroys the plans that all ranks have dropped, in the order of their numbers. Collective."""
        for number in sorted(set.intersection(*self._votes.allgather(self.dropped()))):
            del self._dropped[number]
        if not self._dropped:
            self._all.discard(self)


def vote(comm, prepare, bits=lambda result: 0, held=None):
    """Calls ``prepare()`` on each rank. Returns its result, and ``bits(result)`` combined by "or" over all ranks.

    If ``prepare()`` raises on one rank, all ranks raise: that rank its own error, the others an Error that names the
    rank. Executions in the background make progress during the vote. ``held`` is the plan's lock if the caller holds
    it. Collective over ``comm``: a communicator, its :class:`Aside`, or a tuple with the communicators of a grid's
    axes.
    """
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
    """Returns the result of ``prepare()``, and raises like :func:`vote`. Also destroys the plans that all ranks have
    dropped. Collective."""
    result, bits = vote(comm, prepare)
    if bits & _HAS_DROPPED:
        Aside.of(comm).end_dropped()
    return result


def agree_on(comm, names, prepare):
    """Returns the result of ``prepare()``. Raises on all ranks if ``prepare()`` raises on one, or if the ``repr`` of
    the result differs between ranks. ``names`` describes the compared arguments in the error message. Collective."""
    mask = (1 << 31) - 1

    def digest(value):
        # A hash and its complement. After "or" over all ranks both have a common bit only if the hashes differ.
        number = zlib.crc32(repr(value).encode()) & mask
        return number | (~number & mask) << 31

    value, bits = vote(comm, prepare, digest)
    if bits & bits >> 31 & mask:
        raise Error(ErrorCode.MISMATCH, f"the ranks disagree on {names}: found {shown(value)} on this one, "
                                        "expected the same on all")
    return value


def collect(comm: MPI.Comm | None = None) -> None:
    """Destroys the plans that all ranks of ``comm`` (default MPI.COMM_WORLD) have dropped. Making a plan
    on ``comm`` does the same. Collective."""
    agree(communicator(comm), lambda: None)
