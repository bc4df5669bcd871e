"""Brokers with share groups, and requests to join them."""

from collections.abc import Mapping

from mockbroker.protocol.messages.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.topic import CONSUMER_OFFSETS
from tests.support.in_process import Brokers

AT_ONCE = {"group.share.assignment.interval.ms": "0"}


def brokers_with_share_groups(
    features: Mapping[str, int] | None = None, configs: Mapping[str, str] | None = None
) -> Brokers:
    """Create a broker that coordinates groups, with the topic `orders` of three partitions."""
    brokers = Brokers(
        topics={"orders": 3}, features=features, configs={**AT_ONCE, **(configs or {})}
    )
    brokers.state.create_topic(internal_topic(CONSUMER_OFFSETS, brokers.state.configs))
    return brokers


def beat(
    brokers: Brokers, member_id: str = "m", *, epoch: int = 0, group_id: str = "g"
) -> ShareGroupHeartbeatResponse:
    """Send a heartbeat, and let pending work be done."""
    request = ShareGroupHeartbeatRequest(
        group_id=group_id,
        member_id=member_id,
        member_epoch=epoch,
        subscribed_topic_names=None if epoch else ["orders"],
    )
    answer = brokers.ask(request, 1, ShareGroupHeartbeatResponse)
    assert isinstance(answer, ShareGroupHeartbeatResponse)
    brokers.state.run_pending(0)
    return answer
