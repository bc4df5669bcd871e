"""Iteration over a log's batches across segments."""

import pytest

from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.partition_log import PartitionLog
from tests.state.log_building import append, batch_header, partition_log


def log_of_three() -> PartitionLog:
    """Make a log of three batches of two records, each in a segment of its own."""
    log = partition_log(LogConfig(segment_bytes=100))
    for number in range(3):
        append(log, batch_header(records=2), bytes([number]) * 100)
    return log


def found(log: PartitionLog, *offsets: int | None) -> list[int]:
    return [data[0] for data in batches_of(log, *offsets)]


def test_all_batches_are_yielded_in_order() -> None:
    assert found(log_of_three()) == [0, 1, 2]
    assert found(partition_log()) == []


@pytest.mark.parametrize(
    ("start_offset", "end_offset", "numbers"),
    [(2, None, [1, 2]), (3, None, [1, 2]), (6, None, []), (None, 4, [0, 1]), (2, 4, [1])],
)
def test_batches_start_and_end_at_the_given_offsets(
    start_offset: int | None, end_offset: int | None, numbers: list[int]
) -> None:
    assert found(log_of_three(), start_offset, end_offset) == numbers


def test_a_batch_that_begins_before_the_end_is_yielded_whole() -> None:
    assert found(log_of_three(), None, 3) == [0, 1]


def test_deleted_batches_are_not_yielded() -> None:
    log = log_of_three()
    log.delete_records(2)
    assert found(log, 0) == [1, 2]
