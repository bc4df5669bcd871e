"""Control methods of brokers: kill, isolate, crash, and the methods that need brokers."""

from typing import NamedTuple

from mockbroker.broker.isolated_broker import IsolatedBroker
from mockbroker.control.handles.partition_handle import PartitionHandle
from mockbroker.control.running_cluster import ClusterAccess
from mockbroker.settings.duration import milliseconds
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.coordinator.holds import MarkerDelay
from mockbroker.state.replication.broker import BrokerState
from mockbroker.state.replication.broker_control import fence_broker, state_of, unfence_broker
from mockbroker.state.replication.crash import crash_everywhere, flush_all, forget_unflushed_of
from mockbroker.state.replication.isolated_view import isolated_view, rejoin
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, NO_LEADER, TRANSACTION_STATE
from mockbroker.state.topic.topic_recreation import recreate_topic
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator


class BrokerInfo(NamedTuple):
    """A broker and its state."""

    broker_id: int
    host: str
    port: int
    rack: str | None
    state: BrokerState
    """`running`, `killed` or `isolated`."""
    is_controller: bool


class BrokerControl:
    """Part of a cluster's handle that changes brokers, and their topics and transactional ids."""

    def __init__(self, access: ClusterAccess) -> None:
        """Control the brokers of a cluster."""
        self._cluster = access

    @property
    def views(self) -> list[BrokerInfo]:
        """All brokers by id, including unavailable ones."""
        return self._cluster.control.read(lambda cluster, _now_ms: _brokers_of(cluster))

    def kill(self, broker: int) -> None:
        """Kill a broker as `kill -9` does: connections break, and its port refuses new ones.

        The cluster notices at once (in Kafka, after a session timeout). Other in-sync replicas take
        over its leaderships and coordinators; partitions without one have no leader. Metadata omits
        the broker. Its logs persist until it is started again.

        Raises:
            LookupError: there is no such broker.
            ValueError: it does not run.

        """

        def killed(cluster: ClusterState, now_ms: int) -> None:
            _check_state(cluster, broker, BrokerState.RUNNING)
            self._cluster.control.note("broker_killed", broker=broker)
            for listener in self._cluster.running.listeners_of(broker):
                listener.kill()
            self._cluster.running.service.forget_broker(broker)
            fence_broker(cluster, broker, BrokerState.KILLED, now_ms=now_ms)

        self._cluster.control.change(killed)

    def start(self, broker: int) -> None:
        """Start a killed broker at the same port, with the logs that it had.

        Its replicas are caught up at once. It leads the partitions that had no leader, and no
        others: leadership returns to the preferred replica only by an election
        (`PartitionHandle.elect`, or `kafka-leader-election.sh`), and never by itself, as it would
        in Kafka after five minutes with `auto.leader.rebalance.enable`.

        Raises:
            LookupError: there is no such broker.
            OSError: another process has taken its port.
            ValueError: it was not killed.

        """

        def started(cluster: ClusterState, now_ms: int) -> None:
            _check_state(cluster, broker, BrokerState.KILLED)
            for listener in self._cluster.running.listeners_of(broker):
                listener.reopen()
            self._cluster.control.note("broker_started", broker=broker)
            unfence_broker(cluster, broker, now_ms=now_ms)

        self._cluster.control.change(started)

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

    def flush(self) -> None:
        """Flush all logs to disk, so that a crash loses nothing that was written before.

        Kafka leaves that to the operating system; a crash loses later records (`crash`).
        """
        self._cluster.control.change(lambda cluster, _now_ms: flush_all(cluster))

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
        self._cluster.control.change(lambda cluster, _now_ms: forget_unflushed_of(cluster, broker))
        self.start(broker)

    def move_coordinator(
        self,
        transactional_id: str | None = None,
        to: int | None = None,
        *,
        group: str | None = None,
    ) -> int:
        """Move the coordinator of a transactional id or a group, and return the broker's id.

        The new coordinator is the next replica in turn of the id's partition of
        `__transaction_state`, or of the group's partition of `__consumer_offsets`, unless `to`
        names one. With one replica it is the same broker, as after a restart. The new coordinator
        knows only what it loads from that partition's log.

        Raises:
            LookupError: there is no coordinator yet, since no client has asked for one.
            ValueError: `to` holds no replica, or neither is named, or both are.

        """
        return self._coordinated_by(transactional_id, group).elect(to)

    def coordinator_of(
        self, transactional_id: str | None = None, *, group: str | None = None
    ) -> int:
        """Return the id of the broker that coordinates a transactional id or a group.

        Raises:
            LookupError: there is no coordinator yet, since no client has asked for one.
            ValueError: neither is named, or both are.

        """
        return self._coordinated_by(transactional_id, group).leader

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

    def expire_transactional_id(self, transactional_id: str) -> None:
        """Expire a transactional id now, as `transactional.id.expiration.ms` does later.

        Raises:
            LookupError: its coordinator does not know it, or there is none.
            ValueError: it has a transaction open, or its end cannot be logged.

        """

        def expired(cluster: ClusterState, now_ms: int) -> None:
            coordinator = _coordinator_of(cluster, transactional_id)
            found = coordinator.states.find(transactional_id)
            if found is None:
                raise LookupError(f"no coordinator knows {transactional_id!r}")
            state = found.metadata.state
            if found.metadata.pending_state is not None or not state.is_expiration_allowed:
                raise ValueError(f"{transactional_id!r} is {state.state_name}: it does not expire")
            self._cluster.control.note(
                "transactional_id_expired", transactional_id=transactional_id
            )
            if not coordinator.expire_transactional_id(transactional_id, now_ms):
                raise ValueError(f"the expiry of {transactional_id!r} cannot be logged")

        self._cluster.control.change(expired)

    def delay_markers(self, by: str | int, *, probability: float = 1.0) -> None:
        """Write the markers of each transaction that ends from now on after a time, as Kafka does.

        EndTxn is answered at once. Until the markers are written, the next request for the
        transactional id gets CONCURRENT_TRANSACTIONS. `by` is a duration such as `20ms`, on the
        cluster's clock; `0ms` ends the delay. With `probability`, only some transactions are
        delayed, chosen by the cluster's seed.

        Raises:
            ValueError: `by` is no duration, or the probability is not above 0 and up to 1.

        """
        if not 0 < probability <= 1:
            raise ValueError(f"probability={probability}: write a number above 0, up to 1")
        delay_ms = milliseconds(by)

        def delayed(cluster: ClusterState, _now_ms: int) -> None:
            self._cluster.control.note(
                "markers_delayed", delay_ms=delay_ms, probability=probability
            )
            cluster.held_endings.delay = MarkerDelay(delay_ms, probability, seed=cluster.seed)

        self._cluster.control.change(delayed)

    def _coordinated_by(self, transactional_id: str | None, group: str | None) -> PartitionHandle:
        if (transactional_id is None) == (group is None):
            raise ValueError(
                "name a transactional id, as in coordinator_of('orders-svc'), or a group, as in"
                " coordinator_of(group='readers')"
            )
        topic = TRANSACTION_STATE if group is None else CONSUMER_OFFSETS
        key = transactional_id if group is None else group
        index = self._cluster.control.read(
            lambda cluster, _now_ms: coordinator_partition(topic, str(key), cluster.configs)
        )
        return PartitionHandle(self._cluster.control, topic, index)


def _coordinator_of(cluster: ClusterState, transactional_id: str) -> TransactionCoordinator:
    index = coordinator_partition(TRANSACTION_STATE, transactional_id, cluster.configs)
    partition = cluster.partition(TRANSACTION_STATE, index)
    if partition is None or partition.leader_id == NO_LEADER:
        raise LookupError(f"{transactional_id!r} has no coordinator")
    return cluster.transaction_coordinator(partition.leader_id)


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


def _check_state(cluster: ClusterState, broker_id: int, wanted: BrokerState) -> None:
    state = state_of(cluster, broker_id)
    if state is not wanted:
        raise ValueError(f"broker {broker_id} is {state}, not {wanted}")
