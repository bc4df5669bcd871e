"""Event bus of a cluster: reports events to its subscribers, such as the ledger and the journal.

The service has an `EventBus` only while there are subscribers. Without one, each source of events
makes one check for it; code that answers many requests at once makes one check for all of them.
Subscribers are called on the cluster's loop, in the order of the events.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, TypeVar

from mockbroker.events.event_types import (
    AnswerGiven,
    AnswerLost,
    BatchProduced,
    CallId,
    ClusterEvent,
    ConnectionClosed,
    ConnectionOpened,
    Event,
    HungUp,
    Loss,
    RequestCame,
    Sender,
)
from mockbroker.events.late_event_bus import LateEventBus
from mockbroker.state.event_reporter import EventReporter, position_of

if TYPE_CHECKING:
    from mockbroker.protocol.api_keys import ApiKey
    from mockbroker.protocol.encoded import Encoded
    from mockbroker.protocol.schema.message import Message
    from mockbroker.state.cluster_state import ClusterState
    from mockbroker.state.topic.topic import Partition

T = TypeVar("T")

Subscriber: TypeAlias = Callable[[Event], None]
"""Subscriber: called after each event. It must not raise, block, or change the cluster."""


class EventSource(Protocol):
    """The service whose events a bus reports."""

    cluster: "ClusterState"
    now_ms: int
    event_bus: "EventBus | LateEventBus | None"

    def publish_to(self, event_bus: "EventBus | LateEventBus | None") -> None:
        """Report events to a bus from now on, or to none."""
        ...

    def cluster_of(self, broker_id: int) -> "ClusterState":
        """Return the state by which a broker serves calls: its own one while it is isolated."""
        ...


class TracedCall(Protocol):
    """A request that is being processed, as events name it."""

    broker_id: int
    connection_id: int
    client_id: str | None
    api_key: "ApiKey"
    api_version: int
    correlation_id: int
    principal: str
    call_id: CallId | None


class EventBus:
    """Event bus: reports each event to all subscribers."""

    __slots__ = (
        "broker_call_followers",
        "calls",
        "reporter",
        "request_followers",
        "service",
        "serving",
        "subscribers",
    )

    def __init__(self, service: EventSource) -> None:
        """Start without subscribers."""
        self.service = service
        """The service that is observed; a reset of the cluster replaces it."""
        self.subscribers: Final[list[Subscriber]] = []
        self.reporter: Final = EventReporter(self.publish)
        """Reporter of the state's events."""
        self.calls = 0
        """Number of requests received so far."""
        self.broker_call_followers = 0
        """Number of subscribers that need the calls between brokers; for others they cost time."""
        self.request_followers = 0
        """Number of subscribers that need the arrival of each request: none takes the fast path."""
        self.serving: CallId | None = None
        """The call that causes the state's current events."""

    def publish(self, event: Event) -> None:
        """Report an event to all subscribers."""
        for subscriber in self.subscribers:
            subscriber(event)

    def note(self, kind: str, facts: Mapping[str, object]) -> None:
        """Report a control action on the cluster."""
        self.publish(ClusterEvent(kind, facts))

    def number_call(self) -> int:
        """Count one more request, and return its number."""
        self.calls += 1
        return self.calls

    def request_came(self, request: "Message", call: TracedCall) -> None:
        """Report a request, and assign the id that later events of its call have."""
        call.call_id = call_id = CallId(
            self.number_call(),
            call.broker_id,
            call.connection_id,
            call.client_id,
            call.api_key,
            call.api_version,
            call.correlation_id,
            call.principal,
        )
        self.publish(RequestCame(call_id, request))

    def answer_given(
        self, response: "Message | Encoded | None", request: "Message", call: TracedCall
    ) -> None:
        """Report a response, unless its request came before there were subscribers."""
        if call.call_id is not None:
            self.publish(AnswerGiven(call.call_id, request, response))

    def answer_lost(self, call: TracedCall, how: Loss, reason: str) -> None:
        """Report that a call gets no response, unless it came before there were subscribers."""
        if call.call_id is not None:
            self.publish(AnswerLost(call.call_id, how, reason))

    def connection_opened(self, broker: int, connection: int, client_host: str) -> None:
        """Report a new connection."""
        self.publish(ConnectionOpened(broker, connection, client_host))

    def connection_closed(self, broker: int, connection: int) -> None:
        """Report the end of a connection."""
        self.publish(ConnectionClosed(broker, connection))

    def hung_up(
        self, broker: int, connection: int, reason: str, facts: Mapping[str, object]
    ) -> None:
        """Report that the broker closes a connection."""
        self.publish(HungUp(broker, connection, reason, facts))

    def batch_produced(
        self,
        sender: Sender,
        correlation_id: int,
        partition: "Partition",
        fields: Sequence[int],
        base_offset: int,
    ) -> None:
        """Report a request with one batch that was appended and answered."""
        number = self.number_call()
        position = position_of(partition)
        self.publish(BatchProduced(number, correlation_id, sender, fields, base_offset, position))

    def while_serving(self, call: TracedCall, work: Callable[[], T]) -> T:
        """Run work for a call: the state's events during it belong to the call."""
        before, self.serving = self.serving, call.call_id
        try:
            return work()
        finally:
            self.serving = before

    def between_calls(self, work: Callable[[], None]) -> None:
        """Run work in the middle of a call: the state's events during it belong to other calls."""
        before, self.serving = self.serving, None
        try:
            work()
        finally:
            self.serving = before


def subscribe(service: EventSource, subscriber: Subscriber) -> Callable[[], None]:
    """Subscribe to events from now on; return a function that unsubscribes."""
    event_bus = service.event_bus
    if isinstance(event_bus, LateEventBus):
        event_bus = event_bus.replaced()
    elif event_bus is None:
        event_bus = EventBus(service)
        service.publish_to(event_bus)
    event_bus.subscribers.append(subscriber)

    def stop() -> None:
        event_bus.subscribers.remove(subscriber)
        if not event_bus.subscribers:
            event_bus.service.publish_to(None)

    return stop
