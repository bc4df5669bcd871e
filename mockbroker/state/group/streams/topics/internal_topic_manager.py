"""Validation of a topology against the topics of a cluster (Kafka's `InternalTopicManager`)."""

from collections.abc import Mapping, Sequence

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.streams.topics.configured_topology import (
    ConfiguredInternalTopic,
    ConfiguredSubtopology,
    ConfiguredTopology,
    Status,
    StatusCode,
    TopicConfigurationError,
)
from mockbroker.state.group.streams.topics.partition_counts import (
    PartitionCount,
    decide_partition_counts,
)
from mockbroker.state.group.streams.topics.topology import (
    UNDEFINED_PARTITIONS,
    Subtopology,
    TopicInfo,
    Topology,
)
from mockbroker.state.topic.java_hash import texts_in_java_hash_order

_TOPICS_IN_MESSAGES = 3


def configure_topics(
    topology: Topology, metadata_hash: int, partition_count: PartitionCount
) -> ConfiguredTopology:
    """Determine the tasks of a topology, and the internal topics that have to be created.

    The result is ready if all topics exist with fitting partition counts; otherwise its status
    says why not.

    Raises:
        ApiError: STREAMS_INVALID_TOPOLOGY, whatever the topics are; UNKNOWN_SERVER_ERROR, as in
            Kafka, for a negative partition count or index.

    """
    try:
        _require_source_topics(topology, partition_count)
        decided = decide_partition_counts(topology, partition_count)
        subtopologies = {
            name: _configured(topology.subtopologies[name], decided, partition_count)
            for name in sorted(topology.subtopologies)
        }
        missing = _missing_internal_topics(topology, subtopologies, partition_count)
    except TopicConfigurationError as error:
        return ConfiguredTopology(topology.topology_epoch, metadata_hash, None, {}, error.status)
    status = None
    if missing:
        detail = f"Internal topics are missing: {_summary(list(missing))}"
        status = Status(StatusCode.MISSING_INTERNAL_TOPICS, detail)
    return ConfiguredTopology(
        topology.topology_epoch, metadata_hash, subtopologies, missing, status
    )


def _require_source_topics(topology: Topology, partition_count: PartitionCount) -> None:
    missing = {
        topic
        for subtopology in topology.subtopologies.values()
        for topic in subtopology.source_topics
        if partition_count(topic) is None
    }
    if missing:
        raise TopicConfigurationError(
            StatusCode.MISSING_SOURCE_TOPICS,
            f"Source topics {_summary(sorted(missing))} are missing.",
        )


def _configured(
    subtopology: Subtopology, decided: Mapping[str, int], partition_count: PartitionCount
) -> ConfiguredSubtopology:
    def count_of(topic: str) -> int:
        known = partition_count(topic)
        return decided[topic] if known is None else known

    return ConfiguredSubtopology(
        task_count=max(map(count_of, subtopology.input_topics())),
        source_topics=subtopology.source_topics,
        repartition_source_topics=_sized(subtopology.repartition_source_topics, decided),
        repartition_sink_topics=subtopology.repartition_sink_topics,
        state_changelog_topics=_sized(subtopology.state_changelog_topics, decided),
    )


def _sized(
    topics: Sequence[TopicInfo], decided: Mapping[str, int]
) -> dict[str, ConfiguredInternalTopic]:
    negative = [topic.name for topic in topics if topic.partitions < UNDEFINED_PARTITIONS]
    if negative:
        # Kafka 4.4 does not expect it either.
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, f"{negative} have negative partition counts")
    return {
        topic.name: ConfiguredInternalTopic(
            topic.name,
            decided[topic.name] if topic.partitions == UNDEFINED_PARTITIONS else topic.partitions,
            topic.replication_factor,
            topic.configs,
        )
        for topic in topics
    }


def _missing_internal_topics(
    topology: Topology,
    subtopologies: Mapping[str, ConfiguredSubtopology],
    partition_count: PartitionCount,
) -> dict[str, ConfiguredInternalTopic]:
    internal: dict[str, ConfiguredInternalTopic] = {}
    for subtopology in subtopologies.values():
        internal |= subtopology.repartition_source_topics
        internal |= subtopology.state_changelog_topics
    most = len(internal)
    for topic in topology.required_topics():
        found = partition_count(topic)
        if found is None:
            continue
        expected = internal.pop(topic, None)
        if expected is not None and found != expected.partitions:
            raise TopicConfigurationError(
                StatusCode.INCORRECTLY_PARTITIONED_TOPICS,
                f"Existing topic {topic} has different number of partitions:"
                f" expected {expected.partitions}, found {found}",
            )
    ordered = texts_in_java_hash_order(internal, size_max=most)
    return {name: internal[name] for name in ordered}


def _summary(topics: list[str]) -> str:
    shown = ", ".join(topics[:_TOPICS_IN_MESSAGES])
    others = len(topics) - _TOPICS_IN_MESSAGES
    return f"{shown} and {others} additional topics" if others > 0 else shown
