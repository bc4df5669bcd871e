"""A copy of a log equals the log, and is independent of it."""

import pytest

from mockbroker.state.log.log_copy import copy_of_log
from tests.state.log.test_log_truncation import NOW_MS, Writer


@pytest.mark.parametrize("seed", range(4))
def test_a_copy_equals_the_log(seed: int) -> None:
    writer = Writer("2.8", seed)
    for _ in range(40):
        writer.step()
    used_bytes = writer.cluster.budget.used_bytes
    made = copy_of_log(writer.log, now_ms=NOW_MS)
    assert made.as_text() == writer.log.as_text()
    assert writer.cluster.budget.used_bytes == used_bytes  # the batches are shared
    made.delete()
    assert writer.cluster.budget.used_bytes == used_bytes


def test_log_and_copy_change_independently() -> None:
    writer = Writer()
    writer.write(2, 7, is_transactional=True)
    made = copy_of_log(writer.log, now_ms=NOW_MS)
    writer.end(7, is_commit=True)
    writer.log.assign_leader_epoch(3)
    writer.write(1)
    assert (made.offsets, made.last_stable_offset) == ((0, 2, 2), 0)
    assert (made.end_offset_for_epoch(3), len(made.segments)) == ((-1, -1), 1)
    assert len(made.read(0, max_bytes=1_000, up_to_offset=2).buffers) == 1
    assert writer.log.offsets == (0, 4, 4)


def test_the_copy_knows_producers_without_records() -> None:
    writer = Writer()
    writer.write(2, 7)
    writer.write(2, 8)
    writer.log.delete_records(2)
    made = copy_of_log(writer.log, now_ms=NOW_MS)
    assert [entry.producer_id for entry in made.producers] == [7, 8]
