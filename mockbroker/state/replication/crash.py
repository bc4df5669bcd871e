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
from mockbroker.state.replication.leader_election import elect_leader
from mockbroker.state.topic.topic import NO_LEADER, Partition


def flush_all(cluster: ClusterState) -> None:
    """Flush all appended records to every disk."""
    for partition, log in cluster.logs.items():
        partition.flushed_offset = log.log_end_offset


def recovery_point(partition: Partition) -> int:
    """Return the offset up to which a partition's log is on disk."""
    log = partition.log
    if log is None:
        return 0
    on_disk = max(partition.flushed_offset, log.segments.active.base_offset)
    return min(on_disk, log.log_end_offset)


def crash_everywhere(cluster: ClusterState, *, now_ms: int) -> None:
    """Crash all brokers at once; they lead the same partitions again, with the flushed records."""
    for partition in _with_logs(cluster):
        if partition.leader_id != NO_LEADER:
            end = recovery_point(partition)
            elect_leader(cluster, partition, partition.leader_id, log_end_offset=end, now_ms=now_ms)
        else:
            _forget_unflushed(partition, partition.replica_ends)


def forget_unflushed_of(cluster: ClusterState, broker_id: int) -> None:
    """Reduce a fenced broker's replicas to the flushed records, for its return."""
    assert broker_id in cluster.fenced, broker_id
    for partition in _with_logs(cluster):
        if broker_id in partition.replica_ends:
            _forget_unflushed(partition, (broker_id,))


def _forget_unflushed(partition: Partition, broker_ids: Iterable[int]) -> None:
    on_disk = recovery_point(partition)
    ends = partition.replica_ends
    partition.replica_ends = {**ends, **{each: min(ends[each], on_disk) for each in broker_ids}}


def _with_logs(cluster: ClusterState) -> list[Partition]:
    return [
        partition
        for topic in cluster.topics
        for partition in topic.partitions
        if partition.log is not None
    ]
