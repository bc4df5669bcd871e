from uuid import UUID

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.member_offsets import check_commit, check_fetch
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import CurrentAssignment, CurrentAssignmentRecord

TOPIC = UUID(int=100)
OWN, REVOKED, OTHER = (TopicPartition("orders", each) for each in range(3))


def group() -> ConsumerGroup:
    made = ConsumerGroup("g")
    current = CurrentAssignment(
        7, 6, MemberState.UNREVOKED_PARTITIONS, {TOPIC: {0: 5}}, {TOPIC: {1: 4}}
    )
    made.replay(CurrentAssignmentRecord(GroupKind.CONSUMER, "g", "a", current))
    return made


@pytest.mark.parametrize(("epoch", "partition"), [(7, OTHER), (6, OWN), (5, OWN), (4, REVOKED)])
def test_a_member_commits_since_it_has_a_partition(epoch: int, partition: TopicPartition) -> None:
    check_commit(group(), "a", epoch, [(TOPIC, partition)])


@pytest.mark.parametrize(
    ("epoch", "partition", "why"),
    [
        (8, OWN, "Received member epoch 8 is newer than current member epoch 7."),
        (4, OWN, "Received member epoch 4 is older than assignment epoch 5 for partition orders-0"),
        (6, OTHER, "Partition orders-2 is not assigned or pending revocation for member."),
        (-1, OWN, "Received member epoch -1 is older than assignment epoch 5"),
    ],
)
def test_a_stale_member_may_not_commit(epoch: int, partition: TopicPartition, why: str) -> None:
    with pytest.raises(ApiError) as refused:
        check_commit(group(), "a", epoch, [(TOPIC, partition)])
    assert refused.value.code is ErrorCode.STALE_MEMBER_EPOCH
    assert refused.value.why.startswith(why)


def test_only_members_commit_unless_there_are_none() -> None:
    check_commit(ConsumerGroup("g"), "", -1, [])
    with pytest.raises(ApiError) as refused:
        check_commit(group(), "", -1, [])
    assert refused.value.code is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_member_fetches_in_its_epoch() -> None:
    check_fetch(group(), "a", 7)
    check_fetch(group(), None, -1)
    with pytest.raises(ApiError, match="does not match the expected member epoch 7"):
        check_fetch(group(), "a", 6)
    with pytest.raises(ApiError) as refused:
        check_fetch(group(), None, 7)
    assert refused.value.code is ErrorCode.UNKNOWN_MEMBER_ID


def test_before_4_3_a_member_commits_in_its_epoch_only() -> None:
    epoch = group().members["a"].member_epoch
    check_commit(group(), "a", epoch, [(TOPIC, OTHER)], in_earlier_epochs=False)
    with pytest.raises(ApiError) as refused:
        check_commit(group(), "a", epoch - 1, [(TOPIC, OWN)], in_earlier_epochs=False)
    assert refused.value.code is ErrorCode.STALE_MEMBER_EPOCH
