"""Records that remove members, replace static ones, and create a whole group."""

from typing import NamedTuple

from mockbroker.state.group.classic.group_answers import TopicFilter
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember
from mockbroker.state.group.group_log_record import GroupLogRecord
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignmentRecord,
    GroupEpoch,
    GroupEpochRecord,
    MemberRecord,
    ModernRecord,
    Partitions,
    TargetAssignmentRecord,
    TargetEpoch,
    TargetEpochRecord,
)


class IdentifiedMember(NamedTuple):
    """A member at the start of its request."""

    member: ConsumerGroupMember
    records: list[ModernRecord]
    """Records that put it in the place of a static member."""


class MemberChange(NamedTuple):
    """What a request changes in a member."""

    member: ConsumerGroupMember
    updated: ConsumerGroupMember
    """The member with its new description."""
    owned: Partitions | None
    """The partitions that it reports as its own; None if it reports nothing."""
    records: list[GroupLogRecord]
    """Records that come before those of the change."""
    may_describe: TopicFilter | None
    """The topics that an expression may match; None: all."""


def removal(group: ConsumerGroup, member: ConsumerGroupMember) -> list[ModernRecord]:
    """Return the tombstones of a member."""
    kind, group_id, member_id = group.kind, group.group_id, member.member_id
    return [
        CurrentAssignmentRecord(kind, group_id, member_id, None),
        TargetAssignmentRecord(kind, group_id, member_id, None),
        MemberRecord(kind, group_id, member_id, None),
    ]


def replacement(
    group: ConsumerGroup, known: ConsumerGroupMember, member_id: str
) -> IdentifiedMember:
    """Return a static member under its present member id, with the records of the change."""
    member = known.returned_as(member_id)
    kind, group_id = group.kind, group.group_id
    return IdentifiedMember(
        member,
        [
            *removal(group, known),
            MemberRecord(kind, group_id, member_id, member.metadata),
            TargetAssignmentRecord(kind, group_id, member_id, group.target.of(known.member_id)),
            CurrentAssignmentRecord(kind, group_id, member_id, member.current),
        ],
    )


def changed_description(
    group: ConsumerGroup, member: ConsumerGroupMember, updated: ConsumerGroupMember
) -> list[ModernRecord]:
    """Return the record of a member's description, if it is another one."""
    if updated.metadata == member.metadata:
        return []
    return [MemberRecord(group.kind, group.group_id, updated.member_id, updated.metadata)]


def changed_assignment(
    group: ConsumerGroup, member: ConsumerGroupMember, updated: ConsumerGroupMember
) -> list[ModernRecord]:
    """Return the record of a member's current assignment, if it is another one."""
    if updated.current == member.current:
        return []
    return [CurrentAssignmentRecord(group.kind, group.group_id, updated.member_id, updated.current)]


def creation(group: ConsumerGroup) -> list[ModernRecord]:
    """Return the records that create a group with all its members."""
    kind, group_id, members = group.kind, group.group_id, group.members_in_order()
    target = TargetEpoch(group.target.assignment_epoch, group.target.timestamp_ms)
    return [
        *(MemberRecord(kind, group_id, each.member_id, each.metadata) for each in members),
        GroupEpochRecord(kind, group_id, GroupEpoch(group.group_epoch, group.metadata_hash)),
        *(
            TargetAssignmentRecord(kind, group_id, each.member_id, group.target.of(each.member_id))
            for each in members
        ),
        TargetEpochRecord(kind, group_id, target),
        *(
            CurrentAssignmentRecord(kind, group_id, each.member_id, each.current)
            for each in members
        ),
    ]
