"""Reports of state changes to an observer, while there is one.

All parts of a cluster's state share one `Observation`. Observing has no effect on the state: an
observed cluster goes through the same states as others. The event types are imported only when
there is an observer.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from mockbroker.protocol.types import BatchHeader, TopicPartition, Uuid

if TYPE_CHECKING:
    from mockbroker.state.events import LogPosition, StateEvent
    from mockbroker.state.producer.end_txn_marker import EndTxnMarker

Observer: TypeAlias = Callable[["StateEvent"], None]
"""Called with each event right after it; must neither raise nor change the state."""


class LogOffsets(Protocol):
    """Offsets of a log that events contain."""

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


class Observation:
    """Reports events to the observer, if there is one."""

    __slots__ = ("observer",)

    def __init__(self) -> None:
        """Start without an observer."""
        self.observer: Observer | None = None

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
        if self.observer is not None:
            from mockbroker.state.events import BatchAppended

            position = position_of(partition)
            self.observer(BatchAppended(position, header, base_offset, last_offset, is_duplicate))

    def marker_appended(
        self, partition: ObservedPartition, marker: "EndTxnMarker", offset: int
    ) -> None:
        """Report a transaction marker in a partition."""
        if self.observer is not None:
            from mockbroker.state.events import MarkerAppended

            self.observer(MarkerAppended(position_of(partition), marker, offset))

    def producers_expired(self, where: TopicPartition, producer_ids: Sequence[int]) -> None:
        """Report producers whose state a log has removed."""
        if self.observer is not None:
            from mockbroker.state.events import ProducersExpired

            self.observer(ProducersExpired(*where, tuple(producer_ids)))

    def log_start_moved(self, where: TopicPartition, before: int, after: int) -> None:
        """Report the deletion of records before an offset; the log start has not moved yet."""
        if self.observer is not None:
            from mockbroker.state.events import LogStartMoved

            self.observer(LogStartMoved(*where, before, after))

    def log_truncated(self, where: TopicPartition, before: int, after: int) -> None:
        """Report a truncated log, whose end was at `before` and is at `after`."""
        if self.observer is not None:
            from mockbroker.state.events import LogTruncated

            self.observer(LogTruncated(*where, before, after))

    def high_watermark_moved(self, where: TopicPartition, before: int, after: int) -> None:
        """Report a high watermark that moved without an append."""
        if self.observer is not None and before != after:
            from mockbroker.state.events import HighWatermarkMoved

            self.observer(HighWatermarkMoved(*where, before, after))

    def group_changed(
        self, group_id: str, states: tuple[str, str], generation_id: int, members: Iterable[str]
    ) -> None:
        """Report a group that left the first of two states and entered the second."""
        if self.observer is not None:
            from mockbroker.state.events import GroupChanged

            self.observer(GroupChanged(group_id, *states, generation_id, tuple(members)))

    def leader_elected(self, partition: ObservedPartition, previous_id: int) -> None:
        """Report the election of a partition's leader."""
        if self.observer is not None:
            from mockbroker.state.events import LeaderElected

            by = (previous_id, partition.leader_id, partition.leader_epoch)
            self.observer(LeaderElected(*partition.topic_partition, *by))

    def topic_created(self, name: str, topic_id: Uuid, partition_count: int) -> None:
        """Report a created topic."""
        if self.observer is not None:
            from mockbroker.state.events import TopicCreated

            self.observer(TopicCreated(name, topic_id, partition_count))

    def topic_deleted(self, name: str, topic_id: Uuid) -> None:
        """Report a deleted topic."""
        if self.observer is not None:
            from mockbroker.state.events import TopicDeleted

            self.observer(TopicDeleted(name, topic_id))


def position_of(partition: ObservedPartition) -> "LogPosition":
    """Return the offsets, leader and epoch of a partition, whose log must be open."""
    from mockbroker.state.events import LogPosition

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
