"""Replica states, and the high watermark that follows from them.

Rules:

1. Replicas that have what their leader has share its log (`replica`). A replica that lags has a log
   of its own, which ends where it stopped to fetch.
2. The high watermark is the minimum log end offset of the in-sync replicas. It follows the log end
   by itself while all of them follow.
3. It does not move after an election until the followers have fetched, and, since KIP-966, while
   fewer replicas are in sync than `min.insync.replicas`.
4. A replica that lacks records leaves the in-sync replicas once it has not caught up for
   `replica.lag.time.max.ms`. The leader looks at it every half of that time.
5. An out-of-sync replica rejoins when it has caught up, and its broker is available.
"""

from functools import partial
from typing import Final

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.replication.high_watermark import update_high_watermark
from mockbroker.state.replication.replicas.replica import (
    Replica,
    fetch_all,
    merge_equal,
    resume_fetching,
    separate,
    stop_fetching,
)
from mockbroker.state.topic.topic import NO_LEADER, Partition

ISR_EXPIRATION_TIMER: Final = "isr-expiration"


def stop_following(
    cluster: ClusterState, partition: Partition, broker_id: int, *, now_ms: int
) -> None:
    """Stop a replica from fetching; it stays in sync until it has lagged for too long."""
    assert broker_id in partition.replicas, (broker_id, partition.topic_partition)
    cluster.log_of(partition, now_ms)
    replica = separate(partition, broker_id, cluster.records, now_ms=now_ms)
    if stop_fetching(replica, now_ms=now_ms):
        replicas_changed(cluster, partition)
    _expire_in_sync_replicas_later(cluster, now_ms)


def hold_back(cluster: ClusterState, partition: Partition, *, now_ms: int) -> None:
    """Stop the replicas whose brokers fetch from no leader at present.

    Coordinators do not wait for replicas, so that their own logs never lag.
    """
    is_internal = cluster.topics.by_name[partition.topic_partition.topic].is_internal
    for broker_id in sorted(cluster.lagging.intersection(partition.replicas)):
        is_away = broker_id in cluster.fenced
        if not (is_internal or is_away or partition.leader_id in {broker_id, NO_LEADER}):
            stop_following(cluster, partition, broker_id, now_ms=now_ms)


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
    if broker_id is None:
        partition.high_watermark_lags = False
    resume_fetching(partition, [each for each in wanted if each not in cluster.fenced])
    before = partition.in_sync_replicas
    followers_fetch(cluster, partition)
    partition.in_sync_replicas = caught_up(cluster, partition)
    partition.partition_epoch += partition.in_sync_replicas != before
    replicas_changed(cluster, partition)


def followers_fetch(cluster: ClusterState, partition: Partition) -> None:
    """Let all replicas that fetch have the leader's log, and share it if they are equal then."""
    fetch_all(partition)
    update_high_watermark(cluster.options, partition, cluster.observation)
    fetch_all(partition)  # the high watermark arrives with the fetch after the one that moved it
    merge_equal(partition)


def caught_up(cluster: ClusterState, partition: Partition) -> tuple[int, ...]:
    """Return the in-sync replicas once all following replicas of available brokers caught up."""
    in_sync = partition.in_sync_replicas
    if partition.leader_id != NO_LEADER:
        in_sync += tuple(
            each
            for each in partition.replicas
            if each not in in_sync
            and each not in cluster.fenced
            and _fetches(partition.replicas_apart.get(each))
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


def _fetches(replica: Replica | None) -> bool:
    return replica is None or replica.fetches


def _expire_in_sync_replicas_later(cluster: ClusterState, now_ms: int) -> None:
    if ISR_EXPIRATION_TIMER not in cluster.timers:
        interval_ms = cluster.configs.broker_integer("replica.lag.time.max.ms") // 2
        action = partial(_expire_in_sync_replicas, cluster)
        cluster.timers.schedule(ISR_EXPIRATION_TIMER, now_ms + interval_ms, action)


def _expire_in_sync_replicas(cluster: ClusterState, now_ms: int) -> None:
    """Remove in-sync replicas that lag for too long, and look again while any lags.

    It follows `Partition.maybeShrinkIsr`: a replica without anything to fetch does not lag.
    """
    oldest_ms = now_ms - cluster.configs.broker_integer("replica.lag.time.max.ms")
    are_any = False
    for partition, log in list(cluster.logs.items()):
        for broker_id, replica in list(partition.replicas_apart.items()):
            if replica.fetches or broker_id not in partition.in_sync_replicas:
                continue
            if partition.leader_id in {broker_id, NO_LEADER}:
                continue
            are_any = True
            if replica.log_end_offset < log.log_end_offset and replica.caught_up_ms < oldest_ms:
                leave_in_sync_replicas(cluster, partition, broker_id, now_ms=now_ms)
    if are_any:
        _expire_in_sync_replicas_later(cluster, now_ms)
