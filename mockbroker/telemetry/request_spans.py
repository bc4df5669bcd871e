"""Spans of requests: one of kind SERVER for each request of a client, or of a broker.

A span begins when the request was read, and ends when its response was passed to the transport, or
is lost. Its times are real ones, as those of connections are; the virtual time is an attribute.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from opentelemetry.context import Context
from opentelemetry.trace import (
    Link,
    Span,
    SpanKind,
    Status,
    StatusCode,
    Tracer,
    set_span_in_context,
)

from mockbroker.events.event_types import (
    AnswerGiven,
    AnswerLost,
    CallHeld,
    CallId,
    CallReleased,
    ClusterEvent,
    ConnectionClosed,
    ConnectionOpened,
    Event,
    FaultStruck,
    RequestCame,
)
from mockbroker.journal.call_items import answer_facts, request_facts
from mockbroker.journal.recorded import Facts
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Uuid
from mockbroker.state.events import MarkerAppended, TransactionChanged
from mockbroker.telemetry import attributes as names
from mockbroker.telemetry.call_attributes import (
    Values,
    answer_attributes,
    call_attributes,
    request_attributes,
)
from mockbroker.telemetry.record_links import links_of
from mockbroker.telemetry.transaction_spans import ROOT, TransactionSpans

NO_ANSWER: Final = "NO_ANSWER"
"""Status of a request that gets no response, beside Kafka's error codes."""
RESET: Final = "reset"
"""Kind of the event of a reset, after which nothing is reported of the requests before it."""
_THROTTLE: Final = "throttle_time_ms"
_NANOSECONDS: Final = 1_000_000


class TracedCluster(Protocol):
    """A cluster, as its spans describe it."""

    def now_ns(self) -> int:
        """Return the real time."""
        ...

    def virtual_time_ms(self) -> int:
        """Return the time of the cluster's state."""
        ...

    def serving(self) -> CallId | None:
        """Return the call that causes the present event."""
        ...

    def address_of(self, broker_id: int) -> tuple[str, int]:
        """Return the address that clients of a broker know."""
        ...

    def topic_name(self, topic_id: Uuid) -> str | None:
        """Return the name of a topic."""
        ...


class OpenCall:
    """A request that has no response yet."""

    __slots__ = ("faults", "held_ns", "held_since_ns", "items", "span", "transactional_id")

    def __init__(self, span: Span, items: list[Facts], transactional_id: str | None) -> None:
        """Take the span, and what the request asks for."""
        self.span: Final = span
        self.items: Final = items
        self.transactional_id: Final = transactional_id
        self.faults: Final[list[FaultStruck]] = []
        self.held_ns = 0
        self.held_since_ns: int | None = None


class RequestSpans:
    """Subscriber that makes spans of the requests and transactions of one cluster."""

    def __init__(self, tracer: Tracer, cluster: TracedCluster) -> None:
        """Start without requests."""
        self._tracer: Final = tracer
        self._cluster: Final = cluster
        self._transactions: Final = TransactionSpans(tracer, cluster.now_ns)
        self._open: Final[dict[int, OpenCall]] = {}
        """By number of the call."""
        self._hosts: Final[dict[int, str]] = {}
        """Hosts of the clients, by connection."""
        self._handlers: Final[Mapping[type[Any], Callable[[Any], None]]] = {
            AnswerGiven: self._answered,
            AnswerLost: self._lost,
            CallHeld: self._held,
            CallReleased: self._released,
            ClusterEvent: self._changed,
            ConnectionClosed: self._disconnected,
            ConnectionOpened: self._connected,
            FaultStruck: self._struck,
            MarkerAppended: self._transactions.marked,
            RequestCame: self._came,
            TransactionChanged: self._transactions.changed,
        }

    def on_event(self, event: Event) -> None:
        """Begin, describe or end a span."""
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)

    def end_all(self, outcome: str) -> None:
        """End all spans, because the cluster stops or is reset."""
        for opened in self._open.values():
            opened.span.set_attribute(names.LOST, outcome)
            opened.span.end(self._cluster.now_ns())
        self._open.clear()
        self._transactions.end_all(outcome)

    def _connected(self, event: ConnectionOpened) -> None:
        self._hosts[event.connection] = event.client_host.removeprefix("/")

    def _disconnected(self, event: ConnectionClosed) -> None:
        self._hosts.pop(event.connection, None)

    def _changed(self, event: ClusterEvent) -> None:
        if event.kind == RESET:
            self.end_all(RESET)
            self._hosts.clear()  # all connections were closed, and their numbers begin again

    def _came(self, event: RequestCame) -> None:
        call, request = event
        start_ns = self._cluster.now_ns()
        items = request_facts(request, call.version, self._cluster.topic_name)
        values: Values = {**call_attributes(call), **request_attributes(items)}
        values[names.SERVER_ADDRESS], values[names.SERVER_PORT] = self._cluster.address_of(
            call.broker
        )
        values[names.VIRTUAL_TIME_MS] = self._cluster.virtual_time_ms()
        if call.connection in self._hosts:
            values[names.PEER_ADDRESS] = self._hosts[call.connection]
        transactional_id = values.get(names.TRANSACTIONAL_ID)
        transactional_id = transactional_id if isinstance(transactional_id, str) else None
        span = self._tracer.start_span(
            " ".join(filter(None, (call.api.title, str(values.get(names.DESTINATION, ""))))),
            self._parent_of(call, transactional_id, start_ns),
            SpanKind.SERVER,
            values,
            links_of(request),
            start_ns,
        )
        self._open[call.number] = OpenCall(span, items, transactional_id)

    def _parent_of(self, call: CallId, transactional_id: str | None, start_ns: int) -> Context:
        """Return the client's call that a broker's call is part of, or the transaction."""
        cause = self._cluster.serving()
        if call.is_between_brokers:
            opened = None if cause is None else self._open.get(cause.number)
            return ROOT if opened is None else set_span_in_context(opened.span, ROOT)
        if transactional_id is None:
            return ROOT
        return self._transactions.parent_of(transactional_id, call.api, call.number, start_ns)

    def _struck(self, event: FaultStruck) -> None:
        opened = self._open.get(event.call.number)
        if opened is not None:
            opened.faults.append(event)
            facts = {
                names.FAULT: event.rule,
                names.FAULT_EFFECT: event.effect,
                names.FAULT_APPLIED: event.applied,
            }
            opened.span.add_event("fault.struck", facts, self._cluster.now_ns())

    def _held(self, event: CallHeld) -> None:
        opened = self._open.get(event.call.number)
        if opened is not None:
            opened.held_since_ns = now_ns = self._cluster.now_ns()
            opened.span.add_event("fault.held", {names.FAULT: event.rule}, now_ns)

    def _released(self, event: CallReleased) -> None:
        opened = self._open.get(event.call.number)
        if opened is not None and opened.held_since_ns is not None:
            now_ns = self._cluster.now_ns()
            opened.held_ns += now_ns - opened.held_since_ns
            opened.held_since_ns = None
            opened.span.add_event("fault.released", {names.FAULT: event.rule}, now_ns)

    def _answered(self, event: AnswerGiven) -> None:
        call, _, response = event
        opened = self._open.get(call.number)
        if opened is None:
            return
        values: Values = {}
        links: list[Link] = []
        if isinstance(response, Message):
            name = self._cluster.topic_name
            facts = answer_facts(response, opened.items, call.version, name)
            values = answer_attributes(facts)
            throttle_ms = getattr(response, _THROTTLE, 0)
            if throttle_ms:
                values[names.THROTTLE_MS] = throttle_ms
            links = links_of(response)
        self._end(call, values, links)

    def _lost(self, event: AnswerLost) -> None:
        self._end(
            event.call,
            {names.ERROR_TYPE: NO_ANSWER, names.LOST: event.how, names.LOST_REASON: event.reason},
            [],
        )

    def _end(self, call: CallId, values: Values, links: list[Link]) -> None:
        opened = self._open.pop(call.number, None)
        if opened is None:
            return
        span, now_ns = opened.span, self._cluster.now_ns()
        held_ns = opened.held_ns
        if opened.held_since_ns is not None:
            held_ns += now_ns - opened.held_since_ns
        if held_ns:
            values[names.HELD_MS] = held_ns // _NANOSECONDS
        if opened.faults:
            values[names.FAULT] = [each.rule for each in opened.faults]
            values[names.FAULT_EFFECT] = [each.effect for each in opened.faults]
            values[names.FAULT_APPLIED] = [each.applied for each in opened.faults]
        for link in links:
            span.add_link(link.context)
        span.set_attributes(values)
        error = values.get(names.ERROR_TYPE)
        if error is not None:
            span.set_status(Status(StatusCode.ERROR, str(error)))
        span.end(now_ns)
        if opened.transactional_id is not None and not call.is_between_brokers:
            self._transactions.answered(opened.transactional_id, call.api, call.number, span)
