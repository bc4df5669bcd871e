"""Recreation of a topic."""

import pytest

from mockbroker.protocol.errors import ApiError
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic_recreation import recreate_topic
from tests.state.cluster_building import new_cluster
from tests.state.written_partition import write

CONFIGS = (("retention.ms", "77"),)


def test_a_recreated_topic_has_only_its_name_configs_and_replicas() -> None:
    cluster = new_cluster()
    assignments = [(0, (1, 2)), (1, (3, 1))]
    old = cluster.create_topic(NewTopic(name="orders", assignments=assignments, configs=CONFIGS))
    write(cluster, old.partitions[0], 3)
    new = recreate_topic(cluster, old, now_ms=5)
    assert new.topic_id != old.topic_id
    assert [partition.replicas for partition in new.partitions] == [(1, 2), (3, 1)]
    assert new.partitions[0].config.log.retention_ms == 77
    assert cluster.log_of(new.partitions[0], 5).offsets == (0, 0, 0)
    assert cluster.topics.get("orders") is new


@pytest.mark.parametrize("count", [1, 3])
def test_a_recreated_topic_may_have_another_number_of_partitions(count: int) -> None:
    cluster = new_cluster()
    old = cluster.create_topic(NewTopic(name="orders", assignments=[(0, (1, 2)), (1, (3, 1))]))
    new = recreate_topic(cluster, old, num_partitions=count, now_ms=5)
    assert len(new.partitions) == count
    assert new.replication_factor == 2


def test_a_topic_with_too_many_partitions_leaves_the_old_one_as_it_is() -> None:
    cluster = new_cluster()
    old = cluster.create_topic(NewTopic(name="orders"))
    with pytest.raises(ApiError, match="Excessively large number of partitions"):
        recreate_topic(cluster, old, num_partitions=10_001, now_ms=5)
    assert cluster.topics.get("orders") is old


def test_a_recreated_topic_may_begin_at_an_offset() -> None:
    cluster = new_cluster()
    old = cluster.create_topic(NewTopic(name="orders", assignments=[(0, (1,))]))
    (partition,) = recreate_topic(cluster, old, start_offset=40, now_ms=5).partitions
    log = cluster.log_of(partition, 5)
    assert (log.offsets, log.end_offset_for_epoch(0)) == ((40, 40, 40), (0, 40))
    assert write(cluster, partition, 2) == 40
    assert len(log.read(40, max_bytes=1_000, up_to_offset=42).buffers) == 1
    assert (len(log.segments), log.segments.oldest.base_offset) == (1, 40)
