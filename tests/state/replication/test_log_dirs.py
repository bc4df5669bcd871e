"""Replicas in one and in several log directories."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.replication_control import NewTopic
from tests.state.cluster_building import new_cluster

TWO = {"log.dirs": "/first, /second"}


def placed(cluster: ClusterState, broker_id: int = 1) -> dict[str, list[str]]:
    return {
        path: [str(partition.topic_partition) for partition in partitions]
        for path, partitions in cluster.log_dirs.content(broker_id).items()
    }


def create(cluster: ClusterState, name: str, *replicas: tuple[int, ...]) -> None:
    cluster.create_topic(NewTopic(name=name, assignments=list(enumerate(replicas))))


def refused(cluster: ClusterState, topic: str, index: int, path: str) -> ErrorCode:
    before = cluster.as_text()
    with pytest.raises(ApiError) as refusal:
        cluster.log_dirs.move(1, TopicPartition(topic, index), path)
    assert cluster.as_text() == before
    return refusal.value.code


def test_a_broker_has_kafkas_directory_by_default() -> None:
    assert new_cluster().log_dirs.paths(1) == ("/tmp/kafka-logs",)


def test_a_broker_holds_its_replicas() -> None:
    cluster = new_cluster()
    create(cluster, "t", (1, 2), (2, 3))
    assert placed(cluster, 1) == {"/tmp/kafka-logs": ["t-0"]}
    assert placed(cluster, 2) == {"/tmp/kafka-logs": ["t-0", "t-1"]}


def test_a_new_replica_goes_to_the_directory_with_the_fewest() -> None:
    cluster = new_cluster(configs=TWO)
    create(cluster, "t", (1,), (1,), (1,))
    assert placed(cluster) == {"/first": ["t-0", "t-2"], "/second": ["t-1"]}


def test_a_moved_replica_stays_where_it_is_put() -> None:
    cluster = new_cluster(configs=TWO)
    create(cluster, "t", (1,), (1,))
    cluster.log_dirs.move(1, TopicPartition("t", 0), "/second")
    assert placed(cluster) == {"/first": [], "/second": ["t-0", "t-1"]}
    assert "broker 1 keeps t-0 in /second" in cluster.as_text()


def test_a_directory_may_be_chosen_before_the_replica_exists() -> None:
    cluster = new_cluster(configs=TWO)
    with pytest.raises(ApiError) as refusal:
        cluster.log_dirs.move(1, TopicPartition("t", 0), "/second")
    assert refusal.value.code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    create(cluster, "t", (1,), (1,))
    assert placed(cluster) == {"/first": ["t-1"], "/second": ["t-0"]}


def test_a_removed_replica_leaves_its_directory() -> None:
    cluster = new_cluster(configs=TWO)
    create(cluster, "t", (1,))
    assert placed(cluster)["/first"] == ["t-0"]
    cluster.delete_topic(cluster.topics.by_name["t"])
    assert placed(cluster) == {"/first": [], "/second": []}


def test_a_rejected_move_has_a_reason() -> None:
    cluster = new_cluster()
    create(cluster, "t", (1, 2), (2, 3))
    path = "/tmp/kafka-logs"
    assert refused(cluster, "t", 0, "/nowhere") == ErrorCode.LOG_DIR_NOT_FOUND
    assert refused(cluster, "missing", 0, "/nowhere") == ErrorCode.LOG_DIR_NOT_FOUND
    assert refused(cluster, "missing", 0, path) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert refused(cluster, "t", 7, path) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert refused(cluster, "t", 1, path) == ErrorCode.REPLICA_NOT_AVAILABLE


def test_the_first_release_with_directories_knows_one_code() -> None:
    cluster = new_cluster("1.1")
    assert refused(cluster, "missing", 0, "/tmp/kafka-logs") == ErrorCode.REPLICA_NOT_AVAILABLE


@pytest.mark.parametrize("cordoned", ["/first", "*", "/second,/first"])
def test_a_cordoned_directory_gets_no_replica(cordoned: str) -> None:
    cluster = new_cluster(configs=TWO)
    create(cluster, "t", (1,), (1,))
    cluster.configs.set_broker_overrides(1, {"cordoned.log.dirs": cordoned})
    assert cluster.log_dirs.is_cordoned(1, "/first")
    assert not cluster.log_dirs.is_cordoned(2, "/first")
    assert refused(cluster, "t", 1, "/first") == ErrorCode.INVALID_REPLICA_ASSIGNMENT


def test_older_releases_cordon_nothing() -> None:
    assert not new_cluster("3.9").log_dirs.is_cordoned(1, "/tmp/kafka-logs")
