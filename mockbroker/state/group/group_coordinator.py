"""A broker's group coordinator: groups, their members and their committed offsets.

Rules:

1. Its state is derived from the partitions of `__consumer_offsets` that the broker leads; any
   change that is to persist is appended there first.
2. Loading is pending work: a real coordinator does it shortly after its election.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.coordinator.coordinator_log import LogHost
from mockbroker.state.coordinator.log_records import BatchWriter
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_host import GroupCoordinatorHost
from mockbroker.state.group.classic.group_membership import GroupMembership
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group_administration import (
    DescribedGroup,
    GroupFilters,
    ListedGroup,
    described,
    is_listed,
    listed,
    not_found,
)
from mockbroker.state.group.group_checks import (
    Committer,
    validate_delete,
    validate_member_and_generation,
    validate_offset_commit,
    validate_offset_delete,
    validate_transactional_offset_commit,
)
from mockbroker.state.group.group_expiration import (
    MINUTE_MS,
    RETENTION_MINUTES,
    Expired,
    GroupExpiration,
    expiring,
)
from mockbroker.state.group.group_log_record import GroupLogRecord, GroupRecord, OffsetRecord
from mockbroker.state.group.group_state_manager import GroupStateManager
from mockbroker.state.group.offset_metadata_manager import OffsetMetadataManager
from mockbroker.state.group.topic_group_log import TopicGroupLog
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.topic.topic import CONSUMER_OFFSETS


class GroupCoordinator:
    """One broker's coordinator (Kafka's `GroupCoordinator`). All times are in ms since 1970."""

    __slots__ = ("_expiration", "_host", "broker_id", "groups", "membership")

    def __init__(self, broker_id: int, host: GroupCoordinatorHost, log_host: LogHost) -> None:
        """Create a coordinator that owns no partitions; `startup` schedules its timers."""
        self.broker_id: Final = broker_id
        self._host: Final = host
        self.groups: Final = GroupStateManager(
            broker_id, host, TopicGroupLog(broker_id, log_host), self._changed
        )
        self.membership: Final = GroupMembership(broker_id, host, self.groups)
        self._expiration: Final = GroupExpiration(broker_id, host, self._clean)

    # Lifecycle

    def startup(self, now_ms: int) -> None:
        """Schedule the timers."""
        self._expiration.startup(now_ms)

    def on_creation(self, partition_index: int, coordinator_epoch: int) -> None:
        """Own a new partition of `__consumer_offsets`, which has no records to load."""
        self.groups.own(partition_index, coordinator_epoch)

    def on_election(self, partition_index: int, coordinator_epoch: int) -> None:
        """Take over a partition of `__consumer_offsets`, under its leader epoch.

        Loading is pending work (`LoadGroups __consumer_offsets-<n>`): until it has run, requests
        for its groups get COORDINATOR_LOAD_IN_PROGRESS.
        """
        self._unload(self.groups.start_loading(partition_index, coordinator_epoch))
        self._host.defer(
            f"LoadGroups {CONSUMER_OFFSETS}-{partition_index}",
            partial(self._load, partition_index, coordinator_epoch),
        )

    def on_resignation(self, partition_index: int, coordinator_epoch: int | None = None) -> None:
        """Release a partition of `__consumer_offsets` that moved to another broker or was deleted.

        `coordinator_epoch` is the leader epoch of the new leader.
        """
        self._unload(self.groups.release(partition_index, coordinator_epoch) or ())

    def _load(self, partition_index: int, coordinator_epoch: int, now_ms: int) -> None:
        for group in self.groups.load(partition_index, coordinator_epoch, now_ms) or ():
            self._changed(group, now_ms)
            self.membership.on_loaded(group, now_ms)

    def _unload(self, groups: Sequence[ClassicGroup]) -> None:
        for group in groups:
            self.membership.on_unloaded(group)

    # Offsets

    def commit_offsets(
        self,
        group_id: str,
        committer: Committer,
        records: Sequence[OffsetRecord],
        now_ms: int,
        *,
        unknown_group: ErrorCode = ErrorCode.ILLEGAL_GENERATION,
    ) -> None:
        """Commit offsets of a group; a member commits for its generation.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, `unknown_group` for a
                generation of a group that does not exist, FENCED_INSTANCE_ID, UNKNOWN_MEMBER_ID,
                ILLEGAL_GENERATION, REBALANCE_IN_PROGRESS, or a code of a failed append to the log.

        """
        group = self.groups.get(group_id)
        if group is not None:
            validate_offset_commit(group, committer, self._host.options.groups)
            self.membership.renew_session(group, committer.member_id, now_ms)
        elif committer.generation_id >= 0:
            raise _no_generation(group_id, committer, unknown_group)
        if records:
            self.groups.append(group_id, records, now_ms)

    def check_transactional_commit(self, group_id: str, committer: Committer, now_ms: int) -> None:
        """Check that a client may commit offsets for a group in a transaction.

        Up to 2.8 the check creates the group if there is none, even if the commit is rejected.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, FENCED_INSTANCE_ID,
                UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION.

        """
        group = self.groups.get(group_id)
        if self._host.options.transactions.offsets_need_member_and_generation:
            if group is None:
                group = ClassicGroup(group_id, now_ms=now_ms)
                self.groups.add(group)
                self._changed(group, now_ms)
            validate_member_and_generation(group, committer)
        elif group is not None:
            validate_transactional_offset_commit(group, committer, self._host.options.groups)
        elif committer.generation_id >= 0:
            raise _no_generation(group_id, committer, ErrorCode.ILLEGAL_GENERATION)

    def commit_transactional_offsets(
        self,
        group_id: str,
        records: Sequence[OffsetRecord],
        writer: BatchWriter,
        now_ms: int,
        verification_guard: VerificationGuard | None,
    ) -> None:
        """Store offsets that a transaction commits; they take effect when it is committed.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, or a code of a failed append to
                the log.

        """
        self.groups.append(
            group_id, records, now_ms, writer=writer, verification_guard=verification_guard
        )

    def complete_transaction(self, partition_index: int, marker: EndTxnMarker, now_ms: int) -> None:
        """Apply or discard a transaction's pending offsets when its marker is in a partition."""
        for group_id in self.groups.complete_transaction(partition_index, marker):
            self._expiration.watch(group_id, now_ms, now_ms)

    def offsets_of(self, group_id: str) -> OffsetMetadataManager:
        """Return the offsets of the group's partition, whether or not the group exists.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR.

        """
        return self.groups.owner_of(group_id).offsets

    def delete_offsets(
        self, group_id: str, partitions: Sequence[TopicPartition], now_ms: int
    ) -> dict[TopicPartition, ErrorCode]:
        """Delete offsets of a group, except those of topics that it subscribes to.

        Raises:
            ApiError: INVALID_GROUP_ID, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR,
                GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP, or a code of a failed append to the log.

        """
        if not group_id:
            raise ApiError(ErrorCode.INVALID_GROUP_ID, "the group id is empty")
        group = self.groups.get(group_id)
        if group is None:
            raise not_found(group_id)
        validate_offset_delete(group)
        known = self.groups.owner_of(group_id).offsets.known_partitions(group_id)
        codes: dict[TopicPartition, ErrorCode] = {}
        for each in partitions:
            is_used = group.state is not GroupState.EMPTY and self._subscribes(group, each.topic)
            codes[each] = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC if is_used else ErrorCode.NONE
        self._forget_offsets(
            group,
            [
                OffsetRecord(group_id, each, None)
                for each, code in codes.items()
                if code is ErrorCode.NONE and each in set(known)
            ],
            now_ms,
        )
        return codes

    def forget_topic(self, topic: str, now_ms: int) -> None:
        """Delete the offsets of a deleted topic for all groups; failed appends are ignored."""
        for group_id, records in self.groups.forgotten_topic(topic).items():
            group = self.groups.find(group_id)
            if group is not None:
                with suppress(ApiError):
                    self._forget_offsets(group, records, now_ms)

    def _forget_offsets(
        self, group: ClassicGroup, records: Sequence[OffsetRecord], now_ms: int
    ) -> None:
        tombstones: list[GroupLogRecord] = list(records)
        offsets = self.offsets_of(group.group_id)
        going = {record.partition for record in records}
        is_last = all(each in going for each in offsets.known_partitions(group.group_id))
        ends = (
            self._host.options.offsets.empty_groups_go_at_once
            and is_last
            and group.state is GroupState.EMPTY
        )
        if ends:
            tombstones += self._group_tombstone(group)
        if tombstones:
            self.groups.append(group.group_id, tombstones, now_ms)
        if ends:
            self._bury(group, now_ms)

    # Administration

    def list_groups(self, filters: GroupFilters) -> list[ListedGroup]:
        """List the groups that match all filters.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS while any partition is loading.

        """
        if self.groups.is_loading:
            raise ApiError(
                ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, f"broker {self.broker_id} loads groups"
            )
        options = self._host.options
        return [
            listed(group, options.groups)
            for group in self.groups
            if is_listed(group, filters, options.offsets)
        ]

    def describe_group(self, group_id: str) -> DescribedGroup | None:
        """Describe a group; return None if it does not exist.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR; UNKNOWN_SERVER_ERROR if a
                member does not support the group's protocol.

        """
        group, options = self.groups.get(group_id), self._host.options
        if group is None:
            return None
        shows_assignments = options.offsets.rebalancing_shows_assignments
        return described(group, options.groups, shows_assignments=shows_assignments)

    def delete_group(self, group_id: str, now_ms: int) -> None:
        """Delete a group without members, and its offsets.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, GROUP_ID_NOT_FOUND,
                NON_EMPTY_GROUP, or a code of a failed append to the log.

        """
        group = self.groups.get(group_id)
        if group is None:
            raise not_found(group_id)
        validate_delete(group)
        offsets = self.offsets_of(group_id)
        self._end(group, offsets.known_partitions(group_id), now_ms)

    def _end(self, group: ClassicGroup, partitions: Sequence[TopicPartition], now_ms: int) -> None:
        group_id = group.group_id
        tombstones: list[GroupLogRecord] = [
            OffsetRecord(group_id, each, None) for each in partitions
        ]
        tombstones += self._group_tombstone(group)
        if tombstones:
            self.groups.append(group_id, tombstones, now_ms)
        self._bury(group, now_ms)

    def _group_tombstone(self, group: ClassicGroup) -> list[GroupRecord]:
        options = self._host.options.offsets
        if group.generation_id or options.unused_groups_have_tombstones:
            return [GroupRecord(group.group_id, None)]
        return []

    def _bury(self, group: ClassicGroup, now_ms: int) -> None:
        group.transition_to(GroupState.DEAD, now_ms)
        self.groups.remove(group)

    # Expiration

    def _changed(self, group: ClassicGroup, now_ms: int) -> None:
        """Have the next sweep check a group that has new records."""
        self._expiration.watch(group.group_id, now_ms, now_ms)

    def _clean(self, group_ids: Sequence[str], now_ms: int) -> None:
        """Append tombstones for the expired offsets of watched groups; keep watching the others."""
        shares = self._host.options.offsets.expired_groups_share_batches
        batches: dict[int, list[Expired]] = {}
        for number, group_id in enumerate(group_ids):
            group = self.groups.find(group_id)
            expired = None if group is None else self._expired(group, now_ms)
            if expired is not None:
                home = self.groups.owner_of(group_id).index
                batches.setdefault(home if shares else ~number, []).append(expired)
        for batch in batches.values():
            self._write_expired(batch, now_ms)

    def _expired(self, group: ClassicGroup, now_ms: int) -> Expired | None:
        """Return the expired part of a group; None if nothing has expired."""
        group_id = group.group_id
        offsets, options = self.offsets_of(group_id), self._host.options.offsets
        due = expiring(
            group, offsets, self._retention_ms, options, partial(self._subscribes, group)
        )
        tombstones: list[GroupLogRecord] = [
            OffsetRecord(group_id, partition, None)
            for partition, due_ms in due.items()
            if due_ms <= now_ms
        ]
        is_used = group.state is not GroupState.EMPTY or offsets.has_open_transactions(group_id)
        if not is_used and len(tombstones) == len(offsets.all_committed(group_id)):
            return Expired(group, [*tombstones, *self._group_tombstone(group)], True)
        later_ms = [due_ms for due_ms in due.values() if due_ms > now_ms]
        if later_ms:
            self._expiration.watch(group_id, min(later_ms), now_ms)
        return Expired(group, tombstones, False) if tombstones else None

    def _write_expired(self, batch: Sequence[Expired], now_ms: int) -> None:
        tombstones = [record for expired in batch for record in expired.tombstones]
        try:
            if tombstones:
                self.groups.append(batch[0].group.group_id, tombstones, now_ms)
        except ApiError:
            for expired in batch:  # the next sweep tries again
                self._changed(expired.group, now_ms)
            return
        for expired in batch:
            if expired.is_end:
                self._bury(expired.group, now_ms)

    @property
    def _retention_ms(self) -> int:
        configs = self._host.configs
        return configs.broker_integer(RETENTION_MINUTES, self.broker_id) * MINUTE_MS

    def _subscribes(self, group: ClassicGroup, topic: str) -> bool:
        return group.is_subscribed_to_topic(topic, self._host.records.read_subscribed_topics)

    def as_text(self) -> list[str]:
        """Show the coordinator in a stable form, for `ClusterState.as_text`."""
        return self.groups.as_text() + self.membership.as_text()


def _no_generation(group_id: str, committer: Committer, code: ErrorCode) -> ApiError:
    return ApiError(
        code, f"there is no group {group_id!r}, nor generation {committer.generation_id}"
    )
