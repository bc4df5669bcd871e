"""A rule as the loop knows it: which calls, which of those, what happens, what has happened."""

from collections.abc import Callable
from threading import Condition
from typing import TYPE_CHECKING, Final

from mockbroker.call import Call
from mockbroker.dispatch import Answer, Handle
from mockbroker.faults.call_facts import CallFacts, facts_of
from mockbroker.faults.effects import Effect
from mockbroker.faults.hold import Held
from mockbroker.faults.selectors import NearMiss, Selectors
from mockbroker.faults.strike import Strike
from mockbroker.faults.trigger import Times, Trigger
from mockbroker.happenings import FaultStruck
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.schema import Message

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
        self.trigger: Trigger = Times(1)
        self.calls = 0
        """How many calls the rule was about."""
        self.hits = 0
        """How many of them it struck."""
        self.held: list[Held] = []
        """The calls that are held now."""
        self.held_ever = 0
        self.released = 0
        """How many calls were held and are not any more."""
        self.last_error: ErrorCode | None = None
        """What the last released call was answered."""
        self.nearest: tuple[NearMiss, CallFacts] | None = None
        self.changed: Final = Condition()
        """Notified whenever a count changes, for who waits on another thread."""
        self.watchers: Final[list[Callable[[], None]]] = []
        """Called then as well, on the loop, for who waits there."""

    @property
    def is_over(self) -> bool:
        """Whether the rule strikes no more."""
        return self.trigger.is_over(self.calls)

    def strikes(self, facts: CallFacts) -> bool:
        """Count a call that the rule is about, and tell whether it strikes."""
        chosen = self.selectors.chosen(facts)
        if isinstance(chosen, NearMiss):
            if self.nearest is None or chosen.fitted >= self.nearest[0].fitted:
                self.nearest = (chosen, facts)
            return False
        self.calls += 1
        strikes = self.trigger.strikes(self.calls, self.plan.random)
        self.hits += strikes
        self.tell()
        return strikes

    def tell(self) -> None:
        """Tell who waits that something has changed."""
        with self.changed:
            self.changed.notify_all()
        for watcher in tuple(self.watchers):
            watcher()

    def around(self, handle: Handle) -> Handle:
        """Wrap a handler: what the rule is about of its request meets the effect."""

        def struck(request: Message, call: Call) -> Answer:
            facts = facts_of(request, call)
            chosen = self.selectors.chosen(facts)
            if isinstance(chosen, NearMiss):  # a rule before this one has taken it away
                return handle(request, call)
            assert self.effect is not None
            if call.known_as is not None:
                items = tuple(item.named for item in chosen)
                effect, applied = str(self.effect), self.effect.applied
                self.plan.tell(FaultStruck(call.known_as, self.name, effect, applied, items))
            return self.effect.strike(Strike(self, request, call, facts, chosen, handle))

        return struck

    def __str__(self) -> str:
        """Write the rule as it is made."""
        return f"{self.name}: fault({self.selectors}).{self.effect}.{self.trigger}"
