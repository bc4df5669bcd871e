"""Limits of a partition's high watermark."""

from typing import Final

import pytest

from mockbroker.state.release.options import Options
from mockbroker.state.replication.high_watermark import (
    has_enough_replicas,
    is_held_by_minimum,
    update_high_watermark,
)
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import NO_LEADER, Partition
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


@pytest.fixture
def partition() -> Partition:
    topic = new_cluster().create_topic(NewTopic(name="orders", assignments=((0, (1, 2)),)))
    return topic.partitions[0]


@pytest.mark.parametrize(("release", "is_enough"), [("2.4", False), ("4.4", True)])
def test_min_insync_replicas_may_exceed_the_replication_factor(
    partition: Partition, release: str, is_enough: bool
) -> None:
    options = Options.for_release(release)
    assert has_enough_replicas(options, partition)
    wanted = len(partition.replicas) + 1
    partition.config = partition.config._replace(min_insync_replicas=wanted)
    assert has_enough_replicas(options, partition) is is_enough


def test_a_replica_that_is_not_in_sync_does_not_count(partition: Partition) -> None:
    options = Options.for_release("4.4")
    wanted = len(partition.replicas)
    partition.config = partition.config._replace(min_insync_replicas=wanted)
    assert has_enough_replicas(options, partition)
    partition.in_sync_replicas = partition.replicas[:1]
    assert not has_enough_replicas(options, partition)
