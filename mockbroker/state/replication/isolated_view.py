"""State of a broker that is isolated from its cluster: a copy of the metadata, and its own logs.

Rules:

1. Topics, leaders and brokers stay as they were, so the broker still serves its partitions.
2. Its replicas have logs of their own from then on (`replica`): no other broker sees its appends.
   None of them is committed, because no follower fetches them, so acks=all times out. The broker
   truncates them when it rejoins and follows.
3. A partition that only this broker has in sync has no leader in the cluster meanwhile: its log is
   the partition's, and the appended records persist when the broker rejoins.
4. It coordinates nothing, and finds no coordinator (Kafka's does, until its writes fail).
"""

from collections import deque
from copy import copy

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.replication.broker_control import unfence_broker
from mockbroker.state.replication.replicas.log_following import diverging_offset
from mockbroker.state.replication.replicas.replica import separate
from mockbroker.state.topic.topic import Partition, Topic
from mockbroker.state.topic.topic_registry import TopicRegistry


def isolated_view(cluster: ClusterState, broker_id: int, *, now_ms: int) -> ClusterState:
    """Return the state of an isolated broker; call this before the broker is fenced."""
    view = copy(cluster)
    view.replication = copy(cluster.replication)
    view.replication.topics = TopicRegistry()
    view.fenced = dict(cluster.fenced)
    view.pending = deque()
    view.logs = {}
    view.metadata_revision = -1 - broker_id  # never that of a cached response of the cluster
    for topic in cluster.topics:
        if not topic.is_internal:
            view.topics.add(_copy_of_topic(cluster, topic, broker_id, now_ms))
    for seen in (each for topic in view.topics for each in topic.partitions):
        shared = cluster.topics.by_name[seen.topic_partition.topic].partitions
        if seen.log is not None and seen.log is not shared[seen.topic_partition.partition].log:
            view.logs[seen] = seen.log
    return view


def _copy_of_topic(cluster: ClusterState, topic: Topic, broker_id: int, now_ms: int) -> Topic:
    made = copy(topic)
    made.view = None
    made.partitions = [
        _copy_of_partition(cluster, partition, broker_id, now_ms) for partition in topic.partitions
    ]
    return made


def _copy_of_partition(
    cluster: ClusterState, partition: Partition, broker_id: int, now_ms: int
) -> Partition:
    made = copy(partition)
    made.replicas_apart = {}
    if broker_id not in partition.replicas:
        return made
    log = cluster.log_of(partition, now_ms)
    if partition.in_sync_replicas == (broker_id,):
        made.log = log
    else:
        own = separate(partition, broker_id, cluster.records, now_ms=now_ms)
        made.log = own.opened(log, now_ms)
        made.log.hold_high_watermark()
    return made


def rejoin(
    cluster: ClusterState, view: ClusterState, broker_id: int, *, now_ms: int
) -> list[Partition]:
    """Take a broker back, which follows the present leaders or leads what had no leader.

    Return the partitions of its view with their present leaders, to notify delayed operations.
    """
    partitions = [each for topic in view.topics for each in topic.partitions]
    for seen in partitions:
        _report_lost(cluster, seen, broker_id, now_ms)
    unfence_broker(cluster, broker_id, now_ms=now_ms)
    for seen in partitions:
        _forget(cluster, view, seen, now_ms)
    return partitions


def _report_lost(cluster: ClusterState, seen: Partition, broker_id: int, now_ms: int) -> None:
    """Report what the broker truncates because only it has that."""
    now, own = cluster.partition(*seen.topic_partition), seen.log
    reporter = cluster.observation.reporter
    if reporter is None or now is None or own is None or own is now.log:
        return
    agreed = diverging_offset(own, cluster.log_of(now, now_ms))
    if agreed < own.log_end_offset:
        ends = own.log_end_offset, agreed
        reporter.replica_truncated(seen.topic_partition, ends, broker_id, seen.leader_epoch)


def _forget(cluster: ClusterState, view: ClusterState, seen: Partition, now_ms: int) -> None:
    now = cluster.partition(*seen.topic_partition)
    if now is not None:
        seen.leader_id, seen.leader_epoch = now.leader_id, now.leader_epoch
    if seen in view.logs and (now is None or seen.log is not now.log):
        del view.logs[seen]
        seen.log = None if now is None else cluster.log_of(now, now_ms)
