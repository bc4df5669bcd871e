"""ConsumerGroupHeartbeat, over the request path."""

from typing import Any

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from mockbroker.state.security.acl import AclResource
from tests.broker.handlers.consumer_requests import brokers_with_groups, join
from tests.broker.handlers.guarded import GUARDED, deny


def ask(brokers: Any, request: ConsumerGroupHeartbeatRequest) -> ConsumerGroupHeartbeatResponse:
    answer = brokers.ask(request, 1, ConsumerGroupHeartbeatResponse)
    assert isinstance(answer, ConsumerGroupHeartbeatResponse)
    return answer


def test_a_member_is_told_its_partitions_once() -> None:
    brokers = brokers_with_groups()
    joined = ask(brokers, join("m"))
    assert (joined.error_code, joined.member_id) == (ErrorCode.NONE, "m")
    assert joined.assignment is not None
    (topic,) = joined.assignment.topic_partitions
    assert topic.partitions == [0, 1, 2]
    beat = ConsumerGroupHeartbeatRequest(
        group_id="g",
        member_id="m",
        member_epoch=joined.member_epoch,
        topic_partitions=[TopicPartitions(topic_id=topic.topic_id, partitions=[0, 1, 2])],
    )
    assert ask(brokers, beat).assignment is None


def test_a_refusal_has_kafkas_message() -> None:
    brokers = brokers_with_groups()
    request = join("m")
    request.server_assignor = "sticky"
    answer = ask(brokers, request)
    assert answer.error_code == ErrorCode.UNSUPPORTED_ASSIGNOR
    assert answer.error_message == (
        "ServerAssignor sticky is not supported. Supported assignors: uniform, range."
    )


@pytest.mark.parametrize("is_denied", [False, True])
def test_an_expression_matches_what_the_client_may_describe(is_denied: bool) -> None:
    at_once = {"group.consumer.assignment.interval.ms": "0"}
    brokers = brokers_with_groups(configs={**GUARDED, **at_once})
    if is_denied:
        deny(brokers, AclResource.TOPIC, "orders")
    request = join("m")
    request.subscribed_topic_names = None
    request.subscribed_topic_regex = "ord.*"
    joined = ask(brokers, request)
    brokers.state.run_pending(0)
    beat = ConsumerGroupHeartbeatRequest(
        group_id="g", member_id="m", member_epoch=joined.member_epoch
    )
    told = ask(brokers, beat)
    assert (told.assignment is None) is is_denied


def test_the_feature_can_be_turned_off() -> None:
    brokers = brokers_with_groups(features={"group.version": 0})
    assert ask(brokers, join("m")).error_code == ErrorCode.UNSUPPORTED_VERSION
