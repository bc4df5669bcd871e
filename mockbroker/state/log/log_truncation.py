"""What leaves a log at its end: records that a new leader never had, or that no disk kept.

The laws:

1. Batches go whole: a log that is cut inside of one ends where that batch began.
2. Offsets, leader epochs, aborted transactions and producers are afterwards what they would be if
   the records had never come (`UnifiedLog.truncateTo`). Of producers whose last batch was deleted
   at the log's start before, all stays as it is.
"""

from collections.abc import Sequence

from mockbroker.protocol.types import NO_TIMESTAMP
from mockbroker.state.coordinator.log_records import LogRecords
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_recovery import recover_producers
from mockbroker.state.producer.producer_snapshot import ProducerSnapshot, ProducerSnapshotEntry


def truncate_to(log: PartitionLog, offset: int, records: LogRecords, *, now_ms: int) -> int:
    """Take the records from `offset` on out of a log, and return where it ends now."""
    offset = max(offset, log.log_start_offset)
    before = log.log_end_offset
    if offset >= before:
        return before
    after = batch_boundary(log, offset, records)
    if after >= before:
        return before
    log.segments.truncate_to(after)
    _tell_ages_anew(log, after, records)
    log.log_end_offset = after
    log.high_watermark = min(log.high_watermark, after)
    log.leader_epochs.truncate_from_end(after)
    log.observation.log_truncated(log, before)
    known = [entry.snapshot() for entry in log.producers]
    learn_producers_anew(log, known, records, now_ms=now_ms)
    return after


def set_high_watermark(log: PartitionLog, offset: int) -> None:
    """Let the high watermark be what a new leader knows of it, and stay there.

    Only an election moves it back: the new leader has heard of it a fetch later than the old one.
    """
    log.hold_high_watermark()
    log.high_watermark = min(max(offset, log.log_start_offset), log.log_end_offset)
    log.producers.transactions.advance_high_watermark(log.high_watermark)


def batch_boundary(log: PartitionLog, offset: int, records: LogRecords) -> int:
    """Return where the batch begins that holds an offset; between two batches, the offset."""
    start = log.segments.batch_start_of(offset)
    header = records.read_header(log.segments.batch_of(offset))
    return start if offset <= header.base_offset + header.last_offset_delta else offset


def learn_producers_anew(
    log: PartitionLog, known: Sequence[ProducerSnapshotEntry], records: LogRecords, *, now_ms: int
) -> None:
    """Learn of producers from the records, and of those that have none left from what was known."""
    start = log.log_start_offset
    older = tuple(entry for entry in known if entry.last_offset < start)
    recover_producers(log, records, now_ms=now_ms, snapshot=ProducerSnapshot(start, older))


def _tell_ages_anew(log: PartitionLog, end_offset: int, records: LogRecords) -> None:
    shifts, segment = log.timestamp_shifts, log.segments.active
    shifts.truncate_to(end_offset)
    headers = (records.read_header(data) for data in segment.buffers)
    segment.newest_ms = max(
        (each.max_timestamp + shifts.at(each.base_offset) for each in headers),
        default=NO_TIMESTAMP,
    )
    if shifts.are_any:
        shifts.limit(segment, log.config.segment_ms)


def start_at(log: PartitionLog, offset: int, *, now_ms: int) -> None:
    """Let an empty log begin at an offset (`UnifiedLog.truncateFullyAndStartAt`)."""
    assert log.log_end_offset == log.log_start_offset, log.offsets
    leader_epoch = log.leader_epochs.latest_epoch
    log.leader_epochs.truncate_from_end(0)
    log.log_start_offset = log.high_watermark = log.log_end_offset = offset
    log.assign_leader_epoch(leader_epoch)
    log.segments.roll(offset, now_ms)
    log.segments.drop(len(log.segments) - 1)
