"""Calls that an isolated broker handles, by the state that it last knew."""

import pytest

from mockbroker.broker.call import Call
from mockbroker.broker.isolated_broker import IsolatedBroker
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.protocol.schema.message import Message
from mockbroker.state.replication.isolated_view import isolated_view
from tests.support.in_process import NOW_MS, Brokers


def call_of(brokers: Brokers, api_key: ApiKey) -> Call:
    return Call(
        brokers.service,
        broker_id=1,
        connection_id=1,
        api_key=api_key,
        api_version=1,
        correlation_id=1,
        client_id=None,
    )


def test_a_call_uses_the_state_that_the_broker_last_knew() -> None:
    brokers = Brokers()
    view = isolated_view(brokers.state, 1, now_ms=NOW_MS)
    seen: list[object] = []

    def handle(_request: Message, call: Call) -> MetadataResponse:
        seen.append(call.cluster)
        return MetadataResponse()

    handled = IsolatedBroker(view).around(handle)
    assert handled(MetadataRequest(), call_of(brokers, ApiKey.METADATA)) == MetadataResponse()
    assert seen == [view]
    with pytest.raises(ApiError) as refused:
        handled(MetadataRequest(), call_of(brokers, ApiKey.CREATE_TOPICS))
    assert refused.value.code is ErrorCode.REQUEST_TIMED_OUT
    with pytest.raises(ApiError) as refused:
        handled(MetadataRequest(), call_of(brokers, ApiKey.FIND_COORDINATOR))
    assert refused.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert seen == [view]
