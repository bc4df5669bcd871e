"""Members of consumer groups with their own connections to the brokers of a running cluster."""

from collections.abc import Sequence
from typing import Final

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from tests.support.wire import broker_client

GROUP: Final = "readers"
AT_ONCE: Final = {"group.consumer.assignment.interval.ms": "0"}
VERSION: Final = 1


class ConsumerMember:
    """A member of the group `readers` that subscribes to `orders`."""

    def __init__(self, cluster: Cluster, member_id: str) -> None:
        """Know the group's coordinator."""
        self._cluster = cluster
        self.member_id = member_id
        self.epoch = 0
        self.owned: list[int] = []
        request = FindCoordinatorRequest(key=GROUP, key_type=0)
        with broker_client(cluster, 1) as client:
            client.ask(request, 3, FindCoordinatorResponse)

    def join(self) -> ErrorCode:
        """Join the group."""
        self.epoch, self.owned = 0, []
        return self._send(
            rebalance_timeout_ms=60_000,
            subscribed_topic_names=["orders"],
            topic_partitions=[],
        )

    def beat(self) -> ErrorCode:
        """Send a heartbeat, with what it owns; take what it is told."""
        return self._send(topic_partitions=self._partitions(self.owned))

    def leave(self) -> ErrorCode:
        """Leave the group."""
        self.epoch = -1
        return self._send()

    def _partitions(self, owned: Sequence[int]) -> list[TopicPartitions]:
        topic_id = self._cluster.look(lambda state, _: state.topics.by_name["orders"].topic_id)
        return [TopicPartitions(topic_id=topic_id, partitions=list(owned))] if owned else []

    def _send(
        self,
        *,
        rebalance_timeout_ms: int = -1,
        subscribed_topic_names: list[str] | None = None,
        topic_partitions: list[TopicPartitions] | None = None,
    ) -> ErrorCode:
        request = ConsumerGroupHeartbeatRequest(
            group_id=GROUP,
            member_id=self.member_id,
            member_epoch=self.epoch,
            rebalance_timeout_ms=rebalance_timeout_ms,
            subscribed_topic_names=subscribed_topic_names,
            topic_partitions=topic_partitions,
        )
        broker_id = self._cluster.coordinator_of(group=GROUP)
        with broker_client(self._cluster, broker_id) as client:
            answer = client.ask(request, VERSION, ConsumerGroupHeartbeatResponse)
        code = ErrorCode(answer.error_code)
        if code is ErrorCode.NONE:
            self.epoch = answer.member_epoch
        if answer.assignment is not None:
            told = answer.assignment.topic_partitions
            self.owned = sorted(index for each in told for index in each.partitions)
        return code


def two_members(cluster: Cluster) -> tuple[ConsumerMember, ConsumerMember]:
    """Have two members share the partitions of `orders`."""
    one, two = ConsumerMember(cluster, "a"), ConsumerMember(cluster, "b")
    one.join()
    two.join()
    for member in (one, one, two):
        assert member.beat() is ErrorCode.NONE
    return one, two
