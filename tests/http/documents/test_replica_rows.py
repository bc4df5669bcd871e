"""Replicas of a partition for people: a part of what each has."""

from mockbroker import Cluster
from mockbroker.http.documents.replica_rows import (
    EPOCHS_MAX,
    PRODUCERS_MAX,
    ReplicaRow,
    replica_rows,
)
from mockbroker.wire import WireProducer


def rows_of(cluster: Cluster) -> list[ReplicaRow]:
    return cluster.look(
        lambda state, _now_ms: replica_rows(state.topics.by_name["orders"].partitions[0]).replicas
    )


def test_an_unused_partition_has_empty_replicas_and_gets_no_log() -> None:
    with Cluster(brokers=2, topics={"orders": 1}) as cluster:
        before = cluster.look(lambda state, _now_ms: state.as_text())
        rows = rows_of(cluster)
        assert cluster.look(lambda state, _now_ms: state.as_text()) == before
    assert [(each.log_end_offset, each.producers, each.leader_epochs) for each in rows] == [
        (0, [], [])
    ] * 2


def test_each_replica_shows_its_own_log() -> None:
    with Cluster(brokers=2, topics={"orders": 1}) as cluster:
        partition = cluster.partition("orders", 0)
        leader, follower = partition.replicas
        cluster.append("orders", "first", partition=0)
        partition.replica(follower).hold_offsets()
        cluster.append("orders", "second", partition=0)
        partition.lag(follower)
        cluster.append("orders", "third", partition=0)
        first, second = rows_of(cluster)
    assert (first.broker, first.log_end_offset, first.fetches, first.holds_offsets) == (
        leader, 3, True, False,
    )  # fmt: skip
    assert (second.broker, second.log_end_offset, second.fetches, second.holds_offsets) == (
        follower, 2, False, True,
    )  # fmt: skip
    assert (second.high_watermark, second.is_in_sync) == (1, True)


def test_many_epochs_and_producers_are_counted() -> None:
    with Cluster(brokers=2, topics={"orders": 1}) as cluster:
        with WireProducer(cluster.bootstrap_servers) as producer:
            for _ in range(PRODUCERS_MAX + 3):
                producer.init_producer_id()
                producer.produce("orders", b"x", base_sequence=0)
        for _ in range(EPOCHS_MAX + 2):
            cluster.partition("orders", 0).elect()
            cluster.append("orders", "x", partition=0)
        row = rows_of(cluster)[0]
    assert (len(row.producers), row.producer_count) == (PRODUCERS_MAX, PRODUCERS_MAX + 3)
    epochs = [each.leader_epoch for each in row.leader_epochs]
    assert (epochs, row.epoch_count) == ([3, 4, 5, 6, 7], EPOCHS_MAX + 3)
