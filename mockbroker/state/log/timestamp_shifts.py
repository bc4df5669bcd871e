"""The lag of the clients' clocks behind the state's clock at each append, by offset.

Invariants:

1. Stored timestamps are never changed: list, lookup and fetch return what clients wrote. Only ages
   (retention, expiry of producers, segments that roll by time) are computed with the shift.
2. Timestamps that the broker sets, LogAppendTime and markers, are by the state's clock: no shift.
"""

from array import array
from bisect import bisect_right

from mockbroker.protocol.types import LOG_APPEND_TIME, BatchHeader
from mockbroker.state.clock import ClientClock
from mockbroker.state.log.segment import LogSegment


class TimestampShifts:
    """The shifts of one log. In a cluster whose clock never jumped there are none."""

    __slots__ = ("_clients", "_current_ms", "_offsets", "_shifts_ms")

    def __init__(self, clients: ClientClock | None = None) -> None:
        """Start without batches; without a clients' clock, clients use the state's time."""
        self._clients = clients or ClientClock()
        self._offsets: array[int] = array("q")
        self._shifts_ms: array[int] = array("q")
        self._current_ms = 0

    @property
    def are_any(self) -> bool:
        """True if any batch is shifted, or the next one may be."""
        clients = self._clients
        return bool(self._offsets) or clients.behind_ms != 0 or not clients.is_steady

    def of_next(self, header: BatchHeader, *, is_from_client: bool) -> int:
        """Return the shift of the timestamps of a batch that is appended now, in milliseconds."""
        is_ours = not is_from_client or header.attributes & LOG_APPEND_TIME
        return 0 if is_ours else self._clients.behind_ms

    def at(self, offset: int) -> int:
        """Return the shift of the batch that contains `offset`; markers have none."""
        entry = bisect_right(self._offsets, offset) - 1
        return self._shifts_ms[entry] if entry >= 0 else 0

    def note(self, base_offset: int, shift_ms: int) -> None:
        """Record the shift of a batch at the log's end."""
        if shift_ms != self._current_ms:
            self._offsets.append(base_offset)
            self._shifts_ms.append(shift_ms)
            self._current_ms = shift_ms

    def limit(self, segment: LogSegment, segment_ms: int) -> None:
        """Set the largest timestamp that changes nothing in the segment just appended to.

        It holds for batches of clients that are as far behind as the writer of the last batch.
        """
        behind_ms = self._clients.behind_ms
        if self._clients.is_steady and self._current_ms == behind_ms:
            segment.set_shifted_limit(segment_ms, behind_ms)
        else:
            segment.ask_always()

    def truncate_to(self, offset: int) -> None:
        """Remove the shifts from `offset` on, because the log now ends there."""
        kept = bisect_right(self._offsets, offset - 1)
        del self._offsets[kept:], self._shifts_ms[kept:]
        self._current_ms = self._shifts_ms[-1] if kept else 0

    def copy(self) -> "TimestampShifts":
        """Return a copy, for another log with the same batches."""
        made = TimestampShifts(self._clients)
        made._offsets, made._shifts_ms = self._offsets[:], self._shifts_ms[:]
        made._current_ms = self._current_ms
        return made
