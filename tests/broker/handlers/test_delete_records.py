"""DeleteRecords, partition by partition."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopic,
)
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.state.topic.replication_control import NewTopic
from tests.support.in_process import Brokers
from tests.support.logged import Logged
from tests.support.requests import batch_of, produce

Outcome = tuple[str, int, int, int]


def delete(
    brokers: Brokers, *wanted: tuple[str, int, int], version: int = 2, broker_id: int = 1
) -> list[Outcome]:
    request = DeleteRecordsRequest(
        topics=[
            DeleteRecordsTopic(
                name=topic,
                partitions=[DeleteRecordsPartition(partition_index=index, offset=offset)],
            )
            for topic, index, offset in wanted
        ],
        timeout_ms=1000,
    )
    answer = brokers.ask(request, version, DeleteRecordsResponse, broker_id=broker_id)
    return [
        (topic.name, each.partition_index, each.low_watermark, each.error_code)
        for topic in answer.topics
        for each in topic.partitions
    ]


def brokers_with_records(count: int = 3) -> Brokers:
    brokers = Brokers(topics={"orders": 1})
    for _ in range(count):
        brokers.ask(produce(records=batch_of(b"x")), 9, ProduceResponse)
    return brokers


def test_records_before_the_offset_are_deleted() -> None:
    brokers = brokers_with_records()
    assert delete(brokers, ("orders", 0, 2)) == [("orders", 0, 2, ErrorCode.NONE)]
    log = brokers.partition("orders").log
    assert log is not None
    assert log.log_start_offset == 2


def test_minus_one_deletes_all_records() -> None:
    assert delete(brokers_with_records(), ("orders", 0, -1)) == [("orders", 0, 3, ErrorCode.NONE)]


def test_each_partition_has_its_own_answer() -> None:
    brokers = brokers_with_records()
    assert delete(brokers, ("orders", 0, 4), ("orders", 7, 0), ("nope", 0, 0), version=0) == [
        ("orders", 0, -1, ErrorCode.OFFSET_OUT_OF_RANGE),
        ("orders", 7, -1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("nope", 0, -1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]


def test_the_last_offset_of_a_partition_that_is_named_twice_counts() -> None:
    brokers = brokers_with_records()
    assert delete(brokers, ("orders", 0, 1), ("orders", 0, 2)) == [("orders", 0, 2, 0)]


def test_kafka_s_own_topics_are_not_deleted() -> None:
    brokers = Brokers(topics={"__consumer_offsets": 1})
    assert delete(brokers, ("__consumer_offsets", 0, 0)) == [
        ("__consumer_offsets", 0, -1, ErrorCode.INVALID_TOPIC_EXCEPTION)
    ]


def test_only_the_leader_deletes_records() -> None:
    brokers = Brokers(brokers=2, topics={"orders": 1})
    other = 3 - brokers.partition("orders").leader_id
    assert delete(brokers, ("orders", 0, 0), broker_id=other) == [
        ("orders", 0, -1, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    ]


def test_a_refusal_is_logged_with_its_reason(logged: Logged) -> None:
    delete(brokers_with_records(), ("orders", 0, 4))
    (refusal,) = logged.named("delete_records_refused")
    assert (refusal["topic"], refusal["partition"]) == ("orders", 0)
    assert refusal["error"] == "OFFSET_OUT_OF_RANGE"
    assert refusal["why"]


@pytest.mark.parametrize(
    ("release", "code"),
    [("0.11", ErrorCode.OFFSET_OUT_OF_RANGE), ("1.1", ErrorCode.POLICY_VIOLATION)],
)
def test_the_oldest_release_checks_the_offset_before_the_policy(
    release: str, code: ErrorCode
) -> None:
    brokers = Brokers(release=release, configs={"log.cleanup.policy": "compact"})
    brokers.state.create_topic(NewTopic(name="orders", num_partitions=1, replication_factor=1))
    assert delete(brokers, ("orders", 0, 5), version=0)[0][3] == code
    assert delete(brokers, ("orders", 0, -1), version=0)[0][3] == ErrorCode.POLICY_VIOLATION
