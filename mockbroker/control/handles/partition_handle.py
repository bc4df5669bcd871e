"""Handle of one partition: its properties, and methods that elect leaders and lose data."""

from collections.abc import Callable
from importlib import import_module
from typing import Final, Literal, TypeAlias, TypeVar, get_args

from mockbroker.broker.log_cleaner import clean
from mockbroker.control.cluster_control import ClusterControl, action
from mockbroker.control.handles import shown
from mockbroker.control.handles.replica_handle import ReplicaHandle, check_replica, check_there
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_deletion import HIGH_WATERMARK, delete_superseded
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_recovery import forget_producer
from mockbroker.state.replication.leader_election import (
    PRODUCER_STATES,
    ProducerState,
    elect_leader,
    next_leader,
)
from mockbroker.state.replication.replicas.log_start_checkpoint import checkpoint_later
from mockbroker.state.replication.replication import (
    catch_up,
    leave_in_sync_replicas,
    stop_following,
)
from mockbroker.state.topic.topic import NO_LEADER, Partition

T = TypeVar("T")
_DRAWING: Final = "mockbroker.timeline.partition_timeline"

KeptLog: TypeAlias = Literal["keep", "truncate"]
"""Log of a new leader: all that it replicated, or less."""

KEPT_LOGS: Final[tuple[KeptLog, ...]] = get_args(KeptLog)


class PartitionHandle(shown.Displayed):
    """A partition, by its topic and number; every property is read from the present state.

    Raises:
        LookupError: by any of its members, while there is no such partition.

    """

    def __init__(self, control: ClusterControl, topic: str, index: int) -> None:
        """Name a partition."""
        self._control = control
        self.topic = topic
        self.index = index

    @property
    def leader(self) -> int:
        """The id of the leader; -1 if there is none."""
        return self._read(lambda partition: partition.leader_id)

    @property
    def leader_epoch(self) -> int:
        """The leader epoch, counted from 0."""
        return self._read(lambda partition: partition.leader_epoch)

    @property
    def replicas(self) -> tuple[int, ...]:
        """The ids of the brokers with a replica, the preferred leader first."""
        return self._read(lambda partition: partition.replicas)

    @property
    def in_sync_replicas(self) -> tuple[int, ...]:
        """The ids of the in-sync replicas, including the leader."""
        return self._read(lambda partition: partition.in_sync_replicas)

    @property
    def log_start_offset(self) -> int:
        """The first readable offset."""
        return self._of_log(lambda log: log.log_start_offset)

    @property
    def last_stable_offset(self) -> int:
        """The end of read_committed reads: all transactions before it are decided."""
        return self._of_log(lambda log: log.last_stable_offset)

    @property
    def high_watermark(self) -> int:
        """The end of what consumers read."""
        return self._of_log(lambda log: log.high_watermark)

    @property
    def log_end_offset(self) -> int:
        """The offset of the next record."""
        return self._of_log(lambda log: log.log_end_offset)

    def to_svg(self, from_offset: int | None = None, to_offset: int | None = None) -> str:
        """Draw its timeline as SVG: an overview of the log, or the batches of some offsets."""
        return self._control.read(self._drawing(from_offset, to_offset))

    def replica(self, broker: int) -> ReplicaHandle:
        """Return a handle of one replica: inspect what it has, and make it differ."""
        return ReplicaHandle(self._control, self.topic, self.index, broker)

    @action
    def elect(
        self,
        to: int | None = None,
        *,
        producer_state: ProducerState = "full",
        log: KeptLog = "keep",
        log_end_offset: int | None = None,
        high_watermark: int | None = None,
    ) -> int:
        """Elect a leader, and return its id; clients of the old one get NOT_LEADER_OR_FOLLOWER.

        Without `to` it is the next replica in turn; with one replica it is the same broker, as
        after a restart. `producer_state` is the state that the new leader has of producers: all
        (`full`), the last batch of each (`from_snapshot`, as after a restart), that of the
        remaining records (`from_log`, as of a replica that a reassignment created), or none
        (`none`).

        The log does not change, up to the offset that the replica has followed (`lag`). With
        `log="truncate"` the new leader has it only up to `log_end_offset`, or by default up to the
        high watermark; later records are lost, acknowledged or not. With `high_watermark`, the new
        leader does not know its followers' offsets yet (KIP-207): consumers read up to that offset
        until `catch_up()`.

        Raises:
            ValueError: `to` holds no replica or is away, or an argument is none of these.

        """
        _check(log, producer_state, log_end_offset)

        def elected(cluster: ClusterState, now_ms: int) -> int:
            partition = self._find(cluster)
            leader_id = _candidate(cluster, partition, to)
            end = log_end_offset
            if log == "truncate" and end is None:
                end = cluster.log_of(partition, now_ms).high_watermark
            self._note("leader_election", to=leader_id, state=producer_state, log_end_offset=end)
            elect_leader(
                cluster,
                partition,
                leader_id,
                producer_state=producer_state,
                log_end_offset=end,
                high_watermark=high_watermark,
                now_ms=now_ms,
            )
            return leader_id

        return self._control.change(elected)

    @action
    def lag(self, broker: int) -> None:
        """Stop a replica's fetches from the leader, while it stays in sync for the time being.

        The high watermark does not pass the replica's end, so acks=all waits and consumers read
        nothing new, until the replica catches up (`catch_up`) or leaves the in-sync replicas
        (`lose_replica`).

        Raises:
            LookupError: the broker holds no replica of it.
            ValueError: the broker leads it, or it is a coordinator's own log, which never waits.

        """

        def lagging(cluster: ClusterState, now_ms: int) -> None:
            partition = self._follower(cluster, broker)
            if cluster.topics.by_name[self.topic].is_internal:
                raise ValueError(
                    f"{self.topic} belongs to coordinators, which do not wait for replicas"
                )
            self._note("replica_lags", broker=broker)
            stop_following(cluster, partition, broker, now_ms=now_ms)

        self._control.change(lagging)

    @action
    def lose_replica(self, broker: int) -> None:
        """Remove a replica from the in-sync replicas, as `replica.lag.time.max.ms` does later.

        With fewer in sync than `min.insync.replicas`, acks=all gets NOT_ENOUGH_REPLICAS. Requests
        that still wait for earlier appends get NOT_ENOUGH_REPLICAS_AFTER_APPEND; since Kafka 3.7
        they wait until REQUEST_TIMED_OUT, and no consumer reads their records (KIP-966).

        Raises:
            LookupError: the broker holds no replica of it.
            ValueError: the broker leads it.

        """

        def lost(cluster: ClusterState, now_ms: int) -> None:
            partition = self._follower(cluster, broker)
            self._note("replica_lost", broker=broker)
            leave_in_sync_replicas(cluster, partition, broker, now_ms=now_ms)

        self._control.change(lost)

    @action
    def catch_up(self, broker: int | None = None) -> None:
        """Let one replica, or all whose brokers run, catch up and be in sync again.

        Raises:
            LookupError: the broker holds no replica of it.
            ValueError: the broker is away.

        """

        def caught_up(cluster: ClusterState, _now_ms: int) -> None:
            partition = self._find(cluster)
            if broker is not None:
                check_replica(partition, broker)
                check_there(cluster, partition, broker)
            self._note("replica_caught_up", broker=broker)
            catch_up(cluster, partition, broker)

        self._control.change(caught_up)

    @action
    def lose_tail(self, records: int = 1) -> int:
        """Lose the last records of all replicas, and return the new log end offset.

        This is the effect of a crash of all brokers before a flush: the leader restarts with the
        remaining records, in a new epoch. Whole batches are lost.

        Raises:
            ValueError: it has no leader, or fewer than one record is to go.

        """
        if records < 1:
            raise ValueError(f"records={records}: at least 1 is needed")

        def lost(cluster: ClusterState, now_ms: int) -> int:
            partition = self._find(cluster)
            if partition.leader_id == NO_LEADER:
                raise ValueError(f"{partition.topic_partition} has no leader")
            log = cluster.log_of(partition, now_ms)
            end = log.log_end_offset - records
            self._note("tail_lost", records=records)
            elect_leader(cluster, partition, partition.leader_id, log_end_offset=end, now_ms=now_ms)
            return log.log_end_offset

        return self._control.change(lost)

    @action
    def delete_records(self, before_offset: int | None = None) -> int:
        """Delete the records before an offset, or all, and return the new log start offset.

        It is the effect of DeleteRecords; on the log it is the same as retention.

        Raises:
            ApiError: OFFSET_OUT_OF_RANGE beyond the high watermark, POLICY_VIOLATION where the
                topic is only compacted.

        """
        offset = HIGH_WATERMARK if before_offset is None else before_offset

        def deleted(cluster: ClusterState, now_ms: int) -> int:
            partition = self._find(cluster)
            self._note("records_deleted", before_offset=before_offset)
            log_start_offset = cluster.log_of(partition, now_ms).delete_records(offset)
            checkpoint_later(cluster, now_ms=now_ms)
            cluster.appended(partition)
            return log_start_offset

        return self._control.change(deleted)

    @action
    def move_log_start(self, to: int) -> int:
        """Move the log start offset, as retention does, and return the new one.

        Unlike `delete_records`, it ignores the topic's policy. The offset never moves back.

        Raises:
            ValueError: the offset is beyond the high watermark.

        """

        def moved(cluster: ClusterState, now_ms: int) -> int:
            partition = self._find(cluster)
            log = cluster.log_of(partition, now_ms)
            if to > log.high_watermark:
                raise ValueError(
                    f"{to} is beyond the high watermark, which is {log.high_watermark}"
                )
            self._note("log_start_moved", to=to)
            delete_superseded(log, to, now_ms)
            checkpoint_later(cluster, now_ms=now_ms)
            cluster.appended(partition)
            return log.log_start_offset

        return self._control.change(moved)

    @action
    def compact(self) -> int:
        """Compact the log up to its last stable offset, and return the number of removed records.

        This is one run of Kafka's log cleaner, with a new segment begun first, and without waiting
        for `min.compaction.lag.ms` or a ratio of dirty records. The last record of each key stays,
        and aborted records are removed. Tombstones, and markers of transactions without remaining
        records, are removed in the first run after `delete.retention.ms`, counted from the run that
        met them first.

        Raises:
            ValueError: the topic's `cleanup.policy` is without `compact`.

        """

        def compacted(cluster: ClusterState, now_ms: int) -> int:
            partition = self._find(cluster)
            if not partition.config.log.cleanup_compact:
                raise ValueError(f"cleanup.policy of {self.topic} does not contain compact")
            retention_ms = cluster.configs.topic_values(self.topic, partition.leader_id)[
                "delete.retention.ms"
            ]
            assert isinstance(retention_ms, int), retention_ms
            self._note("compaction")
            log = cluster.log_of(partition, now_ms)
            removed = clean(log, delete_retention_ms=retention_ms, now_ms=now_ms)
            cluster.appended(partition)
            return removed

        return self._control.change(compacted)

    @action
    def forget_producer(self, producer_id: int) -> bool:
        """Forget a producer, as `producer.id.expiration.ms` does; return whether it was known.

        Its open transaction is forgotten as well, which expiration alone does not do.
        """

        def forgotten(cluster: ClusterState, now_ms: int) -> bool:
            partition = self._find(cluster)
            self._note("producer_forgotten", producer_id=producer_id)
            was_known = forget_producer(cluster.log_of(partition, now_ms), producer_id)
            cluster.appended(partition)
            return was_known

        return self._control.change(forgotten)

    def _shown(self) -> shown.ShownState:
        name = f"{self.topic}-{self.index}"
        facts = shown.facts_of(
            self._control, lambda cluster, _: shown.partition_facts(self._find(cluster))
        )
        return shown.ShownState(type(self).__name__, name, facts)

    def _picture(self) -> str:
        return shown.drawn(self._control, self._drawing())

    def _drawing(self, *offsets: int | None) -> Callable[[ClusterState, int], str]:
        draw: Callable[..., str] = import_module(_DRAWING).partition_svg
        return lambda cluster, _now_ms: draw(cluster, self._find(cluster), *offsets)

    def _follower(self, cluster: ClusterState, broker_id: int) -> Partition:
        partition = self._find(cluster)
        check_replica(partition, broker_id)
        if partition.leader_id == NO_LEADER:
            raise ValueError(f"{self.topic}-{self.index} has no leader to follow")
        if broker_id == partition.leader_id:
            raise ValueError(f"broker {broker_id} leads {self.topic}-{self.index}")
        return partition

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

    def _note(self, kind: str, **facts: object) -> None:
        """Report an event of the partition, before it happens."""
        self._control.note(kind, topic=self.topic, partition=self.index, **facts)


def _check(log: str, producer_state: str, log_end_offset: int | None) -> None:
    if producer_state not in PRODUCER_STATES:
        allowed = ", ".join(PRODUCER_STATES)
        raise ValueError(f"producer_state={producer_state!r}: allowed are {allowed}")
    if log not in KEPT_LOGS:
        raise ValueError(f"log={log!r}: allowed are {', '.join(KEPT_LOGS)}")
    if log_end_offset is not None and log != "truncate":
        raise ValueError("log_end_offset needs log='truncate'")


def _candidate(cluster: ClusterState, partition: Partition, to: int | None) -> int:
    leader_id = next_leader(partition) if to is None else to
    if to is None and leader_id == NO_LEADER:
        leader_id = partition.in_sync_replicas[0]
    if leader_id not in partition.replicas:
        raise ValueError(
            f"broker {leader_id} holds no replica of {partition.topic_partition}; "
            f"brokers {', '.join(map(str, partition.replicas))} do"
        )
    check_there(cluster, partition, leader_id)
    return leader_id
