"""DescribeProducers: the producer state at a partition's replica."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    TopicRequest,
)
from mockbroker.state.producer.producer_state_entry import ProducerStateEntry
from mockbroker.state.replication.replication import stop_following
from mockbroker.state.topic.replication_control import NewTopic
from tests.support.in_process import NOW_MS, Brokers
from tests.support.transactions import Transactor, new_brokers


def describe(
    brokers: Brokers, index: int = 0, *, topic: str = "orders", broker_id: int = 1
) -> PartitionResponse:
    request = DescribeProducersRequest(topics=[TopicRequest(name=topic, partition_indexes=[index])])
    answer = brokers.ask(request, 0, DescribeProducersResponse, broker_id=broker_id)
    (found,) = answer.topics
    assert found.name == topic
    (partition,) = found.partitions
    assert partition.partition_index == index
    return partition


def test_a_partition_without_producers_has_none() -> None:
    assert describe(new_brokers()).active_producers == []


def test_an_open_transaction_has_its_start_and_an_ended_one_its_coordinator_epoch() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    producer.write(0, b"a", b"b")
    (found,) = describe(brokers).active_producers
    assert (found.producer_id, found.producer_epoch) == (producer.producer_id, 0)
    assert (found.last_sequence, found.last_timestamp) == (1, NOW_MS)
    assert (found.coordinator_epoch, found.current_txn_start_offset) == (-1, 0)
    producer.end(committed=True)
    (found,) = describe(brokers).active_producers
    assert (found.coordinator_epoch, found.current_txn_start_offset) == (0, -1)


@pytest.mark.parametrize(
    ("topic", "index", "code", "message"),
    [
        ("orders", 9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None),
        (
            "missing",
            0,
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            "This server does not host this topic-partition.",
        ),
        (
            "",
            0,
            ErrorCode.INVALID_TOPIC_EXCEPTION,
            "Topic name is invalid: the empty string is not allowed",
        ),
    ],
)
def test_a_missing_partition_is_refused(
    topic: str, index: int, code: ErrorCode, message: str | None
) -> None:
    found = describe(new_brokers(), index, topic=topic)
    assert (found.error_code, found.error_message) == (code, message)


def test_only_a_broker_with_a_replica_describes_them() -> None:
    brokers = new_brokers(brokers=2)
    leader_id = brokers.partition("orders").leader_id
    other = next(broker_id for broker_id in brokers.state.brokers if broker_id != leader_id)
    found = describe(brokers, broker_id=other)
    assert found.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize("topic", ["missing", "a b"])
def test_2_8_has_no_texts_and_does_not_validate_names(topic: str) -> None:
    found = describe(new_brokers(release="2.8"), topic=topic)
    assert found.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert found.error_message is None


def test_a_follower_describes_what_it_knows() -> None:
    brokers = new_brokers(brokers=2)
    wanted = NewTopic(name="copied", assignments=[(0, (1, 2))])
    (partition,) = brokers.state.create_topic(wanted).partitions
    stop_following(brokers.state, partition, 2, now_ms=NOW_MS)
    log = brokers.state.log_of(partition, NOW_MS)
    log.producers.load_entry(ProducerStateEntry(7))
    for broker_id, known in (1, [7]), (2, []):
        found = describe(brokers, topic="copied", broker_id=broker_id)
        assert found.error_code == ErrorCode.NONE
        assert [each.producer_id for each in found.active_producers] == known
