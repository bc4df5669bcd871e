"""Broker crashes: flushed and lost records."""

from typing import Final

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.replication.broker import BrokerState
from mockbroker.state.replication.broker_control import fence_broker, unfence_broker
from mockbroker.state.replication.crash import (
    crash_everywhere,
    flush_all,
    forget_unflushed_of,
    recovery_point,
)
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import NO_LEADER, Partition
from tests.state.cluster_building import new_cluster
from tests.state.written_partition import write

NOW_MS: Final = 1_000


def held_by(cluster: ClusterState, *replicas: int, **configs: str) -> Partition:
    wanted = NewTopic(
        name="orders",
        assignments=[(0, replicas)],
        configs=[(name.replace("_", "."), value) for name, value in configs.items()],
    )
    return cluster.create_topic(wanted).partitions[0]


def end_of(partition: Partition) -> int:
    assert partition.log is not None
    return partition.log.log_end_offset


def test_unflushed_records_are_lost_when_all_brokers_crash() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 1, 2, 3)
    write(cluster, partition, 2)
    flush_all(cluster)
    write(cluster, partition, 3)
    assert recovery_point(partition, cluster.log_of(partition, NOW_MS)) == 2
    crash_everywhere(cluster, now_ms=NOW_MS)
    assert (end_of(partition), partition.leader_id, partition.leader_epoch) == (2, 1, 1)
    crash_everywhere(cluster, now_ms=NOW_MS)
    assert end_of(partition) == 2


def test_without_a_flush_only_full_segments_survive() -> None:
    cluster = new_cluster("3.9")
    partition = held_by(cluster, 1, segment_bytes="100")
    assert recovery_point(partition, cluster.log_of(partition, NOW_MS)) == 0
    for _ in range(3):
        write(cluster, partition)
    crash_everywhere(cluster, now_ms=NOW_MS)
    assert end_of(partition) == 2


def test_the_recovery_point_is_limited_by_the_log_end() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 1)
    write(cluster, partition, 2)
    flush_all(cluster)
    partition.flushed_offset = 5  # the log was truncated since
    assert recovery_point(partition, cluster.log_of(partition, NOW_MS)) == 2


def test_records_on_one_broker_only_are_lost() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 1, 2)
    for broker_id in (2, 1):
        write(cluster, partition)
        fence_broker(cluster, broker_id, BrokerState.KILLED, now_ms=NOW_MS)
    assert partition.leader_id == NO_LEADER
    forget_unflushed_of(cluster, 1, now_ms=NOW_MS)
    unfence_broker(cluster, 1, now_ms=NOW_MS)
    assert (partition.leader_id, end_of(partition)) == (1, 0)


def test_a_partition_without_a_leader_crashes_too() -> None:
    cluster = new_cluster()
    partition = held_by(cluster, 1)
    write(cluster, partition)
    fence_broker(cluster, 1, BrokerState.KILLED, now_ms=NOW_MS)
    assert end_of(partition) == 1
    crash_everywhere(cluster, now_ms=NOW_MS)
    assert end_of(partition) == 0
    unfence_broker(cluster, 1, now_ms=NOW_MS)
    assert end_of(partition) == 0
