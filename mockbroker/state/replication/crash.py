"""Broker crashes that lose records which were not flushed to disk.

Rules:

1. As in Kafka, the operating system decides when appended records reach the disk, except that a
   full segment is flushed when the next one begins (the recovery point). `flush_all` flushes
   everything, as an operating system does in time.
2. A crashed broker gets its lost records from in-sync replicas that did not crash. Without such a
   replica the records are lost, even if they were acknowledged.
"""

from collections.abc import Iterable

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_truncation import truncate_to
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_recovery import reload_producers
from mockbroker.state.replication.leader_election import elect_leader
from mockbroker.state.topic.topic import NO_LEADER, Partition


def flush_all(cluster: ClusterState) -> None:
    """Flush all appended records to every disk."""
    for partition, log in cluster.logs.items():
        partition.flushed_offset = log.log_end_offset


def recovery_point(partition: Partition, log: PartitionLog) -> int:
    """Return the offset up to which the log of one of a partition's replicas is on disk."""
    on_disk = max(partition.flushed_offset, log.segments.active.base_offset)
    return min(on_disk, log.log_end_offset)


def crash_everywhere(cluster: ClusterState, *, now_ms: int) -> None:
    """Crash all brokers at once; they lead the same partitions again, with the flushed records."""
    for partition in _with_logs(cluster):
        if partition.leader_id != NO_LEADER:
            end = recovery_point(partition, cluster.log_of(partition, now_ms))
            elect_leader(cluster, partition, partition.leader_id, log_end_offset=end, now_ms=now_ms)
            for log in partition.own_logs(cluster.fenced):
                reload_producers(log, "stale")
        else:
            _forget_unflushed(cluster, partition, partition.replicas_apart, now_ms)


def forget_unflushed_of(cluster: ClusterState, broker_id: int, *, now_ms: int) -> None:
    """Reduce a fenced broker's replicas to the flushed records, for its return."""
    assert broker_id in cluster.fenced, broker_id
    for partition in _with_logs(cluster):
        if broker_id in partition.replicas_apart:
            _forget_unflushed(cluster, partition, (broker_id,), now_ms)


def _forget_unflushed(
    cluster: ClusterState, partition: Partition, broker_ids: Iterable[int], now_ms: int
) -> None:
    for broker_id in broker_ids:
        log = partition.replicas_apart[broker_id].log
        if log is not None:
            truncate_to(log, recovery_point(partition, log), cluster.records, now_ms=now_ms)


def _with_logs(cluster: ClusterState) -> list[Partition]:
    return [
        partition
        for topic in cluster.topics
        for partition in topic.partitions
        if partition.log is not None
    ]
