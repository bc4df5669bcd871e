"""All rules of a cluster, what they hold, and where they come into the way of a call."""

from asyncio import Handle as LoopHandle
from collections.abc import Callable, Mapping
from itertools import count
from typing import TYPE_CHECKING, Final

from mockbroker.broker.api_table import Route
from mockbroker.broker.call import Call, Handle
from mockbroker.events.event_types import (
    CallHeld,
    CallReleased,
    Event,
    FaultMade,
    FaultRemoved,
)
from mockbroker.faults.call_facts import facts_of
from mockbroker.faults.conditions import Check
from mockbroker.faults.hold import Held, Until
from mockbroker.faults.network.toxic_plan import ToxicPlan
from mockbroker.faults.rule import Rule
from mockbroker.faults.selectors import Selectors
from mockbroker.protocol.schema.message import Message
from mockbroker.state.random_source import RandomSource

if TYPE_CHECKING:
    from mockbroker.broker.service import Service

MILLISECONDS: Final = 1000


class FaultPlan:
    """The rules of one cluster. It stands in the service only while a rule can strike."""

    def __init__(self, service: "Service") -> None:
        """Start without rules."""
        self._service: Final = service
        self.rules: list[Rule] = []
        """All rules in the order in which they were made, those that are over included."""
        self.random: Final = RandomSource(service.cluster.seed)
        self.toxics: Final = ToxicPlan(service)
        self._names: Final = count(1)
        self._waiting: dict[Held, tuple[Check | None, Callable[[], None] | None]] = {}
        self._timers: dict[Held, LoopHandle] = {}

    @property
    def routes(self) -> Mapping[int, Route]:
        """What the cluster serves."""
        return self._service.routes

    @property
    def seed(self) -> int:
        """What its lots are drawn from."""
        return self._service.cluster.seed

    def tell(self, event: Event) -> None:
        """Tell who listens what becomes of a rule, or of a call by it."""
        if self._service.event_bus is not None:
            self._service.event_bus.publish(event)

    def add(self, selectors: Selectors, name: str | None = None) -> Rule:
        """Make a rule that does nothing yet.

        Raises:
            ValueError: there is a rule of this name.

        """
        name = f"rule-{next(self._names)}" if name is None else name
        if any(rule.name == name for rule in self.rules):
            raise ValueError(f"there is a rule {name!r} already")
        rule = Rule(self, name, selectors)
        self.rules.append(rule)
        return rule

    def remove(self, rule: Rule) -> None:
        """Forget a rule; what it holds is released."""
        if rule in self.rules:
            self.rules.remove(rule)
            self.release(rule)
            self.toxics.remove(rule)
            self.tell(FaultRemoved(rule.name))
            self.rules_changed()
            rule.tell()

    def move(self, rule: Rule, index: int) -> None:
        """Let a rule come at another place among the rules; the first is the outermost."""
        self.rules.remove(rule)
        self.rules.insert(index, rule)

    def rule_changed(self, rule: Rule) -> None:
        """Count with a rule that has another effect, or another trigger, from now on."""
        if rule.toxic is None:
            self.toxics.remove(rule)
        else:
            rule.calls = 0
            self.toxics.put(rule, rule.toxic)
        if rule.effect is not None or rule.toxic is not None:
            self._tell_of(rule)
        self.rules_changed()

    def _tell_of(self, rule: Rule) -> None:
        text = str(rule)
        if rule.told_as != text:
            rule.told_as = text
            self.tell(FaultMade(rule.name, text))

    def rules_changed(self) -> None:
        """Come into the way of calls, or get out of it."""
        can_strike = any(rule.effect is not None and not rule.is_over for rule in self.rules)
        self._service.faults = self if can_strike else None

    def around(self, handle: Handle) -> Handle:
        """Wrap a handler into the rules that strike a call of it, the first of them outermost."""
        return lambda request, call: self._struck(handle, request, call)(request, call)

    def _struck(self, handle: Handle, request: Message, call: Call) -> Handle:
        live = [rule for rule in self.rules if rule.effect is not None and not rule.is_over]
        facts = facts_of(request, call)
        striking = [rule for rule in live if rule.strikes(facts)]
        if any(rule.is_over for rule in live):
            self.rules_changed()
        for rule in reversed(striking):
            handle = rule.around(handle)
        return handle

    # Holds

    def hold(self, held: Held, until: Until, *, released: Callable[[], None] | None = None) -> None:
        """Hold a call, and do `released` when it is over."""
        rule = held.strike.rule
        check = None
        if isinstance(until, int):
            later = self._service.loop.call_later(until / MILLISECONDS, self._time_is_up, held)
            self._timers[held] = later
        elif until is not None:
            check = until.expect(self._service.cluster)
        self._waiting[held] = (check, released)
        self._service.holds = self
        rule.held.append(held)
        rule.held_ever += 1
        rule.tell()
        if held.strike.call.call_id is not None:
            self.tell(CallHeld(held.strike.call.call_id, rule.name))

    def release(self, rule: Rule) -> int:
        """Release what a rule holds, and return how many calls that were."""
        held = list(rule.held)
        for each in held:
            self._release(each)
        return len(held)

    def look(self) -> None:
        """Release what has waited for something that has happened by now."""
        cluster = self._service.cluster
        while True:
            due = [held for held, (check, _) in self._waiting.items() if check and check(cluster)]
            if not due:
                return
            for held in due:
                self._release(held)

    def _time_is_up(self, held: Held) -> None:
        """Release a call behind what is to happen soon: uvloop looks at its timers before that.

        So the markers of an EndTxn that is delayed are written before its answer, always.
        """
        self._timers[held] = self._service.loop.call_soon(self._release_and_look, held)

    def _release_and_look(self, held: Held) -> None:
        self._service.read_clock()
        self._release(held)
        self.look()

    def _release(self, held: Held) -> None:
        waiting = self._waiting.pop(held, None)
        if waiting is None:
            return
        timer = self._timers.pop(held, None)
        if timer is not None:
            timer.cancel()
        if not self._waiting:
            self._service.holds = None
        _, released = waiting
        if released is not None:
            released()
        held.is_released = True
        rule = held.strike.rule
        rule.held.remove(held)
        rule.released += 1
        rule.last_error = held.error
        rule.tell()
        if held.strike.call.call_id is not None:
            self.tell(CallReleased(held.strike.call.call_id, rule.name, held.error))
        self._service.run_pending_soon()
        self._service.purgatory.touch(held)

    def close(self) -> None:
        """Forget all rules, and all that is held: the cluster stops, or begins anew."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._waiting.clear()
        self.toxics.close()
        rules, self.rules = self.rules, []
        self._service.faults = self._service.holds = None
        for rule in rules:
            rule.held.clear()
            rule.tell()
