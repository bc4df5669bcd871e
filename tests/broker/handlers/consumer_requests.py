"""Brokers with consumer groups, and requests to join them."""

from collections.abc import Mapping

from mockbroker.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.topic import CONSUMER_OFFSETS
from tests.support.in_process import Brokers


def brokers_with_groups(
    *, features: Mapping[str, int] | None = None, configs: Mapping[str, str] | None = None
) -> Brokers:
    """Create a broker that coordinates groups, with the topic `orders` of three partitions."""
    brokers = Brokers(topics={"orders": 3}, features=features, configs=configs)
    brokers.state.create_topic(internal_topic(CONSUMER_OFFSETS, brokers.state.configs))
    return brokers


def join(member_id: str, group_id: str = "g") -> ConsumerGroupHeartbeatRequest:
    """Build the heartbeat of a member that joins."""
    return ConsumerGroupHeartbeatRequest(
        group_id=group_id,
        member_id=member_id,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=["orders"],
        topic_partitions=[],
    )
