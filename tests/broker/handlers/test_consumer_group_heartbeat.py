"""ConsumerGroupHeartbeat, over the request path."""

from typing import Any

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)
from tests.broker.handlers.consumer_requests import brokers_with_groups, join


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


def test_the_feature_can_be_turned_off() -> None:
    brokers = brokers_with_groups(features={"group.version": 0})
    assert ask(brokers, join("m")).error_code == ErrorCode.UNSUPPORTED_VERSION
