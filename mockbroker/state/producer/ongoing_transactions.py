"""The transactions that hold back a log's last stable offset.

Invariants:

1. A transaction is undecided from its first record until its marker is appended, then unreplicated
   until the high watermark has passed that marker. Both hold back the last stable offset.
2. The cost of starting or completing a transaction, and of reading the first unstable offset, is
   constant or logarithmic in the number of open transactions.
"""

from collections import OrderedDict
from collections.abc import Container, Iterator
from heapq import heappop, heappush
from typing import Final

STABLE: Final = (1 << 63) - 1
"""The value for "no unstable offset": larger than any offset."""


class OngoingTransactions:
    """The open transactions of a log, and those whose marker is not replicated yet."""

    __slots__ = ("_ongoing", "_unreplicated", "first_unstable_offset")

    def __init__(self) -> None:
        """Start without transactions."""
        # By first offset. First offsets only grow, so insertion order is offset order.
        self._ongoing: OrderedDict[int, int] = OrderedDict()
        # A heap of (first, last offset); only its top is checked for being replicated.
        self._unreplicated: list[tuple[int, int]] = []
        self.first_unstable_offset = STABLE
        """The first offset of the oldest undecided or unreplicated transaction, or `STABLE`."""

    def __len__(self) -> int:
        """Count the open transactions."""
        return len(self._ongoing)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield first offset and producer id of each open transaction, by offset."""
        return iter(self._ongoing.items())

    @property
    def first_producer_id(self) -> int | None:
        """The producer id of the oldest open transaction."""
        return next(iter(self._ongoing.values()), None)

    def start(self, producer_id: int, first_offset: int) -> None:
        """Open a transaction whose first record is the latest in the log."""
        self._ongoing[first_offset] = producer_id
        self.first_unstable_offset = min(self.first_unstable_offset, first_offset)

    def last_stable_offset_after(self, producer_id: int, last_offset: int) -> int:
        """Return the first undecided offset after a transaction ends with a marker at an offset."""
        for first_offset, owner_id in self._ongoing.items():
            if owner_id != producer_id:
                return first_offset
        return last_offset + 1

    def complete(self, first_offset: int, last_offset: int) -> None:
        """Decide a transaction by the marker at `last_offset`; it becomes unreplicated."""
        self._ongoing.pop(first_offset, None)
        heappush(self._unreplicated, (first_offset, last_offset))

    def advance_high_watermark(self, high_watermark: int) -> None:
        """Remove the transactions whose marker the high watermark has passed."""
        unreplicated = self._unreplicated
        while unreplicated and unreplicated[0][1] < high_watermark:
            heappop(unreplicated)
        undecided = next(iter(self._ongoing), STABLE)
        self.first_unstable_offset = (
            min(undecided, unreplicated[0][0]) if unreplicated else undecided
        )

    def forget_producers(self, producer_ids: Container[int]) -> None:
        """Drop the open transactions of producers that are no longer known."""
        gone = [offset for offset, owner_id in self._ongoing.items() if owner_id in producer_ids]
        for first_offset in gone:
            del self._ongoing[first_offset]

    def copy(self) -> "OngoingTransactions":
        """Return a copy with the same transactions."""
        made = OngoingTransactions()
        made._ongoing = self._ongoing.copy()
        made._unreplicated = self._unreplicated[:]
        made.first_unstable_offset = self.first_unstable_offset
        return made

    def clear(self) -> None:
        """Drop all."""
        self._ongoing.clear()
        self._unreplicated.clear()
        self.first_unstable_offset = STABLE
