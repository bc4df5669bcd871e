"""The segments of a log: append, read, drop, truncate."""

import pytest

from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.log_segments import LogSegments, LogSlice
from mockbroker.state.log.memory_budget import BATCH_OVERHEAD_BYTES, MemoryBudget
from tests.state.log_building import append, batch_header, partition_log


def segments_of_two_batches(batches: int, budget: MemoryBudget | None = None) -> LogSegments:
    """Return segments of two batches each, of ten records and 100 bytes."""
    segments = LogSegments(LogConfig(), budget or MemoryBudget(), now_ms=0)
    for batch in range(batches):
        if batch and batch % 2 == 0:
            segments.roll(10 * batch, now_ms=0)
        segments.end_position += 100
        segments.active.base_offsets.append(10 * batch)
        segments.active.end_positions.append(segments.end_position)
        segments.active.buffers.append(bytes([batch]) * 100)
    return segments


def test_there_is_always_at_least_one_segment() -> None:
    segments = segments_of_two_batches(0)
    assert len(segments) == 1
    assert list(segments) == [segments.active]
    assert segments.oldest is segments.active
    assert segments.size_bytes == 0
    with pytest.raises(AssertionError):
        segments.drop(1)


def test_dropping_segments_does_not_change_positions() -> None:
    budget = MemoryBudget()
    budget.used_bytes = 6 * (100 + BATCH_OVERHEAD_BYTES)
    segments = segments_of_two_batches(6, budget)
    segments.drop(2)
    assert (len(segments), segments.size_bytes) == (1, 200)
    assert segments.position_of(40) == 400
    assert budget.used_bytes == 2 * (100 + BATCH_OVERHEAD_BYTES)
    segments.delete()
    assert budget.used_bytes == 0


def test_dropping_the_first_batches_does_not_change_positions() -> None:
    budget = MemoryBudget()
    budget.used_bytes = 4 * (100 + BATCH_OVERHEAD_BYTES)
    segments = segments_of_two_batches(4, budget)
    segments.drop_head(1)
    assert (len(segments), segments.size_bytes) == (2, 300)
    assert segments.position_of(10) == 100
    assert budget.used_bytes == 3 * (100 + BATCH_OVERHEAD_BYTES)
    with pytest.raises(AssertionError):
        segments.drop_head(1)


def test_new_settings_apply_to_the_active_and_later_segments() -> None:
    segments = segments_of_two_batches(2)
    segments.reconfigure(LogConfig(segment_bytes=500))
    assert segments.active.full_at_position == 500
    assert segments.roll(20, now_ms=7).full_at_position == 700
    assert (segments.active.base_offset, segments.active.created_ms) == (20, 7)


@pytest.mark.parametrize(
    ("fetch_offset", "max_bytes", "end_position", "batches", "next_offset"),
    [
        (0, 100, 600, [0], 10),
        (9, 199, 600, [0], 10),
        (5, 200, 600, [0, 1], 20),
        (15, 300, 600, [1], 20),
        (0, 10_000, 600, [0, 1], 20),
        (20, 10_000, 300, [2], 30),
        (40, 10_000, 600, [4, 5], -1),
        (59, 1, 600, [5], -1),
        (20, 1, 600, [2], 30),
    ],
)
def test_a_read_returns_whole_batches_up_to_the_end_of_a_segment(
    fetch_offset: int, max_bytes: int, end_position: int, batches: list[int], next_offset: int
) -> None:
    segments = segments_of_two_batches(6)
    log_slice = segments.read(fetch_offset, max_bytes, end_position, at_least_one=True)
    whole = [buffer for buffer in log_slice.buffers if len(buffer) == 100]
    assert [buffer[0] for buffer in whole] == batches
    assert log_slice.size_bytes // 100 == len(batches)
    assert log_slice.next_offset == next_offset


@pytest.mark.parametrize(("fetch_offset", "next_offset"), [(0, 0), (15, 10), (20, 20)])
def test_a_read_cuts_off_the_first_batch_unless_at_least_one(
    fetch_offset: int, next_offset: int
) -> None:
    segments = segments_of_two_batches(6)
    log_slice = segments.read(fetch_offset, 99, 600, at_least_one=False)
    assert [len(buffer) for buffer in log_slice.buffers] == [99]
    assert (log_slice.first_entry_incomplete, log_slice.next_offset) == (True, next_offset)


def test_a_read_of_zero_bytes_returns_nothing() -> None:
    log_slice = segments_of_two_batches(6).read(0, 0, 600, at_least_one=False)
    assert (log_slice.buffers, log_slice.size_bytes, log_slice.next_offset) == ([], 0, 0)


@pytest.mark.parametrize(
    ("max_bytes", "end_position", "sizes"),
    [
        (230, 600, [100, 100]),
        (150, 600, [100, 50]),
        (199, 600, [100, 99]),
        (230, 200, [100, 100]),
    ],
)
def test_a_read_cuts_off_the_last_batch_at_max_bytes(
    max_bytes: int, end_position: int, sizes: list[int]
) -> None:
    log_slice = segments_of_two_batches(6).read(0, max_bytes, end_position, at_least_one=True)
    assert [len(buffer) for buffer in log_slice.buffers] == sizes
    assert log_slice.size_bytes == sum(sizes)
    assert not log_slice.first_entry_incomplete


@pytest.mark.parametrize(
    ("fetch_offset", "end_position", "is_older"),
    [(0, 600, True), (0, 300, True), (0, 200, False), (20, 600, True), (40, 600, False)],
)
def test_a_slice_shows_whether_a_later_segment_follows(
    fetch_offset: int, end_position: int, *, is_older: bool
) -> None:
    segments = segments_of_two_batches(6)
    log_slice = segments.read(fetch_offset, 10_000, end_position, at_least_one=True)
    assert log_slice.is_of_older_segment is is_older


def test_a_slice_has_the_appended_buffers_themselves() -> None:
    log = partition_log(LogConfig(segment_bytes=700))
    buffers = [bytearray(100) for _ in range(7)]
    for buffer in buffers:
        append(log, batch_header(records=3), buffer)
    read = log.read(0, max_bytes=10_000, up_to_offset=21).buffers
    assert all(given is appended for given, appended in zip(read, buffers, strict=True))


@pytest.mark.parametrize(
    ("offset", "start"), [(0, 0), (9, 0), (10, 10), (19, 10), (20, 20), (39, 30)]
)
def test_the_batch_of_an_offset_is_found_in_every_segment(offset: int, start: int) -> None:
    assert segments_of_two_batches(4).batch_start_of(offset) == start


def test_a_segment_is_found_with_the_start_of_the_next() -> None:
    segments = segments_of_two_batches(4)
    first, last = segments
    assert segments.segment_of(19) == (first, 20)
    assert segments.segment_of(20) == (last, None)


@pytest.mark.parametrize(
    ("offset", "base_offset", "following"), [(0, 0, 20), (19, 0, 20), (20, 20, 40), (55, 40, None)]
)
def test_a_segment_ends_where_the_next_begins(
    offset: int, base_offset: int, following: int | None
) -> None:
    segment, next_offset = segments_of_two_batches(6).segment_of(offset)
    assert (segment.base_offset, next_offset) == (base_offset, following)


def test_truncation_releases_memory() -> None:
    budget = MemoryBudget()
    budget.used_bytes = 6 * (100 + BATCH_OVERHEAD_BYTES)
    segments = segments_of_two_batches(6, budget)
    segments.truncate_to(30)
    assert (len(segments), segments.size_bytes, segments.end_position) == (2, 300, 300)
    assert segments.active.base_offset == 20
    assert budget.used_bytes == 3 * (100 + BATCH_OVERHEAD_BYTES)
    assert bytes(segments.batch_of(29)) == bytes([2]) * 100
    segments.truncate_to(0)
    assert (len(segments), segments.end_position, budget.used_bytes) == (1, 0, 0)


def test_repr_shows_counts_and_not_the_bytes() -> None:
    log_slice = LogSlice([bytes(3), bytes(4)], 7, 12)
    assert repr(log_slice) == "LogSlice(2 batches, size_bytes=7, next_offset=12)"
