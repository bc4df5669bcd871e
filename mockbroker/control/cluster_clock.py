"""The clock of a cluster's state, as a test moves it."""

from datetime import UTC, datetime

from mockbroker.control import clock_jump
from mockbroker.control.clock_jump import Passed
from mockbroker.control.cluster_control import ClusterControl
from mockbroker.server.wall_clock import ClockMode
from mockbroker.settings.duration import milliseconds


class ClusterClock:
    """The time by which transactions time out, ids expire, and retention deletes.

    It is not the clock of the wire: a long poll, or anything else that a client waits for, takes
    its real time whatever is done here. Nor is it the clock of clients: the records that they
    write have their own times, and are as old as these make them when they come. From then on
    they age with the cluster.
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
        """The cluster's time as ISO 8601 writes it, in UTC."""
        return iso_text(self.now_ms)

    @property
    def mode(self) -> ClockMode:
        """How time passes: by itself (`offset`, `real`), or only in jumps (`manual`, frozen)."""
        return self._control.time(lambda _service, clock: clock.mode)

    @property
    def ahead_ms(self) -> int:
        """How far the cluster's time is ahead of real time; negative where it stood still."""
        return self._control.time(lambda _service, clock: clock.ahead_ms)

    def advance(self, by: str | int, *, keep_sessions: bool = True) -> Passed:
        """Let time pass at once: `7d`, `12h`, `30m`, `90s`, `250ms`, or a number of milliseconds.

        All that falls due runs before this returns, each at its own time and in order, as if the
        time had really passed: timeouts, expiry, retention, and what follows from them.

        The members of consumer groups are programs in real time, which cannot send the heartbeats
        of a week at once: their deadlines move along, so that they stay. With `keep_sessions=False`
        they fall due like all else.

        Raises:
            ValueError: `by` is no duration, or a negative one; or the clock's mode is `real`.

        """
        by_ms = milliseconds(by)
        return self._control.time(
            lambda service, clock: clock_jump.jump(
                service, clock, by_ms, keep_sessions=keep_sessions
            )
        )

    def set(self, to: str | int, *, keep_sessions: bool = True) -> Passed:
        """Let time pass until a moment, as `advance` does.

        The moment is milliseconds since 1970, or ISO 8601: `2027-01-01T00:00:00Z`. What names no
        zone is UTC.

        Raises:
            ValueError: the moment is past, or none; or the clock's mode is `real`.

        """
        to_ms = moment_ms(to)
        return self._control.time(
            lambda service, clock: clock_jump.jump_to(
                service, clock, to_ms, keep_sessions=keep_sessions
            )
        )

    def freeze(self) -> int:
        """Have time stand still but for jumps, as in mode `manual`, and return it.

        Raises:
            ValueError: the clock's mode is `real`.

        """
        return self._control.time(clock_jump.freeze)

    def resume(self) -> int:
        """Have time pass by itself again, from where it stands, and return it."""
        return self._control.time(clock_jump.resume)


def moment_ms(moment: str | int) -> int:
    """Return a moment in milliseconds since 1970, given that or ISO 8601.

    Raises:
        ValueError: it is neither.

    """
    if isinstance(moment, int):
        return moment
    try:
        read = datetime.fromisoformat(moment)
    except ValueError:
        raise ValueError(f"{moment!r} is no moment: write 2027-01-01T00:00:00Z") from None
    if read.tzinfo is None:
        read = read.replace(tzinfo=UTC)
    return round(read.timestamp() * 1000)


def iso_text(moment_ms: int) -> str:
    """Write a moment as ISO 8601 does, in UTC, to the millisecond."""
    seconds, milliseconds = divmod(moment_ms, 1000)
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{milliseconds:03}Z"
