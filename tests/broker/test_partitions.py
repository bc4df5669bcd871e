"""Lookup of the partition that a request names."""

from uuid import UUID

import pytest

from mockbroker.broker import partitions
from mockbroker.broker.call import Call
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.produce import TopicProduceData
from mockbroker.state.topic.replication_control import NewTopic
from tests.support.in_process import Brokers


@pytest.fixture
def brokers() -> Brokers:
    brokers = Brokers(brokers=3)
    brokers.state.create_topic(
        NewTopic(name="orders", assignments=((0, (1, 2)), (1, (2, 3)), (2, (3, 1))))
    )
    return brokers


def call_of(brokers: Brokers, broker_id: int = 1) -> Call:
    return Call(
        brokers.service,
        broker_id=broker_id,
        connection_id=1,
        api_key=ApiKey.FETCH,
        api_version=12,
        correlation_id=1,
        client_id=None,
    )


def test_a_topic_is_found_by_its_id(brokers: Brokers) -> None:
    topic = brokers.topic("orders")
    assert partitions.topic_by_id(call_of(brokers), topic.topic_id) is topic
    with pytest.raises(ApiError) as refused:
        partitions.topic_by_id(call_of(brokers), UUID(int=7))
    assert refused.value.code is ErrorCode.UNKNOWN_TOPIC_ID


def test_leaders_and_followers_host_a_partition(brokers: Brokers) -> None:
    first = brokers.partition("orders", 0)
    assert partitions.hosted_partition(call_of(brokers, 1), "orders", 0) is first
    assert partitions.hosted_partition(call_of(brokers, 2), "orders", 0) is first


def test_a_broker_without_a_replica_names_the_leader(brokers: Brokers) -> None:
    with pytest.raises(ApiError, match="broker 1 leads it") as refused:
        partitions.hosted_partition(call_of(brokers, 3), "orders", 0)
    assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_only_the_leader_leads(brokers: Brokers) -> None:
    first = brokers.partition("orders", 0)
    assert partitions.led_partition(call_of(brokers), "orders", 0) is first
    with pytest.raises(ApiError, match="broker 3 leads it") as refused:
        partitions.led_partition(call_of(brokers), "orders", 2)
    assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize(("topic", "index"), [("orders", 3), ("orders", -1), ("other", 0)])
def test_a_missing_partition_is_unknown(brokers: Brokers, topic: str, index: int) -> None:
    with pytest.raises(ApiError) as refused:
        partitions.led_partition(call_of(brokers), topic, index)
    assert refused.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_consumers_may_read_from_every_replica(brokers: Brokers) -> None:
    first = brokers.partition("orders", 0)
    assert partitions.readable_partition(call_of(brokers, 2), "orders", 0) is first
    with pytest.raises(ApiError) as refused:
        partitions.readable_partition(call_of(brokers, 3), "orders", 0)
    assert refused.value.code is brokers.state.options.fetch.without_replica
    with pytest.raises(ApiError) as unknown:
        partitions.readable_partition(call_of(brokers, 3), "orders", 9)
    assert unknown.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.parametrize("broker_id", [1, 2])
def test_an_old_leader_epoch_is_fenced_and_a_new_one_unknown(
    brokers: Brokers, broker_id: int
) -> None:
    partition = brokers.partition("orders")
    partition.leader_epoch = 5
    call = call_of(brokers, broker_id)
    for known in (-1, 5):
        assert partitions.hosted_partition(call, "orders", 0, known) is partition
    for said, code in ((4, ErrorCode.FENCED_LEADER_EPOCH), (6, ErrorCode.UNKNOWN_LEADER_EPOCH)):
        with pytest.raises(ApiError, match=f"the request has {said}") as refused:
            partitions.led_partition(call, "orders", 0, said)
        assert refused.value.code is code


@pytest.mark.parametrize("by_id", [True, False])
def test_a_topic_is_found_by_name_or_id(brokers: Brokers, by_id: bool) -> None:
    topic, call = brokers.topic("orders"), call_of(brokers)
    asked = TopicProduceData(name="orders", topic_id=topic.topic_id)
    assert partitions.topic_of(call, asked, by_id=by_id) is topic
    with pytest.raises(ApiError) as refused:
        partitions.topic_of(call, TopicProduceData(name="x", topic_id=UUID(int=7)), by_id=by_id)
    missing = ErrorCode.UNKNOWN_TOPIC_ID if by_id else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert refused.value.code is missing
