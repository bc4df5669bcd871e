"""SaslAuthenticate: one step of the authentication that SaslHandshake chose (KIP-152)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BYTES,
    INT16,
    INT64,
    STRING,
    Message,
    field,
)


class SaslAuthenticateRequest(
    Message, api=ApiKey.SASL_AUTHENTICATE, kind="request", versions="0-2", flexible="2+"
):
    auth_bytes: bytes = field(BYTES)


class SaslAuthenticateResponse(
    Message, api=ApiKey.SASL_AUTHENTICATE, kind="response", versions="0-2", flexible="2+"
):
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+")
    auth_bytes: bytes = field(BYTES)
    session_lifetime_ms: int = field(INT64, "1+")
