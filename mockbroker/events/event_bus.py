"""Who listens to what happens in a cluster: the taps of ledger and journal.

The service has an `Evidence` only while somebody listens; without one, each place where something
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
    Happening,
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

Listener: TypeAlias = Callable[[Happening], None]
"""Told of what has just happened; it must not raise, not wait, and not change the cluster."""


class EventSource(Protocol):
    """The service whose events a bus reports."""

    cluster: "ClusterState"
    now_ms: int

    def tell(self, evidence: "Evidence | None") -> None:
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
    known_as: CallId | None


class Evidence:
    """Tells all listeners what happens."""

    __slots__ = ("calls", "listeners", "service", "serving")

    def __init__(self, service: EventSource) -> None:
        """Begin without listeners."""
        self.service = service
        """Where it happens; another one takes its place when the cluster begins anew."""
        self.listeners: Final[list[Listener]] = []
        self.calls = 0
        """How many requests have come."""
        self.serving: CallId | None = None
        """The call of which all is done that the state tells now."""

    def tell(self, happening: Happening) -> None:
        """Tell everybody."""
        for listener in self.listeners:
            listener(happening)

    def number_call(self) -> int:
        """Count one more request, and return its number."""
        self.calls += 1
        return self.calls

    def request_came(self, request: "Message", call: TracedCall) -> None:
        """Tell of a request; what comes of the call bears its number from then on."""
        call.known_as = known_as = CallId(
            self.number_call(),
            call.broker_id,
            call.connection_id,
            call.client_id,
            call.api_key,
            call.api_version,
            call.correlation_id,
        )
        self.tell(RequestCame(known_as, request))

    def answer_given(
        self, response: "Message | Encoded | None", request: "Message", call: TracedCall
    ) -> None:
        """Tell of an answer, unless its request came before anybody listened."""
        if call.known_as is not None:
            self.tell(AnswerGiven(call.known_as, request, response))

    def answer_lost(self, call: TracedCall, how: Loss, reason: str) -> None:
        """Tell that a call will not be answered, likewise."""
        if call.known_as is not None:
            self.tell(AnswerLost(call.known_as, how, reason))

    def connection_opened(self, broker: int, connection: int, client_host: str) -> None:
        """Tell of a new connection."""
        self.tell(ConnectionOpened(broker, connection, client_host))

    def connection_closed(self, broker: int, connection: int) -> None:
        """Tell of a connection that is no more."""
        self.tell(ConnectionClosed(broker, connection))

    def hung_up(
        self, broker: int, connection: int, reason: str, facts: Mapping[str, object]
    ) -> None:
        """Tell of a connection that the broker closes."""
        self.tell(HungUp(broker, connection, reason, facts))

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
        self.tell(BatchProduced(number, correlation_id, sender, fields, base_offset, position))

    def while_serving(self, call: TracedCall, work: Callable[[], T]) -> T:
        """Do what is done for a call."""
        before, self.serving = self.serving, call.known_as
        try:
            return work()
        finally:
            self.serving = before
