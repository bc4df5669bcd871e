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
from mockbroker.state.group.classic.classic_groups import ClassicGroups
from mockbroker.state.group.classic.group_host import GroupCoordinatorHost
from mockbroker.state.group.classic.group_membership import GroupMembership
from mockbroker.state.group.classic_requests import ClassicRequests
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_membership import ConsumerMembership
from mockbroker.state.group.consumer.member_offsets import check_fetch
from mockbroker.state.group.group import Group
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
    refuse_share_group,
    validate_consumer_commit,
    validate_delete,
    validate_member_and_generation,
    validate_offset_commit,
    validate_offset_delete,
    validate_streams_commit,
    validate_transactional_offset_commit,
)
from mockbroker.state.group.group_endings import GroupEndings
from mockbroker.state.group.group_expiration import (
    GroupExpiration,
)
from mockbroker.state.group.group_kinds import is_modern
from mockbroker.state.group.group_log_record import OffsetRecord
from mockbroker.state.group.group_state_manager import GroupStateManager
from mockbroker.state.group.modern.reported_append import report_owners
from mockbroker.state.group.offset_metadata_manager import OffsetMetadataManager
from mockbroker.state.group.share.share_group import ShareGroup
from mockbroker.state.group.share.share_membership import ShareMembership
from mockbroker.state.group.share.share_offsets import ShareOffsets
from mockbroker.state.group.streams.streams_configs import StreamsConfigs
from mockbroker.state.group.streams.streams_group import StreamsGroup
from mockbroker.state.group.streams.streams_membership import StreamsMembership
from mockbroker.state.group.streams.streams_offsets import check_streams_fetch
from mockbroker.state.group.topic_group_log import TopicGroupLog
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.random_source import source_of_member_ids
from mockbroker.state.topic.topic import CONSUMER_OFFSETS


class GroupCoordinator:
    """One broker's coordinator (Kafka's `GroupCoordinator`). All times are in ms since 1970."""

    __slots__ = (
        "_classic",
        "_endings",
        "_expiration",
        "_host",
        "broker_id",
        "classic_requests",
        "consumers",
        "groups",
        "membership",
        "share_offsets",
        "shares",
        "streams",
    )

    def __init__(self, broker_id: int, host: GroupCoordinatorHost, log_host: LogHost) -> None:
        """Create a coordinator that owns no partitions; `startup` schedules its timers."""
        self.broker_id: Final = broker_id
        self._host: Final = host
        self.groups: Final = GroupStateManager(
            broker_id, host, TopicGroupLog(broker_id, log_host), self._changed
        )
        self._expiration: Final = GroupExpiration(broker_id, host, self._clean)
        self._endings: Final = GroupEndings(broker_id, host, self.groups, self._expiration.watch)
        self._classic: Final = ClassicGroups(self.groups, self._endings.end_empty)
        self.membership: Final = GroupMembership(broker_id, host, self._classic)
        self.consumers: Final = ConsumerMembership(
            broker_id,
            host,
            self.groups,
            source_of_member_ids(~host.seed, broker_id),
            self.membership.rebalance,
        )
        self.classic_requests: Final = ClassicRequests(self.groups, self.membership, self.consumers)
        self.shares: Final = ShareMembership(broker_id, host, self.groups, self.consumers.topics)
        self.share_offsets: Final = ShareOffsets(host, self.groups, self.shares)
        self.streams: Final = StreamsMembership(
            broker_id,
            host,
            StreamsConfigs(host.configs, broker_id),
            self.consumers.topics,
            self.groups,
        )

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
            if isinstance(group, ClassicGroup):
                self.membership.on_loaded(group, now_ms)
            elif isinstance(group, ConsumerGroup):
                self.consumers.on_loaded(group, now_ms)
            elif isinstance(group, ShareGroup):
                self.shares.on_loaded(group, now_ms)
            elif isinstance(group, StreamsGroup):
                self.streams.on_loaded(group, now_ms)
            if is_modern(group) and self._host.observation.reporter is not None:
                report_owners(self._host.observation.reporter, group)

    def _unload(self, groups: Sequence[Group]) -> None:
        for group in groups:
            if isinstance(group, ClassicGroup):
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
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, GROUP_ID_NOT_FOUND (a share
                group), `unknown_group` for a generation of a group that does not exist,
                FENCED_INSTANCE_ID, UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION, REBALANCE_IN_PROGRESS,
                STALE_MEMBER_EPOCH, or a code of a failed append to the log.

        """
        group = self.groups.get(group_id)
        refuse_share_group(group)
        if isinstance(group, ClassicGroup):
            validate_offset_commit(group, committer, self._host.options.groups)
            self.membership.renew_session(group, committer.member_id, now_ms)
        elif isinstance(group, ConsumerGroup):
            validate_consumer_commit(group, committer, records, self._host.options.consumer_groups)
        elif isinstance(group, StreamsGroup):
            validate_streams_commit(group, committer, records)
        elif committer.generation_id >= 0:
            raise _no_generation(group_id, committer, unknown_group)
        if records:
            self.groups.append(group_id, records, now_ms, member_id=committer.member_id)

    def check_transactional_commit(
        self,
        group_id: str,
        committer: Committer,
        now_ms: int,
        records: Sequence[OffsetRecord] = (),
        *,
        unknown_group: ErrorCode = ErrorCode.ILLEGAL_GENERATION,
    ) -> None:
        """Check that a client may commit offsets for a group in a transaction.

        Up to 2.8 the check creates the group if there is none, even if the commit is rejected.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, FENCED_INSTANCE_ID,
                UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION, STALE_MEMBER_EPOCH, `unknown_group`.

        """
        group = self.groups.get(group_id)
        refuse_share_group(group)
        if isinstance(group, ConsumerGroup):
            validate_consumer_commit(group, committer, records, self._host.options.consumer_groups)
            return
        if isinstance(group, StreamsGroup):
            validate_streams_commit(group, committer, records)
            return
        group = self._classic.get(group_id)
        if self._host.options.transactions.offsets_need_member_and_generation:
            if group is None:
                group = ClassicGroup(group_id, now_ms=now_ms)
                self.groups.add(group)
                self._changed(group, now_ms)
            validate_member_and_generation(group, committer)
        elif group is not None:
            validate_transactional_offset_commit(group, committer, self._host.options.groups)
        elif committer.generation_id >= 0:
            raise _no_generation(group_id, committer, unknown_group)

    def commit_transactional_offsets(
        self,
        group_id: str,
        records: Sequence[OffsetRecord],
        writer: BatchWriter,
        now_ms: int,
        verification_guard: VerificationGuard | None,
        *,
        member_id: str = "",
    ) -> None:
        """Store offsets that a transaction commits; they take effect when it is committed.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, or a code of a failed append to
                the log.

        """
        self.groups.append(
            group_id,
            records,
            now_ms,
            writer=writer,
            verification_guard=verification_guard,
            member_id=member_id,
        )

    def check_fetch(self, group_id: str, member_id: str | None, member_epoch: int) -> None:
        """Check that a client may fetch offsets of a group: a member only in its epoch.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, UNKNOWN_MEMBER_ID,
                STALE_MEMBER_EPOCH.

        """
        group = self.groups.get(group_id)
        if isinstance(group, ConsumerGroup):
            check_fetch(group, member_id, member_epoch)
        elif isinstance(group, StreamsGroup):
            check_streams_fetch(group, member_id, member_epoch)

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
            is_used = not group.is_empty and self._endings.subscribes(group, each.topic)
            codes[each] = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC if is_used else ErrorCode.NONE
        self._endings.forget_offsets(
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
                    self._endings.forget_offsets(group, records, now_ms)

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
        group, options = self._classic.get(group_id), self._host.options
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
        if isinstance(group, ShareGroup):
            self.shares.forget_states(group, now_ms)
        offsets = self.offsets_of(group_id)
        self._endings.end(group, offsets.known_partitions(group_id), now_ms)

    # Expiration

    def _changed(self, group: Group, now_ms: int) -> None:
        """Have the next sweep check a group that has new records."""
        self._expiration.watch(group.group_id, now_ms, now_ms)

    def _clean(self, group_ids: Sequence[str], now_ms: int) -> None:
        self._endings.clean(group_ids, now_ms)

    def as_text(self) -> list[str]:
        """Show the coordinator in a stable form, for `ClusterState.as_text`."""
        return self.groups.as_text() + self.membership.as_text() + self.consumers.as_text()


def _no_generation(group_id: str, committer: Committer, code: ErrorCode) -> ApiError:
    return ApiError(
        code, f"there is no group {group_id!r}, nor generation {committer.generation_id}"
    )
