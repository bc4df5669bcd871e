"""Index from a timestamp to the batch where a search for it starts."""

from array import array
from bisect import bisect_left


class TimeIndex:
    """The batches of a segment that were later than all batches before them (Kafka's `TimeIndex`).

    Only a batch whose largest timestamp exceeds every earlier one gets an entry. That is exact, not
    sparse: the first batch that reaches a timestamp is always such a batch.
    """

    __slots__ = ("offsets", "timestamps_ms")

    def __init__(self) -> None:
        """Start without entries."""
        self.timestamps_ms: array[int] = array("q")
        self.offsets: array[int] = array("q")

    def append(self, timestamp_ms: int, base_offset: int) -> None:
        """Add a batch that is later than all before; the caller has checked that."""
        self.timestamps_ms.append(timestamp_ms)
        self.offsets.append(base_offset)

    def lookup(self, timestamp_ms: int) -> int | None:
        """Return the base offset of the first batch that reaches `timestamp_ms`."""
        entry = bisect_left(self.timestamps_ms, timestamp_ms)
        return self.offsets[entry] if entry < len(self.offsets) else None

    def truncate_to(self, offset: int) -> None:
        """Remove the batches that begin at or after `offset`."""
        kept = bisect_left(self.offsets, offset)
        del self.timestamps_ms[kept:], self.offsets[kept:]

    def latest(self) -> tuple[int, int] | None:
        """Return the largest timestamp and the base offset of the first batch that has it."""
        return (self.timestamps_ms[-1], self.offsets[-1]) if self.offsets else None
