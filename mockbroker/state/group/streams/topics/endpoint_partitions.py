"""Partitions that the endpoints of an application serve, for interactive queries (KIP-1071)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from mockbroker.state.group.streams.streams_group_member import StreamsGroupMember, UserEndpoint
from mockbroker.state.group.streams.tasks import Tasks, merged, partitions_of
from mockbroker.state.group.streams.topics.configured_topology import ConfiguredSubtopology
from mockbroker.state.topic.java_hash import texts_in_java_hash_order


class EndpointPartitions(NamedTuple):
    """One member's part: input partitions of its active tasks, and of its other tasks."""

    endpoint: UserEndpoint
    active: tuple[tuple[str, tuple[int, ...]], ...]
    standby: tuple[tuple[str, tuple[int, ...]], ...]


def endpoint_partitions(
    members: Iterable[StreamsGroupMember],
    subtopologies: Mapping[str, ConfiguredSubtopology],
    partition_count: Callable[[str], int | None],
) -> tuple[EndpointPartitions, ...]:
    """Return the partitions of each member that has an endpoint."""
    return tuple(
        EndpointPartitions(
            member.user_endpoint,
            tuple(_inputs(partitions_of(assigned.active), subtopologies, partition_count)),
            tuple(
                _inputs(merged(assigned.standby, assigned.warmup), subtopologies, partition_count)
            ),
        )
        for member in members
        if member.user_endpoint is not None
        for assigned in [member.assigned]
    )


def _inputs(
    tasks: Tasks,
    subtopologies: Mapping[str, ConfiguredSubtopology],
    partition_count: Callable[[str], int | None],
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the input topics of tasks, each with the partitions that it has of them."""
    for name in texts_in_java_hash_order(tasks):
        subtopology = subtopologies[name]
        topics = dict.fromkeys((*subtopology.source_topics, *subtopology.repartition_source_topics))
        for topic in texts_in_java_hash_order(topics):
            count = partition_count(topic) or 0
            partitions = tuple(sorted(each for each in tasks[name] if each < count))
            if partitions:
                yield topic, partitions
