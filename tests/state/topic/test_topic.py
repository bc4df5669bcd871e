"""A topic and its partitions."""

from uuid import UUID

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, Topic

CONFIG = ConfigRepository("4.4", {}, {}).topic_config("orders", 1)


def new_topic(name: str = "orders") -> Topic:
    return Topic(name, UUID(int=1), [(2, 1), (1, 2)], [CONFIG, CONFIG])


def test_partitions_are_numbered_and_led_by_their_first_replica() -> None:
    first, second = new_topic().partitions
    assert (first.topic_partition, second.topic_partition) == (
        TopicPartition("orders", 0),
        TopicPartition("orders", 1),
    )
    assert (first.leader_id, second.leader_id) == (2, 1)
    assert first.in_sync_replicas == first.replicas == (2, 1)
    assert (first.leader_epoch, first.partition_epoch) == (0, 0)
    assert first.log is None


def test_an_unknown_partition_is_none() -> None:
    topic = new_topic()
    assert topic.partition(1) is topic.partitions[1]
    assert topic.partition(2) is None
    assert topic.partition(-1) is None


def test_added_partitions_continue_the_numbering() -> None:
    topic = new_topic()
    revision = topic.revision
    topic.view = object()
    topic.add_partitions([(1, 2)], [CONFIG])
    assert [each.topic_partition.partition for each in topic.partitions] == [0, 1, 2]
    assert topic.revision > revision
    assert topic.view is None


def test_only_kafka_s_own_topics_are_internal() -> None:
    assert new_topic(CONSUMER_OFFSETS).is_internal
    assert not new_topic().is_internal


def test_the_replication_factor_is_that_of_the_first_partition() -> None:
    assert new_topic().replication_factor == 2
