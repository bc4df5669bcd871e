"""Membership of streams groups: StreamsGroupHeartbeat, timeouts and fencing (KIP-1071).

Rules:

1. A heartbeat first computes all records from the group as it is; then they are appended, and
   change the group. A refused heartbeat stores nothing.
2. A member that joins an empty group starts the first rebalance delay; until it has passed, nobody
   gets tasks.
3. A member ends when its session does, or when it does not give up tasks within its rebalance
   timeout.
"""

from collections.abc import Sequence
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.group_timers import MEMBER, GroupTimer, GroupTimers
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.group_log_record import GroupRecord
from mockbroker.state.group.modern.reported_append import append_reported
from mockbroker.state.group.streams.current_assignment import held_back, reconcile
from mockbroker.state.group.streams.streams_answer import build_result
from mockbroker.state.group.streams.streams_configs import StreamsConfigs
from mockbroker.state.group.streams.streams_group import StreamsGroup, has_to_revoke
from mockbroker.state.group.streams.streams_group_member import (
    JOIN_EPOCH,
    NO_REBALANCE_TIMEOUT_MS,
    STATIC_LEAVE_EPOCH,
    StreamsGroupMember,
)
from mockbroker.state.group.streams.streams_heartbeat import (
    StreamsHeartbeat,
    StreamsHeartbeatResult,
)
from mockbroker.state.group.streams.streams_host import (
    StreamsGroupStore,
    StreamsHost,
    StreamsTopics,
)
from mockbroker.state.group.streams.streams_member_checks import (
    check_member_epoch,
    check_static_member,
    check_unreleased,
)
from mockbroker.state.group.streams.streams_records import (
    StreamsCurrentAssignment,
    StreamsCurrentRecord,
    StreamsGroupRecord,
    StreamsMemberMetadata,
    StreamsMemberRecord,
    StreamsRecord,
    StreamsTargetEpoch,
    StreamsTargetEpochRecord,
    StreamsTargetRecord,
)
from mockbroker.state.group.streams.streams_update import StreamsUpdate, Updated
from mockbroker.state.group.streams.tasks import NO_TASKS, NONE_ASSIGNED

SESSION_TIMEOUT: Final = "session.timeout.ms"
REBALANCE: Final = "rebalance"
FIRST_ASSIGNMENT: Final = "first assignment"
RETRY_MS: Final = 500
"""Delay until a timeout is tried again, if its records could not be appended."""


class StreamsMembership:
    """The members of one broker's streams groups."""

    __slots__ = ("_configs", "_held", "_observation", "_store", "_timers", "_topics", "_update")

    def __init__(
        self,
        broker_id: int,
        host: StreamsHost,
        configs: StreamsConfigs,
        topics: StreamsTopics,
        store: StreamsGroupStore,
    ) -> None:
        """Start without groups."""
        self._configs: Final = configs
        self._held: Final = host.held_reconciliations
        self._observation: Final = host.observation
        self._topics: Final = topics
        self._store: Final = store
        self._update: Final = StreamsUpdate(configs, topics)
        self._timers: Final = GroupTimers(
            host.timers, f"streams groups of broker {broker_id}", self._on_due
        )

    def on_loaded(self, group: StreamsGroup, now_ms: int) -> None:
        """Resume a group that was loaded: sessions and rebalance timeouts start again."""
        for member in group.members.values():
            self._renew_session(group, member.member_id, now_ms)
            self._watch_rebalance(group, member, now_ms)

    # Heartbeat

    def heartbeat(self, request: StreamsHeartbeat, now_ms: int) -> StreamsHeartbeatResult:
        """Let a member join, stay or leave; return what it may own, if that has changed.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, GROUP_ID_NOT_FOUND,
                GROUP_MAX_SIZE_REACHED, UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH,
                UNRELEASED_INSTANCE_ID, FENCED_INSTANCE_ID, INVALID_REQUEST,
                STREAMS_INVALID_TOPOLOGY, or a code of a failed append to the log.

        """
        if request.member_epoch < JOIN_EPOCH:
            return self._leave(request, now_ms)
        records: list[StreamsRecord | GroupRecord] = []
        group = self._group_of(request, records)
        self._check_size(group, request)
        member = self._joined(group, request, records)
        described = _described(member, request)
        delay_ms = self._update.initial_delay_ms(group)
        if delay_ms and group.first_assignment_ms is None:
            group.first_assignment_ms = now_ms + delay_ms
        revision = self._topics.revision
        found = self._update.update(group, member, described, request, now_ms)
        records += found.records
        updated = described
        if not described.is_reconciled_to(found.target_epoch):
            updated = self._reconciled(group, described, found, request)
        if updated != described:
            current = StreamsCurrentAssignment.of(updated)
            records.append(StreamsCurrentRecord(group.group_id, member.member_id, current))
        answer = build_result(
            group, (member, updated), request, found, (self._topics, self._configs)
        )
        if records:
            self._append(group, records, now_ms)
        stored = self._stored(group.group_id)
        stored.topics_revision = revision
        self._watch_first_assignment(stored, group.first_assignment_ms)
        if updated != described:
            self._watch_rebalance(stored, updated, now_ms)
        self._renew_session(stored, member.member_id, now_ms)
        return answer._replace(endpoint_epoch=stored.endpoint_epoch)

    def _reconciled(
        self,
        group: StreamsGroup,
        member: StreamsGroupMember,
        found: Updated,
        request: StreamsHeartbeat,
    ) -> StreamsGroupMember:
        if self._held.holds(group.group_id, member.member_id):
            return held_back(member, found.target_epoch, request.owned)
        updated = reconcile(member, found.target_epoch, found.target, group.holders, request.owned)
        if updated != member:
            self._held.took_step(group.group_id, member.member_id)
        return updated

    def _group_of(
        self, request: StreamsHeartbeat, records: list[StreamsRecord | GroupRecord]
    ) -> StreamsGroup:
        """Return the group; a joining member creates it, in place of an empty classic group."""
        group_id, group = request.group_id, self._store.get(request.group_id)
        if isinstance(group, StreamsGroup):
            return group
        if group is None:
            if not request.joins:
                raise _not_found(f"Streams group {group_id} not found.")
            return StreamsGroup(group_id)
        if request.joins and group.kind is GroupKind.CLASSIC and group.is_empty:
            records.append(GroupRecord(group_id, None))
            return StreamsGroup(group_id)
        raise _not_found(f"Group {group_id} is not a streams group.")

    def known(self, group_id: str) -> StreamsGroup:
        """Return a group.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, GROUP_ID_NOT_FOUND.

        """
        group = self._store.get(group_id)
        if isinstance(group, StreamsGroup):
            return group
        if group is None:
            raise _not_found(f"Group {group_id} not found.")
        raise _not_found(f"Group {group_id} is not a streams group.")

    def _append(
        self, group: StreamsGroup, records: Sequence[StreamsRecord | GroupRecord], now_ms: int
    ) -> None:
        """Append records of a group, and report its change."""
        append_reported(self._store, self._observation, group, records, now_ms)

    def _stored(self, group_id: str) -> StreamsGroup:
        group = self._store.find(group_id)
        assert isinstance(group, StreamsGroup), group_id
        return group

    def _check_size(self, group: StreamsGroup, request: StreamsHeartbeat) -> None:
        most = self._configs.max_size()
        is_static = request.instance_id in group.static_members
        is_known = is_static or request.member_id in group.members
        if request.joins and not is_known and len(group.members) >= most:
            raise ApiError(
                ErrorCode.GROUP_MAX_SIZE_REACHED,
                f"The streams group has reached its maximum capacity of {most} members.",
            )

    def _joined(
        self,
        group: StreamsGroup,
        request: StreamsHeartbeat,
        records: list[StreamsRecord | GroupRecord],
    ) -> StreamsGroupMember:
        """Return the member as it was; add the records that put it in a static member's place."""
        member_id, instance_id = request.member_id, request.instance_id
        if instance_id is None:
            if request.joins and member_id not in group.members:
                return StreamsGroupMember(member_id)
            member = group.member(member_id)
            check_member_epoch(member, request)
            return member
        known = group.static_member(instance_id)
        if known is not None:
            group.hand_over_refined(known.member_id, member_id)
        if not request.joins:
            member = check_static_member(known, member_id, instance_id)
            check_member_epoch(member, request)
            return member
        if known is None:
            return group.members.get(member_id) or StreamsGroupMember(member_id)
        check_unreleased(known, member_id, instance_id)
        member = known._replace(
            member_id=member_id, member_epoch=JOIN_EPOCH, previous_member_epoch=JOIN_EPOCH
        )
        group_id, metadata = group.group_id, StreamsMemberMetadata.of(member)
        target = group.targets.get(known.member_id, NO_TASKS)
        current = StreamsCurrentAssignment.of(member)
        records += [
            *_removal(group, known),
            StreamsMemberRecord(group_id, member_id, metadata),
            StreamsTargetRecord(group_id, member_id, target),
            StreamsCurrentRecord(group_id, member_id, current),
        ]
        return member

    # Leaving

    def _leave(self, request: StreamsHeartbeat, now_ms: int) -> StreamsHeartbeatResult:
        group = self.known(request.group_id)
        instance_id, member_id = request.instance_id, request.member_id
        if request.shutdown_application and group.shutdown_requested_by is None:
            group.shutdown_requested_by = member_id
        if instance_id is None:
            member = group.member(member_id)
        else:
            member = check_static_member(group.static_member(instance_id), member_id, instance_id)
        if request.member_epoch == STATIC_LEAVE_EPOCH:
            away = member._replace(
                member_epoch=STATIC_LEAVE_EPOCH,
                assigned=member.assigned.with_epochs_at_zero(),
                pending_revocation=NONE_ASSIGNED,
            )
            current = StreamsCurrentAssignment.of(away)
            record = StreamsCurrentRecord(group.group_id, member_id, current)
            self._append(group, [record], now_ms)
        else:
            self.fence(group, member, now_ms)
        return StreamsHeartbeatResult(member_id, request.member_epoch)

    def fence(self, group: StreamsGroup, member: StreamsGroupMember, now_ms: int) -> None:
        """Remove a member, and begin an epoch of the group.

        Raises:
            ApiError: As a failed append to the log.

        """
        group_epoch = group.group_epoch + 1
        records = _removal(group, member)
        records.append(
            StreamsGroupRecord(group.group_id, group.metadata._replace(group_epoch=group_epoch))
        )
        if len(group.members) == 1:
            records.append(
                StreamsTargetEpochRecord(group.group_id, StreamsTargetEpoch(group_epoch))
            )
        self._append(group, records, now_ms)

    # Timeouts

    def _renew_session(self, group: StreamsGroup, member_id: str, now_ms: int) -> None:
        deadline_ms = now_ms + self._configs.integer(SESSION_TIMEOUT, group.group_id)
        group.sessions_ms[member_id] = deadline_ms
        self._timers.watch(GroupTimer(group.group_id, MEMBER, member_id), deadline_ms)

    def _watch_rebalance(
        self, group: StreamsGroup, member: StreamsGroupMember, now_ms: int
    ) -> None:
        """Give a member time to give up tasks; any other state ends that time."""
        if not has_to_revoke(member):
            group.rebalances.pop(member.member_id, None)
            return
        deadline_ms = now_ms + member.rebalance_timeout_ms
        group.rebalances[member.member_id] = (member.member_epoch, deadline_ms)
        self._timers.watch(GroupTimer(group.group_id, REBALANCE, member.member_id), deadline_ms)

    def _watch_first_assignment(self, group: StreamsGroup, deadline_ms: int | None) -> None:
        group.first_assignment_ms = deadline_ms
        if deadline_ms is not None:
            self._timers.watch(GroupTimer(group.group_id, FIRST_ASSIGNMENT), deadline_ms)

    def _on_due(self, timer: GroupTimer, now_ms: int) -> None:
        group = self._store.find(timer.group_id)
        if not isinstance(group, StreamsGroup):
            return
        deadline_ms = _deadline_of(group, timer)
        if deadline_ms is None:
            return
        if deadline_ms > now_ms:
            self._timers.watch(timer, deadline_ms)
            return
        try:
            self._expire(group, timer, now_ms)
        except ApiError:
            self._timers.watch(timer, now_ms + RETRY_MS)

    def _expire(self, group: StreamsGroup, timer: GroupTimer, now_ms: int) -> None:
        if timer.kind == FIRST_ASSIGNMENT:
            group.first_assignment_ms = None
            records = [] if group.is_empty else self._update.delayed_target(group, now_ms)
            if records:
                self._append(group, records, now_ms)
        else:
            self.fence(group, group.members[timer.member_id], now_ms)


def _described(member: StreamsGroupMember, request: StreamsHeartbeat) -> StreamsGroupMember:
    """Return a member with what its heartbeat says of it."""
    sent = request.topology
    timeout_ms = request.rebalance_timeout_ms
    keeps_timeout = timeout_ms == NO_REBALANCE_TIMEOUT_MS
    endpoint = request.user_endpoint
    return member._replace(
        instance_id=member.instance_id if request.instance_id is None else request.instance_id,
        rack_id=member.rack_id if request.rack_id is None else request.rack_id,
        client_id=request.client_id,
        client_host=request.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms if keeps_timeout else timeout_ms,
        topology_epoch=member.topology_epoch if sent is None else sent.topology_epoch,
        process_id=member.process_id if request.process_id is None else request.process_id,
        user_endpoint=member.user_endpoint if endpoint is None and not request.joins else endpoint,
        client_tags=member.client_tags if request.client_tags is None else request.client_tags,
    )


def _deadline_of(group: StreamsGroup, timer: GroupTimer) -> int | None:
    if timer.kind == FIRST_ASSIGNMENT:
        return group.first_assignment_ms
    member = group.members.get(timer.member_id)
    if member is None:
        return None
    if timer.kind == MEMBER:
        return group.sessions_ms.get(timer.member_id)
    member_epoch, deadline_ms = group.rebalances.get(timer.member_id, (None, None))
    return deadline_ms if member_epoch == member.member_epoch else None


def _removal(group: StreamsGroup, member: StreamsGroupMember) -> list[StreamsRecord]:
    group_id, member_id = group.group_id, member.member_id
    return [
        StreamsCurrentRecord(group_id, member_id, None),
        StreamsTargetRecord(group_id, member_id, None),
        StreamsMemberRecord(group_id, member_id, None),
    ]


def _not_found(why: str) -> ApiError:
    return ApiError(ErrorCode.GROUP_ID_NOT_FOUND, why)
