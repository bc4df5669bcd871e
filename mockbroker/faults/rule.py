"""A rule as the loop knows it: which calls, which of those, what happens, what has happened."""

from collections.abc import Callable
from threading import Condition
from typing import TYPE_CHECKING, Final

from mockbroker.broker.call import Answer, Call, Handle
from mockbroker.events.event_types import FaultStruck
from mockbroker.faults.call_facts import CallFacts, facts_of
from mockbroker.faults.effects import AnswerError, Effect
from mockbroker.faults.hold import Held
from mockbroker.faults.network.connection_facts import ConnectionFacts
from mockbroker.faults.network.toxics import Toxic
from mockbroker.faults.selectors import NearMiss, Selectors
from mockbroker.faults.strike import Strike
from mockbroker.faults.trigger import Times, Trigger
from mockbroker.faults.unsent_error import unsent_error
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.schema.message import Message

if TYPE_CHECKING:
    from mockbroker.faults.fault_plan import FaultPlan


class Rule:
    """What goes wrong, and when. All but the counts is changed on the loop only."""

    def __init__(self, plan: "FaultPlan", name: str, selectors: Selectors) -> None:
        """Make a rule that does nothing before it has an effect."""
        self.plan: Final = plan
        self.name: Final = name
        self.selectors: Final = selectors
        self.effect: Effect | None = None
        """What it does to calls."""
        self.toxic: Toxic | None = None
        """What it does to connections, instead."""
        self.trigger: Trigger = Times(1)
        self.calls = 0
        """How many calls the rule was about, or connections."""
        self.hits = 0
        """How many of them it struck."""
        self.touched_bytes = 0
        """How many bytes of connections it did something to."""
        self.held: list[Held] = []
        """The calls that are held now."""
        self.held_ever = 0
        self.released = 0
        """How many calls were held and are not any more."""
        self.last_error: ErrorCode | None = None
        """What the last released call was answered."""
        self.nearest: tuple[NearMiss, CallFacts | ConnectionFacts] | None = None
        """What did not fit of the call or connection that came nearest, and which that was."""
        self.told_as = ""
        """How it was written when listeners were told of it."""
        self.changed: Final = Condition()
        """Notified whenever a count changes, for who waits on another thread."""
        self.watchers: Final[list[Callable[[], None]]] = []
        """Called then as well, on the loop, for who waits there."""

    @property
    def warning(self) -> str | None:
        """What is probably not meant about it: an error that no Kafka broker sends there."""
        if not isinstance(self.effect, AnswerError):
            return None
        return unsent_error(self.effect.error, self.selectors.apis)

    @property
    def is_over(self) -> bool:
        """Whether the rule strikes no more."""
        return self.trigger.is_over(self.calls)

    def strikes(self, facts: CallFacts) -> bool:
        """Count a call that the rule is about, and tell whether it strikes."""
        chosen = self.selectors.chosen(facts)
        if isinstance(chosen, NearMiss):
            self.note_miss(chosen, facts)
            return False
        strikes = self.counts()
        self.hits += strikes
        self.tell()
        return strikes

    def tell(self) -> None:
        """Tell who waits that something has changed."""
        with self.changed:
            self.changed.notify_all()
        for watcher in tuple(self.watchers):
            watcher()

    def counts(self) -> bool:
        """Count a call or a connection that the rule is about, and tell whether it is its turn."""
        self.calls += 1
        return self.trigger.strikes(self.calls, self.plan.random)

    def note_miss(self, miss: NearMiss, facts: CallFacts | ConnectionFacts) -> None:
        """Remember what the rule is not about, if nothing came nearer so far."""
        if self.nearest is None or miss.fitted >= self.nearest[0].fitted:
            self.nearest = (miss, facts)

    def touches(self, size_bytes: int, *, is_first: bool) -> None:
        """Count bytes of a connection, which is a hit when they are its first."""
        self.hits += is_first
        self.touched_bytes += size_bytes
        self.tell()

    def around(self, handle: Handle) -> Handle:
        """Wrap a handler: what the rule is about of its request meets the effect."""

        def struck(request: Message, call: Call) -> Answer:
            facts = facts_of(request, call)
            chosen = self.selectors.chosen(facts)
            if isinstance(chosen, NearMiss):  # a rule before this one has taken it away
                return handle(request, call)
            assert self.effect is not None
            if call.call_id is not None:
                items = tuple(item.named for item in chosen)
                effect, applied = str(self.effect), self.effect.applied
                self.plan.tell(FaultStruck(call.call_id, self.name, effect, applied, items))
            return self.effect.strike(Strike(self, request, call, facts, chosen, handle))

        return struck

    def __str__(self) -> str:
        """Write the rule as it is made."""
        return f"{self.name}: fault({self.selectors}).{self.effect or self.toxic}.{self.trigger}"
