"""Members of the classic protocol in consumer groups, and their requests (KIP-848).

Rules:

1. The group's target assignment is the coordinator's. JoinGroup moves a classic member towards it
   like a heartbeat with all fields; SyncGroup returns what the member may own by now.
2. The generation of a classic member is its member epoch. It has no leader.
3. Its heartbeats tell it to join again while there is something for it to revoke or to get.
"""

from collections.abc import Sequence
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.classic_group import CONSUMER_PROTOCOL_TYPE
from mockbroker.state.group.classic.group_answers import (
    UNKNOWN_MEMBER_ID,
    JoinRequest,
    JoinResult,
    LeavingMember,
    SyncRequest,
    SyncResult,
)
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember
from mockbroker.state.group.consumer.consumer_heartbeat import NOT_GIVEN
from mockbroker.state.group.consumer.consumer_membership import ConsumerMembership
from mockbroker.state.group.consumer.embedded_protocol import EmbeddedSubscription
from mockbroker.state.group.consumer.member_checks import member_of, require_classic
from mockbroker.state.group.consumer.member_records import (
    IdentifiedMember,
    MemberChange,
    changed_assignment,
    changed_description,
    replacement,
)
from mockbroker.state.group.consumer.target_update import UpdatedTarget
from mockbroker.state.group.group_log_record import GroupLogRecord
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import (
    ClassicMemberMetadata,
    MemberMetadata,
)


class ClassicMembers:
    """The classic members of one broker's consumer groups."""

    __slots__ = ("_membership",)

    def __init__(self, membership: ConsumerMembership) -> None:
        """Work on the groups of a membership."""
        self._membership: Final = membership

    # JoinGroup

    def join(self, group: ConsumerGroup, request: JoinRequest, now_ms: int) -> JoinResult:
        """Add a classic member to a group, or move it towards its target assignment.

        Raises:
            ApiError: INCONSISTENT_GROUP_PROTOCOL, GROUP_MAX_SIZE_REACHED, UNKNOWN_MEMBER_ID,
                FENCED_INSTANCE_ID, or a code of a failed append to the log.

        """
        membership = self._membership
        if membership.migration.is_disabled:
            raise _inconsistent(
                f"Cannot join the consumer group {group.group_id} with the classic protocol because"
                " the group migration is disabled."
            )
        member_id = request.member_id or membership.new_member_id()
        membership.check_size(group, member_id, request.group_instance_id)
        is_consumer = request.protocol_type == CONSUMER_PROTOCOL_TYPE
        if not (is_consumer and group.supports_protocols([name for name, _ in request.protocols])):
            raise _inconsistent(f"Member {member_id}'s protocols are not supported.")
        is_nameless = request.member_id == UNKNOWN_MEMBER_ID
        if is_nameless and request.group_instance_id is None and request.must_have_member_id:
            why = f"join again as {member_id!r}"
            return JoinResult(member_id, ErrorCode.MEMBER_ID_REQUIRED, why)
        joined = self._joined(group, request, member_id)
        subscription = membership.migration.subscription(request.protocols[0][1])
        updated = joined.member._replace(
            metadata=_described(joined.member.metadata, request, subscription)
        )
        owned = membership.topics.by_id(subscription.owned)
        records: list[GroupLogRecord] = list(joined.records)
        change = MemberChange(joined.member, updated, owned, records, request.may_describe)
        replaced = group.static_member(request.group_instance_id or "")
        if replaced is not None and membership.migration.may_downgrade_by_replacing(
            group, replaced
        ):
            moved = self._join_last(group, replaced, change, now_ms)
        else:
            moved = membership.advance(group, change, now_ms)
            stored = membership.stored(group.group_id)
            membership.timeouts.renew_session(stored, moved, now_ms)
            membership.timeouts.await_sync(stored, moved, now_ms)
        return JoinResult(
            moved.member_id,
            generation_id=moved.member_epoch,
            protocol_type=CONSUMER_PROTOCOL_TYPE,
            protocol_name=moved.classic_protocols[0][0],
        )

    @staticmethod
    def _joined(group: ConsumerGroup, request: JoinRequest, member_id: str) -> IdentifiedMember:
        instance_id = request.group_instance_id
        known = None if instance_id is None else group.static_member(instance_id)
        if instance_id is not None and request.member_id != UNKNOWN_MEMBER_ID:
            return IdentifiedMember(member_of(group, member_id, instance_id), [])
        if known is not None:
            return replacement(group, known, member_id)
        return IdentifiedMember(group.members.get(member_id) or ConsumerGroupMember(member_id), [])

    def _join_last(
        self,
        group: ConsumerGroup,
        replaced: ConsumerGroupMember,
        change: MemberChange,
        now_ms: int,
    ) -> ConsumerGroupMember:
        """Replace the last member of the group's own protocol; the group becomes classic."""
        membership, (member, updated, owned, records, _) = self._membership, change
        records += changed_description(group, member, updated)
        following = membership.targets.next_epoch(group, member, updated, now_ms)
        records += following.records
        rebalances = group.target.assignment_epoch < following.group_epoch
        moved = updated
        if not rebalances:
            target = UpdatedTarget(
                group.target.assignment_epoch,
                group.target.of(replaced.member_id),
                [],
                following.subscription_changed,
                membership.topics.revision,
                frozenset(),
            )
            moved = membership.reconciled(group, updated, target, owned)
            records += changed_assignment(group, updated, moved)
        classic, downgrade = membership.migration.downgraded(group, (), now_ms, moved)
        membership.become_classic(
            group, classic, [*records, *downgrade], now_ms, rebalances=rebalances
        )
        return moved

    # SyncGroup

    def sync(self, group: ConsumerGroup, request: SyncRequest, now_ms: int) -> SyncResult:
        """Return what a classic member may own by now.

        Raises:
            ApiError: UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, ILLEGAL_GENERATION,
                INCONSISTENT_GROUP_PROTOCOL, REBALANCE_IN_PROGRESS.

        """
        member = _classic_member(group, request.member_id, request.group_instance_id)
        _check_generation(member, request.generation_id)
        name, metadata = member.classic_protocols[0]
        if request.protocol_type not in {None, CONSUMER_PROTOCOL_TYPE}:
            raise _inconsistent(
                f"The protocol type {request.protocol_type} from member {member.member_id} request"
                f" is not equal to the group protocol type {CONSUMER_PROTOCOL_TYPE}."
            )
        if request.protocol_name not in {None, name}:
            raise _inconsistent(
                f"The protocol name {request.protocol_name} from member {member.member_id} request"
                f" is not equal to the protocol name {name} returned in the join response."
            )
        is_revoking = member.current.state is MemberState.UNREVOKED_PARTITIONS
        is_held = self._membership.is_held(group, member)
        is_behind = group.target.assignment_epoch > member.member_epoch
        if is_behind and not is_revoking and not is_held:
            raise ApiError(
                ErrorCode.REBALANCE_IN_PROGRESS,
                f"A new rebalance is triggered in group {group.group_id} and member"
                f" {member.member_id} should rejoin to catch up.",
            )
        self._membership.timeouts.has_synced(group, member)
        self._membership.timeouts.renew_session(group, member, now_ms)
        assignment = self._membership.migration.assignment(metadata, member.current.assigned)
        return SyncResult(
            protocol_type=request.protocol_type,
            protocol_name=request.protocol_name,
            assignment=assignment,
        )

    # Heartbeat

    def heartbeat(
        self,
        group: ConsumerGroup,
        member_id: str,
        instance_id: str | None,
        generation_id: int,
        now_ms: int,
    ) -> ErrorCode:
        """Renew a classic member's session; REBALANCE_IN_PROGRESS makes it join again.

        Raises:
            ApiError: UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, ILLEGAL_GENERATION.

        """
        member = _classic_member(group, member_id, instance_id)
        _check_generation(member, generation_id)
        self._membership.timeouts.renew_session(group, member, now_ms)
        if self._membership.is_held(group, member):
            return ErrorCode.NONE
        state = member.current.state
        can_gain = state is MemberState.UNRELEASED_PARTITIONS and not group.waits_for_partitions(
            member
        )
        is_behind = member.member_epoch < group.target.assignment_epoch
        if not (is_behind or state is MemberState.UNREVOKED_PARTITIONS or can_gain):
            return ErrorCode.NONE
        self._membership.timeouts.await_join(group, member, now_ms)
        return ErrorCode.REBALANCE_IN_PROGRESS

    # LeaveGroup

    def leave(
        self, group: ConsumerGroup, leaving: Sequence[LeavingMember], now_ms: int
    ) -> list[ErrorCode]:
        """Remove the members that a classic request names, and return the result for each.

        Raises:
            ApiError: As a failed append to the log.

        """
        membership = self._membership
        codes: list[ErrorCode] = []
        gone: dict[str, ConsumerGroupMember] = {}
        for member_id, instance_id, _ in leaving:
            try:
                named = member_id or group.static_members.get(instance_id or "", member_id)
                member = member_of(group, named, instance_id)
                if not membership.options.leaves_by_classic_request:
                    require_classic(member)
            except ApiError as refusal:
                codes.append(refusal.code)
            else:
                codes.append(ErrorCode.NONE)
                gone[member.member_id] = member
        if gone:
            membership.fence(group, list(gone.values()), now_ms)
        return codes


def _classic_member(
    group: ConsumerGroup, member_id: str, instance_id: str | None
) -> ConsumerGroupMember:
    member = member_of(group, member_id, instance_id)
    require_classic(member)
    return member


def _check_generation(member: ConsumerGroupMember, generation_id: int) -> None:
    if member.member_epoch != generation_id:
        raise ApiError(
            ErrorCode.ILLEGAL_GENERATION,
            f"The request generation id {generation_id} is not equal to the member epoch"
            f" {member.member_epoch} of member {member.member_id}.",
        )


def _described(
    known: MemberMetadata, request: JoinRequest, subscription: EmbeddedSubscription
) -> MemberMetadata:
    timeout_ms = request.rebalance_timeout_ms
    return MemberMetadata(
        request.client_id,
        request.client_host,
        request.group_instance_id or known.instance_id,
        subscription.rack_id or known.rack_id,
        subscription.topics,
        "",
        known.rebalance_timeout_ms if timeout_ms == NOT_GIVEN else timeout_ms,
        known.server_assignor,
        ClassicMemberMetadata(request.session_timeout_ms, request.protocols),
    )


def _inconsistent(why: str) -> ApiError:
    return ApiError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, why)
