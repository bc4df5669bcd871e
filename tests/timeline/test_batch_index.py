"""Batches of a log by number, in a view of bounded size."""

from itertools import pairwise

import pytest

from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.timeline.batch_index import BatchIndex, BatchRun, overview, window
from tests.state.log_building import append, batch_header, partition_log

RECORDS = 2


def log_of(batches: int, *, segment_bytes: int = 1000) -> PartitionLog:
    """Return a log with batches of two records and 100 bytes, ten in a segment."""
    log = partition_log(LogConfig(segment_bytes=segment_bytes))
    for _ in range(batches):
        append(log, batch_header(records=RECORDS))
    return log


def test_batches_are_numbered_across_segments() -> None:
    index = BatchIndex(log_of(35))
    assert len(index) == 35
    assert [index.base_offset(number) for number in (0, 9, 10, 34, 35)] == [0, 18, 20, 68, 70]
    assert [index.number_of(offset) for offset in (0, 1, 19, 20, 69, 70, 999)] == [
        *(0, 0, 9, 10, 34, 34, 34),
    ]
    assert index.size_bytes(BatchRun(5, 35)) == 3000
    assert len(index.data(34)) == 100


def test_numbers_begin_at_the_log_start_offset() -> None:
    log = log_of(35)
    log.delete_records(25)
    index = BatchIndex(log)
    assert index.base_offset(0) == 24
    assert len(index) == 35 - 12


def test_a_log_without_records_has_no_batches() -> None:
    log = log_of(3)
    log.delete_records(6)
    for index in (BatchIndex(log), BatchIndex(partition_log())):
        assert len(index) == 0
        assert window(index, 0, 100, 10) == []
        assert overview(index, [0, 5], 10) == []


def test_a_window_has_a_run_for_each_batch_if_there_is_room() -> None:
    runs = window(BatchIndex(log_of(35)), 5, 11, 10)
    assert runs == [BatchRun(number, number + 1) for number in range(2, 6)]


def test_a_window_with_too_many_batches_has_equal_runs() -> None:
    runs = window(BatchIndex(log_of(35)), 0, 70, 10)
    assert len(runs) == 10
    assert {run.batches for run in runs} == {3, 4}
    assert (runs[0].first, runs[-1].end) == (0, 35)
    assert all(one.end == next_one.first for one, next_one in pairwise(runs))


def test_a_window_that_ends_before_it_begins_is_empty() -> None:
    assert window(BatchIndex(log_of(5)), 4, 4, 10) == []


def test_an_overview_shows_both_ends_and_the_offsets_in_focus() -> None:
    runs = overview(BatchIndex(log_of(500)), [300], 60)
    single = [run.first for run in runs if run.batches == 1]
    assert single == [0, 1, 2, 149, 150, 151, *range(492, 500)]
    assert [run for run in runs if run.batches > 1] == [BatchRun(3, 149), BatchRun(152, 492)]


def test_a_short_log_is_whole_in_an_overview() -> None:
    assert overview(BatchIndex(log_of(4)), [], 4) == [BatchRun(n, n + 1) for n in range(4)]


@pytest.mark.parametrize("columns_max", [1, 2, 10, 60])
def test_an_overview_is_bounded_whatever_is_in_focus(columns_max: int) -> None:
    runs = overview(BatchIndex(log_of(500)), range(0, 1000, 7), columns_max)
    assert len(runs) <= max(columns_max, 3)
    assert sum(run.batches for run in runs) == 500
