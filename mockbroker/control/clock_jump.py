"""A jump of the state's clock: all that falls due in it runs at its own time, and in order."""

from typing import NamedTuple

from mockbroker.broker.service import Service
from mockbroker.control.fell_due import (
    DueWatch,
    Facts,
    FellDue,
    Kind,
)
from mockbroker.events.event_types import ClockMoved
from mockbroker.server.wall_clock import WallClock
from mockbroker.state.clock import MovableClock
from mockbroker.state.group.classic.group_timers import carry_deadlines


class Passed(NamedTuple):
    """What happened while time passed."""

    now_ms: int
    """The cluster's time after it."""
    done: tuple[str, ...]
    """The timers that ran and the work that they left, by name, in the order in which it ran."""
    transactional_ids: tuple[str, ...]
    """The transactional ids that expired, in the order of their names."""
    fell_due: tuple[FellDue, ...] = ()
    """What came of it, in order: timeouts, expiry, retention (`Kind`)."""

    def facts(self, kind: Kind) -> list[Facts]:
        """Give the facts of all that fell due of one kind, in order."""
        return [each.facts for each in self.fell_due if each.kind == kind]


def jump(service: Service, clock: MovableClock, by_ms: int, *, keep_sessions: bool) -> Passed:
    """Let time pass at once, and do all that falls due in it.

    The members of groups stay, unless `keep_sessions` is False: they live in real time.

    Raises:
        ValueError: the clock makes no jumps.

    """
    cluster = service.cluster
    clock.advance(0)  # a clock that refuses does so before anything has happened
    done = cluster.run_pending(service.read_clock())
    for broker_id in cluster.brokers if keep_sessions else ():
        carry_deadlines(cluster.group_coordinator(broker_id).groups, by_ms)
    before_ms = service.now_ms
    clock.advance(by_ms)
    service.clock_moved()
    now_ms = service.now_ms
    if service.event_bus is not None:
        service.event_bus.publish(ClockMoved(before_ms, now_ms))
    watch = DueWatch(service)
    try:
        done += _run_deadlines(service, now_ms)
    finally:
        fell_due = watch.stop()
    service.arm_timer()
    expired = {
        str(each.facts["transactional_id"])
        for each in fell_due
        if each.kind == "transactional_id_expired"
    }
    return Passed(now_ms, tuple(done), tuple(sorted(expired)), fell_due)


def _run_deadlines(service: Service, now_ms: int) -> list[str]:
    cluster, done = service.cluster, list[str]()
    # Deadline by deadline: what one leaves to be done a moment later is done before the next.
    while (deadline_ms := cluster.next_deadline_ms()) is not None and deadline_ms <= now_ms:
        service.now_ms = deadline_ms
        done += cluster.advance_to(deadline_ms)
        done += cluster.run_pending(deadline_ms)
        service.look_at_holds()
    service.now_ms = now_ms
    cluster.advance_to(now_ms)
    return done


def jump_to(service: Service, clock: MovableClock, to_ms: int, *, keep_sessions: bool) -> Passed:
    """Let time pass until a moment.

    Raises:
        ValueError: the moment is past, or the clock makes no jumps.

    """
    now_ms = service.read_clock()
    if to_ms < now_ms:
        raise ValueError(f"time does not go back: it is {now_ms}, and not {to_ms} any more")
    return jump(service, clock, to_ms - now_ms, keep_sessions=keep_sessions)


def freeze(service: Service, clock: WallClock) -> int:
    """Let time stand still, and return it; what is armed for later waits for a jump.

    Raises:
        ValueError: the clock is real time.

    """
    now_ms = clock.freeze()
    service.clock_moved()
    service.arm_timer()
    service.note("clock_frozen", now_ms=now_ms)
    return now_ms


def resume(service: Service, clock: WallClock) -> int:
    """Let time pass again from where it stands, and return it."""
    now_ms = clock.resume()
    service.clock_moved()
    service.arm_timer()
    service.note("clock_resumed", now_ms=now_ms)
    return now_ms
