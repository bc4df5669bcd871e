"""Membership of consumer groups: ConsumerGroupHeartbeat, timeouts and fencing (KIP-848).

Rules:

1. A heartbeat first computes all records from the group as it is; then they are appended, and
   change the group. A refused heartbeat changes nothing.
2. A changed subscription begins an epoch of the group; the next heartbeat after the assignment
   interval computes a target assignment for it; each member moves towards it in its own heartbeats.
3. A member ends when its session does, or when it does not revoke partitions within its rebalance
   timeout.
"""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.named_configs import group_integer
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_answers import TopicFilter
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_group_host import ConsumerGroupHost, ModernGroupStore
from mockbroker.state.group.consumer.consumer_group_member import (
    STATIC_LEAVE_EPOCH,
    ConsumerGroupMember,
)
from mockbroker.state.group.consumer.consumer_heartbeat import ConsumerHeartbeat, HeartbeatResult
from mockbroker.state.group.consumer.current_assignment import (
    Reconciliation,
    held_back,
    reconcile,
)
from mockbroker.state.group.consumer.group_migration import ClassicMembership, GroupMigration
from mockbroker.state.group.consumer.member_checks import (
    check_member_epoch,
    check_unreleased,
    joining,
    member_of,
    only_stays,
)
from mockbroker.state.group.consumer.member_records import (
    IdentifiedMember,
    MemberChange,
    changed_assignment,
    changed_description,
    removal,
    replacement,
)
from mockbroker.state.group.consumer.member_timeouts import MemberTimeouts
from mockbroker.state.group.consumer.regular_expressions import resolve_expressions
from mockbroker.state.group.consumer.target_update import TargetUpdate, UpdatedTarget
from mockbroker.state.group.group_log_record import GroupLogRecord, GroupRecord
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignmentRecord,
    GroupEpoch,
    GroupEpochRecord,
    ModernRecord,
    Partitions,
    TargetEpoch,
    TargetEpochRecord,
)
from mockbroker.state.group.modern.reported_append import append_reported
from mockbroker.state.group.modern.topic_metadata import TopicMetadata
from mockbroker.state.random_source import RandomSource, uuid_text
from mockbroker.state.release.group_options import ConsumerGroupOptions

MAX_SIZE: Final = "group.consumer.max.size"
HEARTBEAT_INTERVAL: Final = "consumer.heartbeat.interval.ms"


class ConsumerMembership:
    """The members of one broker's consumer groups."""

    __slots__ = (
        "_broker_id",
        "_host",
        "_random",
        "_store",
        "migration",
        "options",
        "targets",
        "timeouts",
        "topics",
    )

    def __init__(
        self,
        broker_id: int,
        host: ConsumerGroupHost,
        store: ModernGroupStore,
        random: RandomSource,
        classic: ClassicMembership,
    ) -> None:
        """Start without groups; `random` makes the ids of members that have none."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self.options: Final[ConsumerGroupOptions] = host.options.consumer_groups
        self._store: Final = store
        self._random: Final = random
        self.topics: Final = TopicMetadata(host)
        self.targets: Final = TargetUpdate(broker_id, host, self.topics)
        self.timeouts: Final = MemberTimeouts(broker_id, host, store, self.fence)
        self.migration: Final = GroupMigration(broker_id, host, self.topics, classic)

    # Lifecycle

    def on_loaded(self, group: ConsumerGroup, now_ms: int) -> None:
        """Resume a group that was loaded: sessions and rebalance timeouts start again."""
        self.timeouts.on_loaded(group, now_ms)

    def assignors(self) -> tuple[str, ...]:
        """Return the names of the assignors, the default one first."""
        return self.targets.assignors()

    # Heartbeat

    def heartbeat(self, request: ConsumerHeartbeat, now_ms: int) -> HeartbeatResult:
        """Let a member join, stay or leave; return what it may own, if that has changed.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, GROUP_ID_NOT_FOUND,
                GROUP_MAX_SIZE_REACHED, UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH,
                UNRELEASED_INSTANCE_ID, FENCED_INSTANCE_ID, INVALID_REGULAR_EXPRESSION, or a code of
                a failed append to the log.

        """
        if request.member_epoch < 0:
            return self._leave(request, now_ms)
        steady = self._steady_member(request)
        if steady is not None:
            self.timeouts.renew_session(self.stored(request.group_id), steady, now_ms)
            return self._result(steady, request.group_id)
        records: list[GroupLogRecord] = []
        group = self._group_of(request, records)
        self.check_size(group, request.member_id, request.instance_id)
        joined = self._joined(group, request)
        records += joined.records
        updated = joined.member._replace(metadata=joining(joined.member.metadata, request))
        change = MemberChange(joined.member, updated, request.owned, records, request.may_describe)
        moved = self.advance(group, change, now_ms)
        before, current = joined.member.current, moved.current
        if current != before:
            self.timeouts.watch_rebalance(self.stored(group.group_id), moved, now_ms)
        self.timeouts.renew_session(self.stored(group.group_id), moved, now_ms)
        is_told = request.joins or request.is_full or current.assigned != before.assigned
        assigned = current.assigned if is_told else None
        return self._result(moved, group.group_id)._replace(assigned=assigned)

    def _steady_member(self, request: ConsumerHeartbeat) -> ConsumerGroupMember | None:
        """Return the member that only stays, in a group that does not change; None otherwise."""
        group = self._store.get(request.group_id)
        if not isinstance(group, ConsumerGroup) or not self.targets.is_settled(group):
            return None
        member = group.members.get(request.member_id)
        if member is None or not only_stays(member, request):
            return None
        is_there = member.is_reconciled_to(group.target.assignment_epoch)
        return member if is_there and not member.metadata.subscribed_topic_regex else None

    def _result(self, member: ConsumerGroupMember, group_id: str) -> HeartbeatResult:
        configs = self._host.configs
        interval_ms = group_integer(configs, HEARTBEAT_INTERVAL, group_id, self._broker_id)
        return HeartbeatResult(member.member_id, member.member_epoch, interval_ms)

    def advance(
        self, group: ConsumerGroup, change: MemberChange, now_ms: int
    ) -> ConsumerGroupMember:
        """Move a member that changes towards its target, and append all records of the change.

        Raises:
            ApiError: FENCED_MEMBER_EPOCH, INVALID_REGULAR_EXPRESSION, or a code of a failed append
                to the log.

        """
        member, updated, owned, before, may_describe = change
        records = [*before, *changed_description(group, member, updated)]
        target = self.targets.update(group, member, updated, now_ms)
        records += target.records
        moved = self.reconciled(group, updated, target, owned)
        records += changed_assignment(group, updated, moved)
        if records:
            self.append(group, records, now_ms)
        self.stored(group.group_id).topics_revision = target.topics_revision
        if target.unresolved:
            self._host.defer(
                f"ResolveRegularExpressions {group.group_id}",
                partial(self._resolve, group.group_id, target.unresolved, may_describe),
            )
        return moved

    def reconciled(
        self,
        group: ConsumerGroup,
        member: ConsumerGroupMember,
        target: UpdatedTarget,
        owned: Partitions | None,
    ) -> ConsumerGroupMember:
        """Return a member after its next step towards a target.

        Raises:
            ApiError: FENCED_MEMBER_EPOCH in a state of a later release.

        """
        if not target.subscription_changed and member.is_reconciled_to(target.assignment_epoch):
            return member
        if self.is_held(group, member):
            current = held_back(member.current, target.assignment_epoch, owned)
            return member._replace(current=current)
        about = Reconciliation(
            target.assignment_epoch,
            target.partitions,
            frozenset(self.topics.ids(group.topics_of(member))),
            target.subscription_changed,
            group.is_owned,
            owned,
            self.options,
        )
        updated = member._replace(current=reconcile(member.current, about))
        if updated != member:
            self._host.held_reconciliations.took_step(group.group_id, member.member_id)
        return updated

    def is_held(self, group: ConsumerGroup, member: ConsumerGroupMember) -> bool:
        """Return whether a test keeps a member from new assignments."""
        return self._host.held_reconciliations.holds(group.group_id, member.member_id)

    def _group_of(self, request: ConsumerHeartbeat, records: list[GroupLogRecord]) -> ConsumerGroup:
        """Return the group; a joining member creates it, in place of an empty classic group."""
        group_id, group = request.group_id, self._store.get(request.group_id)
        if isinstance(group, ConsumerGroup):
            return group
        first_epoch = self.options.first_epoch
        if group is None:
            if not request.joins:
                raise _not_found(f"Consumer group {group_id} not found.")
            return ConsumerGroup(group_id, first_epoch)
        if request.joins and isinstance(group, ClassicGroup):
            if group.is_empty:
                records.append(GroupRecord(group_id, None))
                return ConsumerGroup(group_id, first_epoch)
            upgraded, upgrade = self.migration.upgraded(group)
            records += upgrade
            return upgraded
        raise _not_found(f"Group {group_id} is not a consumer group.")

    def known(self, group_id: str) -> ConsumerGroup:
        """Return a group.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, GROUP_ID_NOT_FOUND.

        """
        group = self._store.get(group_id)
        if isinstance(group, ConsumerGroup):
            return group
        if group is None:
            raise _not_found(f"Group {group_id} not found.")
        raise _not_found(f"Group {group_id} is not a consumer group.")

    def append(self, group: ConsumerGroup, records: Sequence[GroupLogRecord], now_ms: int) -> None:
        """Append records of a group, and report its change."""
        append_reported(self._store, self._host.observation, group, records, now_ms)

    def stored(self, group_id: str) -> ConsumerGroup:
        """Return a consumer group that exists."""
        group = self._store.find(group_id)
        assert isinstance(group, ConsumerGroup), group_id
        return group

    def check_size(self, group: ConsumerGroup, member_id: str, instance_id: str | None) -> None:
        """Check that a group has room for a member.

        Raises:
            ApiError: GROUP_MAX_SIZE_REACHED.

        """
        most = self._host.configs.broker_integer(MAX_SIZE, self._broker_id)
        is_static = instance_id in group.static_members
        if len(group.members) >= most and member_id not in group.members and not is_static:
            raise ApiError(
                ErrorCode.GROUP_MAX_SIZE_REACHED,
                f"The consumer group has reached its maximum capacity of {most} members.",
            )

    def new_member_id(self) -> str:
        """Return an id for a member that has none."""
        return uuid_text(self._random.uuid())

    def _joined(self, group: ConsumerGroup, request: ConsumerHeartbeat) -> IdentifiedMember:
        member_id, instance_id = request.member_id or self.new_member_id(), request.instance_id
        if request.joins:
            known = None if instance_id is None else group.static_member(instance_id)
            if known is None:
                member = group.members.get(member_id) or ConsumerGroupMember(member_id)
                if not self.options.members_may_begin_again:
                    check_member_epoch(member, request)
                return IdentifiedMember(member, [])
            if not known.uses_classic:
                check_unreleased(known, member_id, instance_id or "")
            return replacement(group, known, member_id)
        member = member_of(group, member_id, instance_id)
        check_member_epoch(member, request)
        return IdentifiedMember(member, [])

    def _resolve(
        self, group_id: str, expressions: frozenset[str], seen: TopicFilter | None, now_ms: int
    ) -> None:
        """Resolve regular expressions; a failed append leaves that to a later heartbeat."""
        group = self._store.find(group_id)
        if not isinstance(group, ConsumerGroup):
            return
        records = resolve_expressions(group, expressions, self.topics, now_ms, seen)
        if records:
            with suppress(ApiError):
                self.append(group, records, now_ms)
                group.topics_revision = self.topics.revision

    # Leaving

    def _leave(self, request: ConsumerHeartbeat, now_ms: int) -> HeartbeatResult:
        group = self.known(request.group_id)
        instance_id, member_id = request.instance_id, request.member_id
        member = member_of(group, member_id, instance_id)
        if request.member_epoch == STATIC_LEAVE_EPOCH and instance_id is not None:
            record = CurrentAssignmentRecord(
                group.kind, group.group_id, member_id, member.away().current
            )
            self.append(group, [record], now_ms)
        else:
            self.fence(group, [member], now_ms)
        return HeartbeatResult(member_id, request.member_epoch)

    def fence(
        self, group: ConsumerGroup, members: Sequence[ConsumerGroupMember], now_ms: int
    ) -> None:
        """Remove members, and begin an epoch of the group, or make it classic.

        Raises:
            ApiError: As a failed append to the log.

        """
        if self.migration.may_downgrade(group, members):
            classic, downgrade = self.migration.downgraded(group, members, now_ms)
            self.become_classic(group, classic, downgrade, now_ms, rebalances=True)
            return
        records: list[ModernRecord] = []
        for member in members:
            records += removal(group, member)
        gone = {member.member_id for member in members}
        rest = [each for each in group.members.values() if each.member_id not in gone]
        records += group.unused_expressions(rest)
        metadata_hash = self.topics.hash_of(group.topic_names(rest))
        group_epoch = group.group_epoch + 1
        value = GroupEpoch(group_epoch, metadata_hash)
        records.append(GroupEpochRecord(group.kind, group.group_id, value))
        if not rest and self.options.empty_groups_have_target:
            records.append(TargetEpochRecord(group.kind, group.group_id, TargetEpoch(group_epoch)))
        self.append(group, records, now_ms)

    def become_classic(
        self,
        group: ConsumerGroup,
        classic: ClassicGroup,
        records: Sequence[GroupLogRecord],
        now_ms: int,
        *,
        rebalances: bool,
    ) -> None:
        """Append the records that make a group a classic one, and hand it over.

        Raises:
            ApiError: As a failed append to the log.

        """
        before, reporter = group.state_title, self._host.observation.reporter
        self._store.append(group.group_id, records, now_ms)
        if reporter is not None:
            states = (before, classic.state.title)
            reporter.group_changed(group.group_id, states, classic.generation_id, classic.members)
        self.migration.classic.adopt(classic, now_ms, rebalances=rebalances)

    def as_text(self) -> list[str]:
        """Show the membership's own state in a stable form; the store shows the groups."""
        return [f"consumer member ids of broker {self._broker_id} random {self._random.state}"]


def _not_found(why: str) -> ApiError:
    return ApiError(ErrorCode.GROUP_ID_NOT_FOUND, why)
