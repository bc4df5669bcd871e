"""A topic's partitions are converted to Metadata's form once for each change."""

from mockbroker.broker.topic_views import (
    offline_replicas,
    partitions_view,
    without_offline_replicas,
)
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.metadata import MetadataResponsePartition
from mockbroker.state.topic.topic import NO_LEADER
from tests.support.in_process import Brokers


def test_a_view_shows_the_partitions_by_their_numbers() -> None:
    topic = Brokers(brokers=3, topics={"orders": 3}).topic("orders")
    shown = [(each.partition_index, each.leader_id) for each in partitions_view(topic)]
    assert shown == [(index, each.leader_id) for index, each in enumerate(topic.partitions)]


def test_a_view_is_shared_until_the_topic_changes() -> None:
    brokers = Brokers(topics={"orders": 1})
    topic = brokers.topic("orders")
    before = partitions_view(topic)
    assert partitions_view(topic) is before
    topic.partitions[0].leader_epoch = 4
    brokers.state.topics.changed(topic)
    after = partitions_view(topic)
    assert (before[0].leader_epoch, after[0].leader_epoch) == (0, 4)


def test_a_partition_without_a_leader_has_its_error_and_offline_replicas() -> None:
    topic = Brokers(brokers=3, topics={"orders": 1}).topic("orders")
    (partition,) = topic.partitions
    partition.leader_id = NO_LEADER
    (shown,) = partitions_view(topic, {2})
    assert shown.error_code == ErrorCode.LEADER_NOT_AVAILABLE
    assert shown.leader_id == NO_LEADER
    assert shown.offline_replicas == offline_replicas(partition, {2})


def test_the_first_version_lists_live_replicas_only() -> None:
    view = [
        MetadataResponsePartition(
            partition_index=0, leader_id=1, replica_nodes=[1, 2], isr_nodes=[1]
        ),
        MetadataResponsePartition(
            partition_index=1,
            error_code=ErrorCode.LEADER_NOT_AVAILABLE,
            leader_id=NO_LEADER,
            replica_nodes=[2],
            isr_nodes=[2],
        ),
        MetadataResponsePartition(partition_index=2, leader_id=3, replica_nodes=[3], isr_nodes=[3]),
    ]
    shown = without_offline_replicas(view, {2})
    assert [(each.error_code, each.replica_nodes, each.isr_nodes) for each in shown] == [
        (ErrorCode.REPLICA_NOT_AVAILABLE, [1], [1]),
        (ErrorCode.LEADER_NOT_AVAILABLE, [], []),
        (ErrorCode.NONE, [3], [3]),
    ]
    assert view[0].replica_nodes == [1, 2]
