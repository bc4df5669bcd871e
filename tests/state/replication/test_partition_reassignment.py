"""Reassignment of partitions: in progress, completed, cancelled and throttled."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.records.batch import build_batch, stamp
from mockbroker.protocol.records.record import Record
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.replication.client_election import ElectionType, elect_by_type
from mockbroker.state.replication.partition_reassignment import (
    alter_reassignment,
    find_for_reassignment,
    moving_partitions,
)
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.topic import TRANSACTION_STATE, Partition
from tests.state.cluster_building import new_cluster
from tests.state.log_building import batch_header
from tests.state.moving_partitions import NOW_MS, Standing, made, move, standing, throttled

LEADER_RATE = "leader.replication.throttled.rate"


def refused(
    cluster: ClusterState,
    partition: Partition,
    target: Sequence[int] | None,
    *,
    allow_replication_factor_change: bool = True,
) -> ErrorCode:
    before = cluster.as_text()
    with pytest.raises(ApiError) as refusal:
        alter_reassignment(
            cluster,
            partition,
            target,
            allow_replication_factor_change=allow_replication_factor_change,
            now_ms=NOW_MS,
        )
    assert cluster.as_text() == before
    return refusal.value.code


def test_a_move_is_visible_and_ends_after_the_response() -> None:
    cluster = new_cluster()
    partition = made(cluster)
    move(cluster, partition, [2])
    assert standing(partition) == Standing(1, 0, (2, 1), (1,), (2,), (1,))
    assert moving_partitions(cluster) == [partition]
    assert "adding (2,) removing (1,)" in cluster.as_text()
    assert cluster.run_pending(NOW_MS) == ["ReassignPartition t-0"]
    assert standing(partition) == Standing(2, 1, (2,), (2,))
    assert not moving_partitions(cluster)
    assert not cluster.moving.copying


def test_with_zookeeper_each_step_begins_a_leader_epoch() -> None:
    cluster = new_cluster("2.4")
    partition = made(cluster)
    move(cluster, partition, [2])
    assert standing(partition) == Standing(1, 1, (2, 1), (1,), (2,), (1,))
    cluster.run_pending(NOW_MS)
    assert standing(partition) == Standing(2, 3, (2,), (2,))


@pytest.mark.parametrize(("release", "in_sync"), [("4.4", (1, 2, 3)), ("3.9", (2, 3, 1))])
def test_in_4_4_in_sync_replicas_are_sorted_by_id(release: str, in_sync: tuple[int, ...]) -> None:
    cluster = new_cluster(release)
    partition = made(cluster, (2, 3))
    move(cluster, partition, [2, 3, 1])
    cluster.run_pending(NOW_MS)
    assert standing(partition) == Standing(2, 0, (2, 3, 1), in_sync)


def test_a_move_without_a_copy_is_done_at_once() -> None:
    cluster = new_cluster()
    partition = made(cluster, (1, 2, 3))
    move(cluster, partition, [3, 1, 2])
    assert standing(partition) == Standing(1, 0, (3, 1, 2), (1, 2, 3))
    move(cluster, partition, [3, 2])
    assert standing(partition) == Standing(3, 1, (3, 2), (2, 3))
    assert not cluster.pending


def test_a_move_to_the_present_replicas_changes_nothing() -> None:
    cluster = new_cluster()
    partition = made(cluster, (1, 2))
    before = cluster.as_text()
    move(cluster, partition, [1, 2])
    assert cluster.as_text() == before
    older = new_cluster("2.4")
    partition = made(older, (1, 2))
    move(older, partition, [1, 2])
    assert partition.leader_epoch == 1


def test_a_move_is_cancelled() -> None:
    cluster = new_cluster()
    partition = made(cluster)
    move(cluster, partition, [2, 3])
    move(cluster, partition, None)
    assert standing(partition) == Standing(1, 1, (1,), (1,))
    cluster.run_pending(NOW_MS)
    assert standing(partition) == Standing(1, 1, (1,), (1,))


def test_the_replicas_of_a_replaced_move_are_removed() -> None:
    cluster = new_cluster()
    partition = made(cluster)
    move(cluster, partition, [2])
    move(cluster, partition, [3])
    assert standing(partition) == Standing(1, 0, (3, 1, 2), (1,), (3,), (1, 2))
    cluster.run_pending(NOW_MS)
    assert standing(partition) == Standing(3, 1, (3,), (3,))
    older = new_cluster("2.8")
    partition = made(older)
    move(older, partition, [2])
    move(older, partition, [3])
    assert standing(partition) == Standing(1, 2, (3, 1), (1,), (3,), (1,))


def test_in_4_4_a_replica_added_and_removed_again_delays_the_move() -> None:
    cluster = new_cluster()
    partition = made(cluster)
    move(cluster, partition, [2, 3])
    move(cluster, partition, [1])
    assert partition.removing_replicas == partition.adding_replicas == (2, 3)
    cluster.run_pending(NOW_MS)
    assert moving_partitions(cluster) == [partition]
    assert standing(partition) == Standing(1, 0, (1, 2, 3), (1, 2, 3), (2, 3), (2, 3))
    older = new_cluster("3.9")
    partition = made(older)
    move(older, partition, [2, 3])
    move(older, partition, [1])
    assert standing(partition) == Standing(1, 1, (1,), (1,))


def test_a_deleted_topic_stops_moving() -> None:
    cluster = new_cluster()
    partition = made(cluster)
    move(cluster, partition, [2])
    cluster.delete_topic(cluster.topics.by_name["t"])
    cluster.run_pending(NOW_MS)
    assert not cluster.moving.copying
    assert standing(partition).in_sync == (1,)


def test_a_move_of_the_transaction_log_moves_its_coordinator() -> None:
    cluster = new_cluster(
        configs={
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.num.partitions": "1",
        }
    )
    topic = cluster.create_topic(internal_topic(TRANSACTION_STATE, cluster.configs))
    cluster.run_pending(NOW_MS)
    partition = topic.partitions[0]
    before = partition.leader_id
    after = before % 3 + 1
    move(cluster, partition, [after])
    cluster.run_pending(NOW_MS)
    assert partition.leader_id == after
    assert cluster.transaction_coordinator(after).states.get("mine") is None
    with pytest.raises(ApiError, match="NOT_COORDINATOR"):
        cluster.transaction_coordinator(before).states.get("mine")


# Producer state of the new replica


def known(partition: Partition) -> dict[int, int]:
    """Return each producer that the leader knows, with its last sequence."""
    assert partition.log is not None
    return {each.producer_id: each.last_sequence for each in partition.log.producers}


def written_and_deleted(cluster: ClusterState, replicas: tuple[int, ...]) -> Partition:
    """Have two producers write a batch each, and delete that of the first."""
    partition = made(cluster, replicas)
    log = cluster.log_of(partition, NOW_MS)
    for producer_id in (1, 2):
        header = batch_header(producer_id=producer_id, producer_epoch=0, base_sequence=0)
        record = Record(offset=0, timestamp=header.base_timestamp, value=b"v")
        data = bytearray(
            build_batch([record], producer_id=producer_id, producer_epoch=0, base_sequence=0)
        )
        info = log.append(header, data, leader_epoch=0, now_ms=NOW_MS)
        stamp(data, 0, info.base_offset, 0)
    log.delete_records(1)
    assert known(partition) == {1: 0, 2: 0}
    return partition


def test_a_copied_replica_has_the_producer_state_in_the_log() -> None:
    cluster = new_cluster()
    partition = written_and_deleted(cluster, (1,))
    move(cluster, partition, [2])
    cluster.run_pending(NOW_MS)
    assert known(partition) == {2: 0}


def test_an_old_replica_has_the_full_producer_state() -> None:
    cluster = new_cluster()
    partition = written_and_deleted(cluster, (1, 2))
    move(cluster, partition, [2, 3])
    cluster.run_pending(NOW_MS)
    assert partition.leader_id == 2
    assert known(partition) == {1: 0, 2: 0}


# Throttled


def test_a_throttled_copy_takes_the_clusters_time() -> None:
    cluster = new_cluster()
    partition = made(cluster, size=1_000)
    throttled(cluster, leader="500", follower="100")
    move(cluster, partition, [2])
    cluster.run_pending(NOW_MS)
    cluster.advance_to(NOW_MS + 9_999)
    assert standing(partition) == Standing(1, 0, (2, 1), (1,), (2,), (1,))
    assert "ReassignPartition t-0" in cluster.advance_to(NOW_MS + 10_000)
    assert standing(partition) == Standing(2, 1, (2,), (2,))


def test_a_copy_completes_when_its_throttle_is_removed() -> None:
    cluster = new_cluster()
    partition = made(cluster, size=1_000)
    throttled(cluster, leader="1")
    move(cluster, partition, [2])
    cluster.run_pending(NOW_MS)
    cluster.configs.set_broker_overrides(1, {LEADER_RATE: "2"})
    cluster.configs_changed()
    cluster.run_pending(NOW_MS + 500_000)
    assert cluster.moving.copying[partition].remaining_bytes == 500
    assert cluster.moving.copying[partition].done_at_ms() == NOW_MS + 750_000
    cluster.configs.set_topic_overrides("t", {})
    cluster.configs_changed("t")
    cluster.run_pending(NOW_MS + 500_001)
    assert standing(partition) == Standing(2, 1, (2,), (2,))
    assert "ReassignPartition t-0" not in cluster.timers


@pytest.mark.parametrize("replicas", ["", "1:1", "0:2", "0:3,0:2"])
def test_only_the_replicas_that_the_topic_names_are_throttled(replicas: str) -> None:
    cluster = new_cluster()
    partition = made(cluster, size=1_000)
    throttled(cluster, replicas, leader="1")
    move(cluster, partition, [2])
    cluster.run_pending(NOW_MS)
    assert standing(partition) == Standing(2, 1, (2,), (2,))


@pytest.mark.parametrize("rate", ["0", "fast", "-3"])
def test_an_invalid_rate_does_not_throttle(rate: str) -> None:
    cluster = new_cluster()
    partition = made(cluster, size=1_000)
    throttled(cluster, follower=rate)
    move(cluster, partition, [2])
    cluster.run_pending(NOW_MS)
    assert standing(partition) == Standing(2, 1, (2,), (2,))


def test_a_cancelled_throttled_move_ends() -> None:
    cluster = new_cluster()
    partition = made(cluster, size=1_000)
    throttled(cluster, "0:2", follower="1")
    move(cluster, partition, [2])
    cluster.run_pending(NOW_MS)
    move(cluster, partition, None)
    cluster.advance_to(NOW_MS + 10_000_000)
    assert standing(partition) == Standing(1, 1, (1,), (1,))
    assert not cluster.moving.copying


# Refused


def test_a_move_needs_distinct_running_brokers() -> None:
    cluster = new_cluster()
    partition = made(cluster)
    for target in ([], [9], [1, 1], [-1], [1, 9]):
        assert refused(cluster, partition, target) == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    older = new_cluster("2.4")
    partition = made(older)
    for target in ([], [9], [1, 1], [-1], [1, 9]):
        assert refused(older, partition, target) == ErrorCode.INVALID_REPLICA_ASSIGNMENT


@pytest.mark.parametrize("release", ["2.4", "2.8", "3.9", "4.4"])
def test_only_a_move_can_be_cancelled(release: str) -> None:
    cluster = new_cluster(release)
    partition = made(cluster)
    assert refused(cluster, partition, None) == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS


def test_the_replication_factor_may_be_fixed() -> None:
    cluster = new_cluster()
    partition = made(cluster)
    code = refused(cluster, partition, [1, 2], allow_replication_factor_change=False)
    assert code == ErrorCode.INVALID_REPLICATION_FACTOR
    move(cluster, partition, [2])
    code = refused(cluster, partition, [1, 2], allow_replication_factor_change=False)
    assert code == ErrorCode.INVALID_REPLICATION_FACTOR
    alter_reassignment(
        cluster, partition, [3], allow_replication_factor_change=False, now_ms=NOW_MS
    )
    cluster.run_pending(NOW_MS)
    assert partition.replicas == (3,)


@pytest.mark.parametrize(
    ("release", "target", "code"),
    [
        ("4.4", None, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("4.4", [], ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("2.4", None, ErrorCode.NO_REASSIGNMENT_IN_PROGRESS),
        ("2.4", [], ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ("2.4", [1], ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_an_unknown_partition_cannot_move(
    release: str, target: list[int] | None, code: ErrorCode
) -> None:
    cluster = new_cluster(release)
    partition = made(cluster)
    assert find_for_reassignment(cluster, "t", 0, [2]) is partition
    for topic, index in [("t", 1), ("t", -1), ("missing", 0)]:
        with pytest.raises(ApiError) as refusal:
            find_for_reassignment(cluster, topic, index, target)
        assert refusal.value.code == code


# In any order

STEPS: Final = st.lists(
    st.one_of(
        st.tuples(st.just("move"), st.permutations([1, 2, 3, 4]).map(tuple), st.integers(1, 4)),
        st.sampled_from([("cancel",), ("elect",), ("pending",), ("throttle",), ("release",)]),
    ),
    max_size=20,
)


def take(cluster: ClusterState, partition: Partition, step: tuple[Any, ...]) -> None:
    match step:
        case ("move", order, count):
            move(cluster, partition, order[:count])
        case ("cancel",):
            move(cluster, partition, None)
        case ("elect",):
            elect_by_type(cluster, partition, ElectionType.PREFERRED, now_ms=NOW_MS)
        case ("throttle",):
            throttled(cluster, leader="1")
            cluster.configs_changed("t")
        case ("release",):
            cluster.configs.set_topic_overrides("t", {})
            cluster.configs_changed("t")
        case _:
            cluster.run_pending(NOW_MS)


@pytest.mark.slow
@pytest.mark.parametrize("release", ["2.4", "3.9", "4.4"])
@given(steps=STEPS)
def test_after_any_requests_the_leader_is_in_sync(
    release: str, steps: list[tuple[Any, ...]]
) -> None:
    cluster = new_cluster(release, brokers=4)
    partition = made(cluster, (1, 2), size=100)
    for step in steps:
        before = (partition.leader_epoch, partition.partition_epoch)
        with suppress(ApiError):
            take(cluster, partition, step)
        assert partition.leader_id in partition.in_sync_replicas
        assert set(partition.in_sync_replicas) <= set(partition.replicas)
        assert {*partition.adding_replicas, *partition.removing_replicas} <= set(partition.replicas)
        assert len(set(partition.replicas)) == len(partition.replicas)
        assert (partition.leader_epoch, partition.partition_epoch) >= before
    take(cluster, partition, ("release",))
    cluster.run_pending(NOW_MS)
    assert set(partition.in_sync_replicas) == set(partition.replicas)
    held_up = set(partition.adding_replicas) & set(partition.removing_replicas)
    assert held_up or not moving_partitions(cluster)
