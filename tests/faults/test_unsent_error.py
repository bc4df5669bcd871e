"""Warnings about errors that real Kafka never sends in an API."""

from mockbroker.faults.unsent_error import unsent_error
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

NEVER = ErrorCode.MEMBER_ID_REQUIRED


def test_only_the_apis_that_are_never_answered_so_are_named() -> None:
    told = unsent_error(NEVER, (ApiKey.PRODUCE, ApiKey.JOIN_GROUP, ApiKey.END_TXN))
    assert told is not None
    assert told.startswith("no Kafka broker answers Produce, EndTxn with MEMBER_ID_REQUIRED: ")


def test_errors_that_kafka_sends_and_faults_without_an_api_give_no_warning() -> None:
    assert unsent_error(NEVER, [ApiKey.JOIN_GROUP]) is None
    assert unsent_error(NEVER, []) is None
    assert unsent_error(ErrorCode.UNKNOWN_SERVER_ERROR, ApiKey) is not None
