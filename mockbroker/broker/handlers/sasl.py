"""SaslHandshake and SaslAuthenticate on a listener that authenticates nobody (KIP-43, KIP-152)."""

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
    """Refuse to begin: to Kafka, whoever is on a PLAINTEXT listener is authenticated already."""
    why = f"the listener is PLAINTEXT, and the client asks for {request.mechanism!r}"
    refusal = ApiError(ErrorCode.ILLEGAL_SASL_STATE, why)
    call.service.refusals.note("sasl_refused", refusal, client_id=call.client_id)
    mechanisms: list[str] = []
    if call.cluster.options.security.handshake_names_mechanisms:
        value = call.cluster.configs.broker_value(SASL_MECHANISMS, call.broker_id)
        mechanisms = list(cast("tuple[str, ...]", value))
    return SaslHandshakeResponse(error_code=refusal.code, mechanisms=mechanisms)


def sasl_authenticate(_request: SaslAuthenticateRequest, _call: Call) -> NoReturn:
    """Refuse to go on with what cannot have begun."""
    raise ApiError(
        ErrorCode.ILLEGAL_SASL_STATE,
        "SaslAuthenticate request received after successful authentication",
    )
