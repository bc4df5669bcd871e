"""What the doors of a cluster need beside its verbs: a look inside, a new start, HTTP's place."""

from collections.abc import Callable
from typing import TypeVar

from mockbroker.control.cluster_access import ClusterAccess
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.random_source import RandomSource

T = TypeVar("T")


class ClusterDoors(ClusterAccess):
    """A look inside, a new start, and the address of the HTTP door, as methods."""

    def look(self, work: Callable[[ClusterState, int], T]) -> T:
        """Return what a function finds in the cluster's state; it is given that, and the time.

        It runs on the cluster's own loop, so between two requests, and changes nothing.

        Raises:
            RuntimeError: the cluster is not running.

        """
        return self._control.read(work)

    def reset(self) -> None:
        """Let the cluster be as it was at its start: on the same ports, with the same topics.

        Logs, producers, transactions, groups, configs, faults, the journal, the clock and the seed
        are as at the start, brokers that were killed are back, and all clients are hung up on. The
        addresses that clients are told stay as they are.

        Raises:
            OSError: the port of a broker that was killed is somebody else's by now.
            RuntimeError: the cluster is not running.

        """
        present = self._present
        self._control.read(lambda _cluster, _now_ms: present.begin_anew())

    @property
    def drawn_from(self) -> int:
        """The seed from which all ids and all lots are drawn.

        Raises:
            RuntimeError: the cluster is not running.

        """
        return self._control.read(lambda cluster, _now_ms: cluster.seed)

    def seed(self, seed: int) -> None:
        """Draw all lots from another seed from now on: ids, and faults `with_probability`.

        Raises:
            RuntimeError: the cluster is not running.

        """
        control = self._control

        def sown(cluster: ClusterState, _now_ms: int) -> None:
            cluster.seed = seed
            for random in (cluster.random, control.fault_plan.random):
                random.state = RandomSource(seed).state

        control.change(sown)

    @property
    def admin_url(self) -> str:
        """Where the cluster's HTTP door is, for programs in any language.

        Raises:
            RuntimeError: the cluster has none: it is not running, or not asked for one.

        """
        admin = None if self._running is None else self._running.admin
        if admin is None or not admin.url:
            raise RuntimeError("the cluster has no admin port: start it with `admin_port=0`")
        return admin.url
