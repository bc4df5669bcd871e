"""What a broker knows that is cut off from its cluster: all as it was then, and its own logs.

The laws:

1. Topics, leaders and brokers are to it as they were. So it leads what it led, and serves it.
2. Its logs are its own from then on (`log_copy`): what it appends no other broker ever sees. None
   of it is committed, because no follower fetches it, so acks=all times out; when the broker is
   back, it is gone.
3. What only this broker has in sync it has for all: the cluster has no leader for that meanwhile,
   and what was written counts when the broker is back.
4. It coordinates nothing, and knows no coordinator (Kafka's does, until its writes fail).
"""

from collections import deque
from copy import copy

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_copy import copy_of_log
from mockbroker.state.replication.broker_control import unfence_broker
from mockbroker.state.topic.topic import Partition, Topic
from mockbroker.state.topic.topic_registry import TopicRegistry


def isolated_view(cluster: ClusterState, broker_id: int, *, now_ms: int) -> ClusterState:
    """Return the state that a broker goes on with from now on; to be made before it is fenced."""
    view = copy(cluster)
    view.replication = copy(cluster.replication)
    view.replication.topics = TopicRegistry()
    view.fenced = dict(cluster.fenced)
    view.pending = deque()
    view.logs = {}
    view.metadata_revision = -1 - broker_id  # no answer that is kept for others is its own
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
    if broker_id not in partition.replicas:
        return made
    log = cluster.log_of(partition, now_ms)
    if partition.in_sync_replicas == (broker_id,):
        made.log = log
    else:
        made.log = copy_of_log(log, cluster.records, now_ms=now_ms)
        made.log.hold_high_watermark()
    return made


def rejoin(
    cluster: ClusterState, view: ClusterState, broker_id: int, *, now_ms: int
) -> list[Partition]:
    """Take a broker back, and forget what only it knew; what it had for all counts.

    Returned are the partitions of its view, which show who leads now: whoever waits is to be told.
    """
    partitions = [each for topic in view.topics for each in topic.partitions]
    for seen in partitions:
        now = cluster.partition(*seen.topic_partition)
        if now is not None and seen.log is now.log and broker_id in now.replica_ends:
            end = cluster.log_of(now, now_ms).log_end_offset
            now.replica_ends = {**now.replica_ends, broker_id: end}
    unfence_broker(cluster, broker_id, now_ms=now_ms)
    for seen in partitions:
        _forget(cluster, view, seen, now_ms)
    return partitions


def _forget(cluster: ClusterState, view: ClusterState, seen: Partition, now_ms: int) -> None:
    now = cluster.partition(*seen.topic_partition)
    if now is not None:
        seen.leader_id, seen.leader_epoch = now.leader_id, now.leader_epoch
    if seen in view.logs and (now is None or seen.log is not now.log):
        view.logs.pop(seen).delete()
        seen.log = None if now is None else cluster.log_of(now, now_ms)
