"""Wait of a thread for an event of the cluster, such as `at.records("orders", 10)`."""

import threading
from typing import TYPE_CHECKING, Final

from mockbroker.server.event_loop import check_may_wait
from mockbroker.settings.duration import (
    DEFAULT_TIMEOUT,
    Duration,
    duration_text,
    milliseconds,
    with_unit,
)

MILLISECONDS: Final = 1000

if TYPE_CHECKING:
    from mockbroker.control.cluster_control import ClusterControl
    from mockbroker.faults.conditions import Event


class EventWatch:
    """Watch for one event, from its creation on. Any thread may use it."""

    def __init__(self, control: "ClusterControl", event: "Event") -> None:
        """Begin to watch.

        Raises:
            RuntimeError: the cluster is not running.

        """
        self._control = control
        self._event = event
        self._woken = threading.Event()
        self._failure: Exception | None = None
        self.has_occurred = False
        """True once the event has occurred."""
        self._stop = control.change(
            lambda _cluster, _now_ms: control.fault_plan.watch(event, self._occurred)
        )
        control.add_wait(self._give_up)

    def wait(self, timeout: Duration | None = DEFAULT_TIMEOUT) -> None:
        """Wait until the event has occurred; with None for any time.

        Raises:
            RuntimeError: called on the cluster's own loop, which would wait for itself; or the
                cluster stopped or was reset before the event occurred.
            TimeoutError: it has not occurred, or `stop` was called.
            ValueError: the timeout is no duration.

        """
        check_may_wait(self._control.loop, "await cluster.aio.watch(event).wait()")
        limit, timeout_s = "", None
        if timeout is not None:
            timeout_ms = milliseconds(with_unit("wait(timeout={})", timeout, "s"))
            limit, timeout_s = f" within {duration_text(timeout_ms)}", timeout_ms / MILLISECONDS
        self._woken.wait(timeout_s)
        if self._failure is not None:
            raise self._failure
        if not self.has_occurred:
            raise TimeoutError(f"{self._event!r} did not occur{limit}")

    def stop(self) -> None:
        """End the watch; a thread that waits gets a TimeoutError."""
        self._control.read(lambda _cluster, _now_ms: self._stop())
        self._end()

    def _occurred(self) -> None:
        self.has_occurred = True
        self._end()

    def _give_up(self, why: Exception) -> None:
        self._failure = why
        self._end()

    def _end(self) -> None:
        self._control.remove_wait(self._give_up)
        self._woken.set()
