"""Delegation token requests of anonymous clients."""

from typing import Any

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.messages.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)
from mockbroker.protocol.messages.describe_delegation_token import DescribeDelegationTokenRequest
from mockbroker.protocol.messages.expire_delegation_token import ExpireDelegationTokenRequest
from mockbroker.protocol.messages.renew_delegation_token import RenewDelegationTokenRequest
from mockbroker.protocol.schema.message import Message
from tests.support.in_process import Brokers

REFUSED = ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED


def create(name: str | None, kind: str | None) -> CreateDelegationTokenResponse:
    request = CreateDelegationTokenRequest(owner_principal_name=name, owner_principal_type=kind)
    return Brokers().ask(request, 3, CreateDelegationTokenResponse)


@pytest.mark.parametrize(
    ("name", "kind", "code", "owner"),
    [
        (None, None, REFUSED, "ANONYMOUS"),
        ("", "User", REFUSED, "ANONYMOUS"),
        ("alice", "User", REFUSED, "alice"),
        ("alice", None, ErrorCode.UNKNOWN_SERVER_ERROR, "ANONYMOUS"),
    ],
)
def test_no_token_is_created(
    name: str | None, kind: str | None, code: ErrorCode, owner: str
) -> None:
    answer = create(name, kind)
    assert (answer.error_code, answer.principal_name) == (code, owner)
    assert answer.token_requester_principal_name == "ANONYMOUS"
    assert (answer.issue_timestamp_ms, answer.max_timestamp_ms, answer.hmac) == (-1, -1, b"")


@pytest.mark.parametrize(
    ("request_", "version", "expiry_ms"),
    [
        (RenewDelegationTokenRequest(hmac=b"h"), 2, -1),
        (ExpireDelegationTokenRequest(hmac=b"h"), 2, -1),
        (DescribeDelegationTokenRequest(owners=None), 3, None),
    ],
)
def test_token_requests_are_refused(request_: Message, version: int, expiry_ms: int | None) -> None:
    assert request_.API is not None
    answer: Any = Brokers().ask(request_, version, response_type(request_.API))
    assert answer.error_code == REFUSED
    assert getattr(answer, "expiry_timestamp_ms", None) == expiry_ms
