"""Delegation token APIs: refused, as the listener does not authenticate (KIP-48, KIP-373)."""

from typing import Final, NoReturn

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.create_delegation_token import (
    CreateDelegationTokenRequest,
    CreateDelegationTokenResponse,
)
from mockbroker.protocol.messages.describe_delegation_token import DescribeDelegationTokenRequest
from mockbroker.protocol.messages.expire_delegation_token import (
    ExpireDelegationTokenRequest,
    ExpireDelegationTokenResponse,
)
from mockbroker.protocol.messages.renew_delegation_token import (
    RenewDelegationTokenRequest,
    RenewDelegationTokenResponse,
)

ANONYMOUS: Final = ("User", "ANONYMOUS")
NO_TIME: Final = -1

_REFUSAL: Final = ApiError(
    ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
    "the listener is PLAINTEXT: delegation tokens need an authenticated client",
)


def create_delegation_token(
    request: CreateDelegationTokenRequest, call: Call
) -> CreateDelegationTokenResponse:
    """Refuse to create a token; the response names the requested owner."""
    owner = ANONYMOUS
    if request.owner_principal_name:
        if request.owner_principal_type is None:
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "the owner's principal has no type")
        owner = (request.owner_principal_type, request.owner_principal_name)
    _note(call)
    return CreateDelegationTokenResponse(
        error_code=_REFUSAL.code,
        principal_type=owner[0],
        principal_name=owner[1],
        token_requester_principal_type=ANONYMOUS[0],
        token_requester_principal_name=ANONYMOUS[1],
        issue_timestamp_ms=NO_TIME,
        expiry_timestamp_ms=NO_TIME,
        max_timestamp_ms=NO_TIME,
    )


def renew_delegation_token(
    _request: RenewDelegationTokenRequest, call: Call
) -> RenewDelegationTokenResponse:
    """Refuse to renew a token."""
    _note(call)
    return RenewDelegationTokenResponse(error_code=_REFUSAL.code, expiry_timestamp_ms=NO_TIME)


def expire_delegation_token(
    _request: ExpireDelegationTokenRequest, call: Call
) -> ExpireDelegationTokenResponse:
    """Refuse to expire a token."""
    _note(call)
    return ExpireDelegationTokenResponse(error_code=_REFUSAL.code, expiry_timestamp_ms=NO_TIME)


def describe_delegation_token(_request: DescribeDelegationTokenRequest, _call: Call) -> NoReturn:
    """Refuse to describe tokens."""
    raise ApiError(_REFUSAL.code, _REFUSAL.why)


def _note(call: Call) -> None:
    call.service.refusals.note("token_refused", _REFUSAL, api=call.api_key.name)
