"""Brokers with streams groups, and requests to join them."""

from collections.abc import Mapping

from mockbroker.protocol.messages.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    Subtopology,
    TopicInfo,
    Topology,
)
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


def join(*changelogs: str, source: str = "orders") -> StreamsGroupHeartbeatRequest:
    """Build the heartbeat of a member that joins."""
    return StreamsGroupHeartbeatRequest(
        group_id="g",
        member_id="m",
        rebalance_timeout_ms=60_000,
        topology=Topology(
            epoch=0,
            subtopologies=[
                Subtopology(
                    subtopology_id="0",
                    source_topics=[source],
                    state_changelog_topics=[TopicInfo(name=each) for each in changelogs],
                )
            ],
        ),
        active_tasks=[],
        standby_tasks=[],
        warmup_tasks=[],
        process_id="p",
        client_tags=[],
    )
