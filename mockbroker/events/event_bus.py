"""Who listens to what happens in a cluster: the taps of ledger and journal.

The service has an `EventBus` only while somebody listens; without one, each place where something
happens asks once whether there is one, and those that answer many requests at once ask once for
all of them. Listeners are called on the cluster's loop, in the order of what happens.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, TypeVar

from mockbroker.events.event_types import (
    AnswerGiven,
    AnswerLost,
    BatchProduced,
    CallId,
    ConnectionClosed,
    ConnectionOpened,
    Event,
    HungUp,
    Loss,
    RequestCame,
    Sender,
)
from mockbroker.state.observation import position_of

if TYPE_CHECKING:
    from mockbroker.protocol.api_keys import ApiKey
    from mockbroker.protocol.encoded import Encoded
    from mockbroker.protocol.schema.message import Message
    from mockbroker.state.cluster_state import ClusterState
    from mockbroker.state.topic.topic import Partition

T = TypeVar("T")

Subscriber: TypeAlias = Callable[[Event], None]
"""Told of what has just happened; it must not raise, not wait, and not change the cluster."""


class EventSource(Protocol):
    """The service whose events a bus reports."""

    cluster: "ClusterState"
    now_ms: int

    def publish_to(self, event_bus: "EventBus | None") -> None:
        """Report events to a bus from now on, or to none."""
        ...


class TracedCall(Protocol):
    """A request that is being processed, as events name it."""

    broker_id: int
    connection_id: int
    client_id: str | None
    api_key: "ApiKey"
    api_version: int
    correlation_id: int
    call_id: CallId | None


class EventBus:
    """Tells all subscribers what happens."""

    __slots__ = ("calls", "service", "serving", "subscribers")

    def __init__(self, service: EventSource) -> None:
        """Begin without subscribers."""
        self.service = service
        """Where it happens; another one takes its place when the cluster begins anew."""
        self.subscribers: Final[list[Subscriber]] = []
        self.calls = 0
        """How many requests have come."""
        self.serving: CallId | None = None
        """The call of which all is done that the state tells now."""

    def publish(self, event: Event) -> None:
        """Tell everybody."""
        for subscriber in self.subscribers:
            subscriber(event)

    def number_call(self) -> int:
        """Count one more request, and return its number."""
        self.calls += 1
        return self.calls

    def request_came(self, request: "Message", call: TracedCall) -> None:
        """Tell of a request; what comes of the call bears its number from then on."""
        call.call_id = call_id = CallId(
            self.number_call(),
            call.broker_id,
            call.connection_id,
            call.client_id,
            call.api_key,
            call.api_version,
            call.correlation_id,
        )
        self.publish(RequestCame(call_id, request))

    def answer_given(
        self, response: "Message | Encoded | None", request: "Message", call: TracedCall
    ) -> None:
        """Tell of an answer, unless its request came before anybody listened."""
        if call.call_id is not None:
            self.publish(AnswerGiven(call.call_id, request, response))

    def answer_lost(self, call: TracedCall, how: Loss, reason: str) -> None:
        """Tell that a call will not be answered, likewise."""
        if call.call_id is not None:
            self.publish(AnswerLost(call.call_id, how, reason))

    def connection_opened(self, broker: int, connection: int, client_host: str) -> None:
        """Tell of a new connection."""
        self.publish(ConnectionOpened(broker, connection, client_host))

    def connection_closed(self, broker: int, connection: int) -> None:
        """Tell of a connection that is no more."""
        self.publish(ConnectionClosed(broker, connection))

    def hung_up(
        self, broker: int, connection: int, reason: str, facts: Mapping[str, object]
    ) -> None:
        """Tell of a connection that the broker closes."""
        self.publish(HungUp(broker, connection, reason, facts))

    def batch_produced(
        self,
        sender: Sender,
        correlation_id: int,
        partition: "Partition",
        fields: Sequence[int],
        base_offset: int,
    ) -> None:
        """Tell of a request with one batch that was appended and is answered."""
        number = self.number_call()
        position = position_of(partition)
        self.publish(BatchProduced(number, correlation_id, sender, fields, base_offset, position))

    def while_serving(self, call: TracedCall, work: Callable[[], T]) -> T:
        """Do what is done for a call."""
        before, self.serving = self.serving, call.call_id
        try:
            return work()
        finally:
            self.serving = before
