"""Request pipeline from a frame to its response: header, version, decode, handle, encode.

All errors are caught here: an `ApiError` becomes the error response of the API, undecodable bytes
close the connection, and an unexpected exception is logged and becomes UNKNOWN_SERVER_ERROR. Other
connections are not affected.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from mockbroker.broker.api_table import Route, unsupported_version_route
from mockbroker.broker.call import ANONYMOUS, LOCALHOST, Answer, Call, Handle
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.outcomes import (
    JOIN_BELOW_BYTES,
    CloseConnection,
    Parts,
    Unanswered,
)
from mockbroker.broker.service import Service
from mockbroker.broker.slices.steps import (
    ELEMENTS_MAX,
    RESPONSE_BYTES_MAX,
    SLICE_STEPS,
    Pace,
    Tally,
    TooManyElements,
)
from mockbroker.events import logging
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode_prefix, encoder
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.errors import ApiError, DecodeError, ErrorCode
from mockbroker.protocol.headers import (
    RequestHeader,
    read_api_key_and_version,
    request_header_version,
    response_front,
)
from mockbroker.protocol.messages import request_type, response_type
from mockbroker.protocol.schema.codegen import PacedCount
from mockbroker.protocol.schema.message import Message

if TYPE_CHECKING:
    from mockbroker.broker.authentication.sasl_gate import SaslGate
    from mockbroker.events.event_types import Loss

AnswerT = TypeVar("AnswerT", bound=Answer)

_THROTTLE: Final = "throttle_time_ms"
_TOO_MANY_ELEMENTS: Final = f"The request has more than {ELEMENTS_MAX} elements."


class DelayedCall:
    """Delayed response with its request and call, which are needed to encode it."""

    __slots__ = ("call", "delayed", "request")

    def __init__(self, delayed: DelayedResponse, request: Message, call: Call) -> None:
        """Keep the request and the call until the response."""
        self.delayed = delayed
        self.request = request
        self.call = call


class RequestPath:
    """Request pipeline of one connection to one broker."""

    __slots__ = (
        "_connection_id",
        "_service",
        "broker_id",
        "certificate_principal",
        "client_host",
        "client_id",
        "gate",
        "listener",
        "loses_requests",
        "loses_responses",
        "throttle_ms",
    )

    def __init__(
        self, service: Service, broker_id: int, connection_id: int, listener: str = ""
    ) -> None:
        """Serve for a broker, at the listener of that name."""
        self._service = service
        self.broker_id = broker_id
        self._connection_id = connection_id
        self.listener = listener
        self.client_id: str | None = None
        """Client id of the last request."""
        self.client_host = LOCALHOST
        """Client address as Java formats it; set when the connection is made."""
        self.certificate_principal = ANONYMOUS
        """Principal of the client's certificate; set when the connection is made."""
        self.throttle_ms = 0
        """Time after the last response for which the connection is served no more."""
        self.loses_requests = False
        """True after a request that never arrived: none arrives after it on this connection."""
        self.loses_responses = False
        """True after a response that never arrived: none arrives after it on this connection."""
        self.gate: SaslGate | None = None
        """Authentication by SASL; None on a listener without it."""

    @property
    def principal(self) -> str:
        """Principal of the client: by SASL, or else by its certificate."""
        return self.certificate_principal if self.gate is None else self.gate.principal

    def expire_session(self, now_ms: int) -> bool:
        """End the session of a client that authenticated by SASL; return whether it had one."""
        return self.gate is not None and self.gate.exchange.expire(now_ms)

    def answer(
        self, frame: bytes | bytearray, pace: Pace | None = None
    ) -> Parts | DelayedCall | None:
        """Respond to one frame, given without its size; None if no response is sent.

        Raises:
            CloseConnection: the protocol requires to close the connection.
            TooManySteps: the request does not fit into one slice, and `pace` was not given; nothing
                of it was handled.

        """
        gate = self.gate
        self.throttle_ms = 0
        if gate is not None and gate.exchange.expects_bare_token:
            return self._bare_token(gate, bytes(frame))
        route, header, position, paced = self._open(frame, pace)
        call = self._call(route.api_key, header)
        call.pace = pace
        call.request_bytes = len(frame)
        handle = route.handle if gate is None else gate.around(route, call)
        try:
            # As in Kafka, bytes after the last field are ignored: librdkafka sends
            # Metadata v13 with three extra bytes.
            request, _ = decode_prefix(
                request_type(route.api_key), header.request_api_version, frame, position, paced
            )
        except TooManyElements:
            return _too_large(call)
        except DecodeError as error:
            raise CloseConnection(
                "undecodable_request", api=route.api_key.name, field=error.path, why=error.why
            ) from None
        if pace is not None:
            pace.weigh(len(frame), route.steps)
        return self._handled(handle, request, call)

    def _bare_token(self, gate: "SaslGate", token: bytes) -> Parts | DelayedCall:
        answer = gate.answer_bare_token(token, self._service.now_ms)
        if not isinstance(answer, DelayedResponse):
            return answer
        header = RequestHeader(client_id=self.client_id)
        call = self._call(ApiKey.SASL_AUTHENTICATE, header)
        return DelayedCall(answer, request_type(call.api_key)(), call)

    def answer_in_slices(
        self, frame: bytes | bytearray, pause: Callable[[], None]
    ) -> Parts | DelayedCall | None:
        """Respond to one frame as `answer` does; `pause` is called after each slice.

        Raises:
            CloseConnection: the protocol requires to close the connection.

        """

        def pause_call() -> None:
            event_bus = self._service.event_bus
            if event_bus is None:
                pause()
            else:
                event_bus.between_calls(pause)

        return self.answer(frame, Pace(pause_call))

    def _open(
        self, frame: bytes | bytearray, pace: Pace | None
    ) -> tuple[Route, RequestHeader, int, PacedCount]:
        try:
            key, version = read_api_key_and_version(frame)
        except DecodeError as error:
            raise CloseConnection("undecodable_request", why=error.why) from None
        route = self._service.routes.get(key)
        if route is None:
            raise CloseConnection("unknown_api", key=key, version=version)
        is_served = version in route.versions
        if not is_served and route.api_key is not ApiKey.API_VERSIONS:
            raise CloseConnection("unsupported_version", api=route.api_key.name, version=version)
        paced: PacedCount = range
        if pace is not None:
            paced = pace.elements
        elif len(frame) * route.steps > SLICE_STEPS:  # an element has at least one byte
            paced = Tally(len(frame), route.steps).elements
        # An unsupported version of ApiVersions gets the supported ones (KIP-511): only the header
        # of such a request can be decoded.
        is_known = is_served or self._service.cluster.options.api_versions_refusal_names_itself
        header_version = request_header_version(route.api_key, version) if is_known else 1
        try:
            header, position = decode_prefix(RequestHeader, header_version, frame, 0, paced)
        except TooManyElements:
            raise CloseConnection(
                "too_many_elements", api=route.api_key.name, why=_TOO_MANY_ELEMENTS
            ) from None
        except DecodeError as error:
            raise CloseConnection("undecodable_request", field=error.path, why=error.why) from None
        if not is_served:
            header.request_api_version = 0
            return unsupported_version_route(route), header, len(frame), paced
        return route, header, position, paced

    def _call(self, api_key: ApiKey, header: RequestHeader) -> Call:
        self.client_id = header.client_id
        return Call(
            self._service,
            broker_id=self.broker_id,
            connection_id=self._connection_id,
            api_key=api_key,
            api_version=header.request_api_version,
            correlation_id=header.correlation_id,
            client_id=header.client_id,
            client_host=self.client_host,
            listener=self.listener,
            principal=self.principal,
        )

    def _handled(self, handle: Handle, request: Message, call: Call) -> Parts | DelayedCall | None:
        service = self._service
        if service.event_bus is not None:
            service.event_bus.request_came(request, call)
        faults = service.faults
        if service.isolated and call.broker_id in service.isolated:
            handle = service.isolated[call.broker_id].around(handle)
        if service.cluster.clients.quotas.throttle:
            handle = service.quota_guard.around(handle)
        if faults is not None:
            handle = faults.around(handle)
        answer = tried(lambda: handle(request, call), request, call)
        service.run_pending_soon()
        self.throttle_ms = call.throttle_ms
        if isinstance(answer, DelayedResponse):
            _try_later(answer, request, call)
            call.pace = None  # it is tried again in other rounds of the event loop
            return DelayedCall(answer, request, call)
        return self.given(answer, request, call)

    def given(
        self, answer: Message | Encoded | Unanswered | None, request: Message, call: Call
    ) -> Parts | None:
        """Return what is sent of an answer that is complete; None if nothing is.

        Raises:
            CloseConnection: the connection is to be closed.

        """
        if self.loses_responses and answer is not None and not isinstance(answer, Unanswered):
            answer = Unanswered(hang_up=False)
        if isinstance(answer, Unanswered):
            self._leave_unanswered(answer, call)
            return None
        if call.service.event_bus is not None:
            call.service.event_bus.answer_given(answer, request, call)
        return None if answer is None else written(answer, request, call)

    def _leave_unanswered(self, outcome: Unanswered, call: Call) -> None:
        if call.service.event_bus is not None:
            how: Loss = "hang_up" if outcome.hang_up else "silence"
            call.service.event_bus.answer_lost(call, how, outcome.reason)
        if outcome.hang_up:
            raise CloseConnection(outcome.reason, api=call.api_key.name)
        self.loses_requests |= outcome.loses_requests
        self.loses_responses |= outcome.loses_responses


def tried(work: Callable[[], AnswerT], request: Message, call: Call) -> AnswerT | Message:
    """Run a handler or a retry, and turn its exceptions into error responses."""
    event_bus = call.service.event_bus
    try:
        return work() if event_bus is None else event_bus.while_serving(call, work)
    except ApiError as refusal:
        call.service.refusals.note(
            "request_refused", refusal, api=call.api_key.name, client_id=call.client_id
        )
        return _refused(request, call, refusal)
    except CloseConnection as over:
        if event_bus is not None:
            event_bus.answer_lost(call, "hang_up", over.reason)
        raise
    except Exception as mistake:  # noqa: BLE001 - other requests are not affected
        _log_mistake(mistake, call)
        return _refused(request, call, ApiError(ErrorCode.UNKNOWN_SERVER_ERROR))


def _try_later(delayed: DelayedResponse, request: Message, call: Call) -> None:
    """Retry a delayed response, and those that replace it, as `tried` does."""
    attempt = delayed.attempt

    def again(is_last: bool) -> Answer:
        answer = tried(lambda: attempt(is_last), request, call)
        if isinstance(answer, DelayedResponse):
            _try_later(answer, request, call)
        return answer

    delayed.attempt = again


def written(response: Message | Encoded, request: Message, call: Call) -> Parts:
    """Encode a response; if that fails, encode UNKNOWN_SERVER_ERROR instead."""
    try:
        return response_parts(response, call)
    except ApiError as refused:
        call.service.refusals.note("request_refused", refused, api=call.api_key.name)
        refusal = refused
    except Exception as mistake:  # noqa: BLE001 - other requests are not affected
        _log_mistake(mistake, call)
        refusal = ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    return response_parts(_refused(request, call, refusal), call)


def _encode_in_slices(response: Message, call: Call, pace: Pace, parts: Parts) -> None:
    """Encode a response, and join its small parts after each slice.

    Raises:
        ApiError: POLICY_VIOLATION, the response is too large.

    """
    joined, size_bytes = len(parts), 0

    def join() -> None:
        nonlocal joined, size_bytes
        new = parts[joined:]
        new_bytes = sum(map(len, new))
        if new_bytes < JOIN_BELOW_BYTES * len(new):  # not for records, which are not copied
            parts[joined:] = [b"".join(new)]
            size_bytes += new_bytes
        joined = len(parts)
        if size_bytes > RESPONSE_BYTES_MAX:
            raise ApiError(
                ErrorCode.POLICY_VIOLATION,
                f"The response has more than {RESPONSE_BYTES_MAX} bytes.",
            )

    encoder(type(response), call.api_version)(response, parts.append, pace.encoded(join))


def _too_large(call: Call) -> Parts:
    """Refuse a request with more elements than a request may have.

    Raises:
        CloseConnection: the response has no error code beside those of its elements.

    """
    refusal = ApiError(ErrorCode.POLICY_VIOLATION, _TOO_MANY_ELEMENTS)
    response = _refused(request_type(call.api_key)(), call, refusal)
    if response == response_type(call.api_key)():
        raise CloseConnection("too_many_elements", api=call.api_key.name, why=refusal.why)
    call.service.refusals.note("request_refused", refusal, api=call.api_key.name)
    return response_parts(response, call)


def _refused(request: Message, call: Call, refusal: ApiError) -> Message:
    # Imported late: a start refuses no request.
    from mockbroker.protocol.error_response import error_response

    response = error_response(request, call.api_version, refusal, paced=call.paced)
    if call.throttle_ms and _THROTTLE in response.FIELDS:
        setattr(response, _THROTTLE, call.throttle_ms)
    return response


def _log_mistake(mistake: Exception, call: Call) -> None:
    logging.error(
        "handler_failed", api=call.api_key.name, version=call.api_version, exc_info=mistake
    )


def response_parts(response: Message | Encoded, call: Call) -> Parts:
    """Encode a response with its size and its header."""
    parts: Parts = [b""]
    if isinstance(response, Encoded):
        parts.append(response.body)
    elif call.pace is None:
        encoder(type(response), call.api_version)(response, parts.append)
    else:
        _encode_in_slices(response, call, call.pace, parts)
    parts[0] = response_front(
        call.api_key,
        call.api_version,
        correlation_id=call.correlation_id,
        body_bytes=sum(map(len, parts)),
    )
    return parts
