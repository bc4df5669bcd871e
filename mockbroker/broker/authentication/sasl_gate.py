"""Gate before the handlers of a connection: serves only what its authentication allows."""

from typing import Final, NoReturn

from mockbroker.broker.api_table import Route
from mockbroker.broker.call import ANONYMOUS, Answer, Call, Handle
from mockbroker.broker.delayed import Attempt, DelayedResponse
from mockbroker.broker.outcomes import CloseConnection, Parts, Unanswered
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.framing import sized
from mockbroker.protocol.messages.sasl_authenticate import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
)
from mockbroker.protocol.messages.sasl_handshake import (
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.state.security.sasl.mechanism import SaslAuthenticationError, SaslServerFailure
from mockbroker.state.security.sasl.sasl_exchange import SaslExchange, SaslSettings

FAILED: Final = "authentication_failed"


class SaslGate:
    """Authentication of one connection's client, and what is served until it has succeeded."""

    __slots__ = ("_delay_ms", "_mechanisms", "_receive_max_bytes", "exchange")

    def __init__(self, settings: SaslSettings, delay_ms: int, receive_max_bytes: int) -> None:
        """Take the mechanisms, and the delay of the response to a client that is refused."""
        self.exchange: Final = SaslExchange(settings)
        self._delay_ms: Final = delay_ms
        self._receive_max_bytes: Final = receive_max_bytes
        self._mechanisms: Final = settings.mechanisms

    @property
    def principal(self) -> str:
        """Principal of the authenticated client; that of an anonymous one before."""
        return f"User:{self.exchange.user}" if self.exchange.user else ANONYMOUS

    @property
    def is_open(self) -> bool:
        """True if all requests are served until further notice."""
        return self.exchange.is_complete and self.exchange.session_expires_ms is None

    def max_size_bytes(self, afterwards: int) -> int:
        """Return the greatest size of the next request, or `afterwards` of an authenticated one."""
        return afterwards if self.exchange.is_complete else self._receive_max_bytes

    def around(self, route: Route, call: Call) -> Handle:
        """Return the handler of a request, or one that refuses it.

        Raises:
            CloseConnection: the session has expired.

        """
        exchange, api_key = self.exchange, route.api_key
        is_handshake = api_key is ApiKey.SASL_HANDSHAKE
        if exchange.is_complete:
            if is_handshake and exchange.may_begin_again(call.now_ms):
                return self._handshake
            if exchange.is_expired(call.now_ms):
                raise CloseConnection("session_expired", api=api_key.name)
            return route.handle
        if exchange.expects_token:
            is_token = api_key is ApiKey.SASL_AUTHENTICATE
            return self._authenticate if is_token else self._not_a_token
        if is_handshake and exchange.expects_handshake:
            return self._handshake
        if api_key is ApiKey.API_VERSIONS and exchange.expects_versions:
            return self._after_versions(route.handle)
        return self._unexpected

    def answer_bare_token(self, token: bytes, now_ms: int) -> Parts | DelayedResponse:
        """Answer a token without a header, as after version 0 of SaslHandshake."""
        try:
            challenge = self.exchange.token(token, now_ms)
        except (SaslAuthenticationError, SaslServerFailure):
            return self._closing(FAILED)
        return [sized(challenge.token)]

    # Handlers.

    def _after_versions(self, handle: Handle) -> Handle:
        """Wrap the handler of ApiVersions, which is served once without an error."""

        def handle_versions(request: Message, call: Call) -> Answer:
            answer = handle(request, call)
            if getattr(answer, "error_code", 0) == ErrorCode.NONE:
                self.exchange.versions_were_sent()
            return answer

        return handle_versions

    def _handshake(self, request: SaslHandshakeRequest, call: Call) -> Answer:
        response = SaslHandshakeResponse(mechanisms=list(self._mechanisms))
        if self.exchange.handshake(request.mechanism, call.api_version):
            return response
        why = f"Unsupported SASL mechanism {request.mechanism}"
        refusal = ApiError(ErrorCode.UNSUPPORTED_SASL_MECHANISM, why)
        call.service.refusals.note(FAILED, refusal, client_id=call.client_id)
        response.error_code = refusal.code
        return self._closing(FAILED) if self.exchange.is_another else self._late(response)

    def _authenticate(self, request: SaslAuthenticateRequest, call: Call) -> Answer:
        try:
            challenge = self.exchange.token(request.auth_bytes, call.now_ms)
        except SaslServerFailure as failed:
            raise CloseConnection(FAILED, why=str(failed)) from None
        except SaslAuthenticationError as refused:
            refusal = ApiError(ErrorCode.SASL_AUTHENTICATION_FAILED, str(refused))
            call.service.refusals.note(FAILED, refusal, client_id=call.client_id)
            return self._late(
                SaslAuthenticateResponse(error_code=refusal.code, error_message=refusal.why)
            )
        return SaslAuthenticateResponse(
            auth_bytes=challenge.token, session_lifetime_ms=challenge.session_lifetime_ms
        )

    def _not_a_token(self, _request: Message, call: Call) -> DelayedResponse:
        """Refuse a request in the place of a token, with its own response."""
        self.exchange.fail()
        refusal = ApiError(
            ErrorCode.ILLEGAL_SASL_STATE,
            f"Unexpected Kafka request of type {call.api_key.name} during SASL authentication.",
        )

        def refuse(_is_last: bool) -> NoReturn:
            raise refusal

        return self._last(refuse)

    def _unexpected(self, _request: Message, _call: Call) -> DelayedResponse:
        """Refuse a request in the place of a handshake, without a response."""
        self.exchange.fail()
        return self._closing("unexpected_during_authentication")

    # Ends of connections, which Kafka delays so that clients do not try again at once (KIP-306).

    def _late(self, response: Message) -> DelayedResponse:
        return self._last(lambda _is_last: response)

    def _closing(self, reason: str) -> DelayedResponse:
        outcome = Unanswered(hang_up=True, reason=reason)
        return self._last(lambda _is_last: outcome)

    def _last(self, attempt: Attempt) -> DelayedResponse:
        return DelayedResponse((), self._delay_ms, attempt, is_last=True)
