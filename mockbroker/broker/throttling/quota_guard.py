"""Guard around handlers: it measures what clients send, fetch and cost, and throttles them.

Follows Kafka's KafkaApis and ClientQuotaManager. Since KIP-219 (2.0), a throttled client gets its
response at once, with the time for which its connection is served no more; before, the response
itself comes so much later. A Fetch beyond the quota gets no records.
"""

from copy import copy
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.outcomes import Unanswered
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode, encode
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.messages.fetch import FetchRequest, FetchResponse
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.schema.message import Message
from mockbroker.state.client.quota_manager import QuotaManager
from mockbroker.state.client.quota_value import (
    CONSUMER_BYTE_RATE,
    PRODUCER_BYTE_RATE,
    REQUEST_PERCENTAGE,
)

if TYPE_CHECKING:
    from mockbroker.broker.call import Answer, Call, Handle
    from mockbroker.broker.service import Service

REQUEST_PERCENT: Final = 0.1
"""What a request costs, in percent of a thread's second: it counts as one millisecond.

Real requests take different times, and a test would be throttled at another point in each run.
"""
_EXEMPT: Final = frozenset(
    {ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE, ApiKey.WRITE_TXN_MARKERS}
)
"""Requests of authentication and between brokers, which are never throttled."""
_SIZE_BYTES: Final = 4
_SECOND_MS: Final = 1000
_THROTTLE: Final = "throttle_time_ms"


class _Managers(NamedTuple):
    """The quotas that one broker enforces."""

    produce: QuotaManager
    fetch: QuotaManager
    request: QuotaManager


class QuotaGuard:
    """Throttling at all brokers of a cluster."""

    def __init__(self, service: "Service") -> None:
        """Measure from now on."""
        self._service: Final = service
        self._delays_responses: Final = service.cluster.options.quotas.delays_responses
        self._managers: Final[dict[int, _Managers]] = {}

    def around(self, handle: "Handle") -> "Handle":
        """Wrap a handler so that its answers are measured."""

        def measured(request: Message, call: "Call") -> "Answer":
            if call.api_key in _EXEMPT:
                return handle(request, call)
            if isinstance(request, FetchRequest):
                request = self._within_quota(request, call)
            try:
                answer = handle(request, call)
            except ApiError as refusal:
                return self._refused(refusal, call)
            return self._measured(answer, request, call)

        return measured

    def _refused(self, refusal: ApiError, call: "Call") -> "Answer":
        """Count a request that is refused as a whole, whose response tells of throttling, too.

        Raises:
            ApiError: the refusal.

        """
        manager, now_ms = self._managers_of(call.broker_id).request, self._service.now_ms
        throttle_ms = manager.throttle_ms(*_client(call), REQUEST_PERCENT, now_ms)
        if not self._delays_responses or throttle_ms <= 0:
            call.throttle_ms = max(throttle_ms, 0)
            raise refusal

        def refuse(_is_last: bool) -> NoReturn:
            raise refusal

        return DelayedResponse((), throttle_ms, refuse)

    def _measured(self, answer: "Answer", request: Message, call: "Call") -> "Answer":
        if isinstance(answer, Unanswered):
            return answer
        if isinstance(answer, DelayedResponse):
            attempt = answer.attempt

            def again(is_last: bool) -> "Answer":
                later = attempt(is_last)
                return None if later is None else self._measured(later, request, call)

            answer.attempt = again
            return answer
        throttle_ms, answer = self._throttled(answer, request, call)
        if throttle_ms <= 0:
            return answer
        shown = answer if answer is None else _with_throttle_time(answer, throttle_ms, call)
        if self._delays_responses and shown is not None:
            return DelayedResponse((), throttle_ms, lambda _is_last: shown)
        call.throttle_ms = throttle_ms
        return shown

    def _throttled(
        self, answer: "Message | Encoded | None", request: Message, call: "Call"
    ) -> "tuple[int, Message | Encoded | None]":
        """Record a call, and return the time for which its client is throttled, with its answer."""
        managers, (user, client_id) = self._managers_of(call.broker_id), _client(call)
        now_ms = self._service.now_ms
        by_request_ms = by_bytes_ms = 0
        if not (isinstance(request, ProduceRequest) and request.acks == 0):
            by_request_ms = managers.request.throttle_ms(user, client_id, REQUEST_PERCENT, now_ms)
        if isinstance(request, ProduceRequest):
            size_bytes = call.request_bytes
            by_bytes_ms = managers.produce.throttle_ms(user, client_id, size_bytes, now_ms)
        elif isinstance(answer, FetchResponse) and isinstance(request, FetchRequest):
            size_bytes = _SIZE_BYTES + len(encode(answer, call.api_version))
            by_bytes_ms = managers.fetch.throttle_ms(user, client_id, size_bytes, now_ms)
            if max(by_request_ms, by_bytes_ms):
                managers.fetch.take_back(user, client_id, size_bytes, now_ms)
                answer = FetchResponse(session_id=_session_id(request))
        return max(by_request_ms, by_bytes_ms), answer

    def _within_quota(self, request: FetchRequest, call: "Call") -> FetchRequest:
        """Limit a Fetch to what its client may have at once."""
        most = self._managers_of(call.broker_id).fetch.most_in_window(*_client(call))
        if most is None or request.max_bytes <= most:
            return request
        limited = copy(request)
        limited.max_bytes = int(most)
        limited.min_bytes = min(request.min_bytes, limited.max_bytes)
        return limited

    def _managers_of(self, broker_id: int) -> _Managers:
        managers = self._managers.get(broker_id)
        if managers is None:
            managers = self._managers[broker_id] = _Managers(
                self._new_manager(PRODUCER_BYTE_RATE, broker_id),
                self._new_manager(CONSUMER_BYTE_RATE, broker_id),
                self._new_manager(REQUEST_PERCENTAGE, broker_id),
            )
        return managers

    def _new_manager(self, key: str, broker_id: int) -> QuotaManager:
        configs = self._service.cluster.configs
        window_ms = configs.broker_integer("quota.window.size.seconds", broker_id) * _SECOND_MS
        return QuotaManager(
            key,
            self._service.cluster.clients.quotas,
            samples=configs.broker_integer("quota.window.num", broker_id),
            window_ms=window_ms,
            most_ms=window_ms if key == REQUEST_PERCENTAGE else None,
        )


def _client(call: "Call") -> tuple[str, str]:
    """Return the names of the user and of the client."""
    return call.principal.partition(":")[2], call.client_id or ""


def _session_id(request: FetchRequest) -> int:
    """Return the id of a session that goes on; a new one does not begin."""
    return request.session_id if request.session_epoch > 0 else 0


def _with_throttle_time(
    answer: Message | Encoded, throttle_ms: int, call: "Call"
) -> Message | Encoded:
    kind = response_type(call.api_key)
    if _THROTTLE not in kind.FIELDS:
        return answer
    message = answer
    if isinstance(answer, Encoded):
        message = decode(kind, call.api_version, answer.body)
    setattr(message, _THROTTLE, throttle_ms)
    return message
