"""JoinGroup, SyncGroup, Heartbeat and LeaveGroup, for classic groups and for consumer groups.

A consumer group with members takes classic members, too (KIP-848); the requests of all others go to
the classic groups.
"""

from collections.abc import Sequence
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.group_answers import (
    UNKNOWN_MEMBER_ID,
    Awaited,
    JoinRequest,
    JoinResult,
    LeavingMember,
    SyncRequest,
    SyncResult,
)
from mockbroker.state.group.classic.group_membership import GroupMembership
from mockbroker.state.group.consumer.classic_members import ClassicMembers
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_membership import ConsumerMembership
from mockbroker.state.group.group_state_manager import GroupStateManager


class ClassicRequests:
    """The requests of the classic protocol to one broker's groups."""

    __slots__ = ("_groups", "_members", "_membership")

    def __init__(
        self,
        groups: GroupStateManager,
        membership: GroupMembership,
        consumers: ConsumerMembership,
    ) -> None:
        """Pass requests to one of the two memberships."""
        self._groups: Final = groups
        self._membership: Final = membership
        self._members: Final = ClassicMembers(consumers)

    def _consumer_group(self, group_id: str) -> ConsumerGroup | None:
        """Return a consumer group with members; None if there is none."""
        group = self._groups.find(group_id)
        return group if isinstance(group, ConsumerGroup) and group.members else None

    def join(self, request: JoinRequest, now_ms: int) -> Awaited[JoinResult]:
        """Add a member to a group, or let it rejoin; the answer comes with the generation."""
        group = self._consumer_group(request.group_id)
        if group is None:
            return self._membership.join(request, now_ms)
        try:
            self._membership.check_session_timeout(request.session_timeout_ms)
        except ApiError as refusal:
            return Awaited(JoinResult(request.member_id, refusal.code, refusal.why))
        try:
            return Awaited(self._members.join(group, request, now_ms))
        except ApiError as refusal:
            return Awaited(JoinResult(UNKNOWN_MEMBER_ID, refusal.code, refusal.why))

    def sync(self, request: SyncRequest, now_ms: int) -> Awaited[SyncResult]:
        """Return a member's assignment as soon as it is known."""
        group = self._consumer_group(request.group_id)
        if group is None:
            return self._membership.sync(request, now_ms)
        try:
            return Awaited(self._members.sync(group, request, now_ms))
        except ApiError as refusal:
            return Awaited(SyncResult(refusal.code, refusal.why))

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
        group = self._consumer_group(group_id)
        if group is None:
            return self._membership.heartbeat(
                group_id, member_id, group_instance_id, generation_id, now_ms
            )
        return self._members.heartbeat(group, member_id, group_instance_id, generation_id, now_ms)

    def leave(
        self, group_id: str, members: Sequence[LeavingMember], now_ms: int
    ) -> list[ErrorCode]:
        """Remove members, and return the result for each.

        Raises:
            ApiError: INVALID_GROUP_ID, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, or a code of
                a failed append to the log.

        """
        group = self._consumer_group(group_id)
        if group is None:
            return self._membership.leave(group_id, members, now_ms)
        return self._members.leave(group, members, now_ms)
