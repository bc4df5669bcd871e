"""Checks of a member's identity and epoch, with Kafka's messages."""

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup, is_within
from mockbroker.state.group.consumer.consumer_group_member import (
    STATIC_LEAVE_EPOCH,
    ConsumerGroupMember,
)
from mockbroker.state.group.consumer.consumer_heartbeat import NOT_GIVEN, ConsumerHeartbeat
from mockbroker.state.group.modern.modern_records import MemberMetadata


def joining(known: MemberMetadata, request: ConsumerHeartbeat) -> MemberMetadata:
    """Return a member's description with what a heartbeat changes."""
    timeout_ms, names = request.rebalance_timeout_ms, request.subscribed_topic_names
    expression = request.subscribed_topic_regex
    return MemberMetadata(
        request.client_id,
        request.client_host,
        request.instance_id or known.instance_id,
        request.rack_id or known.rack_id,
        known.subscribed_topic_names if names is None else names,
        known.subscribed_topic_regex if expression is None else expression,
        known.rebalance_timeout_ms if timeout_ms == NOT_GIVEN else timeout_ms,
        request.server_assignor or known.server_assignor,
    )


def only_stays(member: ConsumerGroupMember, request: ConsumerHeartbeat) -> bool:
    """Return True for most heartbeats: they say nothing about the member but that it is there.

    False is always right: then it takes longer to find that nothing changes.
    """
    known = member.metadata
    return (
        request.member_epoch == member.member_epoch
        and request.owned is None
        and request.subscribed_topic_names is None
        and request.subscribed_topic_regex is None
        and request.rebalance_timeout_ms == NOT_GIVEN
        and request.instance_id in (None, known.instance_id)
        and request.rack_id in (None, known.rack_id)
        and request.server_assignor in (None, known.server_assignor)
        and request.client_id == known.client_id
        and request.client_host == known.client_host
        and known.classic is None
    )


def check_member_epoch(member: ConsumerGroupMember, request: ConsumerHeartbeat) -> None:
    """Check the epoch of a heartbeat; the previous one is that of a member that lost an answer.

    Raises:
        ApiError: FENCED_MEMBER_EPOCH.

    """
    received, known = request.member_epoch, member.member_epoch
    if received == known:
        return
    is_retry = received == member.current.previous_member_epoch
    if received < known and is_retry and is_within(request.owned, member.current.assigned):
        return
    how = "greater" if received > known else "smaller"
    raise ApiError(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"The consumer group member has a {how} member epoch ({received}) than the one known by the"
        f" group coordinator ({known}). The member must abandon all its partitions and rejoin.",
    )


def require_classic(member: ConsumerGroupMember) -> None:
    """Check that a member uses the classic protocol.

    Raises:
        ApiError: UNKNOWN_MEMBER_ID.

    """
    if not member.uses_classic:
        raise ApiError(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"Member {member.member_id} does not use the classic protocol.",
        )


def member_of(group: ConsumerGroup, member_id: str, instance_id: str | None) -> ConsumerGroupMember:
    """Return a member; with an instance id, the static member, if it has this member id.

    Raises:
        ApiError: UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID.

    """
    if instance_id is None:
        return group.member(member_id)
    member = group.static_member(instance_id)
    if member is None:
        raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID, f"Instance id {instance_id} is unknown.")
    if member.member_id != member_id:
        raise ApiError(
            ErrorCode.FENCED_INSTANCE_ID,
            f"Static member {member_id} with instance id {instance_id} was fenced by member"
            f" {member.member_id}.",
        )
    return member


def check_unreleased(member: ConsumerGroupMember, member_id: str, instance_id: str) -> None:
    """Check that a static member has left for a moment, so that it may return.

    Raises:
        ApiError: UNRELEASED_INSTANCE_ID.

    """
    if member.member_epoch != STATIC_LEAVE_EPOCH:
        raise ApiError(
            ErrorCode.UNRELEASED_INSTANCE_ID,
            f"Static member {member_id} with instance id {instance_id} cannot join the group"
            f" because the instance id is owned by {member.member_id} member.",
        )
