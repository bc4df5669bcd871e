import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.share.share_offsets import (
    AlteredTopic,
    DeletedTopic,
    ShareOffset,
    ShareOffsets,
)
from mockbroker.state.topic.topic import NO_LEADER, SHARE_GROUP_STATE
from tests.state.group.consumer.consumer_building import Consumer, id_of
from tests.state.group.coordinator_building import coordinator_in
from tests.state.group.share.share_building import SHARERS, cluster_of, group_in, joined, state_of


def offsets_in(cluster: ClusterState) -> ShareOffsets:
    return coordinator_in(cluster).share_offsets


def lose_states(cluster: ClusterState) -> None:
    for partition in cluster.topics.by_name[SHARE_GROUP_STATE].partitions:
        partition.leader_id = NO_LEADER


def test_start_offsets_are_altered_and_described() -> None:
    cluster = cluster_of(orders=2)
    offsets = offsets_in(cluster)
    orders = id_of(cluster, "orders")
    assert offsets.known_partitions(SHARERS) == {}
    altered = offsets.alter(SHARERS, {"orders": {0: 3, 1: -1}}, 0)
    assert altered == [AlteredTopic("orders", orders, {0: None, 1: None})]
    assert offsets.known_partitions(SHARERS) == {"orders": [0, 1]}
    assert offsets.describe(SHARERS, "orders", 0, 0) == ShareOffset(0, 3, 0, -3)
    assert offsets.describe(SHARERS, "orders", 1, 0) == ShareOffset(1)
    assert offsets.describe(SHARERS, "orders", 2, 0) == ShareOffset(2)
    assert offsets.describe("others", "orders", 0, 0) == ShareOffset(0)
    assert offsets.topic_id("nowhere") == ZERO_UUID


def test_unknown_partitions_are_refused_one_by_one() -> None:
    cluster = cluster_of(orders=1)
    altered = offsets_in(cluster).alter(SHARERS, {"orders": {0: 1, 4: 1}, "nowhere": {0: 1}}, 0)
    codes = [
        {index: refusal and refusal.code for index, refusal in each.refusals.items()}
        for each in altered
    ]
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert codes == [{0: None, 4: unknown}, {0: unknown}]
    assert offsets_in(cluster).alter("new", {"nowhere": {0: 1}}, 0)
    assert coordinator_in(cluster).groups.find("new") is None


def test_a_state_that_cannot_begin_is_refused() -> None:
    cluster = cluster_of(orders=1)
    joined(cluster).leave()
    lose_states(cluster)
    (topic,) = offsets_in(cluster).alter(SHARERS, {"orders": {0: 1}}, 0)
    refusal = topic.refusals[0]
    assert refusal is not None
    assert refusal.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert offsets_in(cluster).describe(SHARERS, "orders", 0, 0) == ShareOffset(0)
    (deleted,) = offsets_in(cluster).delete(SHARERS, ["orders"], 0)
    assert deleted.refusal is not None
    assert deleted.refusal.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert group_in(cluster).known_state.deleting


def test_start_offsets_are_deleted() -> None:
    cluster = cluster_of(orders=1, bills=1)
    joined(cluster).leave()
    offsets = offsets_in(cluster)
    deleted = offsets.delete(SHARERS, ["orders", "bills", "nowhere", "orders"], 0)
    assert deleted[0] == DeletedTopic("orders", id_of(cluster, "orders"))
    assert [each.refusal and each.refusal.code for each in deleted[1:]] == [
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    ] * 2
    assert state_of(cluster, "orders") is None
    assert offsets.known_partitions(SHARERS) == {}


def test_a_failed_deletion_can_be_repeated() -> None:
    cluster = cluster_of(orders=1)
    joined(cluster).leave()
    leaders = {
        each: each.leader_id for each in cluster.topics.by_name[SHARE_GROUP_STATE].partitions
    }
    lose_states(cluster)
    offsets_in(cluster).delete(SHARERS, ["orders"], 0)
    for partition, leader_id in leaders.items():
        partition.leader_id = leader_id
    (deleted,) = offsets_in(cluster).delete(SHARERS, ["orders"], 0)
    assert deleted.refusal is None
    assert not group_in(cluster).known_state.deleting


def test_a_group_without_share_partitions_has_nothing_to_delete() -> None:
    cluster = cluster_of()
    joined(cluster).leave()
    assert offsets_in(cluster).delete(SHARERS, ["orders"], 0) == []


def test_groups_with_members_and_other_groups_are_refused() -> None:
    cluster = cluster_of(orders=1)
    offsets = offsets_in(cluster)
    joined(cluster)
    Consumer(cluster).join()
    assert offsets.known_partitions("consumers") == {}
    for group_id, code in (
        ("", ErrorCode.INVALID_GROUP_ID),
        (SHARERS, ErrorCode.NON_EMPTY_GROUP),
        ("consumers", ErrorCode.GROUP_ID_NOT_FOUND),
    ):
        with pytest.raises(ApiError) as refused:
            offsets.alter(group_id, {"orders": {0: 0}}, 0)
        assert refused.value.code is code
        with pytest.raises(ApiError) as refused:
            offsets.delete(group_id, ["orders"], 0)
        assert refused.value.code is code
