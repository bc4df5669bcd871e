"""Queue of keys by deadline, so that a sweep checks only the keys that have expired.

Rules:

1. A key has at most one live deadline, which `watch` only makes earlier. A caller that pops a key
   checks whether it has really expired, and watches it again otherwise. A transaction that begins
   and ends within its timeout therefore costs one lookup, and no entry.
2. The heap has at most about twice as many entries as there are keys.
"""

from heapq import heapify, heappop, heappush
from typing import Any, Final, Generic, TypeVar

_STALE_ENTRIES_TOLERATED: Final = 64


KeyT = TypeVar("KeyT", bound=Any)
"""A key with a deadline: hashable, and ordered to break ties between equal deadlines."""


class Deadlines(Generic[KeyT]):
    """A heap of deadlines by key."""

    __slots__ = ("_deadlines", "_heap")

    def __init__(self) -> None:
        """Start empty."""
        self._heap: list[tuple[int, KeyT]] = []
        self._deadlines: dict[KeyT, int] = {}

    def __len__(self) -> int:
        """Count the keys that are watched."""
        return len(self._deadlines)

    @property
    def entry_count(self) -> int:
        """The number of entries in the heap, including those of forgotten keys."""
        return len(self._heap)

    def watch(self, key: KeyT, deadline_ms: int) -> None:
        """Schedule a key to be popped at `deadline_ms` at the latest."""
        known = self._deadlines.get(key)
        if known is not None and known <= deadline_ms:
            return
        self._deadlines[key] = deadline_ms
        heappush(self._heap, (deadline_ms, key))
        if len(self._heap) > 2 * len(self._deadlines) + _STALE_ENTRIES_TOLERATED:
            self._heap = [(deadline, key) for key, deadline in self._deadlines.items()]
            heapify(self._heap)

    def forget(self, key: KeyT) -> None:
        """Stop watching a key, if it is watched."""
        self._deadlines.pop(key, None)

    def next_deadline_ms(self) -> int | None:
        """Return the earliest deadline; None if nothing is watched."""
        heap = self._heap
        while heap:
            deadline_ms, key = heap[0]
            if self._deadlines.get(key) == deadline_ms:
                return deadline_ms
            heappop(heap)
        return None

    def pop_due(self, now_ms: int) -> KeyT | None:
        """Remove and return the key with the earliest deadline, if it is `now_ms` or earlier."""
        deadline_ms = self.next_deadline_ms()
        if deadline_ms is None or deadline_ms > now_ms:
            return None
        _, key = heappop(self._heap)
        del self._deadlines[key]
        return key
