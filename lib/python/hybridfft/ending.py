"""The end of plans that Python drops.

Ending a plan is collective, but ranks drop references when their garbage collectors please. So a plan that
is dropped is put aside, and ended when all ranks of its communicator have dropped it: they tell each other
at the next plan that they make there.
"""

from mpi4py import MPI

from .errors import argument_error


class Aside:
    """The plans of a communicator: how many were made, and those that were dropped on this rank."""

    _keyval = None
    #: All of them: plans that were dropped outlive their communicator, because destroying them
    #: would be collective.
    _all = []

    def __init__(self):
        self._all.append(self)
        self._made = 0
        self._dropped = {}

    @classmethod
    def of(cls, comm):
        """The one of a communicator, which has it as an attribute."""
        if cls._keyval is None:
            cls._keyval = MPI.Comm.Create_keyval()
        aside = comm.Get_attr(cls._keyval)
        if aside is None:
            aside = cls()
            comm.Set_attr(cls._keyval, aside)
        return aside

    def number(self):
        """A number for a new plan, the same one on all ranks."""
        self._made += 1
        return self._made

    def put(self, number, plan):
        """Keeps a plan that was dropped here."""
        self._dropped[number] = plan

    def dropped(self):
        """Numbers of the plans that were dropped here."""
        return set(self._dropped)

    def end(self, numbers):
        """Ends plans that were dropped everywhere, in the same order. Collective."""
        for number in sorted(numbers):
            del self._dropped[number]


def agree(comm, prepare):
    """Calls ``prepare()`` and returns what it does. Where it raises on some rank of ``comm`` all ranks
    raise: that one its own error, the others one that names it. Ends plans that all ranks have dropped.
    Collective."""
    aside = Aside.of(comm)
    error = result = None
    try:
        result = prepare()
    except Exception as e:
        error = e
    try:
        reason = None if error is None else f"{type(error).__name__}: {error}"
        reasons, dropped = zip(*comm.allgather((reason, aside.dropped())))
        aside.end(set.intersection(*dropped))
        if error is not None:
            raise error
        for rank, reason in enumerate(reasons):
            if reason is not None:
                raise argument_error(f"on rank {rank}: {reason}")
        return result
    finally:
        del error  # it has this frame in its traceback


def collect(comm=None):
    """Ends the plans that all ranks of a communicator (default MPI.COMM_WORLD) have dropped; making a
    plan on it does so, too. Collective."""
    agree(MPI.COMM_WORLD if comm is None else comm, lambda: None)
