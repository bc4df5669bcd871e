"""Documents of topics and their partitions."""

from mockbroker.faults.documents.strict import View
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.random_source import uuid_text
from mockbroker.state.topic.topic import Partition, Topic


class PartitionView(View):
    """One partition: its replicas, and the offsets of its log."""

    partition: int
    leader: int
    leader_epoch: int
    replicas: list[int]
    in_sync_replicas: list[int]
    log_start_offset: int
    last_stable_offset: int
    high_watermark: int
    log_end_offset: int
    size_bytes: int


class TopicView(View):
    """One topic."""

    name: str
    topic_id: str
    is_internal: bool
    partitions: list[PartitionView]


class TopicsView(View):
    """All topics, ordered by name."""

    topics: list[TopicView]


def topics_view(cluster: ClusterState) -> TopicsView:
    """Show all topics."""
    topics = sorted(cluster.topics, key=lambda topic: topic.name)
    return TopicsView(topics=[topic_view(topic) for topic in topics])


def topic_view(topic: Topic) -> TopicView:
    """Show a topic."""
    return TopicView(
        name=topic.name,
        topic_id=uuid_text(topic.topic_id),
        is_internal=topic.is_internal,
        partitions=[partition_view(partition) for partition in topic.partitions],
    )


def partition_view(partition: Partition) -> PartitionView:
    """Show a partition; this does not create the log of an unused partition."""
    log = partition.log
    return PartitionView(
        partition=partition.topic_partition.partition,
        leader=partition.leader_id,
        leader_epoch=partition.leader_epoch,
        replicas=list(partition.replicas),
        in_sync_replicas=list(partition.in_sync_replicas),
        log_start_offset=0 if log is None else log.log_start_offset,
        last_stable_offset=0 if log is None else log.last_stable_offset,
        high_watermark=0 if log is None else log.high_watermark,
        log_end_offset=0 if log is None else log.log_end_offset,
        size_bytes=0 if log is None else log.size_bytes,
    )
