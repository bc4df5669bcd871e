"""Internal topics: their size, and the partition of a key."""

import pytest

from mockbroker.state.topic.internal_topics import coordinator_partition, internal_topic
from mockbroker.state.topic.topic import (
    CONSUMER_OFFSETS,
    INTERNAL_TOPICS,
    SHARE_GROUP_STATE,
    TRANSACTION_STATE,
)
from tests.state.cluster_building import new_cluster


@pytest.mark.parametrize("name", sorted(INTERNAL_TOPICS))
def test_an_internal_topic_can_be_created(name: str) -> None:
    cluster = new_cluster()
    topic = cluster.create_topic(internal_topic(name, cluster.configs))
    assert topic.is_internal
    assert (len(topic.partitions), topic.replication_factor) == (50, 3)


def test_internal_topics_are_compacted_except_that_of_share_groups() -> None:
    configs = new_cluster().configs
    policies = [
        dict(internal_topic(name, configs).configs)["cleanup.policy"]
        for name in (CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE)
    ]
    assert policies == ["compact", "compact", "delete"]


def test_the_size_of_an_internal_topic_is_a_broker_config() -> None:
    configs = new_cluster(configs={"offsets.topic.num.partitions": "3"}).configs
    assert internal_topic(CONSUMER_OFFSETS, configs).num_partitions == 3


@pytest.mark.parametrize(("key", "partition"), [("", 0), ("hello", 22), ("polygenelubricants", 0)])
def test_a_key_belongs_to_the_partition_of_its_hash(key: str, partition: int) -> None:
    assert coordinator_partition(CONSUMER_OFFSETS, key, new_cluster().configs) == partition
