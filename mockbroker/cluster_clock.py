"""The clock of a cluster's state, as a test moves it."""

from mockbroker.cluster_control import ClusterControl, Passed
from mockbroker.duration import milliseconds


class ClusterClock:
    """The time by which transactions time out, ids expire, and retention deletes.

    It is not the clock of the wire: a long poll, or anything else that a client waits for, takes
    its real time whatever is done here. Nor is it the clock of clients: the records that they
    write have their own times.
    """

    def __init__(self, control: ClusterControl) -> None:
        """Move a cluster's clock."""
        self._control = control

    @property
    def now_ms(self) -> int:
        """The cluster's time, in milliseconds since 1970."""
        return self._control.read(lambda _cluster, now_ms: now_ms)

    def advance(self, by: str | int, *, keep_sessions: bool = True) -> Passed:
        """Let time pass at once: `7d`, `12h`, `30m`, `90s`, `250ms`, or a number of milliseconds.

        All that falls due runs before this returns, each at its own time and in order, as if the
        time had really passed: timeouts, expiry, retention, and what follows from them.

        The members of consumer groups are programs in real time, which cannot send the heartbeats
        of a week at once: their deadlines move along, so that they stay. With `keep_sessions=False`
        they fall due like all else.

        Raises:
            ValueError: `by` is no duration, or a negative one.

        """
        return self._control.advance(milliseconds(by), keep_sessions=keep_sessions)
