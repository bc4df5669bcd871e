"""Lookup of the first batch that reaches a timestamp."""

import pytest

from mockbroker.state.log.time_index import TimeIndex


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
