"""Topology whose topics are known: partition counts, tasks, and topics to create (KIP-1071)."""

from collections.abc import Mapping
from enum import IntEnum, unique
from typing import Final, NamedTuple

from mockbroker.state.group.streams.topics.topology import NO_TOPOLOGY_EPOCH


@unique
class StatusCode(IntEnum):
    """Condition of a group that StreamsGroupHeartbeat reports to its members."""

    STALE_TOPOLOGY = 0
    MISSING_SOURCE_TOPICS = 1
    INCORRECTLY_PARTITIONED_TOPICS = 2
    MISSING_INTERNAL_TOPICS = 3
    SHUTDOWN_APPLICATION = 4
    ASSIGNMENT_DELAYED = 5
    MISSING_CLIENT_TAGS = 6


class Status(NamedTuple):
    """One condition, with Kafka's explanation."""

    code: StatusCode
    detail: str


class TopicConfigurationError(Exception):
    """Topics that do not fit the topology (Kafka's `TopicConfigurationException`)."""

    def __init__(self, code: StatusCode, detail: str) -> None:
        """Take the status that the members get."""
        super().__init__(code, detail)
        self.status: Final = Status(code, detail)


class ConfiguredInternalTopic(NamedTuple):
    """An internal topic with its partition count."""

    name: str
    partitions: int
    replication_factor: int = 0
    """0 for the broker's default."""
    configs: tuple[tuple[str, str], ...] = ()


class ConfiguredSubtopology(NamedTuple):
    """A subtopology with its tasks and the sizes of its topics."""

    task_count: int
    source_topics: tuple[str, ...]
    repartition_source_topics: Mapping[str, ConfiguredInternalTopic]
    repartition_sink_topics: tuple[str, ...]
    state_changelog_topics: Mapping[str, ConfiguredInternalTopic]

    @property
    def is_stateful(self) -> bool:
        """True if its tasks have state in changelog topics, so that they can have standby tasks."""
        return bool(self.state_changelog_topics)


class ConfiguredTopology(NamedTuple):
    """What the topics of a cluster make of a topology (Kafka's class of the same name)."""

    topology_epoch: int
    metadata_hash: int
    subtopologies: Mapping[str, ConfiguredSubtopology] | None
    """The subtopologies in the order of their ids; None if the topics do not fit."""
    missing_internal_topics: Mapping[str, ConfiguredInternalTopic]
    """Topics to create, in the order in which Kafka reports them."""
    status: Status | None
    """The reason why no task can be assigned; None if the topology is ready."""

    @property
    def is_ready(self) -> bool:
        """True if tasks can be assigned."""
        return self.status is None

    @property
    def validated_epoch(self) -> int:
        """The topology's epoch if it is ready, or -1."""
        return self.topology_epoch if self.is_ready else NO_TOPOLOGY_EPOCH
