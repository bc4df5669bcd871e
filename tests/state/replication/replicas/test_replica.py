"""Replicas share their leader's log, or have logs of their own."""

from random import Random

import pytest

from mockbroker.state.replication.replicas.replica import (
    drop_replica,
    fetch_all,
    merge_equal,
    resume_fetching,
)
from tests.state.log.test_log_truncation import NOW_MS
from tests.state.replication.replicas.writer_of_replicas import ReplicaWriter


def test_equal_replicas_share_the_log_of_their_leader() -> None:
    writer = ReplicaWriter()
    writer.write(2, 7)
    assert {id(writer.log_at(each)) for each in (1, 2, 3)} == {id(writer.log)}
    assert list(writer.partition.own_logs()) == [writer.log]


@pytest.mark.parametrize("seed", range(12))
def test_a_copy_when_somebody_looks_equals_a_copy_after_every_step(seed: int) -> None:
    late, early = ReplicaWriter(seed=seed), ReplicaWriter(seed=seed)
    for writer in (late, early):
        for broker_id in (2, 3):
            writer.separate(broker_id)
        random = Random(seed)
        for _ in range(40):
            writer.step()
            if random.random() < 0.15:
                writer.delete_some(random)
            if writer is early:
                fetch_all(writer.partition)
    assert late.log_at(2).as_text() == early.log_at(2).as_text()
    assert late.log_at(2).as_text() == late.log_at(3).as_text()
    merge_equal(late.partition)
    assert not late.partition.replicas_apart


def test_a_replica_that_lags_keeps_what_it_had() -> None:
    writer = ReplicaWriter()
    writer.write(2, 7)
    writer.lag(3)
    before = writer.log_at(3).as_text()
    writer.write(2, 7)
    writer.log.delete_records(1)
    assert writer.log_at(3).as_text() == before
    assert writer.log_at(3) in writer.partition.own_logs()
    assert writer.log_at(3) not in writer.partition.own_logs(away={3})
    resume_fetching(writer.partition, {3})
    fetch_all(writer.partition)
    merge_equal(writer.partition)
    assert writer.log_at(3) is writer.log


def test_shared_batches_are_charged_once() -> None:
    writer = ReplicaWriter()
    writer.write(3, 7)
    charged_bytes = writer.cluster.budget.used_bytes
    writer.lag(2)
    writer.lag(3)
    assert writer.cluster.budget.used_bytes == charged_bytes
    writer.write(3, 7)
    alone = writer.cluster.budget.used_bytes
    writer.elect(3)
    writer.write(1)
    writer.catch_up()
    assert writer.cluster.budget.used_bytes < alone
    writer.cluster.delete_topic(writer.cluster.topics.by_name["orders"])
    assert writer.cluster.budget.used_bytes == 0


def test_held_offsets_arrive_after_their_release() -> None:
    writer = ReplicaWriter()
    writer.write(2, 7)
    replica = writer.separate(2)
    replica.holds_offsets = True
    writer.write(2, 7)
    writer.log.delete_records(3)
    held = writer.log_at(2)
    assert held.offsets == (0, 2, 4)
    merge_equal(writer.partition)
    assert writer.log_at(2) is held
    replica.holds_offsets = False
    assert writer.log_at(2).offsets == (3, 4, 4)


def test_a_follower_without_a_log_opens_one_when_it_fetches() -> None:
    writer = ReplicaWriter()
    writer.write(2, 7)
    replica = writer.separate(2)
    assert replica.log is not None
    replica.log.delete()
    replica.log = None
    assert (replica.log_end_offset, replica.is_equal_to_leader()) == (0, False)
    assert "no log" in replica.as_text()
    assert writer.log_at(2).offsets == (0, 2, 2)
    assert replica.is_equal_to_leader()
    drop_replica(writer.partition, 2)
    assert writer.log_at(2) is writer.log


def test_replicas_disagree_about_a_producer() -> None:
    writer = ReplicaWriter()
    writer.write(1, 7)
    replica = writer.separate(2)
    assert replica.log is not None
    replica.log.producers.forget({7})
    merge_equal(writer.partition)
    assert not len(writer.log_at(2).producers)
    writer.elect(2)
    assert not len(writer.log.producers)
    assert [each.producer_id for each in writer.log_at(1).producers] == [7]
    assert writer.log_at(1) is writer.log_at(1)
    assert replica.caught_up_ms == NOW_MS
