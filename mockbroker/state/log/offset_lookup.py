"""Lookup of a record by its timestamp: the indexes find the batch, the reader finds the record.

The log never parses its batches: the reader is a port that the service layer implements.
"""

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from mockbroker.protocol.types import NO_PARTITION_LEADER_EPOCH, NO_TIMESTAMP, Buffer
from mockbroker.state.log.log_segments import LogSegments

if TYPE_CHECKING:
    from mockbroker.state.log.partition_log import PartitionLog

LATEST_TIMESTAMP: Final = -1
EARLIEST_TIMESTAMP: Final = -2
MAX_TIMESTAMP: Final = -3
EARLIEST_LOCAL_TIMESTAMP: Final = -4
LATEST_TIERED_TIMESTAMP: Final = -5
EARLIEST_PENDING_UPLOAD_TIMESTAMP: Final = -6


class TimestampAndOffset(NamedTuple):
    """A record's timestamp (milliseconds, -1 for none), its offset, and its leader epoch (-1)."""

    timestamp_ms: int
    offset: int
    leader_epoch: int


class LogReader(Protocol):
    """Port that finds single records inside a batch.

    Both methods get a batch exactly as stored, with its final base offset.
    """

    def first_record_since(
        self, data: Buffer, timestamp_ms: int, start_offset: int
    ) -> tuple[int, int] | None:
        """Return (timestamp, offset) of the batch's first matching record.

        It has a timestamp of at least `timestamp_ms` and an offset of at least `start_offset`.
        """
        ...

    def latest_record(self, data: Buffer) -> tuple[int, int] | None:
        """Return (timestamp, offset) of the first record with the batch's largest timestamp."""
        ...


def offset_for_timestamp(
    log: "PartitionLog", timestamp_ms: int, reader: LogReader, *, last_fetchable_offset: int
) -> TimestampAndOffset | None:
    """Answer ListOffsets: a special timestamp, or the first record of at least that timestamp.

    `last_fetchable_offset` is the high watermark, or the last stable offset for read_committed. A
    record at or beyond it is not found, and None is returned. There is no tiered storage, so the
    latest tiered offset and the earliest offset pending upload are -1.
    (KIP-79, KIP-734, KIP-405, KIP-1005, KIP-1023)
    """
    log_start_offset, leader_epochs = log.log_start_offset, log.leader_epochs
    if timestamp_ms == LATEST_TIMESTAMP:
        return TimestampAndOffset(NO_TIMESTAMP, last_fetchable_offset, leader_epochs.latest_epoch)
    if timestamp_ms in {EARLIEST_TIMESTAMP, EARLIEST_LOCAL_TIMESTAMP}:
        leader_epoch = leader_epochs.epoch_for(log_start_offset)
        return TimestampAndOffset(NO_TIMESTAMP, log_start_offset, leader_epoch)
    if timestamp_ms in {LATEST_TIERED_TIMESTAMP, EARLIEST_PENDING_UPLOAD_TIMESTAMP}:
        return TimestampAndOffset(NO_TIMESTAMP, -1, NO_PARTITION_LEADER_EPOCH)
    if timestamp_ms == MAX_TIMESTAMP:
        record = latest_record(log.segments, reader)
    else:
        record = first_record_since(log.segments, timestamp_ms, log_start_offset, reader)
    if record is None or record[1] >= last_fetchable_offset:
        return None
    # The latest record may lie before the log start, where epochs were removed.
    leader_epoch = leader_epochs.epoch_for(max(record[1], log_start_offset))
    return TimestampAndOffset(*record, leader_epoch)


def first_record_since(
    segments: LogSegments, timestamp_ms: int, start_offset: int, reader: LogReader
) -> tuple[int, int] | None:
    """Return (timestamp, offset) of the first record of at least that timestamp and offset."""
    for segment in segments:
        # Records without a timestamp (-1) are in no index.
        indexed_offset = (
            segment.time_index.lookup(timestamp_ms) if timestamp_ms >= 0 else segment.base_offset
        )
        if indexed_offset is None:
            continue
        first = segment.first_batch_of(max(indexed_offset, start_offset))
        for data in segment.buffers[first:]:
            record = reader.first_record_since(data, timestamp_ms, start_offset)
            if record is not None:
                return record
    return None


def latest_record(segments: LogSegments, reader: LogReader) -> tuple[int, int] | None:
    """Return (timestamp, offset) of the first record with the largest timestamp of all (KIP-734).

    As in Kafka, the log start offset does not matter: a record before it is found as long as its
    segment exists.
    """
    segment = max(segments, key=lambda segment: segment.max_timestamp_ms)
    latest = segment.time_index.latest()
    if latest is None:  # no record has a timestamp
        return reader.latest_record(segment.buffers[0]) if segment.buffers else None
    batch = segment.first_batch_of(latest[1])
    if segment.base_offsets[batch] == latest[1]:
        return reader.latest_record(segment.buffers[batch])
    # The latest batch was dropped because memory was short, so all remaining ones must be read.
    records = [
        record
        for segment in segments
        for data in segment.buffers
        if (record := reader.latest_record(data)) is not None
    ]
    return max(records, key=lambda record: record[0], default=None)


def legacy_offsets_before(
    log: "PartitionLog", timestamp_ms: int, max_offsets: int, *, now_ms: int
) -> list[int]:
    """Answer ListOffsets v0: start offsets of segments last modified by then, latest first.

    The log end offset counts as a segment modified now, unless the active segment is empty.
    """
    starts = [
        (max(segment.base_offset, log.log_start_offset), segment.last_modified_ms)
        for segment in log.segments
    ]
    if log.segments.active.size_bytes:
        starts.append((log.log_end_offset, now_ms))
    if timestamp_ms == EARLIEST_TIMESTAMP:
        del starts[1:]
    elif timestamp_ms != LATEST_TIMESTAMP:
        while starts and starts[-1][1] > timestamp_ms:
            starts.pop()
    found = [offset for offset, _ in reversed(starts)][: max(0, max_offsets)]
    committed = [offset for offset in found if offset <= log.high_watermark]
    return committed if len(committed) == len(found) else [log.high_watermark, *committed]
