"""Share coordinators: loading, moves, refusals, deleted topics."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.share.state_batch import StateBatch
from mockbroker.state.topic.topic import SHARE_GROUP_STATE
from tests.state.share.coordinator_clusters import coordinating, key_of, leader, written


def filled() -> ClusterState:
    cluster = coordinating(brokers=2)
    coordinator = leader(cluster)
    for partition in (0, 1):
        coordinator.initialize(key_of(cluster, partition), 3, 5, 0)
    coordinator.write(key_of(cluster), written(StateBatch(5, 9, 2, 1), epoch=3), 0)
    coordinator.read(key_of(cluster), 6, 0)
    coordinator.delete(key_of(cluster, 1), 0)
    return cluster


def elect_other(cluster: ClusterState) -> None:
    partition = cluster.partition(SHARE_GROUP_STATE, 0)
    assert partition is not None
    previous_id = partition.leader_id
    partition.leader_id = 3 - previous_id
    partition.leader_epoch += 1
    partition.elected_in_epoch = partition.leader_epoch
    cluster.leader_elected(partition, previous_id)


def test_a_new_coordinator_loads_the_records() -> None:
    cluster = filled()
    former = leader(cluster)
    before = former.as_text()
    elect_other(cluster)
    with pytest.raises(ApiError) as caught:
        former.summary(key_of(cluster))
    assert caught.value.code is ErrorCode.NOT_COORDINATOR
    with pytest.raises(ApiError) as caught:
        leader(cluster).summary(key_of(cluster))
    assert caught.value.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert leader(cluster).as_text() == ["loads 0 in epoch 1"]
    assert cluster.run_pending(0) == [f"LoadShareState {SHARE_GROUP_STATE}-0"]
    assert leader(cluster).as_text() == before
    with pytest.raises(ApiError, match="older than the epoch"):
        leader(cluster).read(key_of(cluster), 5, 0)


def test_a_partition_that_moved_on_is_not_loaded() -> None:
    cluster = filled()
    elect_other(cluster)
    elect_other(cluster)
    cluster.run_pending(0)
    assert (
        cluster.share_coordinator(1).as_text() == [] or cluster.share_coordinator(2).as_text() == []
    ), "one broker owns nothing"
    assert leader(cluster).summary(key_of(cluster)) is not None


def test_a_late_resignation_of_an_old_epoch_is_ignored() -> None:
    cluster = filled()
    elect_other(cluster)
    cluster.run_pending(0)
    leader(cluster).on_resignation(0, 0)
    assert leader(cluster).summary(key_of(cluster)) is not None
    leader(cluster).on_resignation(0)
    with pytest.raises(ApiError, match="does not lead"):
        leader(cluster).summary(key_of(cluster))


def test_states_of_deleted_topics_are_deleted() -> None:
    cluster = filled()
    topic = cluster.topics.by_name["t"]
    key = key_of(cluster)
    cluster.delete_topic(topic)
    assert cluster.run_pending(0) == [f"ForgetShareState {topic.topic_id}"]
    assert leader(cluster).as_text() == []
    with pytest.raises(ApiError, match="does not host this topic-partition"):
        leader(cluster).summary(key)


def test_a_write_that_the_log_refuses_changes_nothing() -> None:
    cluster = filled()
    partition = cluster.partition(SHARE_GROUP_STATE, 0)
    assert partition is not None
    coordinator, before = leader(cluster), leader(cluster).as_text()
    partition.leader_epoch += 1
    partition.elected_in_epoch = partition.leader_epoch
    with pytest.raises(ApiError) as caught:
        coordinator.write(key_of(cluster), written(epoch=3, leader_epoch=6), 0)
    assert caught.value.code is ErrorCode.NOT_COORDINATOR
    assert coordinator.as_text() == before


def test_snapshots_come_as_often_as_configured() -> None:
    name = "share.coordinator.snapshot.update.records.per.snapshot"
    cluster = coordinating(configs={name: "1"})
    coordinator, key = leader(cluster), key_of(cluster)
    coordinator.initialize(key, 0, 0, 0)
    for offset in range(4):
        coordinator.write(key, written(StateBatch(offset, offset, 2, 1)), 0)
    state = coordinator.summary(key)
    assert state is not None
    assert (state.snapshot_epoch, state.state_batches) == (2, (StateBatch(0, 3, 2, 1),))
