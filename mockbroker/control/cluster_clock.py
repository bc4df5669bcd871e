"""The clock of a cluster, and its jumps: timers in between run at their own times, in order."""

import warnings
from collections.abc import Generator
from datetime import UTC, datetime
from typing import Final, NamedTuple

from mockbroker.broker.service import Service
from mockbroker.control.cluster_control import ClusterControl, action
from mockbroker.control.due_events import DueEvent, DueEventCollector, Facts, Kind
from mockbroker.events.event_types import ClockMoved
from mockbroker.server.wall_clock import WallClock
from mockbroker.settings.duration import Duration, duration_text, milliseconds, with_unit
from mockbroker.state.clock import ClockMode, MovableClock
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.classic.group_timers import carry_deadlines

JUMP_MS_MAX: Final = 3_650 * 86_400_000
"""Ten years: more than any retention or expiry in use, and still seconds of periodic timers."""
_SHOWN_MAX: Final = 10
STEPS_PER_SLICE: Final = 2_000
"""About ten milliseconds. A timer takes a step, and one more for each log, as retention does."""
_TOO_LONG: Final = (
    "the clock cannot advance by {0}: at most {1} at a time, as every periodic timer in between"
    " runs; several calls reach further"
)


class Passed(NamedTuple):
    """Result of a jump of the clock."""

    now_ms: int
    """The cluster's time after it."""
    done: tuple[str, ...]
    """The timers that ran and the work that they left, by name, in the order in which it ran."""
    transactional_ids: tuple[str, ...]
    """The transactional ids that expired, in the order of their names."""
    due_events: tuple[DueEvent, ...] = ()
    """Timeouts, expiries and deletions by retention, in order (`Kind`)."""

    def __repr__(self) -> str:
        """Write the time and what was due; timers run by the hundred."""
        shown = ", ".join(map(repr, self.due_events[:_SHOWN_MAX]))
        more = len(self.due_events) - _SHOWN_MAX
        rest = f", and {more} more" if more > 0 else ""
        now, count = iso_text(self.now_ms), len(self.done)
        return f"<Passed: now {now}, {count} timers ran, due: {shown or 'nothing'}{rest}>"

    def facts(self, kind: Kind) -> list[Facts]:
        """Return the facts of all due events of one kind, in order."""
        return [each.facts for each in self.due_events if each.kind == kind]

    @property
    def fell_due(self) -> tuple[DueEvent, ...]:
        """Return `due_events`, by their deprecated name."""
        warnings.warn("fell_due is now called due_events", DeprecationWarning, stacklevel=2)
        return self.due_events


class ClusterClock:
    """Clock for timeouts of transactions, expiry of ids, and retention.

    It is not the clock of connections: long polls, and other waits of clients, take real time. Nor
    is it the clients' clock: records have the timestamps of their clients, and age with the
    cluster's clock once they are appended.
    """

    def __init__(self, control: ClusterControl) -> None:
        """Move a cluster's clock."""
        self._control = control

    @property
    def now_ms(self) -> int:
        """The cluster's time, in milliseconds since 1970."""
        return self._control.read(lambda _cluster, now_ms: now_ms)

    @property
    def now(self) -> str:
        """The cluster's time in ISO 8601 format, in UTC."""
        return iso_text(self.now_ms)

    @property
    def mode(self) -> ClockMode:
        """Mode of the clock: it runs (`offset`, `real`), or only jumps (`manual`, frozen)."""
        return self._control.time(lambda _service, clock: clock.mode)

    @property
    def ahead_ms(self) -> int:
        """Milliseconds that the clock is ahead of real time; negative after a stop."""
        return self._control.time(lambda _service, clock: clock.ahead_ms)

    @action
    def advance(self, by: Duration, *, keep_sessions: bool = True) -> Passed:
        """Advance the clock: `7d`, `12h`, `30m`, `90s`, `250ms`, or a `timedelta`.

        All timers in between run before this returns, at their own times and in order, as if the
        time had really passed: timeouts, expiry, retention, and their effects. Members of consumer
        groups run in real time, and cannot send the heartbeats of a week at once: their deadlines
        move along, so that they stay. With `keep_sessions=False` their sessions expire.

        Clients are served meanwhile, unless the call comes from the cluster's own event loop.

        Raises:
            ValueError: `by` is no duration, a negative one, or more than ten years (3650d); or the
                clock's mode is `real`.
            RuntimeError: the cluster was stopped or reset meanwhile.

        """
        by_ms = milliseconds(with_unit("advance({})", by))
        return self._control.in_slices(
            lambda service, clock: jump(service, clock, by_ms, keep_sessions=keep_sessions)
        )

    @action
    def set(self, to: str | int | datetime, *, keep_sessions: bool = True) -> Passed:
        """Advance the clock to a time, as `advance` does.

        The time is a `datetime`, text in ISO 8601 (`2027-01-01T00:00:00Z`), or milliseconds since
        1970. Without a time zone it is UTC.

        Raises:
            ValueError: the moment is past, more than ten years ahead, or none; or the clock's mode
                is `real`.
            RuntimeError: the cluster was stopped or reset meanwhile.

        """
        to_ms = moment_ms(to)
        return self._control.in_slices(
            lambda service, clock: jump_to(service, clock, to_ms, keep_sessions=keep_sessions)
        )

    @action
    def freeze(self) -> int:
        """Stop the clock between jumps, as in mode `manual`, and return its time.

        Raises:
            ValueError: the clock's mode is `real`.

        """
        return self._control.time(freeze)

    @action
    def resume(self) -> int:
        """Let the clock follow real time again from its present time, and return that."""
        return self._control.time(resume)


def jump(
    service: Service, clock: MovableClock, by_ms: int, *, keep_sessions: bool
) -> Generator[None, None, Passed]:
    """Advance the clock, and run every timer up to its new time, in slices.

    Yields between two slices, when the clock is at the last timer that has run. Members of groups
    stay, unless `keep_sessions` is False, because they run in real time.

    Raises:
        ValueError: the clock makes no jumps, or none as long as this.

    """
    clock.advance(0)  # a clock that makes no jumps raises before anything has changed
    if by_ms > JUMP_MS_MAX:
        raise ValueError(_TOO_LONG.format(duration_text(by_ms), duration_text(JUMP_MS_MAX)))
    done = service.cluster.run_pending(service.read_clock())
    if service.event_bus is not None:
        before_ms = service.now_ms
        service.now_ms += by_ms
        service.event_bus.publish(ClockMoved(before_ms, service.now_ms))
    collector = DueEventCollector(service)
    left_ms = by_ms
    try:
        while True:
            _carry_sessions(service.cluster, left_ms if keep_sessions else 0)
            left_ms, is_complete = _run_slice(service, clock, left_ms, done)
            service.clock_moved()
            if is_complete:
                break
            _carry_sessions(service.cluster, -left_ms if keep_sessions else 0)
            yield
    finally:
        due_events = collector.stop()
    service.cluster.advance_to(service.now_ms)
    service.arm_timer()
    expired = {
        str(each.facts["transactional_id"])
        for each in due_events
        if each.kind == "transactional_id_expired"
    }
    return Passed(service.now_ms, tuple(done), tuple(sorted(expired)), due_events)


def _carry_sessions(cluster: ClusterState, by_ms: int) -> None:
    for broker_id in cluster.brokers if by_ms else ():
        carry_deadlines(cluster.group_coordinator(broker_id).groups, by_ms)


def _run_slice(
    service: Service, clock: MovableClock, left_ms: int, done: list[str]
) -> tuple[int, bool]:
    """Run the next deadlines; return how much of the jump is left, and whether it is complete."""
    cluster = service.cluster
    service.clock_moved()
    # Deadline by deadline: what one leaves to be done a moment later is done before the next.
    for _ in range(max(1, STEPS_PER_SLICE // (1 + len(cluster.logs)))):
        now_ms = clock.now_ms()
        deadline_ms = cluster.next_deadline_ms()
        if deadline_ms is None or deadline_ms > now_ms + left_ms:
            clock.advance(left_ms)
            return 0, True
        step_ms = max(0, deadline_ms - now_ms)
        clock.advance(step_ms)
        left_ms -= step_ms
        service.now_ms = deadline_ms
        done += cluster.advance_to(deadline_ms)
        done += cluster.run_pending(deadline_ms)
        service.look_at_holds()
    return left_ms, False


def jump_to(
    service: Service, clock: MovableClock, to_ms: int, *, keep_sessions: bool
) -> Generator[None, None, Passed]:
    """Advance the clock to a time, and run every timer up to it, as `jump` does.

    Raises:
        ValueError: the moment is past, or the clock makes no jumps, or none as long as this.

    """
    now_ms = service.read_clock()
    if to_ms < now_ms:
        raise ValueError(f"the clock cannot go back from {iso_text(now_ms)} to {iso_text(to_ms)}")
    return (yield from jump(service, clock, to_ms - now_ms, keep_sessions=keep_sessions))


def freeze(service: Service, clock: WallClock) -> int:
    """Stop the clock, and return its time; timers wait for a jump.

    Raises:
        ValueError: the clock is real time.

    """
    now_ms = clock.freeze()
    service.clock_moved()
    service.arm_timer()
    service.note("clock_frozen", now_ms=now_ms)
    return now_ms


def resume(service: Service, clock: WallClock) -> int:
    """Let the clock follow real time again from its present time, and return that."""
    now_ms = clock.resume()
    service.clock_moved()
    service.arm_timer()
    service.note("clock_resumed", now_ms=now_ms)
    return now_ms


def moment_ms(moment: str | int | datetime) -> int:
    """Convert a time to milliseconds since 1970, from that, a `datetime` or ISO 8601.

    Raises:
        ValueError: it is neither.

    """
    if isinstance(moment, int):
        return moment
    try:
        read = moment if isinstance(moment, datetime) else datetime.fromisoformat(moment)
    except ValueError:
        raise ValueError(f"{moment!r} is not a time: write 2027-01-01T00:00:00Z") from None
    if read.tzinfo is None:
        read = read.replace(tzinfo=UTC)
    return round(read.timestamp() * 1000)


def iso_text(moment_ms: int) -> str:
    """Format a time in ISO 8601, in UTC, with milliseconds."""
    seconds, milliseconds = divmod(moment_ms, 1000)
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{milliseconds:03}Z"
