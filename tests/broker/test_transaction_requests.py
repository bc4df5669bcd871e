"""Shared steps of transactional requests."""

import pytest

from mockbroker.broker.call import Call
from mockbroker.broker.transaction_requests import (
    as_client_knows,
    client_transaction_version,
    coordinator_of,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from tests.support.in_process import Brokers


def call_of(api_version: int, broker_id: int = 1) -> Call:
    return Call(
        Brokers(brokers=2).service,
        broker_id=broker_id,
        connection_id=1,
        api_key=ApiKey.END_TXN,
        api_version=api_version,
        correlation_id=1,
        client_id=None,
    )


@pytest.mark.parametrize(("version", "expected"), [(0, 0), (4, 0), (5, 2)])
def test_newer_versions_use_transaction_version_2(version: int, expected: int) -> None:
    assert client_transaction_version(version, first_with_epoch_bump=5) == expected


@pytest.mark.parametrize(
    ("code", "version", "told"),
    [
        (ErrorCode.PRODUCER_FENCED, 1, ErrorCode.INVALID_PRODUCER_EPOCH),
        (ErrorCode.PRODUCER_FENCED, 2, ErrorCode.PRODUCER_FENCED),
        (ErrorCode.INVALID_TXN_STATE, 1, ErrorCode.INVALID_TXN_STATE),
    ],
)
def test_older_clients_get_another_code_for_a_fenced_producer(
    code: ErrorCode, version: int, told: ErrorCode
) -> None:
    refusal = as_client_knows(ApiError(code, "why"), call_of(version), first_with_fenced=2)
    assert (refusal.code, refusal.why) == (told, "why")


def test_every_broker_has_its_own_coordinator() -> None:
    assert coordinator_of(call_of(0, 2)).broker_id == 2
