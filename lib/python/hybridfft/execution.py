"""Executions in the background."""

import asyncio
import time


class Execution:
    """An execution that :meth:`hybridfft.Plan.start` has begun: a future whose result is the output.

    Progress is made by the thread that calls :meth:`done`, :meth:`wait` or :meth:`result`, for all
    executions under way in the process; a call of :meth:`done` every few milliseconds keeps large
    messages moving. As a context it waits at the end of the block, also when that raises. In a coroutine
    it can be awaited: ``result = await plan.start()``. Its arrays are kept alive until it ends.
    """

    def __init__(self, plan, result, arrays):
        self._plan = plan
        self._result = result
        self._arrays = arrays
        self._error = None
        self._callbacks = []

    def running(self):
        """Whether it has not been waited for yet. Local."""
        return self._plan is not None

    def done(self):
        """Makes progress; True when the output is there."""
        if self._plan is not None and self._attempt("test"):
            self.wait()
        return self._plan is None

    def wait(self):
        """Ends the execution. All ranks do, in any order of the executions under way."""
        if self._plan is not None:
            self._attempt("wait")
            self._finish()

    def _attempt(self, step):
        try:
            return getattr(self._plan._alive(), step)()
        except Exception as error:
            self._error = error
            if not self._plan._alive().under_way():
                self._finish()
            raise

    def _finish(self):
        self._plan = self._arrays = None
        callbacks, self._callbacks = self._callbacks, []
        for call in callbacks:
            call(self)

    def result(self, timeout=None):
        """The output array, waited for. Raises TimeoutError when it is not there in ``timeout`` seconds,
        and :class:`hybridfft.Error` when the execution fails."""
        if self._error is not None and self._plan is None:
            raise self._error
        if timeout is None:
            self.wait()
        else:
            end = time.monotonic() + timeout
            while not self.done():
                if time.monotonic() >= end:
                    raise TimeoutError(f"the execution is not done after {timeout} seconds")
        return self._result

    def exception(self, timeout=None):
        """What :meth:`result` would raise, or None."""
        try:
            self.result(timeout)
        except TimeoutError:
            raise
        except Exception as error:
            return error
        return None

    def cancel(self):
        """False: what has been started is finished, because other ranks take part."""
        return False

    def cancelled(self):
        """False."""
        return False

    def add_done_callback(self, call):
        """Calls ``call(execution)`` when it is done, in the thread that finds out; at once if it is."""
        if self._plan is None:
            call(self)
        else:
            self._callbacks.append(call)

    def __await__(self):
        while not self.done():
            yield from asyncio.sleep(0).__await__()
        return self.result()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.wait()
