"""Membership of classic groups: JoinGroup, SyncGroup, Heartbeat and LeaveGroup.

Rules:

1. Requests are validated in Kafka's order, and a rejected request changes nothing, with two
   exceptions: MEMBER_ID_REQUIRED assigns a member id (KIP-394), and GROUP_MAX_SIZE_REACHED removes
   the member.
2. A member is identified by its id. A member that joins with a known instance id and no member id
   replaces the static member, whose former id is fenced from then on (KIP-345).
3. The members' metadata is opaque, so that every assignor works, eager or cooperative.
"""

from collections.abc import Sequence
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_answers import (
    UNKNOWN_MEMBER_ID,
    Awaited,
    JoinRequest,
    JoinResult,
    LeavingMember,
    SyncRequest,
    SyncResult,
)
from mockbroker.state.group.classic.group_host import GroupHost, GroupStore
from mockbroker.state.group.classic.group_member import GroupMember
from mockbroker.state.group.classic.group_rebalance import GroupRebalance
from mockbroker.state.group.classic.group_state import ASSIGNED, GroupState
from mockbroker.state.group.classic.static_rejoin import StaticRejoin
from mockbroker.state.group.group_checks import illegal_generation
from mockbroker.state.random_source import source_of_member_ids
from mockbroker.state.release.group_options import GroupOptions

MIN_SESSION_TIMEOUT: Final = "group.min.session.timeout.ms"
MAX_SESSION_TIMEOUT: Final = "group.max.session.timeout.ms"
MAX_SIZE: Final = "group.max.size"

_NO_LIMIT: Final = 1 << 31
_NO_COORDINATOR: Final = frozenset(
    {
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
    }
)


class GroupMembership:
    """The members of one broker's groups."""

    __slots__ = ("_broker_id", "_host", "_options", "_random", "_static", "_store", "rebalance")

    def __init__(self, broker_id: int, host: GroupHost, store: GroupStore) -> None:
        """Start without groups."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._options: Final[GroupOptions] = host.options.groups
        self._store: Final = store
        self.rebalance: Final = GroupRebalance(broker_id, host, store)
        self._static: Final = StaticRejoin(self._options, store, self.rebalance)
        self._random: Final = source_of_member_ids(host.seed, broker_id)

    # Lifecycle

    def on_loaded(self, group: ClassicGroup, now_ms: int) -> None:
        """Resume a group that was loaded: its members' sessions start again."""
        for member in group.members.values():
            self.rebalance.renew_session(group, member, now_ms)
        if self._max_size() < len(group.members):
            self.rebalance.prepare(group, now_ms)

    def on_unloaded(self, group: ClassicGroup) -> None:
        """Release a group: pending requests get NOT_COORDINATOR, to find the new coordinator."""
        why = f"group {group.group_id!r} has another coordinator"
        self.rebalance.refuse_all(group, ErrorCode.NOT_COORDINATOR, why)
        group.transition_to(GroupState.DEAD, group.current_state_timestamp_ms or 0)

    def renew_session(self, group: ClassicGroup, member_id: str, now_ms: int) -> None:
        """Renew the session of a member that sent a request; ignore an unknown member id."""
        member = group.members.get(member_id)
        if member is not None:
            self.rebalance.renew_session(group, member, now_ms)

    # JoinGroup

    def join(self, request: JoinRequest, now_ms: int) -> Awaited[JoinResult]:
        """Add a member to a group, or let it rejoin; the answer comes with the generation."""
        try:
            group = self._group_to_join(request, now_ms)
        except ApiError as refusal:
            is_lost = refusal.code in _NO_COORDINATOR
            is_of_another_kind = refusal.code is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
            forgets = is_lost and self._options.lost_coordinator_forgets_member
            forgets = forgets or is_of_another_kind
            return self._refused(refusal, UNKNOWN_MEMBER_ID if forgets else request.member_id)
        if not self._is_accepted(group, request.member_id):
            return self._refused_for_size(group, request.member_id, now_ms)
        try:
            return self._join(group, request, now_ms)
        except ApiError as refusal:
            return self._refused(refusal, request.member_id)

    def _join(self, group: ClassicGroup, request: JoinRequest, now_ms: int) -> Awaited[JoinResult]:
        if not group.supports_protocols(request.protocol_type, request.protocols):
            raise ApiError(
                ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
                f"group {group.group_id!r} uses {group.protocol_type}, and its members share no"
                f" protocol with {request.protocol_type} {[name for name, _ in request.protocols]}",
            )
        if request.member_id == UNKNOWN_MEMBER_ID:
            return self._join_as_new(group, request, now_ms)
        if request.member_id in group.pending_members:
            if request.group_instance_id is not None:
                raise ApiError(
                    ErrorCode.UNKNOWN_SERVER_ERROR,
                    f"{request.member_id!r} was given to a dynamic member, not a static one",
                )
            return self.rebalance.add_member(group, request, request.member_id, now_ms)
        member = group.validate_member(request.member_id, request.group_instance_id)
        return self._join_again(group, member, request, now_ms)

    def _group_to_join(self, request: JoinRequest, now_ms: int) -> ClassicGroup:
        group_id = request.group_id
        _require_group_id(group_id)
        if self._options.join_checks_timeout_before_coordinator:
            self.check_session_timeout(request.session_timeout_ms)
            is_new = request.member_id == UNKNOWN_MEMBER_ID
            self._store.make_classic(group_id, now_ms, for_new_member=is_new)
            group = self._store.get(group_id)
        else:
            group = self._store.get(group_id)
            self.check_session_timeout(request.session_timeout_ms)
        if group is None:
            if request.member_id != UNKNOWN_MEMBER_ID:
                raise _unknown_group(group_id)
            group = self._new_group(group_id, now_ms)
        return group

    def _new_group(self, group_id: str, now_ms: int) -> ClassicGroup:
        group = ClassicGroup(group_id, now_ms=now_ms)
        self._store.add(group)
        if self._options.new_groups_are_logged:
            try:
                self._store.store(group, {}, now_ms)
            except ApiError:
                self._store.remove(group)
                raise
        return group

    def check_session_timeout(self, timeout_ms: int) -> None:
        """Check that a member's session timeout is within the broker's limits.

        Raises:
            ApiError: INVALID_SESSION_TIMEOUT.

        """
        least, most = self._config(MIN_SESSION_TIMEOUT), self._config(MAX_SESSION_TIMEOUT)
        if not least <= timeout_ms <= most:
            raise ApiError(
                ErrorCode.INVALID_SESSION_TIMEOUT,
                f"session.timeout.ms={timeout_ms} is not within {MIN_SESSION_TIMEOUT}={least} and"
                f" {MAX_SESSION_TIMEOUT}={most}",
            )

    def _is_accepted(self, group: ClassicGroup, member_id: str) -> bool:
        most = self._max_size()
        member = group.members.get(member_id)
        if not self._options.max_size_counts_waiting:
            if member_id == UNKNOWN_MEMBER_ID:
                return len(group.members) < most
            is_late = member is not None and member.awaited_join is None
            return not (is_late and len(group.members) > most)
        if group.state is GroupState.EMPTY:
            return True
        if group.state is GroupState.PREPARING_REBALANCE:
            is_waiting = member is not None and member.awaited_join is not None
            return is_waiting or group.awaiting_join_count < most
        return member is not None or len(group.members) < most

    def _max_size(self) -> int:
        if MAX_SIZE not in self._host.configs.broker_definitions:
            return _NO_LIMIT
        return self._config(MAX_SIZE)

    def _refused_for_size(
        self, group: ClassicGroup, member_id: str, now_ms: int
    ) -> Awaited[JoinResult]:
        group.remove(member_id)
        if self._options.refused_for_size_completes_join:
            self.rebalance.complete_if_all_joined(group, now_ms)
        refusal = ApiError(
            ErrorCode.GROUP_MAX_SIZE_REACHED,
            f"group {group.group_id!r} has {len(group.members)} members; {MAX_SIZE} limits that",
        )
        return self._refused(refusal, UNKNOWN_MEMBER_ID)

    def _join_as_new(
        self, group: ClassicGroup, request: JoinRequest, now_ms: int
    ) -> Awaited[JoinResult]:
        instance = request.group_instance_id
        prefix = request.client_id if instance is None else instance
        member_id = f"{prefix}-{self._random.uuid()}"
        if instance is not None and instance in group.static_members:
            return self._static.replace(group, request, member_id, now_ms)
        if instance is None and request.must_have_member_id:
            self.rebalance.expect_member(group, member_id, now_ms, request.session_timeout_ms)
            refusal = ApiError(ErrorCode.MEMBER_ID_REQUIRED, f"join again as {member_id!r}")
            return self._refused(refusal, member_id)
        return self.rebalance.add_member(group, request, member_id, now_ms)

    def _join_again(
        self, group: ClassicGroup, member: GroupMember, request: JoinRequest, now_ms: int
    ) -> Awaited[JoinResult]:
        # The leader of a stable group requests a rebalance; any other member has lost a response.
        asks = group.state is GroupState.STABLE and group.is_leader(member.member_id)
        says_the_same = member.supported_protocols == request.protocols
        if group.state in ASSIGNED and says_the_same and not asks:
            return Awaited(self.rebalance.joined(group, member.member_id))
        return self.rebalance.update_member(group, member, request, now_ms)

    def _refused(self, refusal: ApiError, member_id: str) -> Awaited[JoinResult]:
        if refusal.code is ErrorCode.UNKNOWN_SERVER_ERROR:
            member_id = UNKNOWN_MEMBER_ID
        return Awaited(self.rebalance.refused(JoinResult(member_id, refusal.code, refusal.why)))

    # SyncGroup

    def sync(self, request: SyncRequest, now_ms: int) -> Awaited[SyncResult]:
        """Return a member's assignment as soon as the leader has sent it."""
        try:
            group, member = self._syncing(request)
        except ApiError as refusal:
            code = refusal.code
            if code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
                code = self._options.sync_while_loading
            return Awaited(SyncResult(code, refusal.why))
        self.rebalance.note_sync(group, member)
        if group.state is GroupState.STABLE:
            if self._options.sync_prolongs_session:
                self.rebalance.renew_session(group, member, now_ms)
            return Awaited(self.rebalance.assigned(group, member))
        awaited: Awaited[SyncResult] = Awaited()
        member.awaited_sync = awaited
        if group.is_leader(member.member_id):
            self.rebalance.assign(group, dict(request.assignments), now_ms)
        return awaited

    def _syncing(self, request: SyncRequest) -> tuple[ClassicGroup, GroupMember]:
        group = self._known(request.group_id)
        if group is None:
            raise _unknown_group(request.group_id)
        member = self._validate(group, request.member_id, request.group_instance_id)
        if request.generation_id != group.generation_id:
            raise illegal_generation(group, request.generation_id)
        for asked, known in (
            (request.protocol_type, group.protocol_type),
            (request.protocol_name, group.protocol_name),
        ):
            if asked is not None and asked != known:
                raise ApiError(
                    ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
                    f"group {group.group_id!r} uses {known!r}, not {asked!r}",
                )
        if group.state is GroupState.PREPARING_REBALANCE:
            raise ApiError(
                ErrorCode.REBALANCE_IN_PROGRESS, f"group {group.group_id!r} rebalances; join again"
            )
        return group, member

    def _known(self, group_id: str) -> ClassicGroup | None:
        if self._options.all_need_group_id:
            _require_group_id(group_id)
        return self._store.get(group_id)

    def _validate(
        self, group: ClassicGroup, member_id: str, group_instance_id: str | None
    ) -> GroupMember:
        return group.validate_member(
            member_id,
            group_instance_id,
            instance_must_be_known=self._options.instance_must_be_known,
        )

    # Heartbeat

    def heartbeat(
        self,
        group_id: str,
        member_id: str,
        group_instance_id: str | None,
        generation_id: int,
        now_ms: int,
    ) -> ErrorCode:
        """Renew a member's session; REBALANCE_IN_PROGRESS makes it join again.

        Raises:
            ApiError: INVALID_GROUP_ID, NOT_COORDINATOR, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID,
                ILLEGAL_GENERATION.

        """
        try:
            group = self._known(group_id)
        except ApiError as refusal:
            if refusal.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
                return ErrorCode.NONE
            raise
        if group is None:
            raise _unknown_group(group_id)
        member = self._validate(group, member_id, group_instance_id)
        is_completing = group.state is GroupState.COMPLETING_REBALANCE
        if generation_id != group.generation_id and (
            not is_completing or self._options.heartbeat_checks_generation_while_completing
        ):
            raise illegal_generation(group, generation_id)
        if is_completing and self._options.heartbeat_while_completing is not ErrorCode.NONE:
            return self._options.heartbeat_while_completing
        self.rebalance.renew_session(group, member, now_ms)
        if group.state is GroupState.PREPARING_REBALANCE:
            return ErrorCode.REBALANCE_IN_PROGRESS
        return ErrorCode.NONE

    # LeaveGroup

    def leave(
        self, group_id: str, members: Sequence[LeavingMember], now_ms: int
    ) -> list[ErrorCode]:
        """Remove members, and return the result for each.

        Raises:
            ApiError: INVALID_GROUP_ID, NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS.

        """
        group = self._known(group_id)
        if group is None:
            return [ErrorCode.UNKNOWN_MEMBER_ID] * len(members)
        if self._options.leaves_one_by_one:
            return [self._leave_alone(group, leaving, now_ms) for leaving in members]
        codes = [self._leave(group, leaving) for leaving in members]
        if ErrorCode.NONE in codes:
            self._after_leaving(group, now_ms)
        return codes

    def _leave_alone(self, group: ClassicGroup, leaving: LeavingMember, now_ms: int) -> ErrorCode:
        was_pending = leaving.member_id in group.pending_members
        code = self._leave(group, leaving)
        if code is ErrorCode.NONE and not (was_pending and group.state in ASSIGNED):
            self._after_leaving(group, now_ms)
        return code

    def _leave(self, group: ClassicGroup, leaving: LeavingMember) -> ErrorCode:
        member_id, instance = leaving.member_id, leaving.group_instance_id
        if member_id in group.pending_members:
            group.remove(member_id)
            return ErrorCode.NONE
        if member_id == UNKNOWN_MEMBER_ID and instance is not None:
            member_id = group.static_members.get(instance, UNKNOWN_MEMBER_ID)
        try:
            member = self._validate(group, member_id, instance)
        except ApiError as refusal:
            return refusal.code
        self.rebalance.remove_member(group, member)
        return ErrorCode.NONE

    def _after_leaving(self, group: ClassicGroup, now_ms: int) -> None:
        if group.state in ASSIGNED:
            self.rebalance.prepare_or_complete(group, now_ms)
        else:
            self.rebalance.complete_if_all_joined(group, now_ms)

    def _config(self, name: str) -> int:
        return self._host.configs.broker_integer(name, self._broker_id)

    def as_text(self) -> list[str]:
        """Show the membership's own state in a stable form; the store shows the groups."""
        return [f"member ids of broker {self._broker_id} random {self._random.state}"]


def _require_group_id(group_id: str) -> None:
    if not group_id:
        raise ApiError(ErrorCode.INVALID_GROUP_ID, "the group id is empty")


def _unknown_group(group_id: str) -> ApiError:
    return ApiError(ErrorCode.UNKNOWN_MEMBER_ID, f"there is no group {group_id!r}")
