"""Control methods of brokers: kill, isolate, crash, and the methods that need brokers."""

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from mockbroker.broker.isolated_broker import IsolatedBroker
from mockbroker.control.cluster_control import ClusterControl, action
from mockbroker.control.handles.replica_handle import check_snapshot
from mockbroker.control.running_cluster import ClusterAccess
from mockbroker.settings.listener_settings import parse_address
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.producer.producer_recovery import KeptSnapshot
from mockbroker.state.replication.broker import BrokerState
from mockbroker.state.replication.broker_control import (
    fence_broker,
    let_broker_catch_up,
    let_broker_lag,
    restart_replicas,
    state_of,
    unfence_broker,
)
from mockbroker.state.replication.crash import crash_everywhere, flush_all, forget_unflushed_of
from mockbroker.state.replication.isolated_view import isolated_view, rejoin
from mockbroker.state.topic.topic_recreation import recreate_topic

if TYPE_CHECKING:
    from mockbroker.control.handles.broker_handle import BrokerHandle

_HANDLE: Final = "mockbroker.control.handles.broker_handle"
"""Loaded by name: few tests need it."""


class BrokerInfo(NamedTuple):
    """A broker and its state."""

    broker_id: int
    host: str
    port: int
    rack: str | None
    state: BrokerState
    """`running`, `killed`, `stopped` or `isolated`."""
    is_controller: bool


class BrokerControl:
    """Part of a cluster's handle that changes brokers, and their topics and transactional ids."""

    def __init__(self, access: ClusterAccess) -> None:
        """Control the brokers of a cluster."""
        self._cluster = access

    @property
    def _control(self) -> ClusterControl:
        return self._cluster.control

    @property
    def views(self) -> list[BrokerInfo]:
        """All brokers by id, including unavailable ones."""
        return self._cluster.control.read(lambda cluster, _now_ms: _brokers_of(cluster))

    def handle(self, broker: int) -> "BrokerHandle":
        """Return a handle of a broker: inspect it, stop it and start it.

        Raises:
            LookupError: there is no such broker.

        """
        known = self._cluster.control.read(lambda cluster, _now_ms: sorted(cluster.brokers))
        if broker not in known:
            raise LookupError(f"there is no broker {broker!r}; the brokers are {known}")
        handle: BrokerHandle = import_module(_HANDLE).BrokerHandle(
            self._cluster.control, self, broker
        )
        return handle

    @action
    def kill(self, broker: int) -> None:
        """Kill a broker as `kill -9` does: connections break, and its port refuses new ones.

        The cluster notices at once (in Kafka, after a session timeout). Other in-sync replicas take
        over its leaderships and coordinators; partitions without one have no leader. Metadata omits
        the broker. Its logs persist until it is started again.

        Raises:
            LookupError: there is no such broker.
            ValueError: it does not run.

        """
        self._end(broker, BrokerState.KILLED, "broker_killed")

    @action
    def stop(self, broker: int) -> None:
        """Stop a broker in a controlled way: like `kill`, but it first writes what it knows.

        When it starts again, it has its last log start offset and all producers (the last batch of
        each), even those without records.

        Raises:
            LookupError: there is no such broker.
            ValueError: it does not run.

        """
        self._end(broker, BrokerState.STOPPED, "broker_stopped")

    def _end(self, broker: int, state: BrokerState, kind: str) -> None:
        def ended(cluster: ClusterState, now_ms: int) -> None:
            _check_state(cluster, broker, BrokerState.RUNNING)
            self._cluster.control.note(kind, broker=broker)
            for listener in self._cluster.running.listeners_of(broker):
                listener.kill()
            self._cluster.running.service.forget_broker(broker)
            fence_broker(cluster, broker, state, now_ms=now_ms)

        self._cluster.control.change(ended)

    @action
    def start(self, broker: int, *, producer_snapshot: KeptSnapshot | None = None) -> None:
        """Start a killed or stopped broker at the same port, with the logs that it had.

        As in Kafka, it knows the last batch of each producer only, so that retries of earlier ones
        are not recognised. Of producers without records it knows those of its producer snapshot:
        `full` is that of a controlled stop, `stale` that of the active segment's beginning, which a
        killed broker has, and `none` a lost one, which leaves no producer at all. After a kill, the
        log start offset is that of the last minute's checkpoint: records that were deleted since
        are there again.

        Its replicas are caught up at once. It leads the partitions that had no leader, and no
        others: leadership returns to the preferred replica only by an election
        (`PartitionHandle.elect`, or `kafka-leader-election.sh`), and never by itself, as it would
        in Kafka after five minutes with `auto.leader.rebalance.enable`.

        Raises:
            LookupError: there is no such broker.
            OSError: another process has taken its port.
            ValueError: it is not down, or there is no such kind of snapshot.

        """
        if producer_snapshot is not None:
            check_snapshot(producer_snapshot)

        def started(cluster: ClusterState, now_ms: int) -> None:
            _check_state(cluster, broker, BrokerState.KILLED, BrokerState.STOPPED)
            for listener in self._cluster.running.listeners_of(broker):
                listener.reopen()
            self._cluster.control.note("broker_started", broker=broker)
            restart_replicas(cluster, broker, producer_snapshot, now_ms=now_ms)
            unfence_broker(cluster, broker, now_ms=now_ms)

        self._cluster.control.change(started)

    @action
    def advertise(
        self, address: str, *, listener: str | None = None, broker: int | None = None
    ) -> None:
        """Set the address, `host:port`, that brokers advertise for a listener, or the main one.

        Without `broker` it applies to all brokers: the first has the port, each other one the next
        port. Metadata, FindCoordinator and DescribeCluster contain the address from the next
        request on; connections stay open.

        Raises:
            LookupError: there is no such listener, or no such broker.
            ValueError: the address is not one.

        """
        host, port = parse_address(address)
        running = self._cluster.running

        def change() -> None:
            name = running.advertised.views[0].name if listener is None else listener.upper()
            running.advertised.advertise(name, host, port, broker)
            running.advertised.publish(running.state)

        self._cluster.control.change(lambda _cluster, _now_ms: change())

    @action
    def lag(self, broker: int) -> None:
        """Stop a broker's fetches from all leaders, also from those that are elected later.

        Its replicas stay in sync until they have lagged for `replica.lag.time.max.ms`. For a single
        partition, see `PartitionHandle.lag`.

        Raises:
            LookupError: there is no such broker.

        """

        def lagging(cluster: ClusterState, now_ms: int) -> None:
            state_of(cluster, broker)
            self._cluster.control.note("broker_lags", broker=broker)
            let_broker_lag(cluster, broker, now_ms=now_ms)

        self._cluster.control.change(lagging)

    @action
    def catch_up(self, broker: int) -> None:
        """Let a broker fetch from all leaders again, and its replicas be in sync.

        Raises:
            LookupError: there is no such broker.

        """

        def caught_up(cluster: ClusterState, _now_ms: int) -> None:
            state_of(cluster, broker)
            self._cluster.control.note("broker_caught_up", broker=broker)
            let_broker_catch_up(cluster, broker)

        self._cluster.control.change(caught_up)

    @action
    def isolate(self, broker: int) -> None:
        """Isolate a broker from the controller and all other brokers; clients still reach it.

        The others continue as if it were killed. The broker itself continues with its last
        metadata: it answers Metadata as before, and leads its former partitions. acks=all ends with
        REQUEST_TIMED_OUT, because no follower fetches; acks=1 and 0 are accepted, and the records
        are lost when it rejoins (`rejoin`). Consumers get the committed records. Requests that need
        the controller get REQUEST_TIMED_OUT, and it coordinates nothing: COORDINATOR_NOT_AVAILABLE,
        NOT_COORDINATOR.

        Raises:
            LookupError: there is no such broker.
            ValueError: it does not run.

        """

        def isolated(cluster: ClusterState, now_ms: int) -> None:
            _check_state(cluster, broker, BrokerState.RUNNING)
            self._cluster.control.note("broker_isolated", broker=broker)
            view = isolated_view(cluster, broker, now_ms=now_ms)
            fence_broker(cluster, broker, BrokerState.ISOLATED, now_ms=now_ms)
            self._cluster.running.service.isolated[broker] = IsolatedBroker(view)

        self._cluster.control.change(isolated)

    @action
    def rejoin(self, broker: int) -> None:
        """Reconnect an isolated broker to the cluster.

        It follows the present leaders, and its private appends are lost. It leads the partitions
        that had no leader meanwhile, with all the records that it had.

        Raises:
            LookupError: there is no such broker.
            ValueError: it is not isolated.

        """

        def rejoined(cluster: ClusterState, now_ms: int) -> None:
            _check_state(cluster, broker, BrokerState.ISOLATED)
            self._cluster.control.note("broker_rejoined", broker=broker)
            view = self._cluster.running.service.isolated.pop(broker).view
            for partition in rejoin(cluster, view, broker, now_ms=now_ms):
                cluster.appended(partition)

        self._cluster.control.change(rejoined)

    @action
    def flush(self) -> None:
        """Flush all logs to disk, so that a crash loses nothing that was written before.

        Kafka leaves that to the operating system; a crash loses later records (`crash`).
        """
        self._cluster.control.change(lambda cluster, _now_ms: flush_all(cluster))

    @action
    def crash(self, broker: int | None = None) -> None:
        """Simulate a power failure of one broker, or of all that run, and restart them.

        Connections break. Records that are not on disk (`flush`; a full segment is flushed by
        itself) are lost unless an in-sync replica kept running, even if they were acknowledged.
        Transactions and group offsets can be lost as well, with the records of the coordinators'
        logs. If all brokers crash, each leads the same partitions again, in a new epoch.

        Raises:
            LookupError: there is no such broker.
            OSError: another process has taken a port.
            ValueError: the broker does not run.

        """
        if broker is not None:
            self._crash_one(broker)
            return

        def crashed(cluster: ClusterState, now_ms: int) -> None:
            self._cluster.control.note("cluster_crashed")
            running = [
                b.node_id for b in cluster.brokers.values() if b.node_id not in cluster.fenced
            ]
            listeners = [
                one for each in running for one in self._cluster.running.listeners_of(each)
            ]
            for listener in listeners:
                listener.kill()
            for each in running:
                self._cluster.running.service.forget_broker(each)
            crash_everywhere(cluster, now_ms=now_ms)
            for listener in listeners:
                listener.reopen()

        self._cluster.control.change(crashed)

    def _crash_one(self, broker: int) -> None:
        self.kill(broker)
        self._cluster.control.change(
            lambda cluster, now_ms: forget_unflushed_of(cluster, broker, now_ms=now_ms)
        )
        self.start(broker)

    @action
    def recreate_topic(
        self, topic: str, *, partitions: int | None = None, start_offset: int = 0
    ) -> None:
        """Delete a topic and create it again: the same name and configs, another id, no records.

        It has as many partitions as before, on the same brokers, unless `partitions` is given. All
        of them begin at `start_offset`.

        Raises:
            LookupError: there is no such topic.
            ValueError: it is an internal topic, or a number cannot be.

        """
        if start_offset < 0 or (partitions is not None and partitions < 1):
            raise ValueError(f"partitions={partitions}, start_offset={start_offset}: too small")

        def recreated(cluster: ClusterState, now_ms: int) -> None:
            found = cluster.topics.get(topic)
            if found is None:
                raise LookupError(f"there is no topic {topic}")
            if found.is_internal:
                raise ValueError(f"{topic} is an internal topic")
            self._cluster.control.note("topic_recreated", topic=topic, start_offset=start_offset)
            recreate_topic(
                cluster,
                found,
                num_partitions=partitions,
                start_offset=start_offset,
                now_ms=now_ms,
            )

        self._cluster.control.change(recreated)


def _brokers_of(cluster: ClusterState) -> list[BrokerInfo]:
    return [
        BrokerInfo(
            broker.node_id,
            broker.host,
            broker.port,
            broker.rack,
            state_of(cluster, broker.node_id),
            broker.node_id == cluster.controller_id,
        )
        for _, broker in sorted(cluster.brokers.items())
    ]


def _check_state(cluster: ClusterState, broker_id: int, *wanted: BrokerState) -> None:
    state = state_of(cluster, broker_id)
    if state not in wanted:
        raise ValueError(f"broker {broker_id} is {state}, not {' or '.join(wanted)}")
