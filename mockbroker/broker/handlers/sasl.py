"""SaslHandshake and SaslAuthenticate, refused on a listener without SASL (KIP-43, KIP-152)."""

from typing import Final, NoReturn, cast

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from mockbroker.protocol.messages.sasl_handshake import (
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)

SASL_MECHANISMS: Final = "sasl.enabled.mechanisms"


def sasl_handshake(request: SaslHandshakeRequest, call: Call) -> SaslHandshakeResponse:
    """Refuse the handshake: to Kafka, clients of a PLAINTEXT listener are authenticated."""
    why = f"the listener is PLAINTEXT, but the client requests {request.mechanism!r}"
    refusal = ApiError(ErrorCode.ILLEGAL_SASL_STATE, why)
    call.service.refusals.note("sasl_refused", refusal, client_id=call.client_id)
    mechanisms: list[str] = []
    if call.cluster.options.security.handshake_names_mechanisms:
        value = call.cluster.configs.broker_value(SASL_MECHANISMS, call.broker_id)
        mechanisms = list(cast("tuple[str, ...]", value))
    return SaslHandshakeResponse(error_code=refusal.code, mechanisms=mechanisms)


def sasl_authenticate(_request: SaslAuthenticateRequest, _call: Call) -> NoReturn:
    """Refuse an authentication without a successful handshake."""
    raise ApiError(
        ErrorCode.ILLEGAL_SASL_STATE,
        "SaslAuthenticate request received after successful authentication",
    )
