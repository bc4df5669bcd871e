"""Interventions of a test in groups: fence a member, rebalance, release held members."""

from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.group import Group
from mockbroker.state.group.group_coordinator import GroupCoordinator
from mockbroker.state.group.share.share_group import ShareGroup
from mockbroker.state.group.streams.streams_group import StreamsGroup


def fence_member(coordinator: GroupCoordinator, group: Group, member_id: str, now_ms: int) -> None:
    """Remove a member as at the end of its session: its next request gets an error.

    Raises:
        ApiError: As a failed append to the log.
        LookupError: the group has no such member.

    """
    if member_id not in group.members:
        raise LookupError(f"group {group.group_id!r} has no member {member_id!r}")
    if isinstance(group, ClassicGroup):
        coordinator.membership.rebalance.fence(group, group.members[member_id], now_ms)
    elif isinstance(group, ConsumerGroup):
        coordinator.consumers.fence(group, [group.members[member_id]], now_ms)
    elif isinstance(group, StreamsGroup):
        coordinator.streams.fence(group, group.members[member_id], now_ms)
    else:
        assert isinstance(group, ShareGroup), group.kind
        coordinator.shares.fence(group, group.members[member_id], now_ms)


def begin_rebalance(coordinator: GroupCoordinator, group: Group, now_ms: int) -> None:
    """Have all members join again, or begin an epoch of a group with the consumer protocol.

    Raises:
        ApiError: As a failed append to the log.
        ValueError: the group has no members, or is of another kind.

    """
    if not group.members:
        raise ValueError(f"group {group.group_id!r} has no members")
    if isinstance(group, ClassicGroup):
        if group.can_rebalance:
            coordinator.membership.rebalance.prepare(group, now_ms)
    elif isinstance(group, ConsumerGroup):
        coordinator.consumers.fence(group, (), now_ms)
    else:
        raise ValueError(f"group {group.group_id!r} is a {group.kind} group: fence a member of it")


def resume_rebalance(coordinator: GroupCoordinator, group: Group, now_ms: int) -> None:
    """Continue after a hold; members of other than classic groups do so in their heartbeats."""
    if isinstance(group, ClassicGroup):
        coordinator.membership.rebalance.resume(group, now_ms)
