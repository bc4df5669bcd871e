"""Access from any thread to a running cluster: work runs between two requests."""

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import Future
from functools import wraps
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeVar

from mockbroker.broker.service import Service
from mockbroker.server.event_loop import YieldingWork, at_once, is_running_on, run_on
from mockbroker.server.wall_clock import WallClock
from mockbroker.state.cluster_state import ClusterState

if TYPE_CHECKING:
    from mockbroker.control.actions.action_log import ActionLog
    from mockbroker.faults.cluster_faults import ClusterFaults
    from mockbroker.settings.settings import Settings

Holder = TypeVar("Holder")
P = ParamSpec("P")
T = TypeVar("T")

ACTION: Final = "is_action"
"""Attribute of the methods that are actions."""
_ACTION_LOG: Final = "mockbroker.control.actions.action_log"
"""Loaded by name at the first action: a start has none."""

NOT_RUNNING: Final = "the cluster is not running: use it in a with statement"
RESET: Final = "the cluster was reset before this was complete"


def action(method: Callable[Concatenate[Holder, P], T]) -> Callable[Concatenate[Holder, P], T]:
    """Mark a method as an action: it changes the cluster, and the cluster's action log has it.

    The method's object has the control as `_control`. Scenario files take the names, arguments and
    descriptions of their steps from these methods.
    """

    @wraps(method)
    def act(holder: Holder, /, *args: P.args, **kwargs: P.kwargs) -> T:
        __tracebackhide__ = True  # pytest shows the caller, and the method
        control: ClusterControl = _control_of(holder)
        begun = control.action_log.begin(holder, method.__qualname__, args, kwargs)
        try:
            result = method(holder, *args, **kwargs)
        except BaseException:
            control.action_log.cancel(begun)
            raise
        control.action_log.end(begun)
        return result

    setattr(act, ACTION, True)
    return act


_control_of: Final = attrgetter("_control")


class ClusterControl:
    """Runs work from any thread on the event loop that owns a cluster's state."""

    def __init__(self, service: Service, clock: WallClock) -> None:
        """Take the service to control."""
        self._service = service
        self._clock = clock
        self._is_over = False
        self._waits: set[Callable[[Exception], None]] = set()
        self._fault_plan: ClusterFaults | None = None
        self._action_log: ActionLog | None = None
        self.settings: Settings | None = None
        """The settings of the cluster, for a recording of it."""

    @property
    def action_log(self) -> "ActionLog":
        """The actions on the cluster since its start, or since it was reset."""
        if self._action_log is None:
            self._action_log = import_module(_ACTION_LOG).ActionLog(
                self, lambda: self._service.cluster
            )
        assert self._action_log is not None
        return self._action_log

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop on which work runs."""
        return self._service.loop

    @property
    def has_fault_plan(self) -> bool:
        """Whether the cluster has had faults."""
        return self._fault_plan is not None

    @property
    def fault_plan(self) -> "ClusterFaults":
        """The faults of the cluster."""
        if self._fault_plan is None:
            # Imported late: most clusters have no faults.
            from mockbroker.faults.cluster_faults import ClusterFaults

            self._fault_plan = ClusterFaults(self._service)
            self._fault_plan.observer = self.action_log.fault_changed
        return self._fault_plan

    def reset(self, service: Service) -> None:
        """Control another service from now on, without the faults of the previous one."""
        plan, self._fault_plan = self._fault_plan, None
        self._service = service
        if self._action_log is not None:
            self._action_log.clear()
        if plan is not None:
            plan.close()
        self._give_up(RESET)

    def close(self) -> None:
        """Refuse further work, because the cluster and its loop may stop."""
        self._is_over = True
        if self._fault_plan is not None:
            self._fault_plan.close()
        self._give_up(NOT_RUNNING)

    def read(self, work: Callable[[ClusterState, int], T], *, timeout_s: float | None = None) -> T:
        """Read the state: call `work` with it and the time; it changes nothing.

        Raises:
            TimeoutError: the loop was busy for `timeout_s`.

        """
        service = self._service
        return self._run(lambda: work(service.cluster, service.read_clock()), timeout_s)

    def change(self, work: Callable[[ClusterState, int], T]) -> T:
        """Change the state, and run what the change defers."""
        return self.change_service(lambda service: work(service.cluster, service.now_ms))

    def change_service(self, work: Callable[[Service], T]) -> T:
        """Change the service, such as what its brokers have in memory only."""

        def changed() -> T:
            service = self._service
            service.read_clock()
            answer = work(service)
            service.cluster.run_pending(service.now_ms)
            service.look_at_holds()
            service.arm_timer()
            return answer

        return self._run(changed)

    def time(self, work: Callable[[Service, WallClock], T], *, timeout_s: float | None = None) -> T:
        """Call `work` with the service and the clock.

        Raises:
            TimeoutError: the loop was busy for `timeout_s`.

        """
        return self._run(lambda: work(self._service, self._clock), timeout_s)

    def in_slices(self, work: Callable[[Service, WallClock], Generator[None, None, T]]) -> T:
        """Call `work` with the service and the clock; where it yields, the loop serves others.

        On the loop's own thread it runs at once, because that thread cannot wait for itself.

        Raises:
            RuntimeError: the cluster is not running any more, or was reset meanwhile.

        """
        if is_running_on(self.loop):
            return self.time(lambda service, clock: at_once(work(service, clock)))

        def begun() -> Future[T]:
            sliced = YieldingWork(self.loop, work(self._service, self._clock))
            self.add_wait(sliced.give_up)
            sliced.answer.add_done_callback(lambda _answer: self.remove_wait(sliced.give_up))
            sliced.run()
            return sliced.answer

        result = self._run(begun).result()
        self._run(lambda: None)  # the action log notes where clients are after the last slice
        return result

    def add_wait(self, give_up: Callable[[Exception], None]) -> None:
        """Call `give_up` with the reason when the cluster stops or is reset, if that is first."""
        self._waits.add(give_up)
        if self._is_over:
            self._give_up(NOT_RUNNING)

    def remove_wait(self, give_up: Callable[[Exception], None]) -> None:
        """Forget a wait that has ended."""
        self._waits.discard(give_up)

    def _give_up(self, why: str) -> None:
        while self._waits:
            self._waits.pop()(RuntimeError(why))

    def note(self, kind: str, **facts: object) -> None:
        """Report an event to the subscribers before it happens; call this on the loop."""
        event_bus = self._service.event_bus
        if event_bus is not None:
            event_bus.note(kind, facts)

    def _run(self, work: Callable[[], T], timeout_s: float | None = None) -> T:
        """Run work on the loop.

        Raises:
            RuntimeError: the cluster is not running any more.

        """
        if self._is_over:
            raise RuntimeError(NOT_RUNNING)
        if self._action_log is not None:
            work = self._action_log.with_positions(work)
        return run_on(self._service.loop, work, timeout_s)
