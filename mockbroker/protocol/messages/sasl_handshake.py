"""SaslHandshake: choose the authentication mechanism (KIP-43)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT16,
    STRING,
    Message,
    array,
    field,
)


class SaslHandshakeRequest(Message, api=ApiKey.SASL_HANDSHAKE, kind="request", versions="0-1"):
    mechanism: str = field(STRING)


class SaslHandshakeResponse(Message, api=ApiKey.SASL_HANDSHAKE, kind="response", versions="0-1"):
    error_code: int = field(INT16)
    mechanisms: list[str] = field(array(STRING))
