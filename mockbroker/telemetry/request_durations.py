"""Durations of requests, as a histogram of OpenTelemetry."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from opentelemetry.metrics import Histogram

from mockbroker.events.event_types import (
    AnswerGiven,
    AnswerLost,
    CallId,
    ClusterEvent,
    Event,
    RequestCame,
)
from mockbroker.protocol.error_response import first_error
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.schema.message import Message
from mockbroker.telemetry import attributes as names
from mockbroker.telemetry.request_spans import NO_ANSWER, RESET

_NANOSECONDS: Final = 1e9


class RequestDurations:
    """Subscriber that records how long each request of a client took."""

    def __init__(self, histogram: Histogram, now_ns: Callable[[], int]) -> None:
        """Start without requests."""
        self._histogram: Final = histogram
        self._now_ns: Final = now_ns
        self._since_ns: Final[dict[int, int]] = {}
        self._handlers: Final[Mapping[type[Any], Callable[[Any], None]]] = {
            AnswerGiven: self._answered,
            AnswerLost: self._lost,
            ClusterEvent: self._changed,
            RequestCame: self._came,
        }

    def on_event(self, event: Event) -> None:
        """Note the beginning or the end of a request."""
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)

    def _came(self, event: RequestCame) -> None:
        if not event.call.is_between_brokers:
            self._since_ns[event.call.number] = self._now_ns()

    def _answered(self, event: AnswerGiven) -> None:
        response = event.response
        error = first_error(response) if isinstance(response, Message) else ErrorCode.NONE
        self._end(event.call, error.name)

    def _lost(self, event: AnswerLost) -> None:
        self._end(event.call, NO_ANSWER)

    def _changed(self, event: ClusterEvent) -> None:
        if event.kind == RESET:
            self._since_ns.clear()

    def _end(self, call: CallId, status: str) -> None:
        since_ns = self._since_ns.pop(call.number, None)
        if since_ns is None:
            return
        values = {
            names.RPC_SYSTEM: names.KAFKA,
            names.RPC_METHOD: call.api.title,
            names.RPC_STATUS: status,
        }
        if status != ErrorCode.NONE.name:
            values[names.ERROR_TYPE] = status
        self._histogram.record((self._now_ns() - since_ns) / _NANOSECONDS, values)
