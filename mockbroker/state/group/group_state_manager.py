"""Groups in the partitions of `__consumer_offsets` that a broker leads.

Rules:

1. A partition is not owned, loading, or owned. Requests for its groups get NOT_COORDINATOR if it
   is not owned, and COORDINATOR_LOAD_IN_PROGRESS while it loads.
2. Changes of groups and offsets are appended to the log first. A failed append changes nothing.
3. An offset commit creates the group if there is none, even without members.
4. Callers that keep a group across a step in which its partition may move check `is_current`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.coordinator.log_records import NOBODY, BatchWriter
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_host import GroupCoordinatorHost
from mockbroker.state.group.group import Group
from mockbroker.state.group.group_log_record import GroupLogRecord, GroupRecord, OffsetRecord
from mockbroker.state.group.group_partition import (
    GroupPartition,
    note_record,
    reload,
    replay_modern,
    replay_offset,
)
from mockbroker.state.group.reported_offsets import OffsetReports
from mockbroker.state.group.topic_group_log import TopicGroupLog
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS

NO_PARTITION: Final = -1


class GroupStateManager:
    """One broker's groups and offsets (the state of Kafka's `GroupMetadataManager`)."""

    __slots__ = ("_broker_id", "_by_group", "_changed", "_host", "_loading", "_log", "_owned")

    def __init__(
        self,
        broker_id: int,
        host: GroupCoordinatorHost,
        log: TopicGroupLog,
        changed: Callable[[Group, int], None],
    ) -> None:
        """Start without partitions; register with the cluster's memory budget.

        `changed` is called with every group that has new records, and the time.
        """
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._log: Final = log
        self._changed: Final = changed
        self._loading: dict[int, int] = {}
        self._owned: dict[int, GroupPartition] = {}
        self._by_group: dict[str, GroupPartition] = {}
        """The partition of each group that exists."""
        host.budget.register(self)

    # Partitions

    def partition_for(self, group_id: str) -> int:
        """Return the partition of `__consumer_offsets` that a group belongs to."""
        return coordinator_partition(CONSUMER_OFFSETS, group_id, self._host.configs)

    @property
    def is_loading(self) -> bool:
        """True if any partition is being loaded."""
        return bool(self._loading)

    def own(self, partition_index: int, coordinator_epoch: int) -> None:
        """Own a partition without records."""
        self._owned[partition_index] = GroupPartition(partition_index, coordinator_epoch)

    def start_loading(self, partition_index: int, coordinator_epoch: int) -> list[Group]:
        """Start loading a partition; return the groups that were known in it, which are dropped."""
        forgotten = self._forget(partition_index)
        self._loading[partition_index] = coordinator_epoch
        return forgotten

    def load(self, partition_index: int, coordinator_epoch: int, now_ms: int) -> list[Group] | None:
        """Load a partition and own it; return None if it has moved meanwhile."""
        if self._loading.get(partition_index) != coordinator_epoch:
            return None
        owner = GroupPartition(partition_index, coordinator_epoch)
        for written in self._log.read(partition_index):
            if isinstance(written, EndTxnMarker):
                owner.offsets.complete_transaction(written.producer_id, is_commit=written.is_commit)
            else:
                for record_offset, record in enumerate(written.records, written.base_offset):
                    reload(owner, record, written.producer_id, record_offset, now_ms)
        self._owned[partition_index] = owner
        self._by_group.update(dict.fromkeys(owner.groups, owner))
        for group in owner.groups.values():
            group.observation = self._host.observation
        del self._loading[partition_index]
        return list(owner.groups.values())

    def release(self, partition_index: int, coordinator_epoch: int | None) -> list[Group] | None:
        """Release a partition; return None if the epoch is older than the one it is owned under.

        Without an epoch the partition was deleted. Return the groups that were known.
        """
        owner = self._owned.get(partition_index)
        held = owner.coordinator_epoch if owner else self._loading.get(partition_index, -1)
        if coordinator_epoch is not None and coordinator_epoch < held:
            return None
        return self._forget(partition_index)

    def _forget(self, partition_index: int) -> list[Group]:
        self._loading.pop(partition_index, None)
        owner = self._owned.pop(partition_index, None)
        if owner is None:
            return []
        for group_id in owner.groups:
            del self._by_group[group_id]
        return list(owner.groups.values())

    def owner_of(self, group_id: str) -> GroupPartition:
        """Return the partition of a group, whether or not the group exists.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR.

        """
        found = self._by_group.get(group_id)
        if found is not None:
            return found
        partition_index = self.partition_for(group_id)
        if partition_index in self._loading:
            raise ApiError(
                ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
                f"{CONSUMER_OFFSETS}-{partition_index} of {group_id!r} is being loaded",
            )
        owner = self._owned.get(partition_index)
        if owner is None:
            raise ApiError(
                ErrorCode.NOT_COORDINATOR,
                f"broker {self._broker_id} does not lead {CONSUMER_OFFSETS}-{partition_index} of"
                f" {group_id!r}",
            )
        return owner

    # Groups

    def get(self, group_id: str) -> Group | None:
        """Return a group; None if it does not exist.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR.

        """
        return self.owner_of(group_id).groups.get(group_id)

    def find(self, group_id: str) -> Group | None:
        """Return a group; None if it does not exist or its partition is not owned here."""
        owner = self._by_group.get(group_id)
        return None if owner is None else owner.groups[group_id]

    def add(self, group: Group) -> None:
        """Add a group that does not exist yet.

        Raises:
            ApiError: As `get`.

        """
        owner = self.owner_of(group.group_id)
        assert group.group_id not in owner.groups, group.group_id
        owner.groups[group.group_id] = group
        group.observation = self._host.observation
        self._by_group[group.group_id] = owner

    def remove(self, group: Group) -> None:
        """Remove a group."""
        owner = self._by_group.pop(group.group_id)
        del owner.groups[group.group_id]

    def drop(self, group: Group) -> None:
        """Remove a group that a new coordinator will find again, since its records stay.

        Descriptions and lists show it until the next append to the partition, as Kafka's do.
        """
        owner = self._by_group[group.group_id]
        self.remove(group)
        owner.dropped[group.group_id] = group

    def dropped(self, group_id: str) -> Group | None:
        """Return a dropped group that descriptions still show; None if there is none."""
        owner = self._owned.get(self.partition_for(group_id))
        return None if owner is None else owner.dropped.get(group_id)

    def is_current(self, group: Group) -> bool:
        """Return whether this group still exists, and its partition has not moved."""
        return self.find(group.group_id) is group

    def __iter__(self) -> Iterator[Group]:
        """Iterate over all groups, partition by partition."""
        for owner in self._owned.values():
            yield from owner.groups.values()
            yield from owner.dropped.values()

    def __len__(self) -> int:
        """Count the groups."""
        return len(self._by_group)

    # The log

    def store(self, group: ClassicGroup, assignments: Mapping[str, bytes], now_ms: int) -> None:
        """Append a group's record, with the assignments that its members are about to get.

        Raises:
            ApiError: The code for clients when the append fails; NOT_COORDINATOR or
                COORDINATOR_LOAD_IN_PROGRESS when the partition moved.

        """
        self._require_current(group)
        self.append(
            group.group_id,
            [GroupRecord(group.group_id, group.to_log_value(assignments))],
            now_ms,
        )

    def append(
        self,
        group_id: str,
        records: Sequence[GroupLogRecord],
        now_ms: int,
        *,
        writer: BatchWriter = NOBODY,
        verification_guard: VerificationGuard | None = None,
        member_id: str = "",
    ) -> None:
        """Append records of groups to the partition of one of them, and apply them.

        `member_id` is of the member that commits offsets.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, and the code for clients when
                the append fails.

        """
        owner = self.owner_of(group_id)
        base_offset = self._log.append(
            owner.index,
            records,
            coordinator_epoch=owner.coordinator_epoch,
            now_ms=now_ms,
            writer=writer,
            verification_guard=verification_guard,
        )
        owner.dropped.clear()
        for record_offset, record in enumerate(records, base_offset):
            self._replay(owner, record, writer.producer_id, record_offset, now_ms)
        reporter = self._host.observation.reporter
        if reporter is not None:
            reports = OffsetReports(reporter, self._host.topics)
            reports.appended(owner.groups, records, writer.producer_id, member_id)
        for changed_id in dict.fromkeys(record.group_id for record in records):
            group = owner.groups.get(changed_id)
            if group is not None:
                self._changed(group, now_ms)

    def _replay(
        self,
        owner: GroupPartition,
        record: GroupLogRecord,
        producer_id: int,
        record_offset: int,
        now_ms: int,
    ) -> None:
        """Apply a record that was just appended; a classic group is up to date already."""
        if isinstance(record, OffsetRecord):
            replay_offset(owner, record, producer_id, record_offset)
            if record.value is not None and record.group_id not in owner.groups:
                self.add(ClassicGroup(record.group_id, now_ms=now_ms))
            return
        note_record(owner, record, record_offset)
        if not isinstance(record, GroupRecord):
            group = replay_modern(owner, record)
            if group is None:
                self._by_group.pop(record.group_id, None)
            else:
                group.observation = self._host.observation
                self._by_group[record.group_id] = owner

    def complete_transaction(self, partition_index: int, marker: EndTxnMarker) -> list[str]:
        """Apply a marker in a partition; return the ids of the groups it affects.

        A partition that is not owned is ignored: the broker that loads it reads the marker.
        """
        owner = self._owned.get(partition_index)
        if owner is None:
            return []
        applied = owner.offsets.complete_transaction(marker.producer_id, is_commit=marker.is_commit)
        reporter = self._host.observation.reporter
        if reporter is not None:
            reports = OffsetReports(reporter, self._host.topics)
            for group_id, records in applied.items():
                reports.applied(group_id, records, marker.producer_id)
        return list(applied)

    def forgotten_topic(self, topic: str) -> dict[str, list[OffsetRecord]]:
        """Return the tombstones for a topic's offsets, by group."""
        by_group: dict[str, list[OffsetRecord]] = {}
        for owner in self._owned.values():
            for record in owner.offsets.of_topic(topic):
                by_group.setdefault(record.group_id, []).append(record)
        return by_group

    def _require_current(self, group: ClassicGroup) -> None:
        if self.is_current(group):
            return
        self.get(group.group_id)
        raise ApiError(
            ErrorCode.NOT_COORDINATOR, f"the partition of {group.group_id!r} was loaded again"
        )

    # Memory

    @property
    def topic_partition(self) -> TopicPartition:
        """The topic with index -1; the memory budget reclaims it before its partitions."""
        return TopicPartition(CONSUMER_OFFSETS, NO_PARTITION)

    def reclaim(self, *, now_ms: int) -> None:
        """Delete superseded records, up to the first that is still needed."""
        for index, owner in self._owned.items():
            self._log.delete_superseded(index, owner.first_record_offset(), now_ms)

    # State as text

    def as_text(self) -> list[str]:
        """Show the owned partitions in a stable form."""
        lines = [
            f"loading {CONSUMER_OFFSETS}-{index} epoch {coordinator_epoch}"
            for index, coordinator_epoch in sorted(self._loading.items())
        ]
        for index, owner in sorted(self._owned.items()):
            lines.append(f"owns {CONSUMER_OFFSETS}-{index} epoch {owner.coordinator_epoch}")
            for _, group in sorted(owner.groups.items()):
                lines += group.as_text()
            lines += owner.offsets.as_text()
        return lines
