"""Results of a request."""

from mockbroker.broker.call import Call
from mockbroker.broker.delayed import Parked
from mockbroker.broker.outcomes import CloseConnection, ParkedAnswer
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.fetch import FetchRequest
from tests.support.in_process import Brokers


def test_a_closed_connection_has_a_reason_and_fields_for_the_log() -> None:
    over = CloseConnection("unknown_api", key=99)
    assert str(over) == over.reason == "unknown_api"
    assert over.fields == {"key": 99}


def test_a_delayed_response_keeps_its_request_and_call() -> None:
    call = Call(
        Brokers().service,
        broker_id=1,
        connection_id=2,
        api_key=ApiKey.FETCH,
        api_version=12,
        correlation_id=3,
        client_id=None,
    )
    parked = Parked([], 0, lambda _is_last: None)
    request = FetchRequest()
    answer = ParkedAnswer(parked, request, call)
    assert (answer.parked, answer.request, answer.call) == (parked, request, call)
