"""What happens to a cluster, by a test's will: its brokers go and come back."""

from typing import NamedTuple

from mockbroker.cluster_access import ClusterAccess
from mockbroker.state.broker import BrokerState
from mockbroker.state.broker_control import fence_broker, state_of, unfence_broker
from mockbroker.state.cluster_state import ClusterState


class BrokerView(NamedTuple):
    """A broker as a test looks at it."""

    broker_id: int
    host: str
    port: int
    rack: str | None
    state: BrokerState
    """`running`, `killed` or `isolated`."""
    is_controller: bool


class ClusterEvents(ClusterAccess):
    """The events of a cluster, as methods."""

    @property
    def brokers(self) -> list[BrokerView]:
        """All brokers, those that are away included, by their ids.

        Raises:
            RuntimeError: the cluster is not running.

        """
        return self._control.read(lambda cluster, _now_ms: _brokers_of(cluster))

    @property
    def controller(self) -> int:
        """The id of the broker that is the controller.

        Raises:
            RuntimeError: the cluster is not running.

        """
        return self._control.read(lambda cluster, _now_ms: cluster.controller_id)

    def kill(self, broker: int) -> None:
        """Kill a broker as `kill -9` does: connections break, its port refuses new ones.

        The cluster notices at once, which in Kafka takes a session's timeout: other replicas in
        sync lead and coordinate, and what only this broker could lead nobody leads. Metadata names
        it no more. Its logs stay, for when it is started again.

        Raises:
            LookupError: there is no such broker.
            RuntimeError: the cluster is not running.
            ValueError: it does not run.

        """

        def killed(cluster: ClusterState, now_ms: int) -> None:
            _check_state(cluster, broker, BrokerState.RUNNING)
            self._control.note("broker_killed", broker=broker)
            for listener in self._present.listeners_of(broker):
                listener.kill()
            self._present.service.forget_broker(broker)
            fence_broker(cluster, broker, BrokerState.KILLED, now_ms=now_ms)

        self._control.change(killed)

    def start(self, broker: int) -> None:
        """Start a broker that was killed, at the same port and with the logs that it had.

        Its replicas have caught up at once. It leads what nobody could lead without it, and nothing
        else: to the preferred replica the lead returns by an election (`PartitionHandle.elect`, or
        `kafka-leader-election.sh`), never by time, as it would in Kafka after five minutes with
        `auto.leader.rebalance.enable`.

        Raises:
            LookupError: there is no such broker.
            OSError: somebody else has taken its port.
            RuntimeError: the cluster is not running.
            ValueError: it was not killed.

        """

        def started(cluster: ClusterState, now_ms: int) -> None:
            _check_state(cluster, broker, BrokerState.KILLED)
            for listener in self._present.listeners_of(broker):
                listener.reopen()
            self._control.note("broker_started", broker=broker)
            unfence_broker(cluster, broker, now_ms=now_ms)

        self._control.change(started)


def _brokers_of(cluster: ClusterState) -> list[BrokerView]:
    return [
        BrokerView(
            broker.node_id,
            broker.host,
            broker.port,
            broker.rack,
            state_of(cluster, broker.node_id),
            broker.node_id == cluster.controller_id,
        )
        for _, broker in sorted(cluster.brokers.items())
    ]


def _check_state(cluster: ClusterState, broker_id: int, wanted: BrokerState) -> None:
    state = state_of(cluster, broker_id)
    if state is not wanted:
        raise ValueError(f"broker {broker_id} is {state}, not {wanted}")
