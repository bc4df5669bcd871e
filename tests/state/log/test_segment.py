"""A segment: its columns, its limits, and its truncation."""

import pytest

from mockbroker.state.log.segment import LogSegment, TimeIndex

SEGMENT_MS = 1_000


def segment(*timestamps_ms: int, batch_bytes: int = 100, now_ms: int = 5_000) -> LogSegment:
    """Return a segment at offset 50 and position 1,000, with batches of ten records."""
    made = LogSegment(50, 1_000, created_ms=5_000)
    made.set_limits(10_000, SEGMENT_MS)
    for index, timestamp_ms in enumerate(timestamps_ms):
        made.base_offsets.append(50 + 10 * index)
        made.end_positions.append(1_000 + batch_bytes * (index + 1))
        made.buffers.append(bytes(batch_bytes))
        made.last_modified_ms = now_ms
        made.note_timestamp(timestamp_ms, SEGMENT_MS)
    return made


def test_an_empty_segment_has_no_size_and_never_rolls() -> None:
    empty = segment()
    assert (empty.size_bytes, empty.charge_bytes) == (0, 0)
    assert not empty.is_due_to_roll(1 << 62, 1 << 62, 0)
    assert empty.roll_after_ms == (1 << 63) - 1


@pytest.mark.parametrize(
    ("first_timestamp_ms", "next_timestamp_ms", "now_ms", "is_due"),
    [
        (2_000, 3_000, 90_000, False),
        (2_000, 3_001, 0, True),
        (2_000, -1, 90_000, False),
        (0, 1_001, 0, True),
        (-1, 90_000, 6_000, False),
        (-1, 0, 6_001, True),
    ],
)
def test_segment_ms_counts_from_the_first_batch_or_from_the_creation(
    first_timestamp_ms: int, next_timestamp_ms: int, now_ms: int, is_due: bool
) -> None:
    full = segment(first_timestamp_ms)
    assert full.is_due_to_roll(next_timestamp_ms, now_ms, SEGMENT_MS) is is_due
    assert next_timestamp_ms > full.roll_after_ms or not is_due


def test_new_limits_count_from_the_same_start() -> None:
    made = segment(2_000)
    made.set_limits(500, 50)
    assert (made.full_at_position, made.roll_after_ms) == (1_500, 2_050)
    without_timestamp = segment(-1)
    without_timestamp.set_limits(500, 50)
    assert without_timestamp.roll_after_ms == -(1 << 63)
    empty = segment()
    empty.set_limits(500, 50)
    assert empty.roll_after_ms == (1 << 63) - 1


def test_the_largest_timestamp_is_that_of_its_records() -> None:
    assert segment(2_000, 3_000, 1_000).largest_timestamp_ms == 3_000


def test_without_timestamps_the_time_of_the_last_append_is_used() -> None:
    assert segment(-1, -1, now_ms=7_000).largest_timestamp_ms == 7_000
    assert segment().largest_timestamp_ms == 5_000


@pytest.mark.parametrize(("offset", "batch"), [(0, 0), (50, 0), (59, 0), (60, 1), (79, 2), (99, 2)])
def test_a_batch_is_found_by_any_of_its_offsets(offset: int, batch: int) -> None:
    made = segment(1, 2, 3)
    assert made.first_batch_of(offset) == batch
    assert made.position_of(offset) == 1_000 + 100 * batch


@pytest.mark.parametrize(("size_bytes", "batches"), [(0, 0), (99, 0), (100, 1), (250, 2), (900, 3)])
def test_batches_within_a_size_are_whole(size_bytes: int, batches: int) -> None:
    assert segment(1, 2, 3).batches_within(size_bytes) == batches


def test_dropping_the_head_does_not_change_positions() -> None:
    made = segment(1, 2, 3)
    made.drop_head(0)
    assert made.size_bytes == 300
    made.drop_head(2)
    assert made.base_offsets.tolist() == [70]
    assert (made.start_position, made.size_bytes) == (1_200, 100)
    assert made.position_of(70) == 1_200
    assert made.first_batch_of(50) == 0


def test_the_text_shows_the_state() -> None:
    assert segment(1, 2).as_text() == "segment 50: 200 bytes, up to 2 ms, batches [50, 60]"


def test_a_truncated_segment_drops_later_batches() -> None:
    cut = segment(2_000, 3_000, 2_500)
    cut.truncate_to(70)
    assert (cut.size_bytes, cut.max_timestamp_ms, len(cut.buffers)) == (200, 3_000, 2)
    cut.truncate_to(60)
    assert (cut.end_position, cut.max_timestamp_ms, cut.first_timestamp_ms) == (1_100, 2_000, 2_000)
    cut.truncate_to(50)
    assert (cut.size_bytes, cut.max_timestamp_ms, cut.first_timestamp_ms) == (0, -1, None)


def index() -> TimeIndex:
    time_index = TimeIndex()
    for timestamp_ms, base_offset in [(100, 0), (200, 10), (300, 50)]:
        time_index.append(timestamp_ms, base_offset)
    return time_index


@pytest.mark.parametrize(
    ("timestamp_ms", "base_offset"),
    [(0, 0), (100, 0), (101, 10), (200, 10), (300, 50), (301, None)],
)
def test_a_lookup_finds_the_first_batch_that_reaches_the_time(
    timestamp_ms: int, base_offset: int | None
) -> None:
    assert index().lookup(timestamp_ms) == base_offset


def test_the_latest_batch_is_the_last_entry() -> None:
    assert index().latest() == (300, 50)


def test_an_empty_index_finds_nothing() -> None:
    assert TimeIndex().lookup(0) is None
    assert TimeIndex().latest() is None


def test_batches_after_the_end_of_a_truncated_log_are_removed() -> None:
    index = TimeIndex()
    for timestamp_ms, base_offset in ((10, 0), (20, 3), (30, 7)):
        index.append(timestamp_ms, base_offset)
    index.truncate_to(4)
    assert index.latest() == (20, 3)
    assert index.lookup(25) is None
    index.truncate_to(3)
    assert index.latest() == (10, 0)
