"""Reports of state changes to an observer, while there is one.

All parts of a cluster's state share one `Observation`. Observing has no effect on the state: an
observed cluster goes through the same states as others. The event types are imported only when
there is an observer.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from mockbroker.protocol.types import BatchHeader, TopicPartition

if TYPE_CHECKING:
    from mockbroker.state.events import LogPosition, StateHappening
    from mockbroker.state.group.classic.classic_group import ClassicGroup
    from mockbroker.state.log.partition_log import PartitionLog
    from mockbroker.state.producer.end_txn_marker import EndTxnMarker
    from mockbroker.state.topic.topic import Partition, Topic

Observer: TypeAlias = Callable[["StateHappening"], None]
"""Called with each event right after it; must neither raise nor change the state."""


class Observation:
    """Reports events to the observer, if there is one."""

    __slots__ = ("observer",)

    def __init__(self) -> None:
        """Start without an observer."""
        self.observer: Observer | None = None

    def batch_appended(
        self,
        partition: "Partition",
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

    def marker_appended(self, partition: "Partition", marker: "EndTxnMarker", offset: int) -> None:
        """Report a transaction marker in a partition."""
        if self.observer is not None:
            from mockbroker.state.events import MarkerAppended

            self.observer(MarkerAppended(position_of(partition), marker, offset))

    def producers_expired(self, where: TopicPartition, producer_ids: Sequence[int]) -> None:
        """Report producers whose state a log has removed."""
        if self.observer is not None:
            from mockbroker.state.events import ProducersExpired

            self.observer(ProducersExpired(*where, tuple(producer_ids)))

    def log_start_moved(self, log: "PartitionLog", after: int) -> None:
        """Report the deletion of records before an offset; the log start has not moved yet."""
        if self.observer is not None:
            from mockbroker.state.events import LogStartMoved

            self.observer(LogStartMoved(*log.topic_partition, log.log_start_offset, after))

    def log_truncated(self, log: "PartitionLog", before: int) -> None:
        """Report a truncated log, whose end was at `before`."""
        if self.observer is not None:
            from mockbroker.state.events import LogTruncated

            self.observer(LogTruncated(*log.topic_partition, before, log.log_end_offset))

    def high_watermark_moved(self, log: "PartitionLog", before: int) -> None:
        """Report a high watermark that moved without an append."""
        if self.observer is not None and before != log.high_watermark:
            from mockbroker.state.events import HighWatermarkMoved

            self.observer(HighWatermarkMoved(*log.topic_partition, before, log.high_watermark))

    def group_changed(self, group: "ClassicGroup") -> None:
        """Report a group that entered a state."""
        if self.observer is not None:
            from mockbroker.state.events import GroupChanged

            before, after = group.previous_state.title, group.state.title
            members = tuple(group.members)
            self.observer(GroupChanged(group.group_id, before, after, group.generation_id, members))

    def leader_elected(self, partition: "Partition", previous_id: int) -> None:
        """Report the election of a partition's leader."""
        if self.observer is not None:
            from mockbroker.state.events import LeaderElected

            by = (previous_id, partition.leader_id, partition.leader_epoch)
            self.observer(LeaderElected(*partition.topic_partition, *by))

    def topic_created(self, topic: "Topic") -> None:
        """Report a created topic."""
        if self.observer is not None:
            from mockbroker.state.events import TopicCreated

            self.observer(TopicCreated(topic.name, topic.topic_id, len(topic.partitions)))

    def topic_deleted(self, topic: "Topic") -> None:
        """Report a deleted topic."""
        if self.observer is not None:
            from mockbroker.state.events import TopicDeleted

            self.observer(TopicDeleted(topic.name, topic.topic_id))


def position_of(partition: "Partition") -> "LogPosition":
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
