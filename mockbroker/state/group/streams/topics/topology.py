"""Topology of an application as its members send it (Kafka's `StreamsTopology`, KIP-1071)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.topic.java_hash import texts_in_java_hash_order

_T = TypeVar("_T")

UNDEFINED_PARTITIONS = 0
"""Partition count of an internal topic whose size follows from other topics."""
NO_TOPOLOGY_EPOCH = -1


class TopicInfo(NamedTuple):
    """An internal topic: a changelog, or a repartition topic."""

    name: str
    partitions: int = UNDEFINED_PARTITIONS
    replication_factor: int = 0
    """0 for the broker's default."""
    configs: tuple[tuple[str, str], ...] = ()


class CopartitionGroup(NamedTuple):
    """Source topics with equally many partitions, as indices into their subtopology's lists."""

    source_topics: tuple[int, ...] = ()
    source_topic_regex: tuple[int, ...] = ()
    repartition_source_topics: tuple[int, ...] = ()


class Subtopology(NamedTuple):
    """A connected part of a topology; each partition of its input is a task."""

    subtopology_id: str
    source_topics: tuple[str, ...] = ()
    source_topic_regex: tuple[str, ...] = ()
    state_changelog_topics: tuple[TopicInfo, ...] = ()
    repartition_sink_topics: tuple[str, ...] = ()
    repartition_source_topics: tuple[TopicInfo, ...] = ()
    copartition_groups: tuple[CopartitionGroup, ...] = ()

    def input_topics(self) -> Iterator[str]:
        """Yield the topics that the subtopology reads, repartition topics last."""
        yield from self.source_topics
        for topic in self.repartition_source_topics:
            yield topic.name

    def copartitioned_topics(self) -> Iterator[list[str]]:
        """Yield the names of the topics in each copartition group.

        Raises:
            ApiError: UNKNOWN_SERVER_ERROR for an index that the list does not have.

        """
        for group in self.copartition_groups:
            sources = [_at(self.source_topics, index) for index in group.source_topics]
            repartitioned = [
                _at(self.repartition_source_topics, index).name
                for index in group.repartition_source_topics
            ]
            yield sources + repartitioned


class Topology(NamedTuple):
    """The subtopologies of an application, at an epoch that the application chose."""

    topology_epoch: int
    subtopologies: Mapping[str, Subtopology]

    def in_java_order(self) -> list[Subtopology]:
        """Return the subtopologies in the order in which Kafka goes through them."""
        return [self.subtopologies[name] for name in texts_in_java_hash_order(self.subtopologies)]

    def required_topics(self) -> list[str]:
        """Return the topics that have to exist, in the order in which Kafka goes through them."""
        names = dict.fromkeys(
            name
            for subtopology in self.in_java_order()
            for name in (
                *subtopology.input_topics(),
                *(topic.name for topic in subtopology.state_changelog_topics),
            )
        )
        return texts_in_java_hash_order(names)

    def subtopology_of(self, topic: str) -> Subtopology | None:
        """Return the subtopology that reads a topic, or None; the last one if several do."""
        reading = [each for each in self.in_java_order() if topic in each.input_topics()]
        return reading[-1] if reading else None


def checked_topology(topology_epoch: int, subtopologies: list[Subtopology]) -> Topology:
    """Build a topology from the subtopologies of a request.

    Raises:
        ApiError: UNKNOWN_SERVER_ERROR, as in Kafka, for a negative epoch, or for two subtopologies
            of one id.

    """
    topology = build_topology(topology_epoch, subtopologies)
    if topology_epoch < 0 or len(topology.subtopologies) != len(subtopologies):
        raise _failure(f"epoch {topology_epoch} is negative, or two subtopologies have one id")
    return topology


def build_topology(topology_epoch: int, subtopologies: list[Subtopology]) -> Topology:
    """Build a topology from the subtopologies of a request or a record."""
    return Topology(topology_epoch, {each.subtopology_id: each for each in subtopologies})


def _at(topics: Sequence[_T], index: int) -> _T:
    if not 0 <= index < len(topics):
        raise _failure(f"a copartition group has index {index} of {len(topics)} topics")
    return topics[index]


def _failure(why: str) -> ApiError:
    return ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, why)
