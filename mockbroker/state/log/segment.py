"""A segment of a log: the batches, and arrays to find them by offset and by position."""

from array import array
from bisect import bisect_left, bisect_right
from typing import Final

from mockbroker.protocol.types import NO_TIMESTAMP, Buffer
from mockbroker.state.log.memory_budget import BATCH_OVERHEAD_BYTES

_NEVER: Final = (1 << 63) - 1
_ALWAYS: Final = -(1 << 63)
_VALUES: Final = (
    "first_timestamp_ms",
    "full_at_position",
    "last_modified_ms",
    "max_timestamp_ms",
    "newest_ms",
    "roll_after_ms",
)


class LogSegment:
    """The batches of one segment, by reference (Kafka's `LogSegment`).

    Parallel columns, one entry per batch: `base_offsets`, `end_positions`, `buffers`. A position
    counts bytes since the log began and goes on from segment to segment, so the bytes between any
    two offsets are a difference of two positions. The log appends to the columns itself, inline,
    because a call per column would cost more than the work.
    """

    __slots__ = (
        "base_offset",
        "base_offsets",
        "buffers",
        "created_ms",
        "end_positions",
        "first_timestamp_ms",
        "full_at_position",
        "last_modified_ms",
        "max_timestamp_ms",
        "newest_ms",
        "roll_after_ms",
        "shared_bytes",
        "start_position",
        "time_index",
    )

    def __init__(self, base_offset: int, start_position: int, *, created_ms: int) -> None:
        self.base_offset = base_offset
        self.start_position = start_position
        self.created_ms = created_ms
        self.base_offsets: array[int] = array("q")
        self.end_positions: array[int] = array("Q")
        self.buffers: list[Buffer] = []
        self.time_index = TimeIndex()
        self.max_timestamp_ms = NO_TIMESTAMP
        # `newest_ms` and `first_timestamp_ms` are by the state's clock (`TimestampShifts`).
        self.newest_ms = NO_TIMESTAMP
        self.last_modified_ms = created_ms
        self.first_timestamp_ms: int | None = None
        self.full_at_position = _NEVER
        self.roll_after_ms = _NEVER
        self.shared_bytes = 0
        """The part of the charge, from the first batch on, that another log bears."""

    @property
    def end_position(self) -> int:
        """The position after its last batch."""
        return self.end_positions[-1] if self.end_positions else self.start_position

    @property
    def size_bytes(self) -> int:
        """The size of the stored batches."""
        return self.end_position - self.start_position

    @property
    def charge_bytes(self) -> int:
        """The charge for its batches in the memory budget, without the shared ones."""
        return self._full_charge_bytes - self.shared_bytes

    @property
    def _full_charge_bytes(self) -> int:
        return self.size_bytes + len(self.buffers) * BATCH_OVERHEAD_BYTES

    def share(self) -> None:
        """Leave the charge for the present batches to the log that shares them."""
        self.shared_bytes = self._full_charge_bytes

    @property
    def largest_timestamp_ms(self) -> int:
        """The largest timestamp of its records, or the time of the last append if none has one.

        It is by the state's clock; the segment's age is computed from it.
        """
        return self.newest_ms if self.max_timestamp_ms >= 0 else self.last_modified_ms

    def copy(self) -> "LogSegment":
        """Return a segment with the same batches, by reference, which the original pays for."""
        made = LogSegment(self.base_offset, self.start_position, created_ms=self.created_ms)
        for name in _VALUES:
            setattr(made, name, getattr(self, name))
        made.base_offsets, made.end_positions = self.base_offsets[:], self.end_positions[:]
        made.buffers = self.buffers[:]
        made.time_index = TimeIndex()
        made.time_index.timestamps_ms = self.time_index.timestamps_ms[:]
        made.time_index.offsets = self.time_index.offsets[:]
        made.share()
        return made

    def set_limits(self, segment_bytes: int, segment_ms: int) -> None:
        """Compute the position and the timestamp beyond which the log must call `is_due_to_roll`.

        Both limits are plain numbers, so that an append needs two comparisons and no call.
        """
        self.full_at_position = self.start_position + segment_bytes
        if self.first_timestamp_ms is None:
            self.roll_after_ms = _NEVER
        elif self.first_timestamp_ms < 0:
            self.roll_after_ms = _ALWAYS
        else:
            self.roll_after_ms = self.first_timestamp_ms + segment_ms

    def is_due_to_roll(self, max_timestamp_ms: int, now_ms: int, segment_ms: int) -> bool:
        """Return whether `segment.ms` has passed when a batch with this timestamp arrives.

        The timestamp is by the state's clock. The time passed is measured by the records'
        timestamps, from the largest timestamp of the first batch on. If that batch has none, it is
        measured by the broker's clock, from the segment's creation on.
        """
        if not self.buffers or self.first_timestamp_ms is None:
            return False
        if self.first_timestamp_ms >= 0:
            return max_timestamp_ms - self.first_timestamp_ms > segment_ms
        return now_ms - self.created_ms > segment_ms

    def note_timestamp(self, max_timestamp_ms: int, segment_ms: int, shift_ms: int = 0) -> None:
        """Record the timestamp of the batch just appended, `shift_ms` behind the state's clock.

        If no clock ever jumped, the log calls this only for the first batch, for one later than all
        before, and for one without a timestamp; no other batch changes anything.
        """
        shifted_ms = max_timestamp_ms + shift_ms if max_timestamp_ms >= 0 else max_timestamp_ms
        if self.first_timestamp_ms is None:
            self.first_timestamp_ms = shifted_ms
            self.roll_after_ms = shifted_ms + segment_ms if max_timestamp_ms >= 0 else _ALWAYS
        self.newest_ms = max(self.newest_ms, shifted_ms)
        if max_timestamp_ms > self.max_timestamp_ms:
            self.max_timestamp_ms = max_timestamp_ms
            self.time_index.append(max_timestamp_ms, self.base_offsets[-1])

    def ask_always(self) -> None:
        """Send every append to the general path, because the clients' clocks have changed."""
        self.roll_after_ms = _ALWAYS

    def set_shifted_limit(self, segment_ms: int, behind_ms: int) -> None:
        """Set the largest client timestamp that changes nothing, for clients `behind_ms` behind."""
        if self.first_timestamp_ms is None or self.first_timestamp_ms < 0:
            self.roll_after_ms = _ALWAYS
        else:
            newest_ms = min(self.first_timestamp_ms + segment_ms, self.newest_ms)
            self.roll_after_ms = newest_ms - behind_ms

    def position_of(self, offset: int) -> int:
        """Return the position at which the batch that contains `offset` starts."""
        batch = bisect_right(self.base_offsets, offset) - 1
        return self.end_positions[batch - 1] if batch > 0 else self.start_position

    def first_batch_of(self, offset: int) -> int:
        """Return the index of the batch that contains `offset`, or of the first stored batch."""
        return max(0, bisect_right(self.base_offsets, offset) - 1)

    def batches_within(self, size_bytes: int) -> int:
        """Count the batches at its start that fit whole into `size_bytes`."""
        return bisect_right(self.end_positions, self.start_position + size_bytes)

    def drop_head(self, batches: int) -> None:
        """Drop the first `batches` batches.

        The time index does not change: a search that it directs before the first stored batch
        starts at that batch.
        """
        if not batches:
            return
        start_position = self.end_positions[batches - 1]
        freed_bytes = start_position - self.start_position + batches * BATCH_OVERHEAD_BYTES
        self.shared_bytes = max(0, self.shared_bytes - freed_bytes)
        del self.base_offsets[:batches], self.end_positions[:batches], self.buffers[:batches]
        self.start_position = start_position

    def truncate_to(self, offset: int) -> None:
        """Drop the batches that begin at or after `offset`."""
        kept = bisect_left(self.base_offsets, offset)
        del self.base_offsets[kept:], self.end_positions[kept:], self.buffers[kept:]
        self.time_index.truncate_to(offset)
        self.shared_bytes = min(self.shared_bytes, self._full_charge_bytes)
        latest = self.time_index.latest()
        self.max_timestamp_ms = NO_TIMESTAMP if latest is None else latest[0]
        if not self.buffers:
            self.first_timestamp_ms = None

    def as_text(self) -> str:
        """Return its state, without the batches' bytes, as text in a stable form."""
        return (
            f"segment {self.base_offset}: {self.size_bytes} bytes, "
            f"up to {self.max_timestamp_ms} ms, batches {self.base_offsets.tolist()}"
        )


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
