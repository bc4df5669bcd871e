"""ShareGroupDescribe, over the request path."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.share_group_describe import (
    DescribedGroup,
    ShareGroupDescribeRequest,
    ShareGroupDescribeResponse,
)
from mockbroker.state.security.acl import AclFilter, AclResource
from tests.broker.handlers.guarded import GUARDED, deny
from tests.broker.handlers.share_group_requests import beat, brokers_with_share_groups
from tests.support.in_process import Brokers


def describe(brokers: Brokers, *group_ids: str) -> list[DescribedGroup]:
    request = ShareGroupDescribeRequest(
        group_ids=list(group_ids), include_authorized_operations=True
    )
    answer = brokers.ask(request, 1, ShareGroupDescribeResponse)
    assert isinstance(answer, ShareGroupDescribeResponse)
    return answer.groups


def test_a_group_is_described_with_its_members() -> None:
    brokers = brokers_with_share_groups()
    beat(brokers, epoch=beat(brokers).member_epoch)
    (group,) = describe(brokers, "g")
    assert (group.group_state, group.assignor_name, group.group_epoch) == ("Stable", "simple", 3)
    assert group.authorized_operations > 0
    (member,) = group.members
    assert (member.member_id, member.subscribed_topic_names) == ("m", ["orders"])
    (topic,) = member.assignment.topic_partitions
    assert (topic.topic_name, topic.partitions) == ("orders", [0, 1, 2])


def test_a_deleted_topic_is_left_out() -> None:
    brokers = brokers_with_share_groups()
    beat(brokers, epoch=beat(brokers).member_epoch)
    brokers.state.delete_topic(brokers.state.topics.by_name["orders"])
    (group,) = describe(brokers, "g")
    assert group.members[0].assignment.topic_partitions == []


def test_groups_that_do_not_exist_are_refused() -> None:
    empty, missing = describe(brokers_with_share_groups(), "", "g")
    assert empty.error_code == ErrorCode.INVALID_GROUP_ID
    assert (missing.error_code, missing.error_message) == (
        ErrorCode.GROUP_ID_NOT_FOUND,
        "Group g not found.",
    )


def test_a_group_with_a_topic_that_the_client_may_not_describe_is_hidden() -> None:
    brokers = brokers_with_share_groups(configs=GUARDED)
    joined = beat(brokers)
    deny(brokers, AclResource.TOPIC, "orders")
    (group,) = describe(brokers, "g")
    assert group.error_code == ErrorCode.NONE, "a topic is shown by its assignment only"
    authorizer = brokers.state.authorizer
    assert authorizer is not None
    authorizer.acls.remove(AclFilter())
    beat(brokers, epoch=joined.member_epoch)
    deny(brokers, AclResource.TOPIC, "orders")
    (group,) = describe(brokers, "g")
    assert (group.error_code, group.members) == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, [])


def test_the_feature_can_be_turned_off() -> None:
    (group,) = describe(brokers_with_share_groups({"share.version": 0}), "g")
    assert group.error_code == ErrorCode.UNSUPPORTED_VERSION
