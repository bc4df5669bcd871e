from uuid import UUID

import pytest

from mockbroker.protocol.errors import ApiError
from mockbroker.state.group.consumer.consumer_group import (
    ConsumerGroup,
    ConsumerGroupState,
    is_within,
)
from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignment,
    CurrentAssignmentRecord,
    GroupEpoch,
    GroupEpochRecord,
    MemberMetadata,
    MemberRecord,
    RegularExpressionRecord,
    ResolvedRegularExpression,
    SubscriptionMetadataRecord,
    TargetAssignmentRecord,
    TargetEpoch,
    TargetEpochRecord,
)

KIND = GroupKind.CONSUMER
TOPIC = UUID(int=100)


def member(
    member_id: str,
    *topics: str,
    regex: str | None = "",
    assignor: str | None = None,
    instance_id: str | None = None,
) -> ConsumerGroupMember:
    metadata = MemberMetadata(
        "client",
        "/127.0.0.1",
        instance_id,
        subscribed_topic_names=frozenset(topics),
        subscribed_topic_regex=regex,
        server_assignor=assignor,
    )
    return ConsumerGroupMember(member_id, metadata)


def group_of(*members: ConsumerGroupMember) -> ConsumerGroup:
    group = ConsumerGroup("g")
    for each in members:
        group.replay(MemberRecord(KIND, "g", each.member_id, each.metadata))
    return group


def assigned(
    epoch: int, *partitions: int, state: MemberState = MemberState.STABLE
) -> CurrentAssignment:
    return CurrentAssignment(epoch, epoch, state, {TOPIC: dict.fromkeys(partitions, epoch)})


def test_the_state_follows_from_epochs_and_members() -> None:
    group = group_of()
    assert (group.state, group.is_empty) == (ConsumerGroupState.EMPTY, True)
    group.replay(MemberRecord(KIND, "g", "a", MemberMetadata()))
    assert group.state_title == "Assigning"
    group.replay(GroupEpochRecord(KIND, "g", GroupEpoch(2, 5)))
    group.replay(TargetEpochRecord(KIND, "g", TargetEpoch(2)))
    assert group.state_title == "Reconciling"
    group.replay(CurrentAssignmentRecord(KIND, "g", "a", CurrentAssignment(2)))
    assert group.state_title == "Stable"
    assert group.metadata_hash == 5


def test_a_partition_is_owned_until_its_member_releases_it() -> None:
    group = group_of(member("a"), member("b"))
    group.replay(CurrentAssignmentRecord(KIND, "g", "a", assigned(2, 0, 1)))
    group.replay(CurrentAssignmentRecord(KIND, "g", "b", assigned(3, 1)))
    group.replay(CurrentAssignmentRecord(KIND, "g", "a", assigned(3, 0)))
    assert (group.is_owned(TOPIC, 0), group.is_owned(TOPIC, 1)) == (True, True)
    group.replay(CurrentAssignmentRecord(KIND, "g", "b", None))
    assert not group.is_owned(TOPIC, 1)
    group.replay(MemberRecord(KIND, "g", "a", None))
    assert not group.is_owned(TOPIC, 0)


def test_records_of_unknown_members_change_nothing() -> None:
    group = group_of()
    group.replay(CurrentAssignmentRecord(KIND, "g", "a", None))
    group.replay(MemberRecord(KIND, "g", "a", None))
    group.replay(SubscriptionMetadataRecord(KIND, "g"))
    assert group.is_empty
    group.replay(CurrentAssignmentRecord(KIND, "g", "a", assigned(2, 0)))
    assert group.member("a").epoch == 2


def test_a_static_member_is_found_by_its_instance_id() -> None:
    group = group_of(member("a", instance_id="i"))
    known = group.static_member("i")
    assert known is not None
    assert known.member_id == "a"
    group.replay(MemberRecord(KIND, "g", "a", MemberMetadata(instance_id="j")))
    assert (group.static_member("i"), group.static_members) == (None, {"j": "a"})
    with pytest.raises(ApiError, match="Member x is not a member of group g"):
        group.member("x")


@pytest.mark.parametrize(
    ("members", "homogeneous"),
    [
        ([], True),
        ([member("a", "t"), member("b", "t")], True),
        ([member("a", "t"), member("b", "t", "u")], False),
        ([member("a", regex="t.*"), member("b", regex="t.*")], True),
        ([member("a", regex="t.*"), member("b", regex="u.*")], False),
        ([member("a", regex="t.*"), member("b", "t")], False),
        ([member("a", "t", regex="t.*")], False),
    ],
)
def test_members_may_subscribe_to_the_same_topics(
    members: list[ConsumerGroupMember], homogeneous: bool
) -> None:
    assert group_of(*members).is_homogeneous(members) is homogeneous


def test_members_subscribe_to_the_topics_of_an_expression() -> None:
    group = group_of(member("a", "t", regex="o.*"), member("b"))
    resolved = ResolvedRegularExpression(frozenset({"orders"}), 1, 2)
    group.replay(RegularExpressionRecord(KIND, "g", "o.*", resolved))
    assert group.topics_of(group.member("a")) == {"t", "orders"}
    assert group.is_subscribed_to_topic("orders", lambda _: None)
    assert not group.is_subscribed_to_topic("other", lambda _: None)
    assert group.unused_expressions([group.member("b")]) == [
        RegularExpressionRecord(KIND, "g", "o.*", None)
    ]
    assert not group.unused_expressions(group.members.values())
    assert "o.*" in "\n".join(group.as_text())
    group.replay(RegularExpressionRecord(KIND, "g", "o.*", None))
    assert group.topics_of(group.member("a")) == {"t"}


def test_most_members_choose_the_assignor() -> None:
    assert group_of(member("a")).preferred_assignor() is None
    members = [member("a", assignor="range"), member("b", assignor="range")]
    group = group_of(*members, member("c", assignor="uniform"))
    assert group.preferred_assignor() == "range"
    assert group.next_preferred_assignor(members[:0]) is None


def test_its_tombstones_name_everything() -> None:
    group = group_of(member("a"))
    group.replay(
        RegularExpressionRecord(KIND, "g", "o.*", ResolvedRegularExpression(frozenset(), 1, 2))
    )
    assert group.tombstones() == [
        CurrentAssignmentRecord(KIND, "g", "a", None),
        TargetAssignmentRecord(KIND, "g", "a", None),
        TargetEpochRecord(KIND, "g", None),
        MemberRecord(KIND, "g", "a", None),
        RegularExpressionRecord(KIND, "g", "o.*", None),
        SubscriptionMetadataRecord(KIND, "g"),
        GroupEpochRecord(KIND, "g", None),
    ]


def test_deadlines_can_move() -> None:
    group = group_of(member("a"))
    group.sessions_ms["a"] = 10
    group.rebalances["a"] = (2, 20)
    group.carry_deadlines(5)
    assert (group.sessions_ms, group.rebalances) == ({"a": 15}, {"a": (2, 25)})


def test_partitions_of_a_report_may_be_those_assigned() -> None:
    own = {TOPIC: {0: 1, 1: 1}}
    assert is_within({TOPIC: frozenset({1})}, own)
    assert is_within({}, own)
    assert not is_within(None, own)
    assert not is_within({TOPIC: frozenset({2})}, own)
    assert not is_within({UUID(int=7): frozenset()}, own)
