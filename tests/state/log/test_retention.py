"""Selection of the segments that retention deletes, at given times."""

import pytest

from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.partition_log import PartitionLog
from tests.state.log_building import append, batch_header, partition_log

KEEP_ALL = LogConfig(segment_bytes=200, retention_ms=-1)


def log_with(config: LogConfig, *timestamps_ms: int) -> PartitionLog:
    """Return a log with a batch of 100 bytes for each timestamp, two to a segment."""
    log = partition_log(config)
    for timestamp_ms in timestamps_ms:
        append(log, batch_header(timestamp_ms=timestamp_ms), now_ms=max(0, timestamp_ms))
    return log


@pytest.mark.parametrize(
    ("now_ms", "log_start_offset"),
    [
        (2_100, 0),  # exactly retention.ms ago is not yet too old
        (2_101, 2),
        (4_100, 2),
        (4_101, 4),
        (5_100, 4),
        (5_101, 5),  # the active segment is deleted too, after a roll
        (1 << 50, 5),
    ],
)
def test_time_retention_deletes_segments_by_their_largest_timestamp(
    now_ms: int, log_start_offset: int
) -> None:
    log = log_with(KEEP_ALL._replace(retention_ms=100), 1_000, 2_000, 4_000, 3_000, 5_000)
    deleted = log.delete_old_segments(now_ms)
    assert log.log_start_offset == log_start_offset
    assert deleted == (log_start_offset + 1) // 2
    assert log.log_end_offset == 5


def test_an_old_segment_after_a_young_one_stays() -> None:
    log = log_with(KEEP_ALL._replace(retention_ms=100), 9_000, 1, 2, 3, 4)
    assert log.delete_old_segments(5_000) == 0


def test_without_timestamps_time_retention_counts_from_the_last_append() -> None:
    log = partition_log(KEEP_ALL._replace(retention_ms=100))
    append(log, batch_header(timestamp_ms=-1), now_ms=5_000)
    assert log.delete_old_segments(5_100) == 0
    assert log.delete_old_segments(5_101) == 1


@pytest.mark.parametrize(
    ("retention_bytes", "log_start_offset"),
    [(-1, 0), (501, 0), (500, 0), (400, 0), (301, 0), (300, 2), (101, 2), (100, 4), (0, 5)],
)
def test_size_retention_keeps_at_least_retention_bytes(
    retention_bytes: int, log_start_offset: int
) -> None:
    log = log_with(KEEP_ALL._replace(retention_bytes=retention_bytes), 1, 2, 3, 4, 5)
    log.delete_old_segments(10)
    assert log.log_start_offset == log_start_offset
    assert log.size_bytes == 100 * (5 - log_start_offset)


def test_an_empty_log_has_nothing_to_delete() -> None:
    log = partition_log(LogConfig(retention_ms=0, retention_bytes=0))
    before = log.as_text()
    assert log.delete_old_segments(1 << 50) == 0
    assert log.as_text() == before


def test_after_everything_is_deleted_the_log_continues_at_its_end() -> None:
    log = log_with(KEEP_ALL._replace(retention_ms=0), 1, 2, 3)
    log.delete_old_segments(100)
    assert (log.log_start_offset, log.high_watermark, log.log_end_offset) == (3, 3, 3)
    assert log.delete_old_segments(200) == 0
    assert append(log).base_offset == 3
    assert log.read(3, max_bytes=1, up_to_offset=4).size_bytes == 100


@pytest.mark.parametrize(("high_watermark", "log_start_offset"), [(1, 0), (2, 2), (3, 2), (4, 4)])
def test_a_segment_beyond_the_high_watermark_stays(
    high_watermark: int, log_start_offset: int
) -> None:
    log = partition_log(KEEP_ALL._replace(retention_ms=0))
    log.hold_high_watermark()
    for _ in range(5):
        append(log)
    log.advance_high_watermark(high_watermark)
    log.delete_old_segments(1 << 50)
    assert log.log_start_offset == log_start_offset


@pytest.mark.parametrize(
    ("retention_bytes", "high_watermark", "log_start_offset"),
    [
        (-1, 5, 0),
        (450, 5, 0),
        (400, 5, 1),
        (250, 5, 2),
        (100, 5, 4),
        (0, 5, 5),
        (100, 3, 3),
        (0, 0, 0),
    ],
)
def test_when_memory_is_short_size_retention_works_batch_by_batch(
    retention_bytes: int, high_watermark: int, log_start_offset: int
) -> None:
    log = partition_log(LogConfig(retention_bytes=retention_bytes))
    log.hold_high_watermark()
    for _ in range(5):
        append(log)
    log.advance_high_watermark(high_watermark)
    log.reclaim(now_ms=0)
    assert log.log_start_offset == log_start_offset
    assert log.size_bytes == 100 * (5 - log_start_offset)
    assert append(log).base_offset == 5


def test_when_memory_is_short_deleted_records_are_dropped_batch_by_batch() -> None:
    log = log_with(LogConfig(), 1, 2, 3, 4, 5)
    log.delete_records(3)
    assert log.size_bytes == 500
    log.reclaim(now_ms=0)
    assert log.size_bytes == 200
    assert log.log_start_offset == 3


def test_a_compacted_topic_is_not_touched_by_time_or_size() -> None:
    config = KEEP_ALL._replace(
        retention_ms=0, retention_bytes=0, cleanup_delete=False, cleanup_compact=True
    )
    log = log_with(config, 1, 2, 3, 4, 5)
    assert log.delete_old_segments(1 << 50) == 0


def test_retention_uses_new_settings() -> None:
    log = log_with(KEEP_ALL, 1, 2, 3, 4, 5)
    assert log.delete_old_segments(1 << 50) == 0
    log.reconfigure(KEEP_ALL._replace(retention_ms=1_000))
    assert log.delete_old_segments(1 << 50) == 3


def test_segments_before_the_log_start_offset_are_deleted_on_any_topic() -> None:
    config = KEEP_ALL._replace(cleanup_compact=True)
    log = log_with(config, 1, 2, 3, 4, 5)
    assert log.delete_records(3) == 3
    assert log.size_bytes == 300
    assert log.delete_old_segments(0) == 0


def test_leader_epochs_follow_the_log_start() -> None:
    log = partition_log(KEEP_ALL._replace(retention_ms=0))
    for leader_epoch in (0, 0, 1, 2):
        append(log, leader_epoch=leader_epoch)
    log.delete_old_segments(1 << 50)
    assert repr(log.leader_epochs) == "2@4"
