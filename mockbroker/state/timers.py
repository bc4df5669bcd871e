"""Timers of a cluster: all deferred work as named entries in one heap.

Rules:

1. The heap never reads a clock. The server asks `next_deadline_ms()`, sleeps until then in its own
   way, and calls `advance_to(now_ms)`; a test with a virtual clock just calls `advance_to`.
2. Timers run in the order of their deadlines, and equal ones in the order of their scheduling: the
   same calls give the same order.
3. A timer gets its own deadline as the time, so a jump of an hour runs a timer that reschedules
   itself every minute sixty times, exactly as an hour would. Time never goes back: a deadline that
   was past when it was scheduled runs at the time of the last advance.
4. A name has at most one deadline: scheduling it again replaces the first.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple, TypeAlias

Action: TypeAlias = Callable[[int], None]
"""The action of a timer; called with the time at which it expires, in milliseconds."""

_STALE_ENTRIES_TOLERATED: Final = 64


class PendingWork(NamedTuple):
    """Work that runs right after the answer that caused it, not at a time."""

    name: str
    """Kafka's name for the work, and its subject, such as `CreateTopics orders`."""
    run: Action
    """Do the work, given the time in milliseconds."""


class Timers:
    """Named timers of a cluster, in order."""

    __slots__ = ("_heap", "_live", "_now_ms", "_scheduled", "until_ms")

    def __init__(self, now_ms: int = 0) -> None:
        """Start empty, at `now_ms`."""
        self._heap: list[tuple[int, int, str]] = []
        self._live: dict[str, tuple[int, Action]] = {}
        self._scheduled = 0
        self._now_ms = now_ms
        self.until_ms = now_ms
        """The end of the present or last advance.

        A timer that is scheduled after it does not run before the next advance. Work in slices
        schedules each slice there, so that other work runs in between.
        """

    def __len__(self) -> int:
        """Count the timers that have not run yet."""
        return len(self._live)

    def __contains__(self, name: str) -> bool:
        """Return whether a timer of this name has not run yet."""
        return name in self._live

    def schedule(self, name: str, deadline_ms: int, action: Action) -> None:
        """Run `action` once `advance_to` reaches `deadline_ms`; replace the timer of that name."""
        self._scheduled += 1
        self._live[name] = (self._scheduled, action)
        heappush(self._heap, (deadline_ms, self._scheduled, name))
        if len(self._heap) > 2 * len(self._live) + _STALE_ENTRIES_TOLERATED:
            self._forget_stale_entries()

    def cancel(self, name: str) -> bool:
        """Cancel the timer of this name; return whether there was one."""
        return self._live.pop(name, None) is not None

    def next_deadline_ms(self) -> int | None:
        """Return the earliest deadline; None if there are no timers."""
        heap = self._heap
        while heap:
            deadline_ms, order, name = heap[0]
            if self._is_live(order, name):
                return deadline_ms
            heappop(heap)
        return None

    def advance_to(self, now_ms: int) -> list[str]:
        """Run all timers that expire by `now_ms`, and return their names in the order of execution.

        Timers that these schedule run as well if they have expired too. If an action raises, the
        timers after it remain for the next call.
        """
        ran: list[str] = []
        self.until_ms = max(self.until_ms, now_ms)
        while (deadline_ms := self.next_deadline_ms()) is not None and deadline_ms <= now_ms:
            _, _, name = heappop(self._heap)
            _, action = self._live.pop(name)
            self._now_ms = max(self._now_ms, deadline_ms)
            ran.append(name)
            action(self._now_ms)
        self._now_ms = max(self._now_ms, now_ms)
        return ran

    def _is_live(self, order: int, name: str) -> bool:
        entry = self._live.get(name)
        return entry is not None and entry[0] == order

    def _forget_stale_entries(self) -> None:
        self._heap = [entry for entry in self._heap if self._is_live(entry[1], entry[2])]
        heapify(self._heap)
