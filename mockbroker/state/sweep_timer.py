"""Timer of a sweep at fixed intervals, which skips intervals when nothing can be due.

Rules:

1. A sweep runs only at its start plus a multiple of its interval, as a broker's scheduled tasks.
2. It runs at the first such time at which something is due: a week of virtual time without work
   costs nothing.
"""

from collections.abc import Callable
from typing import Final

from mockbroker.state.timers import Timers

_PAUSE_MS: Final = 1
"""The delay of a sweep between two slices."""


class SweepTimer:
    """The timer of one sweep."""

    __slots__ = (
        "_at_ms",
        "_due_from_ms",
        "_interval_ms",
        "_name",
        "_run_slice",
        "_started_ms",
        "_timers",
    )

    def __init__(self, timers: Timers, name: str, run_slice: Callable[[int], bool]) -> None:
        """Create a stopped timer; `run_slice` returns whether there is more work."""
        self._timers: Final = timers
        self._name: Final = name
        self._run_slice: Final = run_slice
        self._interval_ms = 0
        self._started_ms = 0
        self._at_ms: int | None = None
        self._due_from_ms: int | None = None

    def startup(self, now_ms: int, interval_ms: int) -> None:
        """Start to count intervals."""
        assert interval_ms > 0, interval_ms
        self._started_ms = now_ms
        self._interval_ms = interval_ms

    def shutdown(self) -> None:
        """Stop until the next start."""
        self._interval_ms = 0
        self._forget()

    def expect(self, due_ms: int, now_ms: int) -> None:
        """Schedule the first run after `now_ms` that is not before `due_ms`."""
        if self._due_from_ms is not None and due_ms > self._due_from_ms:
            return  # it is scheduled for that time, or an earlier one
        if self._interval_ms:
            since_start_ms = max(due_ms, now_ms + 1) - self._started_ms
            intervals = -(-since_start_ms // self._interval_ms)
            self._arm(self._started_ms + max(intervals, 1) * self._interval_ms)

    def _arm(self, at_ms: int) -> None:
        if self._at_ms is None or at_ms < self._at_ms:
            self._at_ms = at_ms
            self._due_from_ms = at_ms - self._interval_ms
            self._timers.schedule(self._name, at_ms, self._run)

    def _run(self, now_ms: int) -> None:
        self._at_ms = self._due_from_ms = None
        self._continue(now_ms)

    def _continue(self, now_ms: int) -> None:
        if self._run_slice(now_ms):
            self._timers.schedule(f"{self._name} continued", now_ms + _PAUSE_MS, self._continue)

    def _forget(self) -> None:
        self._at_ms = self._due_from_ms = None
        self._timers.cancel(self._name)
        self._timers.cancel(f"{self._name} continued")
