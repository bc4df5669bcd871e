"""Clusters with share groups, and members that send heartbeats to their coordinator."""

from collections.abc import Mapping
from typing import Final

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.share.share_group import ShareGroup
from mockbroker.state.group.share.share_heartbeat import ShareHeartbeat, ShareHeartbeatResult
from mockbroker.state.share.share_log_record import ShareGroupOffset, SharePartitionKey
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.replication_control import PlannedPartitions
from mockbroker.state.topic.topic import SHARE_GROUP_STATE
from tests.state.group.consumer.consumer_building import create, id_of
from tests.state.group.coordinator_building import coordinating, coordinator_in

SHARERS: Final = "sharers"
AT_ONCE: Final = {"group.share.assignment.interval.ms": "0"}


def cluster_of(
    *, configs: Mapping[str, str] | None = None, brokers: int = 1, **topics: int
) -> ClusterState:
    """Create a cluster with topics of so many partitions, whose groups are assigned at once."""
    cluster = coordinating(brokers=brokers, configs={**AT_ONCE, **(configs or {})})
    for name, count in topics.items():
        create(cluster, name, count)
    return cluster


def group_in(cluster: ClusterState) -> ShareGroup:
    """Return the group."""
    group = coordinator_in(cluster).groups.get(SHARERS)
    assert isinstance(group, ShareGroup)
    return group


def state_of(cluster: ClusterState, topic: str, partition: int = 0) -> ShareGroupOffset | None:
    """Return what a share coordinator knows of a share partition."""
    key = SharePartitionKey(SHARERS, id_of(cluster, topic), partition)
    index = coordinator_partition(SHARE_GROUP_STATE, key.coordinator_key, cluster.configs)
    home = cluster.partition(SHARE_GROUP_STATE, index)
    assert home is not None
    return cluster.share_coordinator(home.leader_id).summary(key)


def add_partition(cluster: ClusterState, topic: str) -> None:
    """Add a partition to a topic."""
    known = cluster.topics.by_name[topic]
    cluster.replication.add_partitions(PlannedPartitions(known, [(1,)]))


class Sharer:
    """A member; it takes its epoch from the answers."""

    def __init__(self, cluster: ClusterState, name: str = "a", *topics: str) -> None:
        """Subscribe to `orders`, or to other topics."""
        self.cluster = cluster
        self.member_id = name
        self.topics = topics or ("orders",)
        self.epoch = 0
        self.assigned: dict[str, list[int]] = {}

    def request(self, epoch: int, *, is_full: bool = False) -> ShareHeartbeat:
        """Build a heartbeat, with the subscription if it is full."""
        names = frozenset(self.topics) if is_full else None
        return ShareHeartbeat(SHARERS, self.member_id, epoch, None, names, "client", "/127.0.0.1")

    def send(self, request: ShareHeartbeat, now_ms: int = 0) -> ShareHeartbeatResult:
        """Send a heartbeat of any content, and let pending work be done."""
        result = coordinator_in(self.cluster).shares.heartbeat(request, now_ms)
        self.cluster.run_pending(now_ms)
        self.epoch = result.member_epoch
        if result.assigned is not None:
            names = {topic.topic_id: topic.name for topic in self.cluster.topics.by_name.values()}
            self.assigned = {
                names[topic_id]: sorted(partitions)
                for topic_id, partitions in result.assigned.items()
            }
        return result

    def join(self, now_ms: int = 0) -> ShareHeartbeatResult:
        """Join the group."""
        return self.send(self.request(0, is_full=True), now_ms)

    def beat(self, now_ms: int = 0) -> ShareHeartbeatResult:
        """Send a heartbeat that says nothing new."""
        return self.send(self.request(self.epoch), now_ms)

    def leave(self, now_ms: int = 0) -> ShareHeartbeatResult:
        """Leave the group."""
        return self.send(self.request(-1), now_ms)


def joined(cluster: ClusterState, name: str = "a", *topics: str) -> Sharer:
    """Have a member join and get its part."""
    member = Sharer(cluster, name, *topics)
    member.join()
    member.beat()
    return member
