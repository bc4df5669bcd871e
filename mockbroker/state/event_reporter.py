"""Construction of the state's events, for a cluster that is observed."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeAlias

from mockbroker.protocol.types import BatchHeader, TopicPartition, Uuid
from mockbroker.state.events import (
    BatchAppended,
    GroupChanged,
    HighWatermarkMoved,
    LeaderElected,
    LogPosition,
    LogStartMoved,
    LogTruncated,
    MarkerAppended,
    OffsetsCommitted,
    Owned,
    OwnedPartitions,
    PartitionsAssigned,
    ProducersExpired,
    ShareEvent,
    StateEvent,
    TopicCreated,
    TopicDeleted,
    TransactionChanged,
)
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata

Observer: TypeAlias = Callable[[StateEvent], None]
"""Called with each event right after it; must neither raise nor change the state."""


class LogOffsets(Protocol):
    """Offsets of a log that events name."""

    log_start_offset: int

    @property
    def last_stable_offset(self) -> int:
        """The offset at which `read_committed` fetches end."""
        ...

    @property
    def high_watermark(self) -> int:
        """The offset at which fetches end."""
        ...

    @property
    def log_end_offset(self) -> int:
        """The offset of the next record."""
        ...


class ObservedPartition(Protocol):
    """A partition, as far as events describe it."""

    leader_id: int
    leader_epoch: int

    @property
    def topic_partition(self) -> TopicPartition:
        """The topic's name and the partition's index."""
        ...

    @property
    def log(self) -> LogOffsets | None:
        """The partition's log, once it is open."""
        ...


class EventReporter:
    """Reports events to an observer."""

    __slots__ = ("_observer",)

    def __init__(self, observer: Observer) -> None:
        """Report to a function."""
        self._observer = observer

    def batch_appended(
        self,
        partition: ObservedPartition,
        header: BatchHeader,
        base_offset: int,
        last_offset: int,
        *,
        is_duplicate: bool = False,
    ) -> None:
        """Report an appended batch, or a duplicate of an earlier one."""
        position = position_of(partition)
        self._observer(BatchAppended(position, header, base_offset, last_offset, is_duplicate))

    def marker_appended(
        self, partition: ObservedPartition, marker: EndTxnMarker, offset: int
    ) -> None:
        """Report a transaction marker in a partition."""
        self._observer(MarkerAppended(position_of(partition), marker, offset))

    def producers_expired(self, where: TopicPartition, producer_ids: Sequence[int]) -> None:
        """Report producers whose state a log has removed."""
        self._observer(ProducersExpired(*where, tuple(producer_ids)))

    def log_start_moved(self, where: TopicPartition, before: int, after: int) -> None:
        """Report the deletion of records before an offset; the log start has not moved yet."""
        self._observer(LogStartMoved(*where, before, after))

    def log_truncated(self, where: TopicPartition, before: int, after: int) -> None:
        """Report a truncated log, whose end was at `before` and is at `after`."""
        self._observer(LogTruncated(*where, before, after))

    def replica_truncated(
        self, where: TopicPartition, ends: tuple[int, int], broker_id: int, leader_epoch: int
    ) -> None:
        """Report an isolated leader's log, which lost what others never had: both of its ends."""
        self._observer(LogTruncated(*where, *ends, broker_id, leader_epoch))

    def high_watermark_moved(self, where: TopicPartition, before: int, after: int) -> None:
        """Report a high watermark that moved without an append."""
        self._observer(HighWatermarkMoved(*where, before, after))

    def transaction_changed(
        self,
        where: tuple[int, int, int],
        before: TransactionMetadata,
        after: TransactionMetadata | None,
    ) -> None:
        """Report a transition; `where` is the broker, the partition and the coordinator epoch."""
        self._observer(TransactionChanged(*where, before, after))

    def group_changed(
        self, group_id: str, states: tuple[str, str], generation_id: int, members: Iterable[str]
    ) -> None:
        """Report a group that left the first of two states and entered the second."""
        self._observer(GroupChanged(group_id, *states, generation_id, tuple(members)))

    def partitions_assigned(
        self, group_id: str, members: Iterable[tuple[str, int, Owned]], *, is_whole: bool
    ) -> None:
        """Report members with epochs and what they own; with `is_whole` others own nothing."""
        owned = tuple(OwnedPartitions(*member) for member in members)
        self._observer(PartitionsAssigned(group_id, owned, is_whole))

    def offsets_committed(self, committed: OffsetsCommitted) -> None:
        """Report offsets of a group, unless there are none."""
        if committed.offsets:
            self._observer(committed)

    def share_changed(self, event: ShareEvent) -> None:
        """Report an event of a share group's records, unless it is of no record."""
        if getattr(event, "ranges", True):
            self._observer(event)

    def leader_elected(self, partition: ObservedPartition, previous_id: int) -> None:
        """Report the election of a partition's leader."""
        by = (previous_id, partition.leader_id, partition.leader_epoch)
        self._observer(LeaderElected(*partition.topic_partition, *by))

    def topic_created(self, name: str, topic_id: Uuid, partition_count: int) -> None:
        """Report a created topic."""
        self._observer(TopicCreated(name, topic_id, partition_count))

    def topic_deleted(self, name: str, topic_id: Uuid) -> None:
        """Report a deleted topic."""
        self._observer(TopicDeleted(name, topic_id))


def position_of(partition: ObservedPartition) -> LogPosition:
    """Return the offsets, leader and epoch of a partition, whose log must be open."""
    log = partition.log
    assert log is not None, partition.topic_partition
    topic, index = partition.topic_partition
    return LogPosition(
        topic,
        index,
        partition.leader_id,
        partition.leader_epoch,
        log.log_start_offset,
        log.last_stable_offset,
        log.high_watermark,
        log.log_end_offset,
    )
