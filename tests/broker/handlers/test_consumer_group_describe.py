"""ConsumerGroupDescribe, over the request path."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
)
from mockbroker.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatResponse
from tests.broker.handlers.consumer_requests import brokers_with_groups, join
from tests.support.in_process import Brokers


def described(brokers: Brokers, *groups: str, operations: bool = False) -> list[DescribedGroup]:
    request = ConsumerGroupDescribeRequest(
        group_ids=list(groups), include_authorized_operations=operations
    )
    answer = brokers.ask(request, 1, ConsumerGroupDescribeResponse)
    assert isinstance(answer, ConsumerGroupDescribeResponse)
    return answer.groups


def test_a_group_is_described_with_its_members() -> None:
    brokers = brokers_with_groups()
    brokers.ask(join("m"), 1, ConsumerGroupHeartbeatResponse)
    (group,) = described(brokers, "g", operations=True)
    assert (group.group_state, group.group_epoch, group.assignment_epoch) == ("Stable", 2, 2)
    assert group.assignor_name == "uniform"
    assert group.authorized_operations > 0
    (member,) = group.members
    (owned,) = member.assignment.topic_partitions
    assert (owned.topic_name, owned.partitions) == ("orders", [0, 1, 2])
    assert member.target_assignment.topic_partitions == [owned]
    assert (member.member_type, member.subscribed_topic_names) == (1, ["orders"])


def test_partitions_of_deleted_topics_are_left_out() -> None:
    brokers = brokers_with_groups()
    brokers.ask(join("m"), 1, ConsumerGroupHeartbeatResponse)
    brokers.state.delete_topic(brokers.state.topics.by_name["orders"])
    (group,) = described(brokers, "g")
    assert not group.members[0].assignment.topic_partitions


def test_other_groups_have_an_error() -> None:
    found = described(brokers_with_groups(), "missing", "")
    assert [(each.error_code, each.error_message) for each in found] == [
        (ErrorCode.GROUP_ID_NOT_FOUND, "Group missing not found."),
        (ErrorCode.INVALID_GROUP_ID, None),
    ]


def test_the_feature_can_be_turned_off() -> None:
    (group,) = described(brokers_with_groups(features={"group.version": 0}), "g")
    assert group.error_code == ErrorCode.UNSUPPORTED_VERSION
