"""StreamsGroupHeartbeat, over the request path."""

from typing import Any

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.streams_group_heartbeat import (
    Endpoint,
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
    TaskIds,
    TaskOffset,
)
from mockbroker.state.security.acl import AclOperation, AclResource, Permission
from tests.broker.handlers.guarded import GUARDED, deny
from tests.broker.handlers.streams_requests import brokers_with_groups, join

PROHIBITED = (
    "Use of Kafka internal topics __consumer_offsets in a Kafka Streams topology is prohibited."
)


def ask(brokers: Any, request: StreamsGroupHeartbeatRequest) -> StreamsGroupHeartbeatResponse:
    answer = brokers.ask(request, 1, StreamsGroupHeartbeatResponse)
    assert isinstance(answer, StreamsGroupHeartbeatResponse)
    return answer


def test_missing_internal_topics_are_created() -> None:
    brokers = brokers_with_groups()
    joined = ask(brokers, join("log"))
    assert joined.error_code == ErrorCode.NONE
    assert joined.status is not None
    assert "Internal topics are missing: log" in [each.status_detail for each in joined.status]
    brokers.state.run_pending(0)
    assert len(brokers.state.topics.by_name["log"].partitions) == 3


def test_internal_topics_that_the_member_may_not_create_are_not_created() -> None:
    brokers = brokers_with_groups(configs=GUARDED)
    deny(brokers, AclResource.CLUSTER, operation=AclOperation.CREATE)
    deny(brokers, AclResource.TOPIC, "log", AclOperation.CREATE)
    describe, allow = AclOperation.DESCRIBE, Permission.ALLOW
    deny(brokers, AclResource.TOPIC, "log", describe, permission=allow)
    joined = ask(brokers, join("log", "other"))
    assert joined.status is not None
    (status,) = (each for each in joined.status if "missing" in each.status_detail)
    assert status.status_detail.endswith("; Unauthorized to CREATE on topics log.")
    brokers.state.run_pending(0)
    assert not {"log", "other"} & brokers.state.topics.by_name.keys()


def test_topics_that_the_member_may_not_describe_are_refused() -> None:
    brokers = brokers_with_groups(configs=GUARDED)
    deny(brokers, AclResource.TOPIC, "log")
    answer = ask(brokers, join("log"))
    assert (answer.error_code, answer.error_message) == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, None)


def test_what_a_member_reports_is_read() -> None:
    brokers = brokers_with_groups()
    ask(brokers, join())
    beat = StreamsGroupHeartbeatRequest(
        group_id="g",
        member_id="m",
        member_epoch=1,
        active_tasks=[TaskIds(subtopology_id="0", partitions=[0])],
        standby_tasks=[],
        warmup_tasks=[],
        user_endpoint=Endpoint(host="here", port=1),
        task_offsets=[TaskOffset(subtopology_id="0", partition=0, offset=5)],
    )
    answer = ask(brokers, beat)
    assert answer.error_code == ErrorCode.NONE
    assert answer.partitions_by_user_endpoint is not None
    (endpoint,) = answer.partitions_by_user_endpoint
    assert endpoint.user_endpoint == Endpoint(host="here", port=1)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (
            "__consumer_offsets",
            PROHIBITED,
        ),
        ("a/b", "Topic names a/b are not valid topic names."),
    ],
)
def test_topics_are_checked(source: str, why: str) -> None:
    answer = ask(brokers_with_groups(), join(source=source))
    assert (answer.error_code, answer.error_message) == (ErrorCode.STREAMS_INVALID_TOPOLOGY, why)


def test_a_failure_has_no_message() -> None:
    request = join(source="none")
    request.user_endpoint = Endpoint(host="here", port=1)
    answer = ask(brokers_with_groups(), request)
    assert (answer.error_code, answer.error_message) == (ErrorCode.UNKNOWN_SERVER_ERROR, None)


def test_the_feature_can_be_turned_off() -> None:
    brokers = brokers_with_groups(features={"streams.version": 0})
    assert ask(brokers, join()).error_code == ErrorCode.UNSUPPORTED_VERSION
