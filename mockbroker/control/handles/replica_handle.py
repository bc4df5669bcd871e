"""Handle of one replica of a partition: what it has, and methods that make it differ."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from mockbroker.control.cluster_control import ClusterControl, action
from mockbroker.control.handles.shown import Displayed, Facts, ShownState, facts_of
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_deletion import set_log_start
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_recovery import (
    KEPT_SNAPSHOTS,
    KeptSnapshot,
    forget_producer,
    reload_producers,
)
from mockbroker.state.replication.replicas.leader_log import log_to_alter
from mockbroker.state.replication.replicas.log_start_checkpoint import checkpoint_later
from mockbroker.state.replication.replicas.replica import separate
from mockbroker.state.replication.replication import followers_fetch
from mockbroker.state.topic.topic import Partition

T = TypeVar("T")


class ProducerInfo(NamedTuple):
    """What a replica knows of a producer, as DescribeProducers shows it."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    """Sequence of its last record; -1 if only a marker is known."""
    last_offset: int
    """Offset of its last record; -1 if only a marker is known."""
    current_txn_first_offset: int
    """First offset of its open transaction; -1 if none is open."""


class ReplicaHandle(Displayed):
    """A replica, by its partition and broker; every property is read from the present state.

    A property of a replica that fetches shows what it has after its next fetch.

    Raises:
        LookupError: by any of its members, while the broker holds no replica of the partition.

    """

    def __init__(self, control: ClusterControl, topic: str, index: int, broker: int) -> None:
        """Name a replica."""
        self._control = control
        self.topic = topic
        self.index = index
        self.broker = broker

    @property
    def is_in_sync(self) -> bool:
        """True if it is one of the in-sync replicas."""
        return self._read(lambda partition: self.broker in partition.in_sync_replicas)

    @property
    def fetches(self) -> bool:
        """True if it follows its leader, or leads; False while it lags or its broker is away."""

        def find(partition: Partition) -> bool:
            replica = partition.replicas_apart.get(self.broker)
            return replica is None or replica.fetches

        return self._read(find)

    @property
    def log_start_offset(self) -> int:
        """The first offset that it would serve as leader."""
        return self._of_log(lambda log: log.log_start_offset)

    @property
    def last_stable_offset(self) -> int:
        """The end of read_committed reads, as it knows it."""
        return self._of_log(lambda log: log.last_stable_offset)

    @property
    def high_watermark(self) -> int:
        """The high watermark, as it knows it."""
        return self._of_log(lambda log: log.high_watermark)

    @property
    def log_end_offset(self) -> int:
        """The end of its log."""
        return self._of_log(lambda log: log.log_end_offset)

    @property
    def leader_epochs(self) -> tuple[tuple[int, int], ...]:
        """Its leader epochs with their first offsets, oldest first."""
        return self._of_log(lambda log: tuple(log.leader_epochs))

    @property
    def producers(self) -> list[ProducerInfo]:
        """The producers that it knows, in the order in which they first appended."""
        return self._of_log(
            lambda log: [
                ProducerInfo(
                    entry.producer_id,
                    entry.producer_epoch,
                    entry.last_sequence,
                    entry.last_data_offset,
                    entry.current_txn_first_offset,
                )
                for entry in log.producers
            ]
        )

    @action
    def hold_offsets(self) -> None:
        """Keep its log start offset and high watermark, while it goes on to copy records.

        In Kafka the leader's offsets arrive one fetch later than the records. Elected meanwhile,
        the replica leads with the offsets that it knows.

        Raises:
            ValueError: it leads the partition.

        """

        def held(cluster: ClusterState, now_ms: int) -> None:
            partition = self._find(cluster)
            if partition.leader_id == self.broker:
                raise ValueError(f"broker {self.broker} leads {self.topic}-{self.index}")
            self._note("replica_offsets_held")
            cluster.log_of(partition, now_ms)
            replica = separate(partition, self.broker, cluster.records, now_ms=now_ms)
            if replica.fetches:
                replica.fetch()
            replica.holds_offsets = True

        self._control.change(held)

    @action
    def release_offsets(self) -> None:
        """Let the leader's log start offset and high watermark arrive again."""

        def released(cluster: ClusterState, _now_ms: int) -> None:
            partition = self._find(cluster)
            self._note("replica_offsets_released")
            replica = partition.replicas_apart.get(self.broker)
            if replica is not None:
                replica.holds_offsets = False
                followers_fetch(cluster, partition)

        self._control.change(released)

    @action
    def move_log_start(self, to: int) -> int:
        """Move the log start offset of this replica alone, and return the new one.

        Forward it is the effect of its own retention. Backward it is that of a killed broker, whose
        last log start was not in its checkpoint yet: records that were deleted, but whose segment
        still exists, are there again. A follower takes over a later log start with its next fetch.

        Raises:
            ValueError: the offset is beyond its high watermark, or its records are gone.

        """

        def moved(cluster: ClusterState, now_ms: int) -> int:
            partition = self._find(cluster)
            self._note("replica_log_start_moved", to=to)
            log = log_to_alter(cluster, partition, self.broker, now_ms=now_ms)
            set_log_start(log, to)
            checkpoint_later(cluster, now_ms=now_ms)
            cluster.appended(partition)
            return log.log_start_offset

        return self._control.change(moved)

    @action
    def reload_producers(self, snapshot: KeptSnapshot = "full") -> None:
        """Reload the producers of this replica, as its broker does when it restarts.

        It knows the last batch of each producer then. Of producers without records it knows those
        in the snapshot: `full` is that of a controlled stop, `stale` that of the active segment's
        beginning. A snapshot at the log start or before it counts for nothing. With `none`, the
        snapshot of a controlled stop is lost, and the replica knows no producer at all.

        Raises:
            ValueError: there is no such kind of snapshot.

        """
        check_snapshot(snapshot)

        def reloaded(cluster: ClusterState, now_ms: int) -> None:
            partition = self._find(cluster)
            self._note("replica_producers_reloaded", snapshot=snapshot)
            log = log_to_alter(cluster, partition, self.broker, now_ms=now_ms)
            reload_producers(log, snapshot)
            cluster.appended(partition)

        self._control.change(reloaded)

    @action
    def forget_producer(self, producer_id: int) -> bool:
        """Forget a producer in this replica alone; return whether it was known."""

        def forgotten(cluster: ClusterState, now_ms: int) -> bool:
            partition = self._find(cluster)
            self._note("replica_producer_forgotten", producer_id=producer_id)
            log = log_to_alter(cluster, partition, self.broker, now_ms=now_ms)
            was_known = forget_producer(log, producer_id)
            cluster.appended(partition)
            return was_known

        return self._control.change(forgotten)

    def _shown(self) -> ShownState:
        name = f"{self.topic}-{self.index} of broker {self.broker}"
        return ShownState(type(self).__name__, name, facts_of(self._control, self._facts))

    def _facts(self, cluster: ClusterState, _now_ms: int) -> Facts:
        partition = self._find(cluster)
        log = partition.log_at(self.broker) or partition.log
        return {
            "is_in_sync": self.broker in partition.in_sync_replicas,
            "log_start_offset": getattr(log, "log_start_offset", 0),
            "log_end_offset": getattr(log, "log_end_offset", 0),
        }

    def _find(self, cluster: ClusterState) -> Partition:
        partition = cluster.partition(self.topic, self.index)
        if partition is None:
            raise LookupError(f"there is no partition {self.topic}-{self.index}")
        check_replica(partition, self.broker)
        return partition

    def _read(self, look: Callable[[Partition], T]) -> T:
        return self._control.read(lambda cluster, _now_ms: look(self._find(cluster)))

    def _of_log(self, look: Callable[[PartitionLog], T]) -> T:
        def read(cluster: ClusterState, now_ms: int) -> T:
            partition = self._find(cluster)
            log = cluster.log_of(partition, now_ms)
            return look(partition.log_at(self.broker) or log)

        return self._control.read(read)

    def _note(self, kind: str, **facts: object) -> None:
        """Report an event of the replica, before it happens."""
        place = {"topic": self.topic, "partition": self.index, "broker": self.broker}
        self._control.note(kind, **place, **facts)


def check_replica(partition: Partition, broker_id: int) -> None:
    """Check that a broker holds a replica.

    Raises:
        LookupError: it holds none.

    """
    if broker_id not in partition.replicas:
        raise LookupError(
            f"broker {broker_id} holds no replica of {partition.topic_partition}; "
            f"brokers {', '.join(map(str, partition.replicas))} do"
        )


def check_there(cluster: ClusterState, partition: Partition, broker_id: int) -> None:
    """Check that the broker of a replica runs and is connected.

    Raises:
        ValueError: it is away.

    """
    if broker_id in cluster.fenced:
        raise ValueError(
            f"broker {broker_id} is {cluster.fenced[broker_id]}: start it, or choose another"
            f" replica of {partition.topic_partition}"
        )


def check_snapshot(snapshot: str) -> None:
    """Check the kind of a producer snapshot.

    Raises:
        ValueError: there is no such kind.

    """
    if snapshot not in KEPT_SNAPSHOTS:
        raise ValueError(f"snapshot={snapshot!r}: allowed are {', '.join(KEPT_SNAPSHOTS)}")
