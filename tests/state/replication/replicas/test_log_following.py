"""A replica truncates its log to where it agrees with its leader's, and copies the rest."""

import pytest

from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.broker.log_cleaner import clean
from mockbroker.state.log.log_copy import copy_of_log
from mockbroker.state.log.log_truncation import truncate_to
from mockbroker.state.replication.replicas.log_following import (
    diverging_offset,
    follow,
    take_over_offsets,
)
from tests.state.log.test_log_truncation import NOW_MS
from tests.state.replication.replicas.writer_of_replicas import ReplicaWriter


def test_a_prefix_of_the_leaders_log_stays() -> None:
    writer = ReplicaWriter()
    writer.write(2)
    log = copy_of_log(writer.log, now_ms=NOW_MS)
    writer.write(2)
    assert diverging_offset(log, writer.log) == 2
    follow(log, writer.log, LOG_RECORDS, now_ms=NOW_MS)
    assert log.log_end_offset == 4
    assert log.high_watermark == 2
    take_over_offsets(log, writer.log)
    assert log.as_text() == writer.log.as_text()


def test_a_tail_that_the_leader_lacks_is_truncated() -> None:
    writer = ReplicaWriter()
    writer.write(2)
    writer.lag(2)
    writer.write(3)  # in epoch 0, and never replicated to 2
    writer.elect(2)
    writer.write(1)
    assert writer.log.offsets[2] == 3
    assert writer.log_at(1).log_end_offset == 3
    assert list(writer.log_at(1).leader_epochs) == [(0, 0), (1, 2)]


def test_the_epochs_are_compared_until_both_know_one() -> None:
    writer = ReplicaWriter()
    writer.write(1)  # all: epoch 0 up to 1
    writer.lag(3)
    writer.elect(2)
    writer.write(1)  # 1 and 2: epoch 1 up to 2
    writer.lag(1)
    writer.write(1)  # 2 only: epoch 1 up to 3
    writer.elect(1)
    writer.write(2)  # 1: epoch 2 from 2 on
    log_of_3 = writer.log_at(3)
    assert diverging_offset(log_of_3, writer.log) == 1
    assert list(writer.log_at(2).leader_epochs) == [(0, 0), (1, 1), (2, 2)]
    assert diverging_offset(writer.log, log_of_3) == 1


def test_without_a_common_epoch_the_high_watermark_decides() -> None:
    writer = ReplicaWriter()
    writer.write(3)
    log = copy_of_log(writer.log, now_ms=NOW_MS)
    log.leader_epochs.truncate_from_end(0)
    log.assign_leader_epoch(9)
    log.high_watermark = 2
    assert diverging_offset(log, writer.log) == 2


def test_a_replica_behind_the_leaders_log_start_begins_anew() -> None:
    writer = ReplicaWriter()
    writer.write(2, 7)
    writer.lag(3)
    writer.write(2, 8)
    writer.write(2, 8)
    writer.lose_replica(3)
    writer.log.delete_records(5)
    writer.catch_up(3)
    log = writer.log_at(3)
    assert log.offsets == (5, 6, 6)
    assert [each.producer_id for each in log.producers] == [8]
    assert [each.producer_id for each in writer.log.producers] == [7, 8]


def test_a_replica_whose_whole_log_was_truncated_begins_at_the_leaders_log_start() -> None:
    writer = ReplicaWriter()
    writer.write(2)
    writer.lag(3)
    writer.lose_replica(3)
    writer.elect(2)
    writer.write(2)
    writer.log.delete_records(4)
    log = writer.log_at(3)
    truncate_to(log, 0, LOG_RECORDS, now_ms=NOW_MS)
    assert not list(log.leader_epochs)
    writer.catch_up(3)
    assert log.offsets == (4, 4, 4)
    assert list(log.leader_epochs) == [(1, 4)]


def test_gaps_of_compaction_are_copied() -> None:
    writer = ReplicaWriter()
    writer.lag(3)
    for _ in range(6):
        writer.write(1)
    clean(writer.log, delete_retention_ms=0, now_ms=NOW_MS)
    writer.catch_up(3)
    assert writer.log_at(3).log_end_offset == writer.log.log_end_offset


@pytest.mark.parametrize(("deletes", "known"), [(False, [7]), (True, [])])
def test_a_truncated_replica_knows_the_producers_of_its_records(
    *, deletes: bool, known: list[int]
) -> None:
    writer = ReplicaWriter("3.9")
    writer.write(1, 7)
    writer.write(1)
    if deletes:
        writer.log.delete_records(1)
    writer.lag(2)
    writer.write(1)  # its tail is truncated later
    writer.elect(2)
    assert [each.producer_id for each in writer.log.producers] == [7]
    assert [each.producer_id for each in writer.log_at(1).producers] == known


def test_a_followers_log_start_never_moves_back() -> None:
    writer = ReplicaWriter()
    writer.write(4)
    writer.lag(2)
    writer.log.delete_records(3)
    writer.elect(2)
    assert writer.log.log_start_offset == 0
    assert writer.log_at(1).log_start_offset == 3
    writer.elect(1)
    assert writer.log.log_start_offset == 3
    assert writer.log_at(2) is writer.log  # it took over the later log start
