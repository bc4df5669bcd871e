"""What every part of a cluster's handle starts from: the cluster that runs, if it does."""

from typing import TYPE_CHECKING

from mockbroker.control.cluster_control import NOT_RUNNING, ClusterControl

if TYPE_CHECKING:
    from mockbroker.control.running_cluster import RunningCluster


class ClusterAccess:
    """A hand on a cluster that somebody else starts and stops."""

    def __init__(self, running: "RunningCluster | None" = None) -> None:
        """Handle a cluster, if it runs already."""
        self._running = running

    @property
    def _present(self) -> "RunningCluster":
        """The cluster that runs.

        Raises:
            RuntimeError: it does not.

        """
        if self._running is None or not self._running.listeners:
            raise RuntimeError(NOT_RUNNING)
        return self._running

    @property
    def _control(self) -> ClusterControl:
        return self._present.control
