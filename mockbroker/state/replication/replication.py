"""Replica states, and the high watermark that follows from them.

Rules:

1. All replicas share one log here. A replica that does not follow its leader is represented by its
   own log end offset (`Partition.replica_ends`); a following one has the complete log.
2. The high watermark is the minimum log end offset of the in-sync replicas. It follows the log end
   by itself while all of them follow.
3. It does not move after an election until the followers have fetched, and, since KIP-966, while
   fewer replicas are in sync than `min.insync.replicas`.
4. An out-of-sync replica rejoins when it has caught up, and its broker is available.
"""

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.replication.high_watermark import update_high_watermark
from mockbroker.state.topic.topic import NO_LEADER, Partition


def stop_following(
    cluster: ClusterState, partition: Partition, broker_id: int, *, now_ms: int
) -> None:
    """Stop a replica from fetching; it stays in sync until the leader removes it as lagging."""
    assert broker_id in partition.replicas, (broker_id, partition.topic_partition)
    if broker_id not in partition.replica_ends:
        end = cluster.log_of(partition, now_ms).log_end_offset
        partition.replica_ends = {**partition.replica_ends, broker_id: end}
        replicas_changed(cluster, partition)


def leave_in_sync_replicas(
    cluster: ClusterState, partition: Partition, broker_id: int, *, now_ms: int
) -> None:
    """Remove a lagging replica from the in-sync replicas, as after `replica.lag.time.max.ms`."""
    assert broker_id != partition.leader_id, partition.topic_partition
    stop_following(cluster, partition, broker_id, now_ms=now_ms)
    left = tuple(each for each in partition.in_sync_replicas if each != broker_id)
    if left != partition.in_sync_replicas:
        partition.in_sync_replicas = left
        partition.partition_epoch += 1
        replicas_changed(cluster, partition)


def catch_up(cluster: ClusterState, partition: Partition, broker_id: int | None = None) -> None:
    """Bring a replica up to date and in sync; without an id, all with an available broker.

    All of them together report their offsets to the leader, which lets the high watermark advance.
    """
    if partition.leader_id == NO_LEADER:
        return
    wanted = partition.replicas if broker_id is None else (broker_id,)
    partition.replica_ends = {
        each: end
        for each, end in partition.replica_ends.items()
        if each in cluster.fenced or each not in (*wanted, partition.leader_id)
    }
    if broker_id is None:
        partition.high_watermark_lags = False
    before = partition.in_sync_replicas
    partition.in_sync_replicas = caught_up(cluster, partition)
    partition.partition_epoch += partition.in_sync_replicas != before
    replicas_changed(cluster, partition)


def caught_up(cluster: ClusterState, partition: Partition) -> tuple[int, ...]:
    """Return the in-sync replicas once all following replicas of available brokers caught up."""
    in_sync = partition.in_sync_replicas
    if partition.leader_id != NO_LEADER:
        in_sync += tuple(
            each
            for each in partition.replicas
            if each not in in_sync
            and each not in cluster.fenced
            and each not in partition.replica_ends
        )
    if cluster.options.cluster_admin.in_sync_replicas_are_sorted:
        return tuple(sorted(in_sync))
    return in_sync


def replicas_changed(cluster: ClusterState, partition: Partition) -> None:
    """Apply a change of replicas: to the high watermark, metadata and delayed operations."""
    update_high_watermark(cluster.options, partition, cluster.observation)
    cluster.try_markers_again()
    cluster.topics.changed(cluster.topics.by_name[partition.topic_partition.topic])
    cluster.appended(partition)
