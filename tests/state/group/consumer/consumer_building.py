"""Clusters with consumer groups, and members that send heartbeats to their coordinator."""

from collections.abc import Mapping, Sequence
from typing import Final

from mockbroker.protocol.types import Uuid
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_heartbeat import ConsumerHeartbeat, HeartbeatResult
from mockbroker.state.topic.replication_control import NewTopic
from tests.state.group.coordinator_building import coordinating, coordinator_in

CONSUMERS: Final = "consumers"
AT_ONCE: Final = {"group.consumer.assignment.interval.ms": "0"}
_SETTINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "4.4": AT_ONCE,
    "3.9": {"group.coordinator.rebalance.protocols": "classic,consumer"},
}
REBALANCE_TIMEOUT_MS: Final = 5_000


def cluster_of(
    *,
    configs: Mapping[str, str] | None = None,
    brokers: int = 1,
    release: str = "4.4",
    **topics: int,
) -> ClusterState:
    """Create a cluster with topics of so many partitions, whose groups are assigned at once."""
    settings = {**_SETTINGS[release], **(configs or {})}
    cluster = coordinating(release, brokers=brokers, configs=settings)
    for name, count in topics.items():
        create(cluster, name, count)
    return cluster


def create(cluster: ClusterState, topic: str, partitions: int) -> None:
    """Create a topic."""
    new = NewTopic(name=topic, num_partitions=partitions, replication_factor=1)
    cluster.create_topic(new)


def id_of(cluster: ClusterState, topic: str) -> Uuid:
    """Return the id of a topic."""
    return cluster.topics.by_name[topic].topic_id


def group_in(cluster: ClusterState, group_id: str = CONSUMERS) -> ConsumerGroup:
    """Return a group."""
    group = coordinator_in(cluster).groups.get(group_id)
    assert isinstance(group, ConsumerGroup)
    return group


class Consumer:
    """A member; it takes its epoch from the answers, and reports nothing of its own accord."""

    def __init__(
        self,
        cluster: ClusterState,
        name: str = "a",
        *topics: str,
        instance_id: str | None = None,
        assignor: str | None = None,
        regex: str | None = None,
    ) -> None:
        """Subscribe to `orders`, or to other topics."""
        self.cluster = cluster
        self.member_id = name
        self.topics: Sequence[str] = topics or ("orders",)
        self.instance_id = instance_id
        self.assignor = assignor
        self.regex = regex
        self.epoch = 0
        self.assigned: dict[str, list[int]] = {}

    def send(self, request: ConsumerHeartbeat, now_ms: int = 0) -> HeartbeatResult:
        """Send a heartbeat of any content."""
        result = coordinator_in(self.cluster).consumers.heartbeat(request, now_ms)
        self.epoch = result.member_epoch
        if result.assigned is not None:
            topics = self.cluster.topics
            self.assigned = {
                topic.name: sorted(partitions)
                for topic_id, partitions in result.assigned.items()
                if (topic := topics.by_id(topic_id)) is not None
            }
        return result

    def request(
        self, owned: Mapping[str, Sequence[int]] | None = None, *, epoch: int | None = None
    ) -> ConsumerHeartbeat:
        """Build a heartbeat that says only what it owns."""
        partitions = None
        if owned is not None:
            partitions = {id_of(self.cluster, each): frozenset(own) for each, own in owned.items()}
        return ConsumerHeartbeat(
            group_id=CONSUMERS,
            member_id=self.member_id,
            member_epoch=self.epoch if epoch is None else epoch,
            instance_id=self.instance_id,
            rack_id=None,
            rebalance_timeout_ms=-1,
            subscribed_topic_names=None,
            subscribed_topic_regex=None,
            server_assignor=None,
            owned=partitions,
            client_id="client",
            client_host="/127.0.0.1",
        )

    def full(
        self, owned: Mapping[str, Sequence[int]] | None = None, *, epoch: int | None = None
    ) -> ConsumerHeartbeat:
        """Build a heartbeat with all fields."""
        return self.request(owned or {}, epoch=epoch)._replace(
            rebalance_timeout_ms=REBALANCE_TIMEOUT_MS,
            subscribed_topic_names=frozenset(self.topics),
            subscribed_topic_regex=self.regex,
            server_assignor=self.assignor,
        )

    def join(self, now_ms: int = 0) -> HeartbeatResult:
        """Join the group."""
        return self.send(self.full(epoch=0), now_ms)

    def beat(
        self, owned: Mapping[str, Sequence[int]] | None = None, now_ms: int = 0
    ) -> HeartbeatResult:
        """Send a heartbeat that says only what it owns, if anything."""
        return self.send(self.request(owned), now_ms)

    def leave(self, epoch: int = -1, now_ms: int = 0) -> HeartbeatResult:
        """Leave the group."""
        return self.send(self.request(epoch=epoch), now_ms)


def share_orders(cluster: ClusterState) -> tuple[Consumer, Consumer]:
    """Have two members share the two partitions of `orders`."""
    one, two = Consumer(cluster), Consumer(cluster, "b")
    one.join()
    two.join()
    one.beat()
    one.beat(one.assigned)
    two.beat()
    return one, two
