"""A test's hand on a running cluster: what it does comes between two requests, never inside one."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from mockbroker.event_loop import run_on
from mockbroker.happenings import ClockMoved
from mockbroker.service import Service
from mockbroker.state.clock import MovableClock
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.carried_deadlines import carry_deadlines

if TYPE_CHECKING:
    from mockbroker.faults.fault_plan import FaultPlan

T = TypeVar("T")

NOT_RUNNING: Final = "the cluster is not running: use it in a with statement"


class Passed(NamedTuple):
    """What happened while time passed."""

    now_ms: int
    """The cluster's time after it."""
    done: tuple[str, ...]
    """The timers that ran and the work that they left, by name, in the order in which it ran."""
    transactional_ids: tuple[str, ...]
    """The transactional ids that expired, in the order of their names."""


class ClusterControl:
    """Does work on the loop that owns a cluster's state, asked for from any thread."""

    def __init__(self, service: Service, clock: MovableClock) -> None:
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

    def advance(self, by_ms: int, *, keep_sessions: bool = True) -> Passed:
        """Let time pass at once, and do all that falls due in it, in order.

        The members of groups stay, unless `keep_sessions` is False: they live in real time.
        """
        return self._run(lambda: self._advance(by_ms, keep_sessions=keep_sessions))

    def _run(self, work: Callable[[], T]) -> T:
        """Run work on the loop.

        Raises:
            RuntimeError: the cluster is not running any more.

        """
        if self._is_over:
            raise RuntimeError(NOT_RUNNING)
        return run_on(self._service.loop, work)

    def _advance(self, by_ms: int, *, keep_sessions: bool) -> Passed:
        service, cluster = self._service, self._service.cluster
        known_before = _transactional_ids(cluster)
        done = cluster.run_pending(service.read_clock())
        for broker_id in cluster.brokers if keep_sessions else ():
            carry_deadlines(cluster.group_coordinator(broker_id).groups, by_ms)
        before_ms = service.now_ms
        self._clock.advance(by_ms)
        now_ms = service.read_clock()
        if service.evidence is not None:
            service.evidence.tell(ClockMoved(before_ms, now_ms))
        # Deadline by deadline: what one leaves to be done a moment later is done before the next.
        while (deadline_ms := cluster.next_deadline_ms()) is not None and deadline_ms <= now_ms:
            service.now_ms = deadline_ms
            done += cluster.advance_to(deadline_ms)
            done += cluster.run_pending(deadline_ms)
            service.look_at_holds()
        service.now_ms = now_ms
        cluster.advance_to(now_ms)
        service.arm_timer()
        expired = known_before - _transactional_ids(cluster)
        return Passed(now_ms, tuple(done), tuple(sorted(expired)))


def _transactional_ids(cluster: ClusterState) -> set[str]:
    return {
        transaction.metadata.transactional_id
        for broker_id in cluster.brokers
        for transaction in cluster.transaction_coordinator(broker_id).states
    }
