"""Limits of a partition's high watermark."""

from typing import Final

import pytest

from mockbroker.state.replication.high_watermark import is_held_by_minimum, update_high_watermark
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import NO_LEADER
from tests.state.cluster_building import new_cluster
from tests.state.written_partition import write

NOW_MS: Final = 1_000


def test_a_partition_without_a_log_or_a_leader_is_left_alone() -> None:
    cluster = new_cluster()
    (partition,) = cluster.create_topic(NewTopic(name="orders", assignments=[(0, (1,))])).partitions
    update_high_watermark(cluster.options, partition, cluster.observation)
    write(cluster, partition)
    partition.leader_id = NO_LEADER
    partition.high_watermark_lags = True
    update_high_watermark(cluster.options, partition, cluster.observation)
    assert partition.log is not None
    assert partition.log.follows_log_end


@pytest.mark.parametrize(("in_sync", "is_held"), [((1, 2), False), ((1,), True)])
def test_a_log_that_is_opened_with_too_few_in_sync_commits_nothing(
    in_sync: tuple[int, ...], is_held: bool
) -> None:
    cluster = new_cluster()
    configs = [("min.insync.replicas", "2")]
    wanted = NewTopic(name="orders", assignments=[(0, (1, 2))], configs=configs)
    (partition,) = cluster.create_topic(wanted).partitions
    partition.in_sync_replicas = in_sync
    assert is_held_by_minimum(cluster.options, partition) == is_held
    write(cluster, partition)
    log = cluster.log_of(partition, NOW_MS)
    assert log.high_watermark == (0 if is_held else 1)
    cluster.configs.set_topic_overrides("orders", {"min.insync.replicas": "1"})
    cluster.configs_changed("orders")
    assert log.high_watermark == 1
