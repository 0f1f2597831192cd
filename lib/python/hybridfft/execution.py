"""Executions of plans in the background: start, progress, completion, and cleanup of dropped ones."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
from mpi4py import MPI

from . import _core
from .arguments import number
from .errors import Error, ErrorCode, argument_error, type_error

#: Seconds to wait for a dropped execution. If it takes longer, a thread of this module ends it. Without
# MPI_THREAD_MULTIPLE there is no such thread: the wait is longer, and a later call ends the execution.
_PATIENCE = 0.05
_PATIENCE_WITHOUT_THREADS = 5
#: Seconds to wait for all executions when the process exits.
_PATIENCE_AT_END = 10

#: Executions that have not ended.
_active = set()
_lock_of_process = threading.Lock()


def new_lock():
    """Returns a lock for a plan. Without MPI_THREAD_MULTIPLE all plans share one lock."""
    return threading.Lock() if _threads() else _lock_of_process


def _threads():
    """Returns whether several threads may call MPI at the same time."""
    return MPI.Query_thread() == MPI.THREAD_MULTIPLE


def _until(done, seconds):
    """Calls ``done`` until it returns True, for at most this many seconds."""
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        time.sleep(0)


def finish_vote(vote, held=None):
    """Waits for a vote. Meanwhile this thread's executions and dropped ones make progress, because other ranks may have
    to complete them before they can vote. ``held`` is the lock that the caller holds, or None."""
    if not _active:
        vote.wait()
        return
    while not vote.test():
        for started in list(_active):
            if started.dropped or started.is_mine():
                started.progress(held)
        time.sleep(0)


@contextlib.contextmanager
def settling(lock, executions):
    """Context manager: holds a plan's lock (None: no lock) and yields a function that waits for the dropped executions
    among ``executions``. Their callbacks run after the lock is released. Raises an Error if MPI is not running,
    because in a child of fork() nobody would ever release the lock."""
    settled = []
    if lock is not None:
        _core.require_running()

    def settle():
        settled.extend(started for started in executions if started.dropped)
        for started in settled:
            started.wait_locked()

    with lock or contextlib.nullcontext():
        yield settle
    for started in settled:
        started.call_back()


class Started:
    """A started execution with its plan and arrays, which the library reads and writes until the execution ends.

    Until then the extension module holds a reference to this object. The garbage collector therefore cannot
    free the plan or the arrays too early, even if the user has dropped everything or the interpreter exits.
    ``lock`` is the plan's lock.
    """

    def __init__(self, plan, core, arrays, result):
        self._plan, self._core, self._arrays = plan, core, arrays
        self._vote = None
        self._thread = threading.get_ident()
        self.lock = plan._lock
        self.result = result
        self.error = None
        self.dropped = False
        self.handle = lambda: None
        self.callbacks = []

    def begin(self, spans, vote):
        """Starts the execution. The caller holds the lock. ``spans`` are address and bytes of input and output. The
        pending ``vote`` reports whether another rank found its arrays invalid."""
        self._vote = vote
        _active.add(self)
        _core.keep(self)
        self._plan._started.append(self)
        try:
            self._core.start(*spans)
        except Exception as error:
            self._fail(error)
            raise
        _end_before_mpi()

    @property
    def ended(self):
        return self._core is None

    def is_of(self, plan):
        """Returns whether this is an execution of the plan."""
        return self._plan is plan

    def is_mine(self):
        """Returns whether the calling thread has started the execution."""
        return self._thread == threading.get_ident()

    def progress(self, held=None):
        """Makes progress, unless another thread holds the lock. If the execution is complete and was dropped, ends
        it."""
        if self._locked(held):
            try:
                if not self.ended and self._complete() and self.dropped:
                    self._finish()
            finally:
                self._unlock(held)

    def test(self):
        """Makes progress, unless another thread holds the lock. If the execution is complete, ends it. Returns True if
        it has ended."""
        if self._locked(None):
            try:
                if not self.ended and self._complete():
                    self._finish()
            finally:
                self._unlock(None)
            self.call_back()
        return self.ended

    def wait(self):
        """Waits for the execution and ends it."""
        if not self.ended:
            with self.lock:
                self.wait_locked()
        self.call_back()

    def wait_locked(self):
        """Like :meth:`wait`, but for callers that hold the lock. Does not call the user's callbacks."""
        if not self.ended:
            self._finish()

    def call_back(self):
        """Calls the user's callbacks once the execution has ended. The caller must not hold the lock."""
        if self.ended and self.callbacks:
            callbacks, self.callbacks = self.callbacks, []
            for call in callbacks:
                call(self.handle() or Execution(self))

    def drop(self):
        """Called when the user drops the last reference to the handle. Waits for a short time, and otherwise lets the
        module's thread or a later call end the execution."""
        self.dropped = True
        if self.ended or sys.is_finalizing():
            return
        threads = not MPI.Is_finalized() and _threads()
        if not self.lock.locked() and (threads or self.is_mine()):
            _until(self.test, _PATIENCE if threads else _PATIENCE_WITHOUT_THREADS)
        if threads and not self.ended:
            _ender.notify()

    def forget(self, error):
        """Marks the execution as ended with an error, without waiting for it."""
        self.error = error
        self._release()

    def _locked(self, held):
        return self.lock is held or self.lock.acquire(blocking=False)

    def _unlock(self, held):
        if self.lock is not held:
            self.lock.release()

    def _complete(self):
        try:
            return self._core.test() and (self._vote is None or self._vote.test())
        except Exception as error:
            self._fail(error)
            return False

    def _finish(self):
        try:
            self._core.wait()
            if self._vote is not None:
                self._vote.wait()
                if self._vote.text and self.error is None:
                    self.error = argument_error(self._vote.text)
        except Exception as error:
            self._fail(error)
        else:
            self._release()

    def _fail(self, error):
        """Ends the execution with an error. If the library may still write to the arrays, raises the error instead."""
        if self._core.under_way() and getattr(error, "code", None) != ErrorCode.MPI_NOT_RUNNING:
            raise error
        self.forget(error)

    def _release(self):
        self._plan._started.remove(self)
        self._plan = self._core = self._arrays = None
        _active.discard(self)
        _core.release(self)


class _Ender:
    """A thread that ends dropped executions, because other ranks may wait for their messages. It exits when there are
    none left."""

    def __init__(self):
        self._lock = threading.RLock()  # the garbage collector may call drop() while this thread holds the lock
        self._thread = None
        self._stopped = False

    def notify(self):
        with self._lock:
            if self._thread is None and not self._stopped:
                self._thread = threading.Thread(target=self._run, name="hybridfft", daemon=True)
                self._thread.start()

    def stop(self):
        with self._lock:
            self._stopped = True
            thread = self._thread
        if thread is not None:
            thread.join()

    def _left(self):
        with self._lock:
            left = [started for started in list(_active) if started.dropped]
            if self._stopped or not left:
                self._thread = None
                return []
            return left

    def _run(self):
        while self._step():
            time.sleep(1e-3)

    def _step(self):
        left = self._left()
        for started in left:
            _test(started)
        return bool(left)


def _test(started):
    """Calls ``started.test()``. Passes exceptions, such as those of the user's callbacks, to ``sys.excepthook``,
    because no caller could handle them."""
    try:
        return started.test()
    except Exception:
        sys.excepthook(*sys.exc_info())
        return started.ended


_ender = _Ender()


@atexit.register
def _end_all():
    """Waits for all executions before MPI_Finalize or the exit of the interpreter, for a limited time. Arrays of
    unfinished executions stay allocated."""
    _ender.stop()
    _until(lambda: all([_test(started) for started in list(_active)]), _PATIENCE_AT_END)


def _end_before_mpi():
    """Registers :func:`_end_all` to run at the start of MPI_Finalize, as a delete callback of an attribute of
    MPI_COMM_SELF: MPI calls such callbacks before anything else."""
    if not hasattr(_end_before_mpi, "keyval"):
        _end_before_mpi.keyval = MPI.Comm.Create_keyval(delete_fn=lambda *_: _end_all())
        MPI.COMM_SELF.Set_attr(_end_before_mpi.keyval, True)


def _forget_all():
    """Ends all executions with an error in a child of fork(), because the parent's threads and messages are missing
    there."""
    _ender.__init__()
    for started in list(_active):
        started.forget(Error(ErrorCode.MPI_NOT_RUNNING, "the execution was started by the parent process"))


os.register_at_fork(after_in_child=_forget_all)


class Execution:
    """An execution started by :meth:`hybridfft.Plan.start`: a future with the output array as its result.

    Calls of :meth:`done`, :meth:`wait` and :meth:`result` make progress, also for other executions started
    by the same thread. Call :meth:`done` every few milliseconds to keep large messages moving. Any thread may
    call these methods. A ``with`` block waits for the execution at its end, even after an exception.
    A coroutine can await it: ``result = await plan.start()``.

    The plan and the arrays stay alive until the execution ends. If you drop the execution, for instance by
    an exception or a cancelled ``await``, it still completes on all ranks: see docs/python.md.
    """

    def __init__(self, started):
        self._started = started
        started.handle = weakref.ref(self)

    def running(self) -> bool:
        """Returns whether the execution has not ended yet. Local."""
        return not self._started.ended

    def done(self) -> bool:
        """Makes progress. Returns True if the execution has ended, either with an output or with an error."""
        return self._started.test()

    def wait(self) -> None:
        """Waits for the execution, and raises its error if it failed. All ranks call it, or end the execution in
        another way. The order among several executions may differ between ranks."""
        self._started.wait()
        if self._started.error is not None:
            raise self._started.error

    def result(self, timeout: float | None = None) -> np.ndarray:
        """Waits for the execution and returns the output array. Raises TimeoutError if it does not end within
        ``timeout`` seconds (None: no limit), and :class:`hybridfft.Error` if the execution failed."""
        if timeout is not None:
            _until(self.done, number("timeout", timeout, 0))
            if self.running():
                raise TimeoutError(f"the execution is not done after {timeout} seconds")
        self.wait()
        return self._started.result

    def exception(self, timeout: float | None = None) -> Error | None:
        """Waits like :meth:`result`. Returns the error of the execution, or None if it succeeded."""
        try:
            self.result(timeout)
        except Error as error:
            if error is self._started.error:
                return error
            raise
        return None

    def cancel(self) -> bool:
        """Returns False: an execution cannot be cancelled, because other ranks take part in it."""
        return False

    def cancelled(self) -> bool:
        """Returns False."""
        return False

    def add_done_callback(self, call: Callable[[Execution], object]) -> None:
        """Calls ``call(execution)`` when the execution has ended, in the thread that notices its end. If it has
        ended already, calls it at once."""
        if not callable(call):
            raise type_error(f"call is {call!r}, expected a function")
        if self.running():
            self._started.callbacks.append(call)
        else:
            call(self)

    def __await__(self) -> Generator[Any, None, np.ndarray]:
        while not self.done():
            yield from asyncio.sleep(0).__await__()
        return self.result()

    def __repr__(self) -> str:
        state = "failed" if self._started.error is not None else "active" if self.running() else "done"
        return f"<hybridfft.Execution, {state}>"

    def __enter__(self) -> Execution:
        return self

    def __exit__(self, *exception: object) -> None:
        self.wait()

    def __del__(self):
        if not self._started.ended:
            self._started.drop()
