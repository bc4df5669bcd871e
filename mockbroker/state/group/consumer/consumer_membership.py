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
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.named_configs import group_integer
from mockbroker.state.group.classic.group_answers import LeavingMember
from mockbroker.state.group.classic.group_timers import MEMBER, GroupTimer, GroupTimers
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
from mockbroker.state.group.consumer.member_checks import (
    check_member_epoch,
    check_static_member,
    check_unreleased,
    joining,
)
from mockbroker.state.group.consumer.regular_expressions import resolve_expressions
from mockbroker.state.group.consumer.target_update import TargetUpdate, UpdatedTarget
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.group_log_record import GroupLogRecord, GroupRecord
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignmentRecord,
    GroupEpoch,
    GroupEpochRecord,
    MemberRecord,
    ModernRecord,
    TargetAssignmentRecord,
    TargetEpoch,
    TargetEpochRecord,
)
from mockbroker.state.group.modern.reported_append import append_reported
from mockbroker.state.group.modern.topic_metadata import TopicMetadata
from mockbroker.state.random_source import RandomSource, uuid_text

MAX_SIZE: Final = "group.consumer.max.size"
SESSION_TIMEOUT: Final = "consumer.session.timeout.ms"
HEARTBEAT_INTERVAL: Final = "consumer.heartbeat.interval.ms"
REBALANCE: Final = "rebalance"
RETRY_MS: Final = 500
"""Delay until a timeout is tried again, if its records could not be appended."""


class _Joined(NamedTuple):
    """A member at the start of its heartbeat."""

    member: ConsumerGroupMember
    records: list[ModernRecord]
    """Records that put it in the place of a static member."""


class ConsumerMembership:
    """The members of one broker's consumer groups."""

    __slots__ = ("_broker_id", "_host", "_random", "_store", "_targets", "_timers", "topics")

    def __init__(
        self, broker_id: int, host: ConsumerGroupHost, store: ModernGroupStore, random: RandomSource
    ) -> None:
        """Start without groups; `random` makes the ids of members that have none."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._store: Final = store
        self._random: Final = random
        self.topics: Final = TopicMetadata(host)
        self._targets: Final = TargetUpdate(broker_id, host, self.topics)
        self._timers: Final = GroupTimers(
            host.timers, f"consumer groups of broker {broker_id}", self._on_due
        )

    # Lifecycle

    def on_loaded(self, group: ConsumerGroup, now_ms: int) -> None:
        """Resume a group that was loaded: sessions and rebalance timeouts start again."""
        for member in group.members.values():
            self._renew_session(group, member.member_id, now_ms)
            self._watch_rebalance(group, member, now_ms)

    def assignors(self) -> tuple[str, ...]:
        """Return the names of the assignors, the default one first."""
        return self._targets.assignors()

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
        records: list[GroupLogRecord] = []
        group = self._group_of(request, records)
        self._check_size(group, request)
        member, of_instance = self._joined(group, request)
        metadata = joining(member.metadata, request)
        records += of_instance
        if metadata != member.metadata:
            records.append(MemberRecord(group.kind, group.group_id, member.member_id, metadata))
        target = self._targets.update(group, member, member._replace(metadata=metadata), now_ms)
        records += target.records
        updated = self._reconciled(group, member._replace(metadata=metadata), target, request)
        current = updated.current
        if current != member.current:
            records.append(
                CurrentAssignmentRecord(group.kind, group.group_id, member.member_id, current)
            )
        if records:
            self._append(group, records, now_ms)
        stored = self._stored(group.group_id)
        stored.topics_revision = target.topics_revision
        if current != member.current:
            self._watch_rebalance(stored, updated, now_ms)
        self._renew_session(stored, member.member_id, now_ms)
        if target.unresolved:
            self._host.defer(
                f"ResolveRegularExpressions {group.group_id}",
                partial(self._resolve, group.group_id, target.unresolved),
            )
        is_told = request.joins or request.is_full or current.assigned != member.current.assigned
        return HeartbeatResult(
            member.member_id,
            current.member_epoch,
            self._integer(HEARTBEAT_INTERVAL, group.group_id),
            current.assigned if is_told else None,
        )

    def _reconciled(
        self,
        group: ConsumerGroup,
        member: ConsumerGroupMember,
        target: UpdatedTarget,
        request: ConsumerHeartbeat,
    ) -> ConsumerGroupMember:
        if not target.subscription_changed and member.is_reconciled_to(target.assignment_epoch):
            return member
        held = self._host.held_reconciliations
        if held.holds(group.group_id, member.member_id):
            current = held_back(member.current, target.assignment_epoch, request.owned)
            return member._replace(current=current)
        about = Reconciliation(
            target.assignment_epoch,
            target.partitions,
            frozenset(self.topics.ids(group.topics_of(member))),
            target.subscription_changed,
            group.is_owned,
            request.owned,
        )
        updated = member._replace(current=reconcile(member.current, about))
        if updated != member:
            held.took_step(group.group_id, member.member_id)
        return updated

    def _group_of(self, request: ConsumerHeartbeat, records: list[GroupLogRecord]) -> ConsumerGroup:
        """Return the group; a joining member creates it, in place of an empty classic group."""
        group_id, group = request.group_id, self._store.get(request.group_id)
        if isinstance(group, ConsumerGroup):
            return group
        if group is None:
            if not request.joins:
                raise _not_found(f"Consumer group {group_id} not found.")
            return ConsumerGroup(group_id)
        if request.joins and group.kind is GroupKind.CLASSIC:
            if not group.is_empty:
                raise _not_found(
                    f"Cannot upgrade classic group {group_id} to consumer group because online"
                    " upgrade is disabled."
                )
            records.append(GroupRecord(group_id, None))
            return ConsumerGroup(group_id)
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

    def _append(self, group: ConsumerGroup, records: Sequence[GroupLogRecord], now_ms: int) -> None:
        append_reported(self._store, self._host.observation, group, records, now_ms)

    def _stored(self, group_id: str) -> ConsumerGroup:
        group = self._store.find(group_id)
        assert isinstance(group, ConsumerGroup), group_id
        return group

    def _check_size(self, group: ConsumerGroup, request: ConsumerHeartbeat) -> None:
        most = self._host.configs.broker_integer(MAX_SIZE, self._broker_id)
        is_static = request.instance_id in group.static_members
        if len(group.members) >= most and request.member_id not in group.members and not is_static:
            raise ApiError(
                ErrorCode.GROUP_MAX_SIZE_REACHED,
                f"The consumer group has reached its maximum capacity of {most} members.",
            )

    def _joined(self, group: ConsumerGroup, request: ConsumerHeartbeat) -> _Joined:
        member_id = request.member_id or uuid_text(self._random.uuid())
        if request.instance_id is None:
            if request.joins and member_id not in group.members:
                return _Joined(ConsumerGroupMember(member_id), [])
            member = group.member(member_id)
            check_member_epoch(member, request)
            return _Joined(member, [])
        known = group.static_member(request.instance_id)
        if not request.joins:
            member = check_static_member(known, member_id, request.instance_id)
            check_member_epoch(member, request)
            return _Joined(member, [])
        if known is None:
            return _Joined(group.members.get(member_id) or ConsumerGroupMember(member_id), [])
        check_unreleased(known, member_id, request.instance_id)
        member = known.returned_as(member_id)
        kind, group_id = group.kind, group.group_id
        return _Joined(
            member,
            [
                *_removal(group, known),
                MemberRecord(kind, group_id, member_id, member.metadata),
                TargetAssignmentRecord(kind, group_id, member_id, group.target.of(known.member_id)),
                CurrentAssignmentRecord(kind, group_id, member_id, member.current),
            ],
        )

    def _resolve(self, group_id: str, expressions: frozenset[str], now_ms: int) -> None:
        """Resolve regular expressions; a failed append leaves that to a later heartbeat."""
        group = self._store.find(group_id)
        if not isinstance(group, ConsumerGroup):
            return
        records = resolve_expressions(group, expressions, self.topics, now_ms)
        if records:
            with suppress(ApiError):
                self._append(group, records, now_ms)
                group.topics_revision = self.topics.revision

    # Leaving

    def _leave(self, request: ConsumerHeartbeat, now_ms: int) -> HeartbeatResult:
        group = self.known(request.group_id)
        instance_id, member_id = request.instance_id, request.member_id
        if instance_id is None:
            member = group.member(member_id)
        else:
            member = check_static_member(group.static_member(instance_id), member_id, instance_id)
        if request.member_epoch == STATIC_LEAVE_EPOCH and instance_id is not None:
            record = CurrentAssignmentRecord(
                group.kind, group.group_id, member_id, member.away().current
            )
            self._append(group, [record], now_ms)
        else:
            self.fence(group, [member], now_ms)
        return HeartbeatResult(member_id, request.member_epoch)

    def leave_by_classic_request(
        self, group: ConsumerGroup, leaving: Sequence[LeavingMember], now_ms: int
    ) -> list[ErrorCode]:
        """Remove the members that LeaveGroup names, and return the result for each.

        Raises:
            ApiError: As a failed append to the log.

        """
        codes: list[ErrorCode] = []
        gone: dict[str, ConsumerGroupMember] = {}
        for member_id, instance_id, _ in leaving:
            try:
                if instance_id is None:
                    member = group.member(member_id)
                else:
                    known = group.static_member(instance_id)
                    named = member_id or group.static_members.get(instance_id, member_id)
                    member = check_static_member(known, named, instance_id)
            except ApiError as refusal:
                codes.append(refusal.code)
            else:
                codes.append(ErrorCode.NONE)
                gone[member.member_id] = member
        if gone:
            self.fence(group, list(gone.values()), now_ms)
        return codes

    def fence(
        self, group: ConsumerGroup, members: Sequence[ConsumerGroupMember], now_ms: int
    ) -> None:
        """Remove members, and begin an epoch of the group.

        Raises:
            ApiError: As a failed append to the log.

        """
        records: list[ModernRecord] = []
        for member in members:
            records += _removal(group, member)
        gone = {member.member_id for member in members}
        rest = [each for each in group.members.values() if each.member_id not in gone]
        records += group.unused_expressions(rest)
        metadata_hash = self.topics.hash_of(group.topic_names(rest))
        group_epoch = group.group_epoch + 1
        value = GroupEpoch(group_epoch, metadata_hash)
        records.append(GroupEpochRecord(group.kind, group.group_id, value))
        if not rest:
            records.append(TargetEpochRecord(group.kind, group.group_id, TargetEpoch(group_epoch)))
        self._append(group, records, now_ms)

    # Timeouts

    def _renew_session(self, group: ConsumerGroup, member_id: str, now_ms: int) -> None:
        deadline_ms = now_ms + self._integer(SESSION_TIMEOUT, group.group_id)
        group.sessions_ms[member_id] = deadline_ms
        self._timers.watch(GroupTimer(group.group_id, MEMBER, member_id), deadline_ms)

    def _watch_rebalance(
        self, group: ConsumerGroup, member: ConsumerGroupMember, now_ms: int
    ) -> None:
        """Give a member time to revoke partitions; any other state ends that time."""
        if member.current.state is not MemberState.UNREVOKED_PARTITIONS:
            group.rebalances.pop(member.member_id, None)
            return
        deadline_ms = now_ms + member.metadata.rebalance_timeout_ms
        group.rebalances[member.member_id] = (member.member_epoch, deadline_ms)
        self._timers.watch(GroupTimer(group.group_id, REBALANCE, member.member_id), deadline_ms)

    def _on_due(self, timer: GroupTimer, now_ms: int) -> None:
        group = self._store.find(timer.group_id)
        if not isinstance(group, ConsumerGroup) or timer.member_id not in group.members:
            return
        member = group.members[timer.member_id]
        deadline_ms = _deadline_of(group, member, timer.kind)
        if deadline_ms is None:
            return
        if deadline_ms > now_ms:
            self._timers.watch(timer, deadline_ms)
            return
        try:
            self.fence(group, [member], now_ms)
        except ApiError:
            self._timers.watch(timer, now_ms + RETRY_MS)

    def _integer(self, name: str, group_id: str) -> int:
        return group_integer(self._host.configs, name, group_id, self._broker_id)

    def as_text(self) -> list[str]:
        """Show the membership's own state in a stable form; the store shows the groups."""
        return [f"consumer member ids of broker {self._broker_id} random {self._random.state}"]


def _deadline_of(group: ConsumerGroup, member: ConsumerGroupMember, kind: str) -> int | None:
    if kind == MEMBER:
        return group.sessions_ms.get(member.member_id)
    member_epoch, deadline_ms = group.rebalances.get(member.member_id, (None, None))
    return deadline_ms if member_epoch == member.member_epoch else None


def _removal(group: ConsumerGroup, member: ConsumerGroupMember) -> list[ModernRecord]:
    kind, group_id, member_id = group.kind, group.group_id, member.member_id
    return [
        CurrentAssignmentRecord(kind, group_id, member_id, None),
        TargetAssignmentRecord(kind, group_id, member_id, None),
        MemberRecord(kind, group_id, member_id, None),
    ]


def _not_found(why: str) -> ApiError:
    return ApiError(ErrorCode.GROUP_ID_NOT_FOUND, why)
