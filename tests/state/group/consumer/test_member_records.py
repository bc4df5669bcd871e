from uuid import UUID

from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember
from mockbroker.state.group.consumer.member_records import (
    changed_assignment,
    changed_description,
    creation,
    removal,
    replacement,
)
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignment,
    CurrentAssignmentRecord,
    GroupEpoch,
    GroupEpochRecord,
    MemberMetadata,
    MemberRecord,
    TargetAssignmentRecord,
    TargetEpoch,
    TargetEpochRecord,
)

KIND = ConsumerGroup.kind
TOPIC = UUID(int=100)
STATIC = MemberMetadata(instance_id="i")
CURRENT = CurrentAssignment(5, 4, assigned={TOPIC: {0: 4}})


def group_of_one() -> ConsumerGroup:
    group = ConsumerGroup("g")
    for record in (
        MemberRecord(KIND, "g", "a", STATIC),
        GroupEpochRecord(KIND, "g", GroupEpoch(5, 9)),
        TargetAssignmentRecord(KIND, "g", "a", {TOPIC: frozenset({0})}),
        TargetEpochRecord(KIND, "g", TargetEpoch(5, 7)),
        CurrentAssignmentRecord(KIND, "g", "a", CURRENT),
    ):
        group.replay(record)
    return group


def test_the_records_of_a_group_create_it_again() -> None:
    group, again = group_of_one(), ConsumerGroup("g")
    for record in creation(group):
        again.replay(record)
    assert again.as_text() == group.as_text()


def test_a_member_is_removed_with_its_assignments() -> None:
    group = group_of_one()
    for record in removal(group, group.members["a"]):
        group.replay(record)
    assert (group.members, group.target.members) == ({}, {})


def test_a_static_member_is_replaced_under_another_id() -> None:
    group = group_of_one()
    member, records = replacement(group, group.members["a"], "b")
    for record in records:
        group.replay(record)
    assert group.members == {"b": member}
    assert member.current == CURRENT._replace(member_epoch=0, previous_member_epoch=0)
    assert group.target.members == {"b": {TOPIC: frozenset({0})}}


def test_only_what_has_changed_is_written() -> None:
    group = group_of_one()
    member = group.members["a"]
    assert changed_description(group, member, member) == []
    assert changed_assignment(group, member, member) == []
    other = ConsumerGroupMember("a", MemberMetadata(), CurrentAssignment())
    assert changed_description(group, member, other) == [
        MemberRecord(KIND, "g", "a", MemberMetadata())
    ]
    assert changed_assignment(group, member, other) == [
        CurrentAssignmentRecord(KIND, "g", "a", CurrentAssignment())
    ]
