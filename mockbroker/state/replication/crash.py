"""Brokers that crash before their disks have all that was written.

The laws:

1. As in Kafka a broker leaves it to its system when what it has appended reaches the disk, but for
   what a segment holds that is full: that is written down when the next one begins (the recovery
   point). `flush_all` writes down everything, as a system does in time.
2. What a crashed broker lacks it gets from the replicas that are in sync and did not crash. Only
   where there is none is it lost, whoever has been told that it was written.
"""

from collections.abc import Iterable

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.replication.leader_election import elect_leader
from mockbroker.state.topic.topic import NO_LEADER, Partition


def flush_all(cluster: ClusterState) -> None:
    """Have every disk hold all that was appended until now."""
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
    """Have all brokers crash at once, and lead again what they led, with what their disks have."""
    for partition in _with_logs(cluster):
        if partition.leader_id != NO_LEADER:
            end = recovery_point(partition)
            elect_leader(cluster, partition, partition.leader_id, log_end_offset=end, now_ms=now_ms)
        else:
            _forget_unflushed(partition, partition.replica_ends)


def forget_unflushed_of(cluster: ClusterState, broker_id: int) -> None:
    """Let a broker that is away come back with what its disk has."""
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
