from uuid import UUID

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignment,
    CurrentAssignmentRecord,
    GroupEpoch,
    GroupEpochRecord,
    MemberMetadata,
    MemberRecord,
    SubscriptionMetadataRecord,
    TargetAssignmentRecord,
    TargetEpoch,
    TargetEpochRecord,
)
from mockbroker.state.group.share.share_group import ShareGroup, ShareGroupMember
from mockbroker.state.group.share.state_partitions import (
    StatePartitions,
    StatePartitionsRecord,
    TopicState,
)

KIND, TOPIC = GroupKind.SHARE, UUID(int=9)


def member(*topics: str) -> MemberMetadata:
    return MemberMetadata(subscribed_topic_names=frozenset(topics))


def group_of(**subscriptions: tuple[str, ...]) -> ShareGroup:
    group = ShareGroup("g")
    for name, topics in subscriptions.items():
        group.replay(MemberRecord(KIND, "g", name, member(*topics)))
    return group


def test_records_make_the_group() -> None:
    group = ShareGroup("g")
    assert (group.is_empty, group.state_title, group.known_state) == (
        True,
        "Empty",
        StatePartitions(),
    )
    current = CurrentAssignment(4, 3, assigned={TOPIC: {0: 0}})
    group.replay(CurrentAssignmentRecord(KIND, "g", "a", current))
    group.replay(MemberRecord(KIND, "g", "a", member("t")))
    group.replay(GroupEpochRecord(KIND, "g", GroupEpoch(4, 99)))
    group.replay(TargetEpochRecord(KIND, "g", TargetEpoch(4, 5)))
    group.replay(SubscriptionMetadataRecord(KIND, "g"))
    assert group.members == {"a": ShareGroupMember("a", member("t"), current)}
    assert (group.group_epoch, group.metadata_hash, group.state_title) == (4, 99, "Stable")
    assert group.members["a"].is_reconciled_to(4)
    assert not group.members["a"].is_reconciled_to(5)
    assert group.as_text()[0] == "group g share Stable epoch 4"


def test_tombstones_end_the_group() -> None:
    group = group_of(a=("t",), b=("u",))
    group.replay(StatePartitionsRecord(KIND, "g", StatePartitions()))
    group.sessions_ms["a"] = 5
    for record in group.tombstones():
        group.replay(record)
    assert (group.is_empty, group.sessions_ms, group.state_partitions) == (True, {}, None)
    assert group.target.assignment_epoch == -1
    assert not group.subscribers


def test_tombstones_of_unknown_members_change_nothing() -> None:
    group = group_of()
    group.replay(CurrentAssignmentRecord(KIND, "g", "a", None))
    group.replay(MemberRecord(KIND, "g", "a", None))
    assert group.is_empty


def test_subscribers_are_counted() -> None:
    group = group_of(a=("t", "u"), b=("t",))
    assert group.is_subscribed_to_topic("u", lambda _: None)
    changed = ShareGroupMember("a", member("v"))
    assert group.subscribers_with(changed) == {"t": 1, "v": 1}
    assert group.subscribers_with(ShareGroupMember("c", member("t"))) == {"t": 3, "u": 1}
    assert group.subscribers_with(None, "a") == {"t": 1}
    group.replay(MemberRecord(KIND, "g", "a", None))
    assert group.subscribers == {"t": 1}
    assert not group.is_subscribed_to_topic("u", lambda _: None)


def test_initialised_partitions_of_subscribed_topics_await_an_assignment() -> None:
    group = group_of(a=("t",))
    assert not group.awaits_assignment()
    topic = TopicState("t", frozenset({0, 1}))
    group.replay(StatePartitionsRecord(KIND, "g", StatePartitions(initialized={TOPIC: topic})))
    assert group.awaits_assignment()
    group.replay(TargetAssignmentRecord(KIND, "g", "a", {TOPIC: frozenset({0, 1})}))
    assert not group.awaits_assignment()
    other = TopicState("u", frozenset({0}))
    state = StatePartitions(initialized={TOPIC: topic, UUID(int=8): other})
    group.replay(StatePartitionsRecord(KIND, "g", state))
    assert not group.awaits_assignment()


def test_an_unknown_member_is_refused() -> None:
    with pytest.raises(ApiError) as refused:
        group_of(a=("t",)).member("b")
    assert refused.value.code is ErrorCode.UNKNOWN_MEMBER_ID


def test_deadlines_can_be_carried() -> None:
    group = group_of(a=("t",))
    group.sessions_ms["a"] = 5
    group.carry_deadlines(10)
    assert group.sessions_ms == {"a": 15}
