"""What leaves a log at its start: by DeleteRecords, by retention, and where memory is short.

It only ever goes from the log's start on. What is left of producers and of aborted transactions is
told by `PartitionLog.advance_log_start`.
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
"""The offset in DeleteRecords that stands for the high watermark."""


def delete_records(
    log: "PartitionLog", before_offset: int, *, asks_policy_first: bool = True
) -> int:
    """Move the log start offset up to `before_offset` (-1: the high watermark), and return it.

    Segments that lie wholly before it go at once; Kafka takes them minutes later. The first release
    asks for the policy when it has moved the log start (`Partition.deleteRecordsOnLeader`).

    Raises:
        ApiError: POLICY_VIOLATION where the topic is only compacted, OFFSET_OUT_OF_RANGE beyond
            the high watermark.

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
    log.advance_log_start(offset)
    dead = deletable_segments(log.segments, log.offsets, [start_offset_breach(offset)])
    log.segments.drop(dead)
    _check_policy(log)
    return log.log_start_offset


def _check_policy(log: "PartitionLog") -> None:
    if log.config.cleanup_compact and not log.config.cleanup_delete:
        raise ApiError(
            ErrorCode.POLICY_VIOLATION,
            f"cleanup.policy of topic {log.topic_partition.topic} does not contain delete",
        )


def delete_old_segments(log: "PartitionLog", now_ms: int) -> int:
    """Apply retention, and return how many segments went."""
    allowed = breaches(
        log.config,
        log_start_offset=log.log_start_offset,
        end_position=log.segments.end_position,
        now_ms=now_ms,
    )
    return _delete_segments(log, allowed, now_ms)


def reclaim(log: "PartitionLog", now_ms: int) -> None:
    """Let go of all that is dead or exceeds `retention.bytes`, to the batch, not the segment.

    Kafka keeps up to a segment more. Where memory is short, that is the first to go: what
    `retention.bytes` promises stays.
    """
    segments = log.segments
    excess_bytes = 0
    if log.config.cleanup_delete and log.config.retention_bytes >= 0:
        is_breached = size_breach(log.config.retention_bytes, segments.end_position)
        _delete_segments(log, [is_breached], now_ms)
        excess_bytes = max(0, segments.size_bytes - log.config.retention_bytes)
    batches = reclaimable_batches(segments.oldest, log.offsets, excess_bytes=excess_bytes)
    if batches:
        segments.drop_head(batches)
        log.advance_log_start(segments.oldest.base_offsets[0])


def delete_superseded(log: "PartitionLog", before_offset: int, now_ms: int) -> None:
    """Let go of what lies before an offset, because later records have replaced all of it.

    It is what is left of compaction here: Kafka's cleaner takes such records wherever they lie, and
    leaves the log's start where it is.
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
        log.segments.drop(deletable)
        log.advance_log_start(log.segments.oldest.base_offset)
    return deletable
