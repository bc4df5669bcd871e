"""The segments of a log: append, lookup by offset, read, drop, truncate, and replace."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Buffer
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.memory_budget import BATCH_OVERHEAD_BYTES, MemoryBudget
from mockbroker.state.log.segment import LogSegment


class LogSlice:
    """Consecutive batches of a log (Kafka's `FetchDataInfo`).

    `buffers` are the appended buffers themselves, in order; the last may be only a part of one.
    `next_offset` is the next offset to read: one past the last record of the whole batches, or, if
    there is no whole batch, the fetch offset. Then `first_entry_incomplete` is true. After a slice
    with `is_of_older_segment` there is always more to read, whatever the slice's size.
    """

    __slots__ = (
        "buffers",
        "first_entry_incomplete",
        "is_of_older_segment",
        "next_offset",
        "size_bytes",
    )

    def __init__(
        self,
        buffers: list[Buffer],
        size_bytes: int,
        next_offset: int,
        *,
        first_entry_incomplete: bool = False,
        is_of_older_segment: bool = False,
    ) -> None:
        """Hold the batches, their total size, and the offset after the whole ones."""
        self.first_entry_incomplete = first_entry_incomplete
        self.is_of_older_segment = is_of_older_segment
        self.buffers = buffers
        self.size_bytes = size_bytes
        self.next_offset = next_offset

    def __repr__(self) -> str:
        """Show counts and offsets, not the bytes."""
        return (
            f"LogSlice({len(self.buffers)} batches, size_bytes={self.size_bytes}, "
            f"next_offset={self.next_offset})"
        )


class KeptBatch(NamedTuple):
    """A batch that remains after compaction."""

    last_offset: int
    max_timestamp_ms: int
    data: Buffer


class LogSegments:
    """A log's segments, oldest first; there is always at least one (Kafka's `LogSegments`).

    `active` is the last one. The log appends to its columns directly, and then sets `end_position`,
    the number of bytes ever appended. Only the active segment may be empty.
    """

    __slots__ = ("_base_offsets", "_budget", "_config", "_segments", "active", "end_position")

    def __init__(self, config: LogConfig, budget: MemoryBudget, *, now_ms: int) -> None:
        """Start with an empty segment at offset 0 and position 0."""
        self._config = config
        self._budget = budget
        self._segments: list[LogSegment] = []
        self._base_offsets: list[int] = []
        self.end_position = 0
        self.active = self.roll(0, now_ms)

    @property
    def budget(self) -> MemoryBudget:
        """The memory budget, shared with other logs."""
        return self._budget

    def copy(self) -> "LogSegments":
        """Return a copy that shares the batches by reference; the original is charged for them."""
        made = LogSegments(self._config, self._budget, now_ms=0)
        made.end_position = self.end_position
        made._segments = [segment.copy() for segment in self._segments]
        made._base_offsets = list(self._base_offsets)
        made.active = made._segments[-1]
        return made

    def share(self) -> None:
        """Leave the charge for the present batches to another log that has them as well."""
        self._release(self._segments)
        for segment in self._segments:
            segment.share()

    def charge(self) -> None:
        """Charge the budget for all batches, also for those that are shared."""
        self._budget.used_bytes += sum(segment.shared_bytes for segment in self._segments)
        for segment in self._segments:
            segment.shared_bytes = 0

    def __len__(self) -> int:
        """Count the segments."""
        return len(self._segments)

    def __iter__(self) -> Iterator[LogSegment]:
        """Yield the segments, oldest first."""
        return iter(self._segments)

    @property
    def oldest(self) -> LogSegment:
        """The first segment."""
        return self._segments[0]

    def base_offset_of(self, index: int) -> int:
        """Return the base offset of the segment with this number, counted from the oldest."""
        return self._base_offsets[index]

    @property
    def size_bytes(self) -> int:
        """The size of all stored batches."""
        return self.end_position - self._segments[0].start_position

    def reconfigure(self, config: LogConfig) -> None:
        """Use new settings for rolling the active segment and later ones."""
        self._config = config
        self.active.set_limits(config.segment_bytes, config.segment_ms)

    def roll(self, base_offset: int, now_ms: int) -> LogSegment:
        """Begin a new active segment at the log's end."""
        segment = LogSegment(base_offset, self.end_position, created_ms=now_ms)
        segment.set_limits(self._config.segment_bytes, self._config.segment_ms)
        self._segments.append(segment)
        self._base_offsets.append(base_offset)
        self.active = segment
        return segment

    def make_ready(
        self, topic: str, base_offset: int, data: Buffer, max_timestamp: int, now_ms: int
    ) -> LogSegment:
        """Make room for a batch at the log's end, and return the segment to append it to.

        Raises:
            ApiError: KAFKA_STORAGE_ERROR if memory is full.

        """
        charge_bytes = len(data) + BATCH_OVERHEAD_BYTES
        if self._budget.used_bytes + charge_bytes > self._budget.reclaim_above_bytes:
            self._budget.make_room(charge_bytes, topic, now_ms=now_ms)
        segment = self.active
        if self.end_position + len(data) > segment.full_at_position or segment.is_due_to_roll(
            max_timestamp, now_ms, self._config.segment_ms
        ):
            return self.roll(base_offset, now_ms)
        return segment

    def too_large(self, topic: str, size_bytes: int) -> ApiError:
        """Return the error for a batch that is larger than `segment.bytes`."""
        return ApiError(
            ErrorCode.RECORD_LIST_TOO_LARGE,
            f"a batch of {size_bytes} bytes exceeds segment.bytes={self._config.segment_bytes} "
            f"of topic {topic}",
        )

    def drop(self, count: int) -> None:
        """Drop the first `count` segments; at least one must remain."""
        assert count < len(self._segments), count
        self._release(self._segments[:count])
        del self._segments[:count], self._base_offsets[:count]

    def drop_head(self, batches: int) -> None:
        """Drop the first `batches` batches of the oldest segment; at least one must remain."""
        oldest = self._segments[0]
        assert batches < len(oldest.buffers), batches
        before = oldest.charge_bytes
        oldest.drop_head(batches)
        self._budget.release(before - oldest.charge_bytes)

    def truncate_to(self, offset: int) -> None:
        """Drop the batches that begin at or after `offset`; no batch may span it."""
        index = self._index_of(offset)
        self._release(self._segments[index + 1 :])
        del self._segments[index + 1 :], self._base_offsets[index + 1 :]
        segment = self.active = self._segments[index]
        before = segment.charge_bytes
        segment.truncate_to(offset)
        segment.set_limits(self._config.segment_bytes, self._config.segment_ms)
        self._budget.release(before - segment.charge_bytes)
        self.end_position = segment.end_position

    def begin_active(self, base_offset: int, now_ms: int) -> None:
        """Make sure that the active segment is empty, as compaction needs it."""
        if self.active.buffers:
            self.roll(base_offset, now_ms)

    def batches_before_active(self) -> Iterator[Buffer]:
        """Yield the batches of all segments but the active one."""
        for segment in self._segments[:-1]:
            yield from segment.buffers

    def replace_older(self, kept: Sequence[KeptBatch]) -> None:
        """Replace all batches before the active segment, which must be empty.

        Each batch is indexed from the end of the one before it, so that a lookup of an offset that
        compaction removed finds the next batch.
        """
        assert not self.active.buffers, self.active
        older = self._segments[:-1]
        if not older:
            return
        first, last = older[0], older[-1]
        self._release(older)
        segment = LogSegment(first.base_offset, first.start_position, created_ms=first.created_ms)
        found_from, position = first.base_offset, first.start_position
        for batch in kept:
            position += len(batch.data)
            segment.base_offsets.append(found_from)
            segment.end_positions.append(position)
            segment.buffers.append(batch.data)
            segment.note_timestamp(batch.max_timestamp_ms, self._config.segment_ms)
            found_from = batch.last_offset + 1
        segment.last_modified_ms = last.last_modified_ms
        self._budget.used_bytes += segment.charge_bytes
        self.active.start_position = self.end_position = position
        self.active.set_limits(self._config.segment_bytes, self._config.segment_ms)
        self._segments = [segment, self.active] if kept else [self.active]
        self._base_offsets = [each.base_offset for each in self._segments]

    def delete(self) -> None:
        """Release all memory; no method may be called after this."""
        self._release(self._segments)

    def position_of(self, offset: int) -> int:
        """Return the position at which the batch that contains `offset` starts."""
        return self._segments[self._index_of(offset)].position_of(offset)

    def batch_start_of(self, offset: int) -> int:
        """Return the base offset of the batch that contains `offset`; it must exist."""
        segment = self._segments[self._index_of(offset)]
        return segment.base_offsets[segment.first_batch_of(offset)]

    def batch_of(self, offset: int) -> Buffer:
        """Return the batch that contains `offset`; it must exist."""
        segment = self._segments[self._index_of(offset)]
        return segment.buffers[segment.first_batch_of(offset)]

    def segment_of(self, offset: int) -> tuple[LogSegment, int | None]:
        """Return the segment that contains `offset`, and the next segment's base offset or None."""
        index = self._index_of(offset)
        following = self._base_offsets[index + 1] if index + 1 < len(self._segments) else None
        return self._segments[index], following

    def read(
        self, fetch_offset: int, max_bytes: int, end_position: int, *, at_least_one: bool
    ) -> LogSlice:
        """Return at most `max_bytes`, starting with the batch that contains `fetch_offset`.

        That batch must exist and start before `end_position`, where reading stops. As in Kafka,
        reading also stops at the end of the segment, and the last batch is cut off at `max_bytes`,
        except the first batch if `at_least_one`. `next_offset` is -1 if the slice reaches the end
        of the log.
        """
        index = self._index_of(fetch_offset)
        segment = self._segments[index]
        is_older = segment is not self.active and segment.end_positions[-1] < end_position
        first = segment.first_batch_of(fetch_offset)
        start_position = segment.end_positions[first - 1] if first else segment.start_position
        limit_position = min(start_position + max_bytes, end_position)
        if at_least_one:
            limit_position = max(limit_position, segment.end_positions[first])
        last = bisect_right(segment.end_positions, limit_position, first)
        buffers = segment.buffers[first:last]
        read_position = segment.end_positions[last - 1] if last else segment.start_position
        is_first_cut = False
        if last < len(segment.buffers):
            next_offset = segment.base_offsets[last]
        else:
            next_offset = -1 if segment is self.active else self._base_offsets[index + 1]
        if read_position < limit_position and last < len(segment.buffers):
            is_first_cut = not buffers
            cut_off = memoryview(segment.buffers[last])[: limit_position - read_position]
            buffers.append(cut_off)
            read_position = limit_position
        return LogSlice(
            buffers,
            read_position - start_position,
            next_offset,
            first_entry_incomplete=is_first_cut,
            is_of_older_segment=is_older,
        )

    def _release(self, segments: list[LogSegment]) -> None:
        self._budget.release(sum(segment.charge_bytes for segment in segments))

    def _index_of(self, offset: int) -> int:
        return bisect_right(self._base_offsets, offset) - 1
