"""A fault as the event loop knows it: its selectors, trigger, effect and counts."""

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
    """What goes wrong, when, and how often it has. Only the event loop changes it."""

    def __init__(self, plan: "FaultPlan", name: str, selectors: Selectors) -> None:
        """Make a fault that does nothing before it has an effect."""
        self.plan: Final = plan
        self.name: Final = name
        self.selectors: Final = selectors
        self.effect: Effect | None = None
        """What it does to calls."""
        self.toxic: Toxic | None = None
        """What it does to connections, instead."""
        self.trigger: Trigger = Once()
        self.calls = 0
        """How many calls matched, or connections."""
        self.hits = 0
        """At how many of them it fired."""
        self.touched_bytes = 0
        """How many bytes of connections it did something to."""
        self.held: list[Held] = []
        """The calls that are held now."""
        self.held_ever = 0
        self.released = 0
        """Number of calls that were held and released."""
        self.last_error: ErrorCode | None = None
        """The error in the answer to the last released call."""
        self.nearest: tuple[NearMiss, CallFacts | ConnectionFacts] | None = None
        """The closest call or connection that did not match, and the selector that did not."""
        self.reported_as = ""
        """The text with which it was last reported to the event bus."""
        self.changed: Final = Condition()
        """Notified whenever a count changes, for other threads that wait."""
        self.watchers: Final[list[Callable[[], None]]] = []
        """Called then as well, on the loop, for tasks that wait there."""

    @property
    def does(self) -> Effect | Toxic | None:
        """What the fault does to calls or to connections; None before that was chosen."""
        return self.effect or self.toxic

    @property
    def warning(self) -> str | None:
        """What is probably not meant: an error that no Kafka broker sends there."""
        return None if self.effect is None else self.effect.warning(self.selectors.apis)

    @property
    def is_over(self) -> bool:
        """Whether the fault can fire no more."""
        return self.trigger.is_over(self.calls)

    def fires(self, facts: CallFacts) -> bool:
        """Count a call if it matches, and tell whether the fault fires."""
        chosen = self.selectors.chosen(facts)
        if isinstance(chosen, NearMiss):
            self.note_miss(chosen, facts)
            return False
        fires = self.counts()
        self.hits += fires
        self.notify()
        return fires

    def notify(self) -> None:
        """Wake those that wait for a change of the counts."""
        with self.changed:
            self.changed.notify_all()
        for watcher in tuple(self.watchers):
            watcher()

    def counts(self) -> bool:
        """Count a call or a connection that matches, and tell whether the fault fires."""
        self.calls += 1
        return self.trigger.fires(self.calls, self.plan.random)

    def note_miss(self, miss: NearMiss, facts: CallFacts | ConnectionFacts) -> None:
        """Remember what did not match, if nothing came closer so far."""
        if self.nearest is None or miss.fitted >= self.nearest[0].fitted:
            self.nearest = (miss, facts)

    def touches(self, size_bytes: int, *, is_first: bool) -> None:
        """Count bytes of a connection, which is a hit when they are its first."""
        self.hits += is_first
        self.touched_bytes += size_bytes
        self.notify()

    def around(self, handle: Handle) -> Handle:
        """Wrap a handler: what matches of its request gets the effect."""

        def struck(request: Message, call: Call) -> Answer:
            facts = facts_of(request, call)
            chosen = self.selectors.chosen(facts)
            if isinstance(chosen, NearMiss):  # a fault before this one has taken it away
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
        return f"{self.name}: fault({self.selectors}).{self.does}.{self.trigger}"
