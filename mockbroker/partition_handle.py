"""One partition of a running cluster, as a test looks at it and has leaders elected."""

from collections.abc import Callable
from typing import TypeVar

from mockbroker.cluster_control import ClusterControl
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.leader_election import (
    PRODUCER_STATES,
    ProducerState,
    elect_leader,
    next_leader,
)
from mockbroker.state.log.log_deletion import HIGH_WATERMARK
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.topic.topic import Partition

T = TypeVar("T")


class PartitionHandle:
    """A partition by its topic and number; every property is read anew.

    Raises:
        LookupError: by any of its members, while there is no such partition.

    """

    def __init__(self, control: ClusterControl, topic: str, index: int) -> None:
        """Name a partition."""
        self._control = control
        self.topic = topic
        self.index = index

    def __repr__(self) -> str:
        """Name the partition."""
        return f"{type(self).__name__}({self.topic!r}, {self.index})"

    @property
    def leader(self) -> int:
        """The id of the broker that leads it; -1 while nobody can."""
        return self._read(lambda partition: partition.leader_id)

    @property
    def leader_epoch(self) -> int:
        """How often a leader was elected, counted from 0."""
        return self._read(lambda partition: partition.leader_epoch)

    @property
    def replicas(self) -> tuple[int, ...]:
        """The ids of the brokers that hold it, the preferred leader first."""
        return self._read(lambda partition: partition.replicas)

    @property
    def in_sync_replicas(self) -> tuple[int, ...]:
        """The ids of the brokers that have all of it, the leader among them."""
        return self._read(lambda partition: partition.in_sync_replicas)

    @property
    def log_start_offset(self) -> int:
        """The first offset that can be read."""
        return self._of_log(lambda log: log.log_start_offset)

    @property
    def last_stable_offset(self) -> int:
        """The offset up to which read_committed reads: all before it is decided."""
        return self._of_log(lambda log: log.last_stable_offset)

    @property
    def high_watermark(self) -> int:
        """The offset up to which consumers read."""
        return self._of_log(lambda log: log.high_watermark)

    @property
    def log_end_offset(self) -> int:
        """The offset that the next record will have."""
        return self._of_log(lambda log: log.log_end_offset)

    def elect(self, to: int | None = None, *, producer_state: ProducerState = "full") -> int:
        """Elect a leader, and return its id; clients of the old one are told NOT_LEADER.

        Without `to` it is the next replica in turn, which with one replica is the same broker, as
        after a restart. The log stays as it is; of the producers' state the new leader has all
        (`full`), the last batch of each (`from_snapshot`, as after a restart), what the records
        that are left show (`from_log`, a replica made by a reassignment), or nothing (`none`).

        Raises:
            LookupError: there is no such partition.
            ValueError: `to` holds no replica, or `producer_state` is none of these.

        """
        if producer_state not in PRODUCER_STATES:
            allowed = ", ".join(PRODUCER_STATES)
            raise ValueError(f"producer_state={producer_state!r}: allowed are {allowed}")

        def elected(cluster: ClusterState, now_ms: int) -> int:
            partition = self._find(cluster)
            leader_id = next_leader(partition) if to is None else to
            if leader_id not in partition.replicas:
                raise ValueError(
                    f"broker {leader_id} holds no replica of {partition.topic_partition}; "
                    f"brokers {', '.join(map(str, partition.replicas))} do"
                )
            if leader_id in cluster.fenced:
                raise ValueError(
                    f"broker {leader_id} is {cluster.fenced[leader_id]}: start it, or elect another"
                    f" replica of {partition.topic_partition}"
                )
            elect_leader(
                cluster, partition, leader_id, producer_state=producer_state, now_ms=now_ms
            )
            return leader_id

        return self._control.change(elected)

    def delete_records(self, before_offset: int | None = None) -> int:
        """Delete the records before an offset, or all of them, and return the new start of the log.

        It is what DeleteRecords does, and to the log the same as retention.

        Raises:
            ApiError: OFFSET_OUT_OF_RANGE beyond the high watermark, POLICY_VIOLATION where the
                topic is only compacted.
            LookupError: there is no such partition.

        """
        offset = HIGH_WATERMARK if before_offset is None else before_offset

        def deleted(cluster: ClusterState, now_ms: int) -> int:
            partition = self._find(cluster)
            log_start_offset = cluster.log_of(partition, now_ms).delete_records(offset)
            cluster.appended(partition)
            return log_start_offset

        return self._control.change(deleted)

    def _find(self, cluster: ClusterState) -> Partition:
        partition = cluster.partition(self.topic, self.index)
        if partition is None:
            raise LookupError(f"there is no partition {self.topic}-{self.index}")
        return partition

    def _read(self, look: Callable[[Partition], T]) -> T:
        return self._control.read(lambda cluster, _now_ms: look(self._find(cluster)))

    def _of_log(self, look: Callable[[PartitionLog], T]) -> T:
        return self._control.read(
            lambda cluster, now_ms: look(cluster.log_of(self._find(cluster), now_ms))
        )
