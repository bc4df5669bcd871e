"""What replicas have of a log, and how far that lets the high watermark go.

The laws:

1. All replicas share one log here. One that does not follow its leader is the offset at which its
   own log ends (`Partition.replica_ends`); who follows has all.
2. The high watermark is where the shortest log of a replica in sync ends. It follows the log's end
   by itself while all in sync follow.
3. It stays where it is while the leader has not heard from its followers after an election, and,
   since KIP-966, while fewer replicas are in sync than `min.insync.replicas` asks for.
4. Who is out of sync comes back when it has caught up, and its broker is there.
"""

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.replication.high_watermark import update_high_watermark
from mockbroker.state.topic.topic import NO_LEADER, Partition


def stop_following(
    cluster: ClusterState, partition: Partition, broker_id: int, *, now_ms: int
) -> None:
    """Let a replica fetch no more from its leader; it is in sync until it is taken for lagging."""
    assert broker_id in partition.replicas, (broker_id, partition.topic_partition)
    if broker_id not in partition.replica_ends:
        end = cluster.log_of(partition, now_ms).log_end_offset
        partition.replica_ends = {**partition.replica_ends, broker_id: end}
        replicas_changed(cluster, partition)


def leave_in_sync_replicas(
    cluster: ClusterState, partition: Partition, broker_id: int, *, now_ms: int
) -> None:
    """Let the leader take a replica for lagging, as after `replica.lag.time.max.ms`."""
    assert broker_id != partition.leader_id, partition.topic_partition
    stop_following(cluster, partition, broker_id, now_ms=now_ms)
    left = tuple(each for each in partition.in_sync_replicas if each != broker_id)
    if left != partition.in_sync_replicas:
        partition.in_sync_replicas = left
        partition.partition_epoch += 1
        replicas_changed(cluster, partition)


def catch_up(cluster: ClusterState, partition: Partition, broker_id: int | None = None) -> None:
    """Let a replica have all that its leader has and be in sync, or all whose brokers are there.

    From all of them the leader hears what they have, which lets the high watermark go on.
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
    """Return who is in sync once all have caught up that follow, and whose brokers are there."""
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
    """Let the change count: in the high watermark, in metadata, and for those who wait."""
    update_high_watermark(cluster.options, partition, cluster.observation)
    cluster.try_markers_again()
    cluster.topics.changed(cluster.topics.by_name[partition.topic_partition.topic])
    cluster.appended(partition)
