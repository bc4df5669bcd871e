"""Truncation of a log's end: records that a new leader never had, or that were never flushed.

Invariants:

1. Only whole batches are removed: a log that is cut inside a batch ends where that batch began, or
   at its start, if records of that batch were deleted before.
2. Afterwards offsets, leader epochs, aborted transactions and producers are as if the records had
   never been appended (`UnifiedLog.truncateTo`). Producers keep what they know of batches that
   were deleted at the log's start before.
"""

from mockbroker.protocol.types import NO_TIMESTAMP
from mockbroker.state.log.batch_reader import BatchReader
from mockbroker.state.log.leader_epoch_cache import UNDEFINED_EPOCH
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_recovery import recover_producers


def truncate_to(
    log: PartitionLog,
    offset: int,
    records: BatchReader,
    *,
    reloads_producers: bool = False,
    now_ms: int,
) -> int:
    """Remove the records from `offset` on, and return the new log end offset.

    A real follower `reloads_producers` then: it knows only those of its last segment's snapshot, if
    this lies beyond the log start, and those of the records since.
    """
    offset = max(offset, log.log_start_offset)
    before = log.log_end_offset
    if offset >= before:
        return before
    removed = batch_boundary(log, offset, records)
    if removed >= before:
        return before
    log.segments.truncate_to(removed)
    after = max(removed, log.log_start_offset)
    _recompute_ages(log, after, records)
    log.log_end_offset = after
    log.high_watermark = min(log.high_watermark, after)
    log.leader_epochs.truncate_from_end(after)
    if log.observation.reporter is not None:
        log.observation.reporter.log_truncated(log.topic_partition, before, after)
    known = (entry.before(log.log_start_offset) for entry in log.producers)
    older = [entry for entry in known if entry is not None]
    if reloads_producers and log.segments.active.base_offset <= log.log_start_offset:
        older = []
    recover_producers(log, records, now_ms=now_ms, older=older)
    return after


def set_high_watermark(log: PartitionLog, offset: int) -> None:
    """Set the high watermark to the one that a new leader knows, and hold it there.

    Only an election moves it back: the new leader learns of it one fetch later than the old one.
    """
    log.hold_high_watermark()
    log.high_watermark = min(max(offset, log.log_start_offset), log.log_end_offset)
    log.producers.transactions.advance_high_watermark(log.high_watermark)


def batch_boundary(log: PartitionLog, offset: int, records: BatchReader) -> int:
    """Return the base offset of the batch that contains `offset`, or `offset` between batches."""
    start = log.segments.batch_start_of(offset)
    header = records.read_header(log.segments.batch_of(offset))
    return start if offset <= header.base_offset + header.last_offset_delta else offset


def _recompute_ages(log: PartitionLog, end_offset: int, records: BatchReader) -> None:
    shifts, segment = log.timestamp_shifts, log.segments.active
    shifts.truncate_to(end_offset)
    headers = (records.read_header(data) for data in segment.buffers)
    segment.newest_ms = max(
        (each.max_timestamp + shifts.at(each.base_offset) for each in headers),
        default=NO_TIMESTAMP,
    )
    if shifts.are_any:
        shifts.limit(segment, log.config.segment_ms)


def restart_at(log: PartitionLog, offset: int, *, now_ms: int) -> None:
    """Drop all records and producers, and begin anew at a later offset.

    It follows `UnifiedLog.truncateFullyAndStartAt`.
    """
    log.segments.roll(log.log_end_offset, now_ms)
    log.segments.drop(len(log.segments) - 1)
    log.producers.clear()
    log.transaction_index.truncate_to(0)
    log.log_start_offset = log.log_end_offset
    start_at(log, offset, now_ms=now_ms)


def start_at(log: PartitionLog, offset: int, *, now_ms: int) -> None:
    """Start an empty log at an offset (`UnifiedLog.truncateFullyAndStartAt`)."""
    assert log.log_end_offset == log.log_start_offset, log.offsets
    leader_epoch = log.leader_epochs.latest_epoch
    log.leader_epochs.truncate_from_end(0)
    log.log_start_offset = log.high_watermark = log.log_end_offset = offset
    if leader_epoch != UNDEFINED_EPOCH:
        log.assign_leader_epoch(leader_epoch)
    log.segments.roll(offset, now_ms)
    log.segments.drop(len(log.segments) - 1)
