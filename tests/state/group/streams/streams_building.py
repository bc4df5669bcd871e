"""Clusters with streams groups, and members that send heartbeats to their coordinator."""

from collections.abc import Mapping
from typing import Any, Final

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.streams.streams_group import StreamsGroup
from mockbroker.state.group.streams.streams_heartbeat import (
    SentTopology,
    StreamsHeartbeat,
    StreamsHeartbeatResult,
)
from mockbroker.state.group.streams.tasks import Tasks
from mockbroker.state.group.streams.topics.topology import Subtopology
from mockbroker.state.topic.replication_control import NewTopic
from tests.state.group.coordinator_building import coordinating, coordinator_in

APP: Final = "app"
AT_ONCE: Final = {
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.streams.assignment.interval.ms": "0",
}
REBALANCE_TIMEOUT_MS: Final = 5_000
READS_ORDERS: Final = (Subtopology("0", ("orders",)),)


def tasks(*partitions: int, name: str = "0") -> dict[str, frozenset[int]]:
    """Return tasks of one subtopology."""
    return {name: frozenset(partitions)}


def cluster_of(
    *, configs: Mapping[str, str] | None = None, brokers: int = 1, **topics: int
) -> ClusterState:
    """Create a cluster with topics of so many partitions, whose groups are assigned at once."""
    cluster = coordinating(brokers=brokers, configs={**AT_ONCE, **(configs or {})})
    for name, count in topics.items():
        cluster.create_topic(NewTopic(name=name, num_partitions=count, replication_factor=1))
    return cluster


def group_in(cluster: ClusterState) -> StreamsGroup:
    """Return the group."""
    return coordinator_in(cluster).streams.known(APP)


class Streams:
    """A member; it takes its epoch from the answers, and reports nothing of its own accord."""

    def __init__(
        self,
        cluster: ClusterState,
        name: str = "a",
        *,
        topology: tuple[Subtopology, ...] = READS_ORDERS,
        process: str | None = None,
        instance_id: str | None = None,
    ) -> None:
        """Read the topic `orders`, unless there is another topology."""
        self.cluster = cluster
        self.member_id = name
        self.topology = topology
        self.process_id = process or name
        self.instance_id = instance_id
        self.member_epoch = 0

    def send(self, request: StreamsHeartbeat, now_ms: int = 0) -> StreamsHeartbeatResult:
        """Send a heartbeat of any content."""
        result = coordinator_in(self.cluster).streams.heartbeat(request, now_ms)
        self.member_epoch = result.member_epoch
        return result

    def request(self, active: Tasks | None = None, **fields: Any) -> StreamsHeartbeat:
        """Build a heartbeat that says only what it owns."""
        owned: dict[str, Any] = {}
        if active is not None:
            owned = {"active": active, "standby": {}, "warmup": {}}
        known: dict[str, Any] = {
            "group_id": APP,
            "member_id": self.member_id,
            "member_epoch": self.member_epoch,
            "instance_id": self.instance_id,
        }
        return StreamsHeartbeat(**{**known, **owned, **fields})

    def joining(self, **fields: Any) -> StreamsHeartbeat:
        """Build a heartbeat that joins."""
        full: dict[str, Any] = {
            "member_epoch": 0,
            "rebalance_timeout_ms": REBALANCE_TIMEOUT_MS,
            "topology": SentTopology(0, list(self.topology)),
            "process_id": self.process_id,
            "client_tags": {},
        }
        return self.request({}, **{**full, **fields})

    def join(self, now_ms: int = 0, **fields: Any) -> StreamsHeartbeatResult:
        """Join the group."""
        return self.send(self.joining(**fields), now_ms)

    def beat(
        self, active: Tasks | None = None, now_ms: int = 0, **fields: Any
    ) -> StreamsHeartbeatResult:
        """Send a heartbeat, with the active tasks it owns."""
        return self.send(self.request(active, **fields), now_ms)

    def leave(self, member_epoch: int = -1, now_ms: int = 0) -> StreamsHeartbeatResult:
        """Leave the group; -2 leaves it for a moment."""
        return self.send(self.request(member_epoch=member_epoch), now_ms)
