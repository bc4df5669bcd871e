import json
from pathlib import Path
from typing import Any

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.streams.topics.configured_topology import ConfiguredInternalTopic
from mockbroker.state.group.streams.topics.internal_topic_manager import configure_topics
from mockbroker.state.group.streams.topics.topology import (
    CopartitionGroup,
    Subtopology,
    TopicInfo,
    Topology,
    build_topology,
)

RECORDED = Path(__file__).with_name("recorded_topologies.jsonl")
"""Random topologies and topics, and what the `InternalTopicManager` of Kafka 4.4.0 said of them."""


def recorded() -> list[Any]:
    return [json.loads(line) for line in RECORDED.read_text().splitlines()]


def topics(listed: list[list[Any]]) -> tuple[TopicInfo, ...]:
    return tuple(TopicInfo(*each) for each in listed)


def topology_of(subtopologies: list[Any]) -> Topology:
    return build_topology(
        3,
        [
            Subtopology(
                each["id"],
                tuple(each["sources"]),
                state_changelog_topics=topics(each["changelog"]),
                repartition_sink_topics=tuple(each["sinks"]),
                repartition_source_topics=topics(each["repartition"]),
                copartition_groups=tuple(
                    CopartitionGroup(tuple(sources), (), tuple(repartitioned))
                    for sources, repartitioned in each["groups"]
                ),
            )
            for each in subtopologies
        ],
    )


def listed(internal: dict[str, ConfiguredInternalTopic]) -> list[list[Any]]:
    ordered = sorted(internal.values())
    return [[topic.name, topic.partitions, topic.replication_factor] for topic in ordered]


def configured(topology: Topology, existing: dict[str, int]) -> dict[str, Any]:
    try:
        found = configure_topics(topology, 7, existing.get)
    except ApiError as error:
        return {"invalid": error.why} if error.code is ErrorCode.STREAMS_INVALID_TOPOLOGY else {}
    return {
        "ready": found.is_ready,
        "status": found.status and [found.status.code, found.status.detail],
        "create": [
            [topic.name, topic.partitions, topic.replication_factor or -1]
            for topic in found.missing_internal_topics.values()
        ],
        "subs": found.subtopologies
        and [
            [
                name,
                subtopology.task_count,
                listed(dict(subtopology.repartition_source_topics)),
                listed(dict(subtopology.state_changelog_topics)),
            ]
            for name, subtopology in found.subtopologies.items()
        ],
    }


@pytest.mark.parametrize("case", recorded())
def test_topologies_are_configured_as_by_kafka(case: Any) -> None:
    assert configured(topology_of(case["subs"]), case["existing"]) == case["result"]


def test_only_a_ready_topology_has_a_validated_epoch() -> None:
    topology = build_topology(5, [Subtopology("0", ("in",))])
    assert configure_topics(topology, 7, {"in": 2}.get).validated_epoch == 5
    assert configure_topics(topology, 7, lambda _: None).validated_epoch == -1


def test_topics_of_the_configured_topology_keep_their_configs() -> None:
    changelog = TopicInfo("log", 0, 2, (("cleanup.policy", "compact"),))
    topology = build_topology(0, [Subtopology("0", ("in",), state_changelog_topics=(changelog,))])
    found = configure_topics(topology, 7, {"in": 2}.get)
    assert list(found.missing_internal_topics.values()) == [
        ConfiguredInternalTopic("log", 2, 2, (("cleanup.policy", "compact"),))
    ]
