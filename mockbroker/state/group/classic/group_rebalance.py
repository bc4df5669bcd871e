"""Rebalances: the way from one generation to the next, and its timeouts.

Rules:

1. PREPARING_REBALANCE ends when all members have joined, or at its deadline without the dynamic
   members that have not. Static members stay until their session expires (KIP-345).
2. The initial rebalance of an empty group is delayed by `group.initial.rebalance.delay.ms`, and
   again while members join, up to the rebalance timeout (KIP-134).
3. Each member of a generation has to send SyncGroup within the rebalance timeout, whatever the
   leader does (KAFKA-12890).
4. Only the last request gets an answer, once. An earlier pending request is never answered, as in
   Kafka, where its client has disconnected.
"""

from contextlib import suppress
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.classic_group import CONSUMER_PROTOCOL_TYPE, ClassicGroup
from mockbroker.state.group.classic.group_answers import (
    UNKNOWN_MEMBER_ID,
    Awaited,
    JoinRequest,
    JoinResult,
    SyncResult,
)
from mockbroker.state.group.classic.group_host import GroupHost, GroupStore
from mockbroker.state.group.classic.group_member import GroupMember
from mockbroker.state.group.classic.group_state import ASSIGNED, GroupState
from mockbroker.state.group.classic.group_timers import (
    JOIN,
    MEMBER,
    SYNC,
    GroupTimer,
    GroupTimers,
)
from mockbroker.state.release.group_options import GroupOptions

NEW_MEMBER_JOIN_TIMEOUT_MS: Final = 5 * 60 * 1000
INITIAL_REBALANCE_DELAY: Final = "group.initial.rebalance.delay.ms"


class GroupRebalance:
    """The rebalances of one broker's groups."""

    __slots__ = ("_broker_id", "_host", "_options", "_store", "timers")

    def __init__(self, broker_id: int, host: GroupHost, store: GroupStore) -> None:
        """Start without deadlines."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._options: Final[GroupOptions] = host.options.groups
        self._store: Final = store
        self.timers: Final = GroupTimers(
            host.timers, f"group-deadlines {broker_id}", self._on_deadline
        )

    # Answers

    def answer_join(self, group: ClassicGroup, member: GroupMember, result: JoinResult) -> None:
        """Answer a member's pending JoinGroup, if any."""
        awaited = group.take_awaited_join(member)
        if awaited is not None:
            awaited.answer = result
            self._host.answered(awaited)

    def answer_sync(self, member: GroupMember, result: SyncResult) -> bool:
        """Answer a member's pending SyncGroup; return whether there was one."""
        awaited, member.awaited_sync = member.awaited_sync, None
        if awaited is None:
            return False
        awaited.answer = result
        self._host.answered(awaited)
        return True

    def refuse_all(self, group: ClassicGroup, code: ErrorCode, why: str) -> None:
        """Answer the pending requests of all members with an error."""
        for member_id, member in group.members.items():
            self.answer_join(group, member, self.refused(JoinResult(member_id, code, why)))
            self.answer_sync(member, SyncResult(code, why))

    def joined(
        self, group: ClassicGroup, member_id: str, *, leader_id: str | None = None
    ) -> JoinResult:
        """Return the answer that makes a member part of the present generation.

        With another `leader_id` the member acts as a follower, and assigns nothing.
        """
        answer_leader_id = group.leader_or_nobody if leader_id is None else leader_id
        return JoinResult(
            member_id,
            generation_id=group.generation_id,
            protocol_type=group.protocol_type,
            protocol_name=group.protocol_name,
            leader_id=answer_leader_id,
            members=group.current_members() if answer_leader_id == member_id else (),
        )

    # Members

    def add_member(
        self, group: ClassicGroup, request: JoinRequest, member_id: str, now_ms: int
    ) -> Awaited[JoinResult]:
        """Add a new member, and rebalance."""
        member = GroupMember.joining(member_id, request)
        if group.state is GroupState.PREPARING_REBALANCE and self._is_first(group):
            group.new_member_added = True
        awaited: Awaited[JoinResult] = Awaited()
        group.add(member, awaited)
        if self._options.new_members_time_out:
            # It has no id for heartbeats yet, and its disconnection goes unnoticed.
            self.renew_session(group, member, now_ms, NEW_MEMBER_JOIN_TIMEOUT_MS)
        self.prepare_or_complete(group, now_ms)
        return awaited

    def _is_first(self, group: ClassicGroup) -> bool:
        if self._options.delay_grows_with_generation_only:
            return group.generation_id == 0
        return group.previous_state is GroupState.EMPTY

    def update_member(
        self, group: ClassicGroup, member: GroupMember, request: JoinRequest, now_ms: int
    ) -> Awaited[JoinResult]:
        """Update a member that joins again, and rebalance."""
        awaited: Awaited[JoinResult] = Awaited()
        group.update_member(member, request.protocols, self.timeouts_of(request), awaited)
        self.prepare_or_complete(group, now_ms)
        return awaited

    def timeouts_of(self, request: JoinRequest) -> tuple[int, int] | None:
        """Return the timeouts in the request of a rejoining member, if the release applies them."""
        if not self._options.rejoin_updates_timeouts:
            return None
        return request.rebalance_timeout_ms, request.session_timeout_ms

    def remove_member(self, group: ClassicGroup, member: GroupMember) -> None:
        """Remove a member; a pending JoinGroup of it gets UNKNOWN_MEMBER_ID."""
        code = ErrorCode.UNKNOWN_MEMBER_ID
        refusal = JoinResult(UNKNOWN_MEMBER_ID, code, f"{member.member_id!r} was removed")
        self.answer_join(group, member, self.refused(refusal))
        group.remove(member.member_id)

    def refused(self, refusal: JoinResult) -> JoinResult:
        """Return a rejected JoinGroup with this release's generation id."""
        return refusal._replace(generation_id=self._options.refused_join_generation_id)

    def renew_session(
        self,
        group: ClassicGroup,
        member: GroupMember,
        now_ms: int,
        timeout_ms: int | None = None,
    ) -> None:
        """Restart a member's session timeout now."""
        if timeout_ms is None:
            timeout_ms = member.session_timeout_ms
        member.session_deadline_ms = deadline_ms = now_ms + timeout_ms
        self.timers.watch(GroupTimer(group.group_id, MEMBER, member.member_id), deadline_ms)

    def expect_member(
        self, group: ClassicGroup, member_id: str, now_ms: int, timeout_ms: int
    ) -> None:
        """Wait for a client with a pending member id to join (KIP-394)."""
        group.pending_members[member_id] = deadline_ms = now_ms + timeout_ms
        self.timers.watch(GroupTimer(group.group_id, MEMBER, member_id), deadline_ms)

    # Joining

    def prepare_or_complete(self, group: ClassicGroup, now_ms: int) -> None:
        """Begin a rebalance, or complete the present one if all members have joined."""
        if group.can_rebalance:
            self.prepare(group, now_ms)
        else:
            self.complete_if_all_joined(group, now_ms)

    def prepare(self, group: ClassicGroup, now_ms: int) -> None:
        """Begin a rebalance: all members have to join again."""
        if group.state is GroupState.COMPLETING_REBALANCE:
            self._reset_assignments(group, ErrorCode.REBALANCE_IN_PROGRESS, now_ms)
        group.pending_sync_members.clear()
        group.sync_deadline_ms = None
        was_empty = group.state is GroupState.EMPTY
        group.transition_to(GroupState.PREPARING_REBALANCE, now_ms)
        if was_empty:
            delay_ms = self._initial_delay_ms()
            remaining_ms = max(group.rebalance_timeout_ms - delay_ms, 0)
            group.joins_remaining_ms = (delay_ms, remaining_ms)
            self._await_joins(group, now_ms, delay_ms)
        elif group.has_all_members_joined:
            self._complete(group, now_ms)
        else:
            self._await_joins(group, now_ms, group.rebalance_timeout_ms)

    def complete_if_all_joined(self, group: ClassicGroup, now_ms: int) -> None:
        """Complete the rebalance if all members have joined, unless it is the initial delay."""
        if (
            group.state is GroupState.PREPARING_REBALANCE
            and group.previous_state is not GroupState.EMPTY
            and group.has_all_members_joined
        ):
            self._complete(group, now_ms)

    def resume(self, group: ClassicGroup, now_ms: int) -> None:
        """Complete a rebalance that was held when it could have been completed."""
        is_due = group.join_deadline_ms is None
        if group.state is GroupState.PREPARING_REBALANCE and is_due:
            self._complete(group, now_ms)

    def _await_joins(self, group: ClassicGroup, now_ms: int, timeout_ms: int) -> None:
        group.join_deadline_ms = now_ms + timeout_ms
        self.timers.watch(GroupTimer(group.group_id, JOIN), group.join_deadline_ms)

    def _initial_delay_ms(self) -> int:
        return self._host.configs.broker_integer(INITIAL_REBALANCE_DELAY, self._broker_id)

    def _end_of_delay(self, group: ClassicGroup, now_ms: int) -> None:
        delay_ms, remaining_ms = group.joins_remaining_ms or (0, 0)
        if group.new_member_added and remaining_ms:
            group.new_member_added = False
            next_delay_ms = min(self._initial_delay_ms(), remaining_ms)
            group.joins_remaining_ms = (next_delay_ms, max(remaining_ms - delay_ms, 0))
            self._await_joins(group, now_ms, next_delay_ms)
        else:
            self._complete(group, now_ms)

    def _complete(self, group: ClassicGroup, now_ms: int) -> None:
        group.join_deadline_ms = group.joins_remaining_ms = None
        if group.members and group.group_id in self._host.held_reconciliations:
            return
        for missing in group.members_missing():
            if not missing.is_static:
                group.remove(missing.member_id)
        if not group.elect_joined_leader() and group.members:
            # Only static members are left, and none of them joined: wait until their sessions
            # expire.
            self._await_joins(group, now_ms, group.rebalance_timeout_ms)
            return
        group.next_generation(now_ms)
        if group.state is GroupState.EMPTY:
            with suppress(ApiError):  # then the last generation is what a new coordinator loads
                self._store.store(group, {}, now_ms)
        else:
            self._begin_generation(group, now_ms)

    def _begin_generation(self, group: ClassicGroup, now_ms: int) -> None:
        for member_id, member in group.members.items():
            self.answer_join(group, member, self.joined(group, member_id))
            self.renew_session(group, member, now_ms)
            member.is_new = False
        if self._options.unsynced_members_time_out:
            group.pending_sync_members = dict.fromkeys(group.members)
            group.sync_deadline_ms = now_ms + group.rebalance_timeout_ms
            self.timers.watch(GroupTimer(group.group_id, SYNC), group.sync_deadline_ms)

    # Assignments

    def assign(self, group: ClassicGroup, given: dict[str, bytes], now_ms: int) -> None:
        """Log the leader's assignments, and send them; members without one get an empty assignment.

        If the append fails, all members get the error and rebalance.
        """
        assignments = {member_id: given.get(member_id, b"") for member_id in group.members}
        try:
            self._store.store(group, assignments, now_ms)
        except ApiError as refusal:
            self._reset_assignments(group, refusal.code, now_ms, refusal.why)
            self.prepare_or_complete(group, now_ms)
            return
        for member_id, member in group.members.items():
            member.assignment = assignments[member_id]
        group.transition_to(GroupState.STABLE, now_ms)
        reporter = None if group.observation is None else group.observation.reporter
        if reporter is not None and group.protocol_type == CONSUMER_PROTOCOL_TYPE:
            owned = [(each, group.generation_id, assignments[each]) for each in group.members]
            reporter.partitions_assigned(group.group_id, owned, is_whole=True)
        for member in group.members.values():
            if self.answer_sync(member, self.assigned(group, member)):
                self.renew_session(group, member, now_ms)

    @staticmethod
    def assigned(group: ClassicGroup, member: GroupMember) -> SyncResult:
        """Return the answer with a member's assignment."""
        return SyncResult(
            protocol_type=group.protocol_type,
            protocol_name=group.protocol_name,
            assignment=member.assignment,
        )

    def _reset_assignments(
        self, group: ClassicGroup, code: ErrorCode, now_ms: int, why: str = ""
    ) -> None:
        for member in group.members.values():
            member.assignment = b""
            if self.answer_sync(member, SyncResult(code, why)):
                self.renew_session(group, member, now_ms)

    def note_sync(self, group: ClassicGroup, member: GroupMember) -> None:
        """Record that a member has sent SyncGroup."""
        group.pending_sync_members.pop(member.member_id, None)
        if not group.pending_sync_members:
            group.sync_deadline_ms = None

    # Deadlines

    def _on_deadline(self, timer: GroupTimer, now_ms: int) -> None:
        group = self._store.find(timer.group_id)
        if group is None:
            return
        deadline_ms = self._deadline_of(group, timer)
        if deadline_ms is None:
            return
        if deadline_ms > now_ms:
            self.timers.watch(timer, deadline_ms)
        elif timer.kind is JOIN:
            group.join_deadline_ms = None
            self._end_of_delay(group, now_ms)
        elif timer.kind is SYNC:
            self._drop_unsynced(group, now_ms)
        else:
            self._expire(group, timer.member_id, now_ms)

    @staticmethod
    def _deadline_of(group: ClassicGroup, timer: GroupTimer) -> int | None:
        if timer.kind is JOIN:
            return group.join_deadline_ms
        if timer.kind is SYNC:
            return group.sync_deadline_ms
        member = group.members.get(timer.member_id)
        if member is not None:
            return member.session_deadline_ms
        return group.pending_members.get(timer.member_id)

    def _drop_unsynced(self, group: ClassicGroup, now_ms: int) -> None:
        for member_id in list(group.pending_sync_members):
            group.remove(member_id)
        self.prepare(group, now_ms)

    def _expire(self, group: ClassicGroup, member_id: str, now_ms: int) -> None:
        member = group.members.get(member_id)
        if member is None:
            group.remove(member_id)
        elif member.has_satisfied_heartbeat:
            member.session_deadline_ms = None  # until it is answered
            return
        else:
            self.remove_member(group, member)
        self._continue(group, now_ms, lost_member=member is not None)

    def fence(self, group: ClassicGroup, member: GroupMember, now_ms: int) -> None:
        """Remove a member as at the end of its session, even one that waits for an answer."""
        self.answer_sync(member, SyncResult(ErrorCode.UNKNOWN_MEMBER_ID, "it was removed"))
        self.remove_member(group, member)
        self._continue(group, now_ms, lost_member=True)

    def _continue(self, group: ClassicGroup, now_ms: int, *, lost_member: bool) -> None:
        """Continue without a member, or without a client that has not joined with its id."""
        if group.state in ASSIGNED and lost_member:
            self.prepare_or_complete(group, now_ms)
        elif self._options.expiry_ends_delay and group.state is GroupState.PREPARING_REBALANCE:
            if group.has_all_members_joined:
                self._complete(group, now_ms)
        else:
            self.complete_if_all_joined(group, now_ms)
