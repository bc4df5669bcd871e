"""Event bus of a cluster whose ledger has not begun: it waits for the first event to record.

The ledger and its events take a tenth of the time of a start to import, and clients that only look
at a cluster need neither.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mockbroker.protocol.api_keys import ApiKey

if TYPE_CHECKING:
    from mockbroker.events.event_bus import EventBus, EventSource, TracedCall
    from mockbroker.protocol.schema.message import Message

T = TypeVar("T")

RECORDED: Final = frozenset(
    {
        ApiKey.PRODUCE,
        ApiKey.INIT_PRODUCER_ID,
        ApiKey.ADD_PARTITIONS_TO_TXN,
        ApiKey.ADD_OFFSETS_TO_TXN,
        ApiKey.END_TXN,
        ApiKey.TXN_OFFSET_COMMIT,
    }
)
"""APIs of which a ledger records something."""


class LateEventBus:
    """Event bus that a real one replaces at the first event that a ledger records."""

    __slots__ = ("_begin", "service")

    broker_call_followers: Final = 0
    request_followers: Final = 0
    reporter: Final = None
    serving: Final = None

    def __init__(self, service: "EventSource", begin: Callable[[], None]) -> None:
        """Take the function that subscribes the ledger."""
        self.service = service
        """The service that is observed; a reset of the cluster replaces it."""
        self._begin = begin

    def replaced(self) -> "EventBus":
        """Begin the ledger, and return the event bus to which it has subscribed."""
        self.service.publish_to(None)
        self._begin()
        event_bus: Any = self.service.event_bus
        assert event_bus is not None, "the ledger has subscribed"
        return event_bus  # type: ignore[no-any-return]

    def request_came(self, request: "Message", call: "TracedCall") -> None:
        """Begin the ledger if it records requests of this API."""
        if call.api_key in RECORDED:
            self.replaced().request_came(request, call)

    def hung_up(
        self, broker: int, connection: int, reason: str, facts: Mapping[str, object]
    ) -> None:
        """Begin the ledger, which records why brokers close connections."""
        self.replaced().hung_up(broker, connection, reason, facts)

    def while_serving(self, _call: "TracedCall", work: Callable[[], T]) -> T:
        """Run work for a call."""
        return work()

    def between_calls(self, work: Callable[[], None]) -> None:
        """Run work in the middle of a call."""
        work()

    def ignore(self, *_event: object, **_facts: object) -> None:
        """Let an event pass that no ledger records."""

    answer_given = answer_lost = connection_opened = connection_closed = ignore
    batch_produced = note = publish = ignore
