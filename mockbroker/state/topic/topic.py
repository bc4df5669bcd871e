"""A topic and its partitions: replicas, leaders and logs."""

from collections.abc import Container, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from mockbroker.protocol.types import TopicPartition, Uuid
from mockbroker.state.config.topic_config import TopicConfig

if TYPE_CHECKING:
    from mockbroker.state.log.partition_log import PartitionLog
    from mockbroker.state.producer.end_txn_marker import EndTxnMarker, SentMarker
    from mockbroker.state.replication.replicas.replica import Replica

CONSUMER_OFFSETS: Final = "__consumer_offsets"
TRANSACTION_STATE: Final = "__transaction_state"
SHARE_GROUP_STATE: Final = "__share_group_state"

NO_LEADER: Final = -1
"""The leader id of a partition that has no leader at present."""

INTERNAL_TOPICS: Final = frozenset({CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE})
"""The topics that Kafka creates for itself and reports as internal."""


_NONE_APART: Final[Mapping[int, "Replica"]] = MappingProxyType({})
"""Shared by all partitions whose replicas are equal to their leader, to save memory."""


_NO_MARKERS: Final[Mapping["EndTxnMarker", "SentMarker"]] = MappingProxyType({})


class Partition:
    """One partition of a topic; its log is opened on first use."""

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
        "replicas",
        "replicas_apart",
        "topic_partition",
        "unreplicated_markers",
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
        """The replicas that are being added, during a reassignment."""
        self.removing_replicas: tuple[int, ...] = ()
        """The replicas that are being removed, during a reassignment."""
        self.in_sync_replicas = replicas
        self.replicas_apart: Mapping[int, Replica] = _NONE_APART
        """The replicas that differ from the leader, by broker id; the others share its log."""
        self.high_watermark_lags = False
        """True if the leader does not know yet how far its followers have fetched."""
        self.leader_id = replicas[0]
        self.leader_epoch = 0
        self.flushed_offset = 0
        """The offset up to which a test had all disks flush the log; see `crash`."""
        self.elected_in_epoch = 0
        """The epoch in which the leader was elected; the same leader may have later epochs."""
        self.partition_epoch = 0
        self.config = config
        """The topic's effective configs on the leader."""
        self.unreplicated_markers: Mapping[EndTxnMarker, SentMarker] = _NO_MARKERS
        """The markers that in-sync replicas lack, which their coordinators ask for again."""
        self.log: PartitionLog | None = None
        """The leader's log, or that of the last leader; `ClusterState.log_of` opens it."""

    def log_at(self, broker_id: int) -> "PartitionLog | None":
        """Return the log of a replica, with all that it has fetched; None if it is not open."""
        replica = self.replicas_apart.get(broker_id)
        if replica is None:
            return self.log
        if replica.fetches:
            replica.fetch()
        return replica.log

    def own_logs(self, away: Container[int] = ()) -> "Iterator[PartitionLog]":
        """Yield the logs of its replicas, a shared one once; not those of brokers that are away."""
        if self.log is not None and self.leader_id not in away:
            yield self.log
        for broker_id, replica in self.replicas_apart.items():
            if replica.log is not None and replica.log is not self.log and broker_id not in away:
                yield replica.log


class Topic:
    """A topic: its name, its unique id, and its partitions."""

    __slots__ = ("is_internal", "name", "partitions", "revision", "topic_id", "view")

    def __init__(
        self,
        name: str,
        topic_id: Uuid,
        assignments: Sequence[tuple[int, ...]],
        config: Sequence[TopicConfig],
    ) -> None:
        """Create one partition per assignment, each with the config of its leader."""
        self.name = name
        self.topic_id = topic_id
        self.is_internal = name in INTERNAL_TOPICS
        self.revision = 0
        """Counts the changes that Metadata shows; a cached response is valid until it grows."""
        self.view: object = None
        """Cached view of this revision for responses; None if there is none."""
        self.partitions: list[Partition] = []
        self.add_partitions(assignments, config)

    def add_partitions(
        self, assignments: Sequence[tuple[int, ...]], config: Sequence[TopicConfig]
    ) -> None:
        """Append partitions, numbered after the last one."""
        for replicas, leader_config in zip(assignments, config, strict=True):
            topic_partition = TopicPartition(self.name, len(self.partitions))
            self.partitions.append(Partition(topic_partition, replicas, leader_config))
        self.changed()

    def changed(self) -> None:
        """Record a change that Metadata shows."""
        self.revision += 1
        self.view = None

    def partition(self, index: int) -> Partition | None:
        """Return a partition by its number; None if there is none."""
        return self.partitions[index] if 0 <= index < len(self.partitions) else None

    @property
    def replication_factor(self) -> int:
        """The number of replicas of its first partition."""
        return len(self.partitions[0].replicas)

    def as_text(self) -> list[str]:
        """Show the topic and the content of its logs in a stable form."""
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
            if partition.high_watermark_lags:
                lines[-1] += " high watermark lags"
            for broker_id, replica in sorted(partition.replicas_apart.items()):
                lines.append(f"replica {broker_id} {replica.as_text()}")
            log = partition.log
            if log is not None and (log.log_end_offset or log.producers.as_text()):
                lines.append(log.as_text())  # an empty log that was opened equals one that was not
        return lines
