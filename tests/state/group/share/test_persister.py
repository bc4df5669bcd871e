import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Uuid
from mockbroker.state.group.share.persister import Persister
from mockbroker.state.group.share.state_partitions import TopicState
from mockbroker.state.share.share_log_record import SharePartitionKey
from mockbroker.state.topic.topic import NO_LEADER, SHARE_GROUP_STATE
from tests.state.group.consumer.consumer_building import id_of
from tests.state.group.share.share_building import SHARERS, cluster_of, state_of

UNKNOWN = Uuid(int=7)


def test_states_begin_and_end() -> None:
    cluster = cluster_of(orders=2)
    persister, orders = Persister(cluster), id_of(cluster, "orders")
    assert SHARE_GROUP_STATE not in cluster.topics
    assert persister.initialize(SHARERS, 3, {orders: {0: 5, 1: -1}}, 0) == {}
    assert SHARE_GROUP_STATE in cluster.topics
    state = state_of(cluster, "orders")
    assert state is not None
    assert (state.state_epoch, state.start_offset) == (3, 5)
    assert persister.summary(SharePartitionKey(SHARERS, orders, 0)) == state
    assert persister.delete(SHARERS, {orders: TopicState("orders", frozenset({0, 1}))}, 0) == {}
    assert state_of(cluster, "orders") is None


def test_errors_are_returned_by_partition() -> None:
    cluster = cluster_of(orders=1)
    persister, orders = Persister(cluster), id_of(cluster, "orders")
    refusals = persister.initialize(SHARERS, 0, {UNKNOWN: {0: 0}, orders: {0: 0, 4: 0}}, 0)
    assert {key: list(each) for key, each in refusals.items()} == {UNKNOWN: [0], orders: [4]}
    deleted = persister.delete(SHARERS, {orders: TopicState("orders", frozenset({0, 4}))}, 0)
    assert list(deleted[orders]) == [4]


def test_there_may_be_no_coordinator() -> None:
    cluster = cluster_of(orders=1)
    persister, orders = Persister(cluster), id_of(cluster, "orders")
    persister.initialize(SHARERS, 0, {orders: {0: 0}}, 0)
    for partition in cluster.topics.by_name[SHARE_GROUP_STATE].partitions:
        partition.leader_id = NO_LEADER
    with pytest.raises(ApiError) as refused:
        persister.summary(SharePartitionKey(SHARERS, orders, 0))
    assert refused.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE


def test_the_states_topic_may_be_impossible() -> None:
    cluster = cluster_of(
        configs={"share.coordinator.state.topic.replication.factor": "3"}, orders=1
    )
    orders = id_of(cluster, "orders")
    refusals = Persister(cluster).initialize(SHARERS, 0, {orders: {0: 0}}, 0)
    assert refusals[orders][0].code is ErrorCode.COORDINATOR_NOT_AVAILABLE
