"""Work that is done in slices: a function that pauses in the middle, wherever it is.

Handlers are plain functions with loops several calls deep. So the function has a thread of its own,
which is used as a coroutine: it runs only while the event loop's thread waits for it, and never
beside it. Nothing else changes while it runs, and no locks are needed.
"""

import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")


class _Abandoned(BaseException):
    """Ends work that will not be continued."""


class SlicedWork(Generic[T]):
    """A function that is called with a function to pause."""

    def __init__(self, work: Callable[[Callable[[], None]], T]) -> None:
        """Start with the first slice."""
        self._work = work
        self._go_on = threading.Lock()
        self._has_paused = threading.Lock()
        self._go_on.acquire()
        self._has_paused.acquire()
        self._thread = threading.Thread(
            target=self._run, args=(self._pause,), name="mockbroker-slices", daemon=True
        )
        self._result: T | None = None
        self._failure: BaseException | None = None
        self._is_abandoned = False
        self.is_done = False

    def run_slice(self) -> None:
        """Run the work until it pauses or is done."""
        if self._thread.ident is None:
            self._thread.start()
        else:
            self._go_on.release()
        self._has_paused.acquire()
        if self.is_done:
            self._thread.join()

    def run_at_once(self) -> None:
        """Run the work without pauses, in this thread."""
        self._run(lambda: None)

    def result(self) -> T:
        """Return what the function returned, or raise what it raised."""
        assert self.is_done
        if self._failure is not None:
            raise self._failure
        return self._result  # type: ignore[return-value]  # None only if the function returned it

    def abandon(self) -> None:
        """End the work where it is."""
        if self._thread.ident is not None and not self.is_done:
            self._is_abandoned = True
            self.run_slice()

    def _run(self, pause: Callable[[], None]) -> None:
        try:
            self._result = self._work(pause)
        except BaseException as failure:  # noqa: BLE001 - raised by `result`
            self._failure = failure
        self.is_done = True
        self._has_paused.release()

    def _pause(self) -> None:
        self._has_paused.release()
        self._go_on.acquire()
        if self._is_abandoned:
            raise _Abandoned


class SliceQueue:
    """Work in slices on an event loop: one slice in each of its rounds, in turns."""

    def __init__(self, loop: "asyncio.AbstractEventLoop") -> None:
        """Start without work."""
        self._loop = loop
        self._queue: deque[tuple[SlicedWork[Any], Callable[[SlicedWork[Any]], None]]] = deque()

    def add(self, work: SlicedWork[T], done: Callable[[SlicedWork[T]], None]) -> None:
        """Do work from the next round on; `done` is called with it at the end."""
        if not self._queue:
            self._loop.call_soon(self._run_slice)
        self._queue.append((work, done))

    def abandon(self) -> None:
        """End all work where it is, because the loop will stop."""
        while self._queue:
            self._queue.popleft()[0].abandon()

    def _run_slice(self) -> None:
        if not self._queue:
            return  # abandoned
        work, done = self._queue.popleft()
        if self._loop.get_debug():
            # asyncio's debug mode refuses calls from other threads, also while the loop waits.
            work.run_at_once()
        else:
            work.run_slice()
        if not work.is_done:
            self._queue.append((work, done))
        if self._queue:
            self._loop.call_soon(self._run_slice)
        if work.is_done:
            done(work)
