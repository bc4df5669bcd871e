"""Deletion from the start of a log: by DeleteRecords, by retention, and when memory is short.

Records are only ever deleted from the log start on. `PartitionLog.advance_log_start` updates the
producers and the aborted transactions.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.log.retention import (
    Breach,
    breaches,
    deletable_segments,
    reclaimable_batches,
    size_breach,
    start_offset_breach,
)

if TYPE_CHECKING:
    from mockbroker.state.log.partition_log import PartitionLog

HIGH_WATERMARK: Final = -1
"""The offset in DeleteRecords that means the high watermark."""


def delete_records(
    log: "PartitionLog", before_offset: int, *, asks_policy_first: bool = True
) -> int:
    """Move the log start offset up to `before_offset` (-1: the high watermark), and return it.

    Segments wholly before it are deleted at once; Kafka deletes them minutes later. The first
    release checks the policy after it moved the log start (`Partition.deleteRecordsOnLeader`).

    Raises:
        ApiError: POLICY_VIOLATION if the topic is compacted only, OFFSET_OUT_OF_RANGE beyond the
            high watermark, UNKNOWN_SERVER_ERROR after a refused batch on 1.0.

    """
    if asks_policy_first:
        _check_policy(log)
    offset = log.high_watermark if before_offset == HIGH_WATERMARK else before_offset
    if not 0 <= offset <= log.high_watermark:
        raise ApiError(
            ErrorCode.OFFSET_OUT_OF_RANGE,
            f"the high watermark of {log.topic_partition} is {log.high_watermark}, "
            f"records cannot be deleted up to {offset}",
        )
    is_moved = offset > log.log_start_offset
    move_log_start(log, offset)
    if is_moved:
        _check_first_unstable_offset(log)
    _check_policy(log)
    return log.log_start_offset


def move_log_start(log: "PartitionLog", offset: int) -> None:
    """Move the log start forward, and delete the segments wholly before it."""
    log.advance_log_start(offset)
    dead = deletable_segments(log.segments, log.offsets, [start_offset_breach(offset)])
    log.segments.drop(dead)


def restore_log_start(log: "PartitionLog") -> bool:
    """Move the log start back to the checkpoint, as far as records are stored; True if it moved.

    A killed broker forgets a later one, so that deleted records are there again.
    """
    stored = log.segments.oldest.base_offsets
    first = stored[0] if stored else log.log_end_offset
    before = log.log_start_offset
    log.log_start_offset = min(before, max(first, log.checkpointed_start_offset))
    return log.log_start_offset < before


def set_log_start(log: "PartitionLog", offset: int) -> None:
    """Move the log start forward, or back to a record that is still stored.

    Raises:
        ValueError: the offset is beyond the high watermark, or its record is not stored.

    """
    if offset > log.high_watermark:
        raise ValueError(f"{offset} is beyond the high watermark, which is {log.high_watermark}")
    stored = log.segments.oldest.base_offsets
    first = stored[0] if stored else log.log_start_offset
    if offset < first:
        raise ValueError(f"the records before {first} of {log.topic_partition} are gone")
    if offset >= log.log_start_offset:
        move_log_start(log, offset)
    else:
        log.log_start_offset = offset


def _check_policy(log: "PartitionLog") -> None:
    if log.config.cleanup_compact and not log.config.cleanup_delete:
        raise ApiError(
            ErrorCode.POLICY_VIOLATION,
            f"cleanup.policy of topic {log.topic_partition.topic} does not contain delete",
        )


def _check_first_unstable_offset(log: "PartitionLog") -> None:
    """Fail as Kafka 1.0, which looks for the first record of a transaction in an empty log.

    Only a refused batch keeps a producer there whose records are all deleted (`refused_batch`).
    """
    producers = log.producers
    is_sought = producers.options.remembers_refused_batches and log.is_empty
    if is_sought and len(producers.transactions):
        raise ApiError(
            ErrorCode.UNKNOWN_SERVER_ERROR,
            f"{log.topic_partition} has an open transaction and no records",
        )


def delete_old_segments(log: "PartitionLog", now_ms: int) -> int:
    """Apply retention, and return the number of segments deleted."""
    allowed = breaches(
        log.config,
        log_start_offset=log.log_start_offset,
        end_position=log.segments.end_position,
        now_ms=now_ms,
    )
    return _delete_segments(log, allowed, now_ms)


def reclaim(log: "PartitionLog", now_ms: int) -> None:
    """Delete dead batches and those in excess of `retention.bytes`, batch by batch.

    Kafka deletes whole segments only, and so keeps up to a segment more than `retention.bytes`.
    That excess is the first to go when memory is short; what `retention.bytes` promises stays.
    """
    segments = log.segments
    excess_bytes = 0
    if log.config.cleanup_delete and log.config.retention_bytes >= 0:
        is_breached = size_breach(log.config.retention_bytes, segments.end_position)
        _delete_segments(log, [is_breached], now_ms)
        excess_bytes = max(0, segments.size_bytes - log.config.retention_bytes)
    batches = reclaimable_batches(segments.oldest, log.offsets, excess_bytes=excess_bytes)
    if batches:
        log.advance_log_start(segments.oldest.base_offsets[batches])
        segments.drop_head(batches)


def delete_superseded(log: "PartitionLog", before_offset: int, now_ms: int) -> None:
    """Delete the records before an offset, because later records have replaced all of them.

    This stands in for compaction. Kafka's cleaner removes such records wherever they lie, and does
    not move the log start offset.
    """
    log.advance_log_start(min(before_offset, log.high_watermark))
    dead = deletable_segments(
        log.segments, log.offsets, [start_offset_breach(log.log_start_offset)]
    )
    log.segments.drop(dead)
    reclaim(log, now_ms)


def _delete_segments(log: "PartitionLog", allowed: Iterable[Breach], now_ms: int) -> int:
    deletable = deletable_segments(log.segments, log.offsets, allowed)
    if deletable == len(log.segments):
        log.segments.roll(log.log_end_offset, now_ms)
    if deletable:
        log.advance_log_start(log.segments.base_offset_of(deletable))
        log.segments.drop(deletable)
    return deletable
