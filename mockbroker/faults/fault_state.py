"""State of a fault on the event loop: its selectors, trigger, effect and counts."""

from collections.abc import Callable
from threading import Condition
from typing import TYPE_CHECKING, Final

from mockbroker.broker.call import Answer, Call, Handle
from mockbroker.events.event_types import FaultStruck
from mockbroker.faults.call_facts import CallFacts, ConnectionFacts, facts_of
from mockbroker.faults.effect import Effect
from mockbroker.faults.held import Held
from mockbroker.faults.network.toxic import Toxic
from mockbroker.faults.selectors import NearMiss, Selectors
from mockbroker.faults.strike import Strike
from mockbroker.faults.trigger import Once, Trigger
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.schema.message import Message

if TYPE_CHECKING:
    from mockbroker.faults.fault_plan import FaultPlan


class FaultState:
    """A fault with its counts. Only the event loop changes it."""

    def __init__(self, plan: "FaultPlan", name: str, selectors: Selectors) -> None:
        """Create a fault without an effect."""
        self.plan: Final = plan
        self.name: Final = name
        self.selectors: Final = selectors
        self.effect: Effect | None = None
        """Effect on calls."""
        self.toxic: Toxic | None = None
        """Effect on connections; a fault has one of the two."""
        self.trigger: Trigger = Once()
        self.has_own_trigger = False
        """True if the trigger was chosen, and does not follow from the effect."""
        self.calls = 0
        """Number of calls, or connections, that matched."""
        self.hits = 0
        """Number of them at which the fault fired."""
        self.touched_bytes = 0
        """Number of bytes of connections that the toxic affected."""
        self.held: list[Held] = []
        """The calls that are held now."""
        self.held_ever = 0
        self.released = 0
        """Number of calls that were held and released."""
        self.last_error: ErrorCode | None = None
        """The error in the answer to the last released call."""
        self.nearest: tuple[NearMiss, CallFacts | ConnectionFacts] | None = None
        """The closest call or connection that did not match, and the selector that did not."""
        self.is_reported = False
        """True once a test was told that the fault has no effect."""
        self.reported_as = ""
        """The text with which it was last reported to the event bus."""
        self.changed: Final = Condition()
        """Notified whenever a count changes, for other threads that wait."""
        self.watchers: Final[list[Callable[[], None]]] = []
        """Called then as well, on the loop, for tasks that wait there."""

    @property
    def does(self) -> Effect | Toxic | None:
        """The effect on calls or connections; None before it is chosen."""
        return self.effect or self.toxic

    @property
    def warning(self) -> str | None:
        """A warning about an error that no Kafka broker sends there."""
        return None if self.effect is None else self.effect.warning(self.selectors.apis)

    @property
    def is_over(self) -> bool:
        """True if the fault can fire no more."""
        return self.trigger.is_over(self.calls)

    def fires(self, facts: CallFacts) -> bool:
        """Count a call if it matches, and return whether the fault fires."""
        chosen = self.selectors.chosen(facts)
        if isinstance(chosen, NearMiss):
            self.note_miss(chosen, facts)
            return False
        fires = self.counts()
        self.hits += fires
        self.notify()
        return fires

    def notify(self) -> None:
        """Notify the waiters of changed counts."""
        with self.changed:
            self.changed.notify_all()
        for watcher in tuple(self.watchers):
            watcher()

    def counts(self) -> bool:
        """Count a matching call or connection, and return whether the fault fires."""
        self.calls += 1
        return self.trigger.fires(self.calls, self.plan.random)

    def note_miss(self, miss: NearMiss, facts: CallFacts | ConnectionFacts) -> None:
        """Store a call that did not match, if it is the closest one so far."""
        if self.nearest is None or miss.fitted >= self.nearest[0].fitted:
            self.nearest = (miss, facts)

    def touches(self, size_bytes: int, *, is_first: bool) -> None:
        """Count bytes of a connection; its first ones are a hit."""
        self.hits += is_first
        self.touched_bytes += size_bytes
        self.notify()

    def around(self, handle: Handle) -> Handle:
        """Wrap a handler: the matching items of its request get the effect."""

        def struck(request: Message, call: Call) -> Answer:
            facts = facts_of(request, call)
            chosen = self.selectors.chosen(facts)
            if isinstance(chosen, NearMiss):  # an outer fault has removed the items
                return handle(request, call)
            assert self.effect is not None
            if call.call_id is not None:
                items = tuple(item.named for item in chosen)
                effect, applied = str(self.effect), self.effect.applied
                self.plan.report(FaultStruck(call.call_id, self.name, effect, applied, items))
            return self.effect.strike(Strike(self, request, call, facts, chosen, handle))

        return struck

    def __str__(self) -> str:
        """Write the fault as Python makes it."""
        does = "" if self.does is None else f".{self.does}"
        return f"{self.name}: fault({self.selectors}){does}.{self.trigger}"
