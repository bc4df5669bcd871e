"""Selection of the segments that retention deletes, oldest first (Kafka's `UnifiedLog`).

Only whole segments are deleted, and only from the start of the log. A segment that reaches beyond
the high watermark stays, and so does an empty last segment. A last segment with batches may be
deleted; the log then rolls a new one first.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice, zip_longest
from typing import NamedTuple, TypeAlias

from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.log_segments import LogSegments
from mockbroker.state.log.segment import LogSegment

Breach: TypeAlias = Callable[[LogSegment, LogSegment | None], bool]
"""A predicate: whether a segment, given also the one after it, may be deleted."""


class LogOffsetSnapshot(NamedTuple):
    """The three offsets of a log at one moment (Kafka's class of the same name)."""

    log_start_offset: int
    high_watermark: int
    log_end_offset: int


def breaches(
    config: LogConfig, *, log_start_offset: int, end_position: int, now_ms: int
) -> Iterator[Breach]:
    """Yield the predicates for a topic's settings, in Kafka's order."""
    yield start_offset_breach(log_start_offset)
    if config.cleanup_delete and config.retention_bytes >= 0:
        yield size_breach(config.retention_bytes, end_position)
    if config.cleanup_delete and config.retention_ms >= 0:
        yield time_breach(config.retention_ms, now_ms)


def start_offset_breach(log_start_offset: int) -> Breach:
    """Select segments that lie wholly before the log start offset."""
    return lambda _, following: following is not None and following.base_offset <= log_start_offset


def size_breach(retention_bytes: int, end_position: int) -> Breach:
    """Select segments as long as at least `retention.bytes` remain after them."""
    return lambda segment, _: end_position - segment.end_position >= retention_bytes


def time_breach(retention_ms: int, now_ms: int) -> Breach:
    """Select segments whose largest timestamp is more than `retention.ms` ago."""
    return lambda segment, _: now_ms - segment.largest_timestamp_ms > retention_ms


def deletable_segments(
    segments: LogSegments, offsets: LogOffsetSnapshot, is_breached: Iterable[Breach]
) -> int:
    """Count the segments at the start of the log that may be deleted, by each predicate in turn."""
    neighbours = list(zip_longest(segments, islice(segments, 1, None)))
    count = 0
    for is_deletable in is_breached:
        for segment, following in neighbours[count:]:
            upper_bound_offset = following.base_offset if following else offsets.log_end_offset
            is_last_and_empty = following is None and not segment.size_bytes
            is_committed = upper_bound_offset <= offsets.high_watermark
            if is_last_and_empty or not is_committed or not is_deletable(segment, following):
                break
            count += 1
    return count


def reclaimable_batches(
    segment: LogSegment, offsets: LogOffsetSnapshot, *, excess_bytes: int
) -> int:
    """Count the batches at the start of a log's oldest segment that may be dropped.

    They are dead, or committed and in excess of `retention.bytes`.
    """
    dead = segment.first_batch_of(offsets.log_start_offset)
    committed = segment.first_batch_of(offsets.high_watermark)
    return max(dead, min(committed, segment.batches_within(excess_bytes)))
