"""All faults of a cluster, the calls that they hold, and their nesting around handlers."""

from asyncio import Handle as LoopHandle
from collections.abc import Callable
from itertools import chain, count
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from mockbroker.broker.between_brokers.broker_call import versions_between_brokers
from mockbroker.broker.call import Call, Handle
from mockbroker.events.event_types import (
    CallHeld,
    CallReleased,
    FaultMade,
    FaultRemoved,
)
from mockbroker.events.event_types import (
    Event as ReportedEvent,
)
from mockbroker.faults.call_facts import facts_of, selectable
from mockbroker.faults.conditions import Check, Event, Until
from mockbroker.faults.fault_state import FaultState
from mockbroker.faults.held import Held
from mockbroker.faults.network.toxic_plan import ToxicPlan
from mockbroker.faults.selectors import SelectorError, Selectors
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import Message
from mockbroker.settings.duration import milliseconds
from mockbroker.state.random_source import RandomSource

if TYPE_CHECKING:
    from mockbroker.broker.service import Service

MILLISECONDS: Final = 1000
FaultChange: TypeAlias = Literal["made", "removed", "released"]
"""Change of a fault by a test: made or altered, removed, or told to release what it holds."""


class FaultPlan:
    """The faults of one cluster. The service has a plan only while a fault can fire."""

    def __init__(self, service: "Service") -> None:
        """Start without faults."""
        self._service: Final = service
        self.faults: list[FaultState] = []
        """All faults in the order of their creation, including those that can fire no more."""
        self._by_name: dict[str, FaultState] = {}
        self.random: Final = RandomSource(service.cluster.seed)
        self.toxics: Final = ToxicPlan(service)
        self._names: Final = count(1)
        self._waiting: dict[Held, tuple[Check | None, Callable[[], None] | None]] = {}
        self._timers: dict[Held, LoopHandle] = {}
        self._watched: dict[object, tuple[Check, Callable[[], None]]] = {}
        self.observer: Callable[[FaultState, FaultChange], None] | None = None
        """Called on the loop with each change of a fault by a test."""

    def versions_of(self, api: ApiKey, selectors: Selectors) -> range:
        """Return the versions of the calls of an API that a fault may see.

        Raises:
            SelectorError: there are no such calls at this cluster.

        """
        route = self._service.routes.get(api)
        if route is None:
            raise SelectorError("api", f"{api.title} is not served by this cluster")
        if not selectors.are_between_brokers:
            return route.versions
        versions = versions_between_brokers(api, route.versions)
        if not versions:
            raise SelectorError("api", f"brokers of this release do not call {api.title}")
        return versions

    def check_selectors(self, selectors: Selectors) -> None:
        """Check that calls of each API of a fault can have what it selects by.

        Raises:
            SelectorError: they cannot, or there are no such calls at this cluster.

        """
        served = {api: self.versions_of(api, selectors) for api in selectors.apis}
        for api, versions in served.items():
            selectors.check_of_items(api, selectable(api, versions))
        if served:
            titles = " and ".join(api.title for api in served)
            present = set(chain.from_iterable(served.values()))
            selectors.check_of_call(
                "version", present, f"{titles} of this cluster has the versions"
            )
        selectors.check_of_call("broker", self._service.cluster.brokers, "the brokers are")

    @property
    def seed(self) -> int:
        """The seed of its random choices."""
        return self._service.cluster.seed

    def report(self, event: ReportedEvent) -> None:
        """Report an event of a fault to the event bus."""
        if self._service.event_bus is not None:
            self._service.event_bus.publish(event)

    def add(self, selectors: Selectors, name: str | None = None) -> FaultState:
        """Create a fault without an effect.

        Raises:
            ValueError: there is a fault of this name.

        """
        name = f"fault-{next(self._names)}" if name is None else name
        if any(fault.name == name for fault in self.faults):
            raise ValueError(f"a fault {name!r} already exists")
        fault = FaultState(self, name, selectors)
        self._by_name[name] = fault
        self.faults.append(fault)
        return fault

    def remove(self, fault: FaultState) -> None:
        """Remove a fault, and release the calls that it holds."""
        if fault in self.faults:
            self._observe(fault, "removed")
            self.faults.remove(fault)
            self._release_all(fault)
            self.toxics.remove(fault)
            self.report(FaultRemoved(fault.name))
            self.faults_changed()
            fault.notify()

    def move(self, fault: FaultState, index: int) -> None:
        """Move a fault to another place among the faults; the first is the outermost."""
        self.faults.remove(fault)
        self.faults.insert(index, fault)

    def fault_changed(self, fault: FaultState) -> None:
        """Apply the new effect or trigger of a fault."""
        if fault.toxic is None:
            self.toxics.remove(fault)
        else:
            fault.calls = 0
            self.toxics.put(fault, fault.toxic)
        if fault.does is not None:
            self._report_change(fault)
        self.faults_changed()

    def _report_change(self, fault: FaultState) -> None:
        text = str(fault)
        if fault.reported_as != text:
            fault.reported_as = text
            self.report(FaultMade(fault.name, text))
            self._observe(fault, "made")

    def _observe(self, fault: FaultState, change: FaultChange) -> None:
        if self.observer is not None:
            self.observer(fault, change)

    def faults_changed(self) -> None:
        """Register with the service, or unregister, by whether any fault can still fire."""
        can_fire = any(fault.effect is not None and not fault.is_over for fault in self.faults)
        self._service.faults = self if can_fire else None

    def around(self, handle: Handle) -> Handle:
        """Wrap a handler in the faults that fire on its call, the first of them outermost."""
        return lambda request, call: self._struck(handle, request, call)(request, call)

    def _struck(self, handle: Handle, request: Message, call: Call) -> Handle:
        live = [
            fault
            for fault in self.faults
            if fault.effect is not None
            and not fault.is_over
            and fault.selectors.are_between_brokers == (call.from_broker is not None)
        ]
        facts = facts_of(request, call)
        firing = [fault for fault in live if fault.fires(facts)]
        if any(fault.is_over for fault in live):
            self.faults_changed()
        for fault in reversed(firing):
            handle = fault.around(handle)
        return handle

    # Holds

    def hold(self, held: Held, until: Until, *, released: Callable[[], None] | None = None) -> None:
        """Hold a call, and call `released` when that ends."""
        fault = held.strike.fault
        check = None
        if isinstance(until, Event):
            check = until.expect(self._service.cluster, self._by_name)
        elif until is not None:
            delay_s = milliseconds(until) / MILLISECONDS
            later = self._service.loop.call_later(delay_s, self._time_is_up, held)
            self._timers[held] = later
        self._waiting[held] = (check, released)
        self._service.holds = self
        fault.held.append(held)
        fault.held_ever += 1
        fault.notify()
        if held.strike.call.call_id is not None:
            self.report(CallHeld(held.strike.call.call_id, fault.name))

    def release(self, fault: FaultState) -> int:
        """Release the calls that a fault holds, and return their number."""
        self._observe(fault, "released")
        return self._release_all(fault)

    def _release_all(self, fault: FaultState) -> int:
        held = list(fault.held)
        for each in held:
            self._release(each)
        return len(held)

    def look(self) -> None:
        """Release the calls whose event has occurred, and notify those who watch for one."""
        cluster = self._service.cluster
        while due := [h for h, (check, _) in self._waiting.items() if check and check(cluster)]:
            for held in due:
                self._release(held)
        for watched, (check, occurred) in list(self._watched.items()):
            if check(cluster):
                self._stop_watching(watched)
                occurred()

    def watch(self, event: Event, occurred: Callable[[], None]) -> Callable[[], None]:
        """Call a function once, when an event has occurred; return a function that ends it."""
        watched = object()
        self._watched[watched] = (event.expect(self._service.cluster, self._by_name), occurred)
        self._service.holds = self
        return lambda: self._stop_watching(watched)

    def _stop_watching(self, watched: object) -> None:
        self._watched.pop(watched, None)
        self._rest()

    def _rest(self) -> None:
        """Unregister with the service if nobody waits for an event."""
        if not self._waiting and not self._watched:
            self._service.holds = None

    def _time_is_up(self, held: Held) -> None:
        """Release a call after the loop's pending callbacks, before which uvloop runs its timers.

        So the markers of a delayed EndTxn are always written before its response.
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
        self._rest()
        _, released = waiting
        if released is not None:
            released()
        held.is_released = True
        fault = held.strike.fault
        fault.held.remove(held)
        fault.released += 1
        fault.last_error = held.error
        fault.notify()
        if held.strike.call.call_id is not None:
            self.report(CallReleased(held.strike.call.call_id, fault.name, held.error))
        self._service.run_pending_soon()
        self._service.purgatory.touch(held)

    def close(self) -> None:
        """Remove all faults and held calls, because the cluster stops or is reset."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._waiting.clear()
        self._watched.clear()
        self.toxics.close()
        faults, self.faults = self.faults, []
        self._service.faults = self._service.holds = None
        for fault in faults:
            fault.held.clear()
            fault.notify()
