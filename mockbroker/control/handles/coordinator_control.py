"""Control methods of coordinators: moves, expiry of transactional ids, slow markers."""

from mockbroker.control.cluster_control import ClusterControl, action
from mockbroker.control.handles.partition_handle import PartitionHandle
from mockbroker.control.running_cluster import ClusterAccess
from mockbroker.settings.duration import Duration, milliseconds, with_unit
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.coordinator.holds import MarkerDelay
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, NO_LEADER, TRANSACTION_STATE
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator


class CoordinatorControl:
    """Part of a cluster's handle that changes the coordinators of transactions and groups."""

    def __init__(self, access: ClusterAccess) -> None:
        """Control the coordinators of a cluster."""
        self._cluster = access

    @property
    def _control(self) -> ClusterControl:
        return self._cluster.control

    @action
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

    @action
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

    @action
    def delay_markers(self, by: Duration, *, probability: float = 1.0) -> None:
        """Write the markers of each transaction that ends from now on after a time, as Kafka does.

        EndTxn is answered at once. Until the markers are written, the next request for the
        transactional id gets CONCURRENT_TRANSACTIONS. `by` is `20ms` or a `timedelta`, on the
        cluster's clock; `0ms` ends the delay. With `probability`, only some transactions are
        delayed, chosen by the cluster's seed.

        Raises:
            ValueError: `by` is no duration, or the probability is not above 0 and up to 1.

        """
        if not 0 < probability <= 1:
            raise ValueError(f"probability={probability}: write a number above 0, up to 1")
        delay_ms = milliseconds(with_unit("delay_markers({})", by))

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
