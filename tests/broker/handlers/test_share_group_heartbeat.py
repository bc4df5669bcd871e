"""ShareGroupHeartbeat, over the request path."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.security.acl import AclOperation, AclResource
from tests.broker.handlers.guarded import GUARDED, deny
from tests.broker.handlers.share_group_requests import beat, brokers_with_share_groups


def test_a_member_is_told_its_partitions_once() -> None:
    brokers = brokers_with_share_groups()
    joined = beat(brokers)
    assert joined.assignment is not None
    assert joined.assignment.topic_partitions == []
    told = beat(brokers, epoch=joined.member_epoch)
    assert told.assignment is not None
    assert [topic.partitions for topic in told.assignment.topic_partitions] == [[0, 1, 2]]
    assert beat(brokers, epoch=told.member_epoch).assignment is None


def test_a_refusal_has_kafkas_message() -> None:
    answer = beat(brokers_with_share_groups(), epoch=3)
    assert answer.error_code == ErrorCode.GROUP_ID_NOT_FOUND
    assert answer.error_message == "Share group g not found."


@pytest.mark.parametrize("member_id", ["", "m" * 37])
def test_a_member_id_has_a_length(member_id: str) -> None:
    answer = beat(brokers_with_share_groups(), member_id)
    assert (answer.error_code, answer.error_message) == (ErrorCode.INVALID_REQUEST, None)


def test_a_topic_that_the_member_may_not_describe_is_refused() -> None:
    brokers = brokers_with_share_groups(configs=GUARDED)
    deny(brokers, AclResource.TOPIC, "orders", AclOperation.DESCRIBE)
    assert beat(brokers).error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    deny(brokers, AclResource.GROUP, "g")
    assert beat(brokers).error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED


def test_the_feature_can_be_turned_off() -> None:
    brokers = brokers_with_share_groups({"share.version": 0}, GUARDED)
    deny(brokers, AclResource.GROUP, "g")
    answer = beat(brokers)
    assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION, "checked before the rights"
