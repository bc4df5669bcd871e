"""A topic and its partitions: who holds them, who leads them, and where their logs are."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from mockbroker.protocol.types import TopicPartition, Uuid
from mockbroker.state.config.topic_config import TopicConfig

if TYPE_CHECKING:
    from mockbroker.state.log.partition_log import PartitionLog

CONSUMER_OFFSETS: Final = "__consumer_offsets"
TRANSACTION_STATE: Final = "__transaction_state"
SHARE_GROUP_STATE: Final = "__share_group_state"

NO_LEADER: Final = -1
"""Who leads a partition that nobody can lead for the time being."""

INTERNAL_TOPICS: Final = frozenset({CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE})
"""The topics that Kafka creates for itself and names as internal."""


_ALL_FOLLOW: Final[Mapping[int, int]] = MappingProxyType({})
"""Shared by all partitions whose replicas follow: there are many."""


class Partition:
    """One partition of a topic; its log is opened when it is first used."""

    __slots__ = (
        "adding_replicas",
        "config",
        "elected_in_epoch",
        "flushed_offset",
        "high_watermark_lags",
        "in_sync_replicas",
        "leader_epoch",
        "leader_id",
        "log",
        "partition_epoch",
        "removing_replicas",
        "replica_ends",
        "replicas",
        "topic_partition",
    )

    def __init__(
        self, topic_partition: TopicPartition, replicas: tuple[int, ...], config: TopicConfig
    ) -> None:
        """Start with the first replica as leader and all replicas in sync."""
        assert replicas, topic_partition
        self.topic_partition = topic_partition
        self.replicas = replicas
        """Broker ids, the preferred leader first."""
        self.adding_replicas: tuple[int, ...] = ()
        """Those of the replicas that are only to come, while the partition moves."""
        self.removing_replicas: tuple[int, ...] = ()
        """Those that are to go, while the partition moves."""
        self.in_sync_replicas = replicas
        self.replica_ends: Mapping[int, int] = _ALL_FOLLOW
        """Where the logs of those replicas end that do not follow the leader at present."""
        self.high_watermark_lags = False
        """Whether the leader has not heard yet what its followers have."""
        self.leader_id = replicas[0]
        self.leader_epoch = 0
        self.flushed_offset = 0
        """Up to where a test had all disks write the log down; see `crash`."""
        self.elected_in_epoch = 0
        """The epoch in which its leader was elected: there may be later ones of the same leader."""
        self.partition_epoch = 0
        self.config = config
        """The topic's effective configs, as the leader has them."""
        self.log: PartitionLog | None = None
        """None until the partition is first used; `ClusterState.log_of` opens it."""


class Topic:
    """A topic: a name, the id that tells it from others of that name, and its partitions."""

    __slots__ = ("is_internal", "name", "partitions", "revision", "topic_id", "view")

    def __init__(
        self,
        name: str,
        topic_id: Uuid,
        assignments: Sequence[tuple[int, ...]],
        config: Sequence[TopicConfig],
    ) -> None:
        """Make one partition per assignment, each with the config that its leader has."""
        self.name = name
        self.topic_id = topic_id
        self.is_internal = name in INTERNAL_TOPICS
        self.revision = 0
        """Counts what Metadata shows of the topic: a cached answer is good while it stays."""
        self.view: object = None
        """What the service has made of this revision for its answers, if anything."""
        self.partitions: list[Partition] = []
        self.add_partitions(assignments, config)

    def add_partitions(
        self, assignments: Sequence[tuple[int, ...]], config: Sequence[TopicConfig]
    ) -> None:
        """Append partitions, numbered on from the last one."""
        for replicas, leader_config in zip(assignments, config, strict=True):
            topic_partition = TopicPartition(self.name, len(self.partitions))
            self.partitions.append(Partition(topic_partition, replicas, leader_config))
        self.changed()

    def changed(self) -> None:
        """Note that what Metadata shows of the topic has changed."""
        self.revision += 1
        self.view = None

    def partition(self, index: int) -> Partition | None:
        """Return a partition by its number, or None when there is none."""
        return self.partitions[index] if 0 <= index < len(self.partitions) else None

    @property
    def replication_factor(self) -> int:
        """How many replicas its first partition has."""
        return len(self.partitions[0].replicas)

    def as_text(self) -> list[str]:
        """Show the topic and what its logs hold in a stable form."""
        lines = [f"topic {self.name} {self.topic_id}"]
        for partition in self.partitions:
            lines.append(
                f"{partition.topic_partition} leader {partition.leader_id} epoch"
                f" {partition.leader_epoch} replicas {partition.replicas}"
                f" in sync {partition.in_sync_replicas}"
            )
            if partition.adding_replicas or partition.removing_replicas:
                lines[-1] += (
                    f" adding {partition.adding_replicas} removing {partition.removing_replicas}"
                )
            if partition.replica_ends or partition.high_watermark_lags:
                lines[-1] += f" ends {dict(partition.replica_ends)} {partition.high_watermark_lags}"
            log = partition.log
            if log is not None and (log.log_end_offset or log.producers.as_text()):
                lines.append(log.as_text())  # one that was only opened is as if it were not
        return lines
