"""Offsets as positions on the axis of a partition's timeline."""

from typing import NamedTuple

import pytest

from mockbroker.timeline.offset_lines import offset_lines, position_of, replica_cells
from tests.state.log_building import append, partition_log
from tests.support.in_process import Brokers


class Shown(NamedTuple):
    first_offset: int
    last_offset: int


COLUMNS = [Shown(10, 19), Shown(20, 20), Shown(30, 39)]


@pytest.mark.parametrize(
    ("offset", "position"),
    [(9, None), (10, 0), (15, 0.5), (20, 1), (21, 2), (35, 2.5), (40, 3), (41, None)],
)
def test_an_offset_has_a_position_while_it_is_in_view(offset: int, position: float | None) -> None:
    assert position_of(COLUMNS, offset) == position


def test_nothing_is_in_view_without_columns() -> None:
    assert position_of([], 0) is None


def test_offsets_of_a_log_out_of_view_are_left_out() -> None:
    log = partition_log()
    for _ in range(30):
        append(log)
    (line,) = offset_lines(log, COLUMNS)
    assert (line.position, line.names) == (2, ("last stable offset", "high watermark", "log end"))


def test_the_offsets_of_an_empty_log_share_a_line() -> None:
    (line,) = offset_lines(partition_log(), [])
    assert line.offset == 0
    assert len(line.names) == 4


def test_a_partition_with_one_replica_has_no_bars() -> None:
    brokers = Brokers(topics={"orders": 1})
    partition = brokers.partition("orders")
    brokers.state.log_of(partition, 0)
    assert replica_cells(partition, COLUMNS, lane=0) == ([], [])
