"""Part of a cluster's handle that knows what was done to it, and waits for what comes."""

from importlib import import_module
from typing import TYPE_CHECKING, Final

from mockbroker.control.running_cluster import ClusterAccess

if TYPE_CHECKING:
    from mockbroker.control.actions.action_log import ActionLog
    from mockbroker.control.actions.event_watch import EventWatch
    from mockbroker.faults.conditions import Event

_EVENT_WATCH: Final = "mockbroker.control.actions.event_watch"
"""Loaded by name: only a thread that waits needs it."""


class ClusterActions:
    """The actions on a cluster, and the events that follow them."""

    def __init__(self, access: ClusterAccess) -> None:
        """Take the cluster."""
        self._cluster = access

    def watch(self, event: "Event") -> "EventWatch":
        """Begin to watch for an event such as `at.records("orders", 10)`; `wait()` waits for it.

            cluster.watch(at.records("orders", 10)).wait(timeout="5s")

        Raises:
            RuntimeError: the cluster is not running.

        """
        watch: EventWatch = import_module(_EVENT_WATCH).EventWatch(self._cluster.control, event)
        return watch

    def action_log(self) -> "ActionLog":
        """Return the actions since the start: control calls, and changes of faults."""
        return self._cluster.control.action_log
