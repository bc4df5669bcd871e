"""Rejoin of restarted static members under new member ids (KIP-345, KIP-814)."""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_answers import (
    UNKNOWN_MEMBER_ID,
    Awaited,
    JoinRequest,
    JoinResult,
    SyncResult,
)
from mockbroker.state.group.classic.group_host import GroupStore
from mockbroker.state.group.classic.group_member import GroupMember
from mockbroker.state.group.classic.group_rebalance import GroupRebalance
from mockbroker.state.group.classic.group_state import ASSIGNED, GroupState
from mockbroker.state.release.group_options import GroupOptions


class _Replacement(NamedTuple):
    """A static member and the one that replaces it."""

    old: GroupMember
    new: GroupMember
    leader_before: str


class StaticRejoin:
    """Replacement of static members; a stable group continues without a rebalance."""

    __slots__ = ("_options", "_rebalance", "_store")

    def __init__(self, options: GroupOptions, store: GroupStore, rebalance: GroupRebalance) -> None:
        """Work on the groups of a store."""
        self._options: Final = options
        self._store: Final = store
        self._rebalance: Final = rebalance

    def replace(
        self, group: ClassicGroup, request: JoinRequest, member_id: str, now_ms: int
    ) -> Awaited[JoinResult]:
        """Replace the member that has the request's instance id."""
        assert request.group_instance_id is not None, request
        old = group.members[group.static_members[request.group_instance_id]]
        leader_before = group.leader_or_nobody
        self._fence(group, old, member_id)
        new = group.replace_static_member(old, member_id)
        new.joined_client_id = request.client_id
        self._rebalance.renew_session(group, new, now_ms)
        awaited: Awaited[JoinResult] = Awaited()
        group.update_member(new, request.protocols, self._rebalance.timeouts_of(request), awaited)
        if group.state is GroupState.PREPARING_REBALANCE:
            self._rebalance.complete_if_all_joined(group, now_ms)
        elif (
            group.state is GroupState.COMPLETING_REBALANCE
            and self._options.unassigned_rejoin_rebalances
        ):
            # The leader may have the old id already, and would assign to a member that is gone.
            self._rebalance.prepare(group, now_ms)
        elif not self._options.static_rejoin_is_logged:
            assert group.state in ASSIGNED, group.state
            self._answer(group, new, leader_before)
        elif group.protocol_name != group.select_protocol():
            self._rebalance.prepare_or_complete(group, now_ms)
        else:
            self._store_replaced(group, _Replacement(old, new, leader_before), request, now_ms)
        return awaited

    def _fence(self, group: ClassicGroup, old: GroupMember, member_id: str) -> None:
        code = ErrorCode.FENCED_INSTANCE_ID
        why = f"the member id of instance {old.group_instance_id!r} is now {member_id!r}"
        refusal = self._rebalance.refused(JoinResult(old.member_id, code, why))
        self._rebalance.answer_join(group, old, refusal)
        self._rebalance.answer_sync(old, SyncResult(code, why))

    def _answer(self, group: ClassicGroup, new: GroupMember, leader_id: str) -> None:
        """Keep a member in the present generation; with the old leader's id it assigns nothing."""
        result = self._rebalance.joined(group, new.member_id, leader_id=leader_id)
        self._rebalance.answer_join(group, new, result)

    def _store_replaced(
        self, group: ClassicGroup, replacement: _Replacement, request: JoinRequest, now_ms: int
    ) -> None:
        new = replacement.new
        try:
            self._store.store(group, group.assignments(), now_ms)
        except ApiError as refusal:
            self._revert(group, replacement, refusal, now_ms)
        else:
            if request.may_skip_assignment:
                result = self._rebalance.joined(group, new.member_id)
                result = result._replace(skip_assignment=group.is_leader(new.member_id))
                self._rebalance.answer_join(group, new, result)
            else:
                self._answer(group, new, replacement.leader_before)

    def _revert(
        self, group: ClassicGroup, replacement: _Replacement, refusal: ApiError, now_ms: int
    ) -> None:
        old, new, leader_before = replacement
        result = self._rebalance.joined(group, UNKNOWN_MEMBER_ID, leader_id=leader_before)
        self._rebalance.answer_join(group, new, result._replace(code=refusal.code, why=refusal.why))
        timeouts_ms = old.rebalance_timeout_ms, old.session_timeout_ms
        group.update_member(new, old.supported_protocols, timeouts_ms, None)
        restored = group.replace_static_member(new, old.member_id)
        restored.joined_client_id = old.joined_client_id
        self._rebalance.renew_session(group, restored, now_ms)
