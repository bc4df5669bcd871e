"""Reports of committed offsets, for a cluster that is observed."""

from collections.abc import Iterable, Mapping, Sequence

from mockbroker.protocol.types import NO_PRODUCER_ID, TopicPartition
from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import CommittedOffset, OffsetsCommitted
from mockbroker.state.group.group import Group
from mockbroker.state.group.group_log_record import (
    NO_COMMITTED_OFFSET,
    GroupLogRecord,
    OffsetRecord,
)
from mockbroker.state.topic.topic_registry import TopicRegistry


class OffsetReports:
    """Reports committed offsets with the ends of the logs."""

    __slots__ = ("_reporter", "_topics")

    def __init__(self, reporter: EventReporter, topics: TopicRegistry) -> None:
        """Report to a reporter; `topics` have the logs."""
        self._reporter = reporter
        self._topics = topics

    def appended(
        self,
        groups: Mapping[str, Group],
        records: Sequence[GroupLogRecord],
        producer_id: int,
        member_id: str,
    ) -> None:
        """Report the offsets among appended records; those of a transaction are pending."""
        by_group: dict[str, list[OffsetRecord]] = {}
        for record in records:
            if isinstance(record, OffsetRecord):
                by_group.setdefault(record.group_id, []).append(record)
        for group_id, offsets in by_group.items():
            group = groups.get(group_id)
            member = None if group is None else group.members.get(member_id)
            is_pending = producer_id != NO_PRODUCER_ID
            self._reporter.offsets_committed(
                OffsetsCommitted(
                    group_id,
                    member_id,
                    getattr(member, "joined_client_id", getattr(member, "client_id", None)),
                    producer_id,
                    is_pending,
                    self._offsets(offsets),
                )
            )

    def applied(self, group_id: str, records: Iterable[OffsetRecord], producer_id: int) -> None:
        """Report offsets that were pending until the commit of their transaction."""
        offsets = self._offsets(records)
        self._reporter.offsets_committed(
            OffsetsCommitted(group_id, "", None, producer_id, False, offsets)
        )

    def _offsets(self, records: Iterable[OffsetRecord]) -> tuple[CommittedOffset, ...]:
        return tuple(
            CommittedOffset(
                *partition,
                NO_COMMITTED_OFFSET if value is None else value.offset,
                self._log_end_offset(partition),
            )
            for _, partition, value in records
        )

    def _log_end_offset(self, where: TopicPartition) -> int | None:
        topic = self._topics.get(where.topic)
        partition = None if topic is None else topic.partition(where.partition)
        if partition is None:
            return None
        return 0 if partition.log is None else partition.log.log_end_offset
