"""Handle of one broker: its state, and methods that stop and start it."""

from typing import TYPE_CHECKING

from mockbroker.control.handles.shown import Displayed, Facts, ShownState, facts_of
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.producer.producer_recovery import KeptSnapshot
from mockbroker.state.replication.broker import BrokerState

if TYPE_CHECKING:
    from mockbroker.control.broker_control import BrokerControl, BrokerInfo
    from mockbroker.control.cluster_control import ClusterControl


class BrokerHandle(Displayed):
    """A broker by its id; every property is read from the present state.

    Each method is that of the cluster, for this broker: `cluster.broker(1).kill()` is
    `cluster.kill(1)`.
    """

    def __init__(self, control: "ClusterControl", brokers: "BrokerControl", broker_id: int) -> None:
        """Name a broker."""
        self._control = control
        self._brokers = brokers
        self.broker_id = broker_id

    @property
    def info(self) -> "BrokerInfo":
        """All properties of one moment."""
        (found,) = (each for each in self._brokers.views if each.broker_id == self.broker_id)
        return found

    @property
    def state(self) -> BrokerState:
        """The state: `running`, `killed`, `stopped` or `isolated`."""
        return self.info.state

    @property
    def is_running(self) -> bool:
        """True if it runs and is not isolated."""
        return self.state is BrokerState.RUNNING

    @property
    def is_controller(self) -> bool:
        """True if it is the controller."""
        return self.info.is_controller

    @property
    def host(self) -> str:
        """The host that it advertises."""
        return self.info.host

    @property
    def port(self) -> int:
        """The port that it advertises."""
        return self.info.port

    @property
    def rack(self) -> str | None:
        """The rack, if it has one."""
        return self.info.rack

    def kill(self) -> None:
        """Kill it as `kill -9` does; see `Cluster.kill`."""
        self._brokers.kill(self.broker_id)

    def stop(self) -> None:
        """Stop it in a controlled way; see `Cluster.stop_broker`."""
        self._brokers.stop(self.broker_id)

    def start(self, *, producer_snapshot: KeptSnapshot | None = None) -> None:
        """Start it after it was killed or stopped; see `Cluster.start`."""
        self._brokers.start(self.broker_id, producer_snapshot=producer_snapshot)

    def crash(self) -> None:
        """Simulate a power failure and a restart; see `Cluster.crash`."""
        self._brokers.crash(self.broker_id)

    def lag(self) -> None:
        """Stop its fetches from all leaders; see `Cluster.lag`."""
        self._brokers.lag(self.broker_id)

    def catch_up(self) -> None:
        """Let it fetch from all leaders again; see `Cluster.catch_up`."""
        self._brokers.catch_up(self.broker_id)

    def isolate(self) -> None:
        """Isolate it from all other brokers; see `Cluster.isolate`."""
        self._brokers.isolate(self.broker_id)

    def rejoin(self) -> None:
        """Reconnect it after `isolate`; see `Cluster.rejoin`."""
        self._brokers.rejoin(self.broker_id)

    def _shown(self) -> ShownState:
        name = str(self.broker_id)
        return ShownState(type(self).__name__, name, facts_of(self._control, self._facts))

    def _facts(self, cluster: ClusterState, _now_ms: int) -> Facts:
        info = self.info
        led = [
            each
            for topic in cluster.topics
            for each in topic.partitions
            if each.leader_id == self.broker_id and not topic.is_internal
        ]
        return {
            "state": info.state.value,
            "address": f"{info.host}:{info.port}",
            **({"rack": info.rack} if info.rack is not None else {}),
            "is_controller": info.is_controller,
            "leads": f"{len(led)} partitions",
        }
