"""UnregisterBroker is refused."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.unregister_broker import (
    UnregisterBrokerRequest,
    UnregisterBrokerResponse,
)
from tests.support.in_process import Brokers


@pytest.mark.parametrize(
    ("release", "broker_id", "code", "why"),
    [
        (
            "4.4",
            9,
            ErrorCode.BROKER_ID_NOT_REGISTERED,
            "Broker ID 9 is not currently registered",
        ),
        ("3.9", 9, ErrorCode.BROKER_ID_NOT_REGISTERED, ""),
        ("4.4", 2, ErrorCode.INVALID_REQUEST, "broker 2 cannot be unregistered"),
    ],
)
def test_no_broker_is_unregistered(release: str, broker_id: int, code: ErrorCode, why: str) -> None:
    brokers = Brokers(brokers=2, release=release)
    before = brokers.state.as_text()
    answer = brokers.ask(UnregisterBrokerRequest(broker_id=broker_id), 0, UnregisterBrokerResponse)
    assert (answer.error_code, answer.error_message) == (code, why)
    assert brokers.state.as_text() == before
