"""Event loop without IO whose callbacks and time advance only on demand."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Final, TypeVarTuple, cast

Ts = TypeVarTuple("Ts")

ROUNDS_MAX: Final = 100_000


class VirtualLoop:
    """The part of an event loop that the service uses; exceptions of callbacks reach the test."""

    def __init__(self) -> None:
        self._now_s = 0.0
        self._ready: deque[tuple[asyncio.Handle, Callable[[], object]]] = deque()
        self._timers: list[tuple[asyncio.TimerHandle, Callable[[], object]]] = []

    @property
    def as_loop(self) -> asyncio.AbstractEventLoop:
        """The loop, typed as a complete one."""
        return cast("asyncio.AbstractEventLoop", self)

    @property
    def timers(self) -> int:
        """Number of armed timers."""
        return sum(not handle.cancelled() for handle, _ in self._timers)

    @property
    def has_work(self) -> bool:
        """True if a callback is ready."""
        return bool(self._ready)

    @property
    def is_idle(self) -> bool:
        """True if no callback and no timer is pending."""
        return not self._ready and not self.timers

    def run(self) -> None:
        """Run all ready callbacks, and those that they make ready."""
        for _ in range(ROUNDS_MAX):
            if not self._ready:
                return
            handle, work = self._ready.popleft()
            if not handle.cancelled():
                work()
        raise AssertionError("the loop does not come to rest")

    def run_once(self) -> None:
        """Do what is ready, but not what becomes ready by that."""
        for _ in range(len(self._ready)):
            handle, work = self._ready.popleft()
            if not handle.cancelled():
                work()

    def advance(self, seconds: float, *, timers_first: bool = False) -> None:
        """Advance the time, and run each timer that expires on the way at its time.

        On a busy machine, uvloop runs timers before ready callbacks: `timers_first`.
        """
        until_s = self._now_s + seconds
        if not timers_first:
            self.run()
        while due := [timer for timer in self._timers if timer[0].when() <= until_s]:
            first = min(due, key=lambda timer: timer[0].when())
            self._timers.remove(first)
            handle, work = first
            if not handle.cancelled():
                self._now_s = max(self._now_s, handle.when())
                work()
                self.run()
        self._now_s = until_s

    def time(self) -> float:
        """Return the time in seconds since the loop was created."""
        return self._now_s

    def call_soon(
        self,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """Run a callback in the next round."""
        handle = asyncio.Handle(callback, args, self.as_loop, context)
        self._ready.append((handle, lambda: callback(*args)))
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Run a callback after a delay."""
        handle = asyncio.TimerHandle(self._now_s + delay, callback, args, self.as_loop, context)
        self._timers.append((handle, lambda: callback(*args)))
        return handle

    def get_debug(self) -> bool:
        """Return False: handles do not record where they were created."""
        return False

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        self._timers = [timer for timer in self._timers if timer[0] is not handle]
