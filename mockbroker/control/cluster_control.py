"""A test's hand on a running cluster: what it does comes between two requests, never inside one."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from mockbroker.broker.service import Service
from mockbroker.server.event_loop import run_on
from mockbroker.server.wall_clock import WallClock
from mockbroker.state.cluster_state import ClusterState

if TYPE_CHECKING:
    from mockbroker.faults.fault_plan import FaultPlan

T = TypeVar("T")

NOT_RUNNING: Final = "the cluster is not running: use it in a with statement"


class ClusterControl:
    """Does work on the loop that owns a cluster's state, asked for from any thread."""

    def __init__(self, service: Service, clock: WallClock) -> None:
        """Control what a service serves."""
        self._service = service
        self._clock = clock
        self._is_over = False
        self._fault_plan: FaultPlan | None = None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop on which all is done."""
        return self._service.loop

    @property
    def fault_plan(self) -> "FaultPlan":
        """The faults of the cluster."""
        if self._fault_plan is None:
            from mockbroker.faults.fault_plan import FaultPlan

            self._fault_plan = FaultPlan(self._service)
        return self._fault_plan

    def begin_anew(self, service: Service) -> None:
        """Control another service from now on; the faults of the one before are forgotten."""
        plan, self._fault_plan = self._fault_plan, None
        self._service = service
        if plan is not None:
            plan.close()

    def close(self) -> None:
        """Do nothing more: the cluster stops, and its loop may stop as well."""
        self._is_over = True
        if self._fault_plan is not None:
            self._fault_plan.close()

    def read(self, work: Callable[[ClusterState, int], T]) -> T:
        """Look at the state; `work` is given it, and the time, and changes nothing."""
        service = self._service
        return self._run(lambda: work(service.cluster, service.read_clock()))

    def change(self, work: Callable[[ClusterState, int], T]) -> T:
        """Change the state, and do at once what that leaves to be done a moment later."""

        def changed() -> T:
            service = self._service
            answer = work(service.cluster, service.read_clock())
            service.cluster.run_pending(service.now_ms)
            service.look_at_holds()
            service.arm_timer()
            return answer

        return self._run(changed)

    def time(self, work: Callable[[Service, WallClock], T]) -> T:
        """Do something with the clock of the state."""
        return self._run(lambda: work(self._service, self._clock))

    def note(self, kind: str, **facts: object) -> None:
        """Tell whoever listens of an event that is about to happen; to be called on the loop."""
        event_bus = self._service.event_bus
        if event_bus is not None:
            from mockbroker.events.event_types import ClusterEvent

            event_bus.publish(ClusterEvent(kind, facts))

    def _run(self, work: Callable[[], T]) -> T:
        """Run work on the loop.

        Raises:
            RuntimeError: the cluster is not running any more.

        """
        if self._is_over:
            raise RuntimeError(NOT_RUNNING)
        return run_on(self._service.loop, work)
