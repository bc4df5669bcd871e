"""Check of `min.insync.replicas`."""

import pytest

from mockbroker.state.release.options import Options
from mockbroker.state.replication.in_sync_replicas import has_enough_replicas
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import Partition
from tests.state.cluster_building import new_cluster


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
