"""Partition reassignments for the tests of state."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.replication.partition_reassignment import alter_reassignment
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import Partition
from tests.state.log_building import batch_header

NOW_MS: Final = 1_000


class Standing(NamedTuple):
    """A partition in Metadata and in the list of moves."""

    leader: int
    leader_epoch: int
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()


def standing(partition: Partition) -> Standing:
    return Standing(
        partition.leader_id,
        partition.leader_epoch,
        partition.replicas,
        partition.in_sync_replicas,
        partition.adding_replicas,
        partition.removing_replicas,
    )


def made(cluster: ClusterState, replicas: tuple[int, ...] = (1,), size: int = 0) -> Partition:
    topic = cluster.create_topic(NewTopic(name="t", assignments=[(0, replicas)]))
    (partition,) = topic.partitions
    if size:
        log = cluster.log_of(partition, NOW_MS)
        log.append(batch_header(records=3), bytearray(size), leader_epoch=0, now_ms=NOW_MS)
    return partition


def move(cluster: ClusterState, partition: Partition, target: Sequence[int] | None) -> None:
    alter_reassignment(cluster, partition, target, now_ms=NOW_MS)


def throttled(cluster: ClusterState, replicas: str = "*", **rates: str) -> None:
    overrides = {f"{side}.replication.throttled.replicas": replicas for side in rates}
    cluster.configs.set_topic_overrides("t", overrides)
    for side, rate in rates.items():
        cluster.configs.set_broker_overrides(
            1 if side == "leader" else 2, {f"{side}.replication.throttled.rate": rate}
        )
