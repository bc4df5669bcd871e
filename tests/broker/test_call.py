"""Context of a request."""

from mockbroker.broker.call import Call
from mockbroker.protocol.api_keys import ApiKey
from tests.support.in_process import NOW_MS, Brokers


def test_a_call_has_its_client_its_broker_and_its_time() -> None:
    brokers = Brokers()
    brokers.clock.advance(7)
    brokers.service.read_clock()
    call = Call(
        brokers.service,
        broker_id=1,
        connection_id=9,
        api_key=ApiKey.METADATA,
        api_version=12,
        correlation_id=5,
        client_id="me",
    )
    assert call.cluster is brokers.state
    assert call.now_ms == NOW_MS + 7
    assert (call.broker_id, call.connection_id, call.correlation_id) == (1, 9, 5)
    assert (call.api_key, call.api_version, call.client_id) == (ApiKey.METADATA, 12, "me")
