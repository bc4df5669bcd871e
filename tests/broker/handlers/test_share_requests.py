"""Members of share groups, and partitions in the responses to them."""

from uuid import UUID

import pytest

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.share_requests import (
    by_topic,
    check_names,
    member_of,
    readable_partition,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.share.share_session import MemberKey
from tests.broker.handlers.guarded import GUARDED, deny
from tests.support.in_process import Brokers

ONE, TWO = UUID(int=1), UUID(int=2)


def test_a_member_has_two_ids() -> None:
    assert member_of("g", "m" * 36) == MemberKey("g", "m" * 36)
    assert member_of("", "m") == MemberKey("", "m")


@pytest.mark.parametrize(
    ("group_id", "member_id", "why"),
    [
        (None, "m", "Invalid group id"),
        ("g", None, "Invalid member id"),
        ("g", "", "Invalid member id"),
        ("g", "m" * 37, "Invalid member id"),
    ],
)
def test_ids_that_are_refused(group_id: str | None, member_id: str | None, why: str) -> None:
    with pytest.raises(ApiError, match=why) as caught:
        member_of(group_id, member_id)
    assert caught.value.code is ErrorCode.INVALID_REQUEST


def test_partitions_are_grouped_by_topic() -> None:
    partitions = [(TWO, 1), (ONE, 0), (TWO, 0)]
    assert by_topic(partitions) == {TWO: [(TWO, 1), (TWO, 0)], ONE: [(ONE, 0)]}
    assert by_topic([]) == {}


def call_of(brokers: Brokers) -> Call:
    return Call(
        brokers.service,
        broker_id=1,
        connection_id=1,
        api_key=ApiKey.SHARE_FETCH,
        api_version=2,
        correlation_id=1,
        client_id=None,
    )


def test_an_authorizer_cannot_decide_on_a_topic_that_is_unknown() -> None:
    check_names(call_of(Brokers()), [(ONE, 0)])
    brokers = Brokers(topics={"t": 1}, configs=GUARDED)
    check_names(call_of(brokers), [(brokers.topic("t").topic_id, 7)])
    with pytest.raises(ApiError) as caught:
        check_names(call_of(brokers), [(ONE, 0)])
    assert caught.value.code is ErrorCode.UNKNOWN_SERVER_ERROR


def test_partitions_of_a_topic_are_found_by_clients_that_may_read_it() -> None:
    brokers = Brokers(topics={"t": 1}, configs=GUARDED)
    topic_id = brokers.topic("t").topic_id

    def code_of(topic: UUID, index: int) -> ErrorCode:
        with pytest.raises(ApiError) as caught:
            readable_partition(call_of(brokers), (topic, index))
        return caught.value.code

    assert readable_partition(call_of(brokers), (topic_id, 0)) is brokers.partition("t")
    assert code_of(topic_id, 7) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert code_of(ONE, 0) is ErrorCode.UNKNOWN_TOPIC_ID
    deny(brokers, AclResource.TOPIC, "t", AclOperation.READ)
    assert code_of(topic_id, 0) is ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert code_of(topic_id, 7) is ErrorCode.TOPIC_AUTHORIZATION_FAILED
