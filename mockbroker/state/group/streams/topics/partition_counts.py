"""Partition counts of the internal topics of a topology (KIP-1071).

A repartition topic without a count has as many partitions as the subtopology that writes to it has
tasks. Then copartitioned topics get equal counts, and changelog topics one partition per task.
Kafka's `RepartitionTopics`, `CopartitionedTopicsEnforcer` and `ChangelogTopics` are followed,
including the order in which they go through topics: it determines counts in loops, and messages.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NoReturn, TypeAlias

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.streams.topics.configured_topology import (
    StatusCode,
    TopicConfigurationError,
)
from mockbroker.state.group.streams.topics.topology import (
    UNDEFINED_PARTITIONS,
    Subtopology,
    Topology,
)
from mockbroker.state.topic.java_hash import texts_in_java_hash_order

PartitionCount: TypeAlias = Callable[[str], int | None]
"""Return the partition count of a topic, or None if the topic does not exist."""


def decide_partition_counts(topology: Topology, partition_count: PartitionCount) -> dict[str, int]:
    """Return the partition count of each internal topic, by the topic's name.

    The source topics exist. `partition_count` is asked for the topics of the cluster, whose counts
    have precedence over decided ones.

    Raises:
        TopicConfigurationError: INCORRECTLY_PARTITIONED_TOPICS.
        ApiError: STREAMS_INVALID_TOPOLOGY.

    """
    decided = _repartition_topics(topology, partition_count)

    def count_of(topic: str) -> int:
        known = partition_count(topic)
        return decided[topic] if known is None else known

    _copartition(topology, decided, count_of)
    for subtopology in topology.in_java_order():
        counts = [count_of(topic) for topic in subtopology.input_topics()]
        if not counts:
            _refuse(f"No source topics found for subtopology {subtopology.subtopology_id}")
        decided.update((topic.name, max(counts)) for topic in subtopology.state_changelog_topics)
    return decided


def _repartition_topics(topology: Topology, partition_count: PartitionCount) -> dict[str, int]:
    subtopologies = topology.in_java_order()
    sources = [topic for each in subtopologies for topic in each.repartition_source_topics]
    sinks = [(each, sink) for each in subtopologies for sink in each.repartition_sink_topics]
    decided = {
        topic.name: topic.partitions
        for topic in sources
        if topic.partitions != UNDEFINED_PARTITIONS
    }
    while sinks:
        undecided: list[tuple[Subtopology, str]] = []
        for subtopology, sink in sinks:
            count = _count_of_input(subtopology, decided, partition_count)
            if sink not in decided and count is None:
                undecided.append((subtopology, sink))
            elif sink not in decided and count is not None:
                decided[sink] = count
        if len(undecided) == len(sinks):
            _refuse(
                "Failed to compute number of partitions for all repartition topics."
                " There may be loops in the topology that cannot be resolved."
            )
        sinks = [(each, sink) for each, sink in undecided if sink not in decided]
    if any(topic.name not in decided for topic in sources):
        _refuse(
            "Failed to compute number of partitions for all repartition topics,"
            " because a repartition source topic is never used as a sink topic."
        )
    return decided


def _count_of_input(
    subtopology: Subtopology, decided: Mapping[str, int], partition_count: PartitionCount
) -> int | None:
    """Return the highest count among the input topics whose count is known so far."""
    repartitioned = (decided.get(topic.name) for topic in subtopology.repartition_source_topics)
    external = (partition_count(topic) for topic in subtopology.source_topics)
    return max((count for count in (*repartitioned, *external) if count is not None), default=None)


def _copartition(
    topology: Topology, decided: dict[str, int], count_of: Callable[[str], int]
) -> None:
    sources = {
        topic.name: topic.partitions
        for subtopology in topology.in_java_order()
        for topic in subtopology.repartition_source_topics
    }
    fixed = texts_in_java_hash_order(
        name for name, partitions in sources.items() if partitions != UNDEFINED_PARTITIONS
    )
    for subtopology in topology.in_java_order():
        for group in subtopology.copartitioned_topics():
            topics = texts_in_java_hash_order(dict.fromkeys(group))
            if topics:
                decided.update(_equal_counts(topics, sources, fixed, count_of))


def _equal_counts(
    topics: list[str],
    repartition_topics: Mapping[str, int],
    fixed: list[str],
    count_of: Callable[[str], int],
) -> dict[str, int]:
    """Return the count of each repartition topic in one copartition group."""
    flexible = {topic: count_of(topic) for topic in topics if topic in repartition_topics}
    others = {topic: count_of(topic) for topic in topics if topic not in repartition_topics}
    if others:
        count = _same_count(others.values(), others)
    elif fixed:
        count = _same_count(map(count_of, fixed), flexible)
    else:
        count = max(flexible.values())
    for topic, own in flexible.items():
        if topic in fixed and own != count:
            raise TopicConfigurationError(
                StatusCode.INCORRECTLY_PARTITIONED_TOPICS,
                f"Number of partitions [{own}] of repartition topic [{topic}] doesn't match number"
                f" of partitions [{count}] of the source topic.",
            )
    return dict.fromkeys(flexible, count)


def _same_count(counts: Iterable[int], named: Mapping[str, int]) -> int:
    first, *rest = counts
    if any(count != first for count in rest):
        listed = ", ".join(f"{topic}={named[topic]}" for topic in sorted(named))
        raise TopicConfigurationError(
            StatusCode.INCORRECTLY_PARTITIONED_TOPICS,
            f"Following topics do not have the same number of partitions: [{{{listed}}}]",
        )
    return first


def _refuse(why: str) -> NoReturn:
    raise ApiError(ErrorCode.STREAMS_INVALID_TOPOLOGY, why)
