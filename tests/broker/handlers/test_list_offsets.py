"""ListOffsets: first, last and timestamped offsets of a partition."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.conformance.batches import GZIP, Item, batch
from tests.support.in_process import NOW_MS, Brokers
from tests.support.logged import Logged
from tests.support.requests import produce
from tests.support.transactions import Transactor, new_brokers

LATEST, EARLIEST, MAX_TIMESTAMP = -1, -2, -3


@pytest.fixture(params=["4.4", "2.4"])
def brokers(request: pytest.FixtureRequest) -> Brokers:
    """Three records in two batches, ten milliseconds apart."""
    brokers = Brokers(brokers=2, topics={"orders": 2}, release=request.param)
    leader_id = brokers.partition("orders").leader_id
    first = batch(Item(at_ms=NOW_MS), Item(at_ms=NOW_MS + 10), at_ms=NOW_MS)
    for records in (first, batch(Item(), at_ms=NOW_MS + 20)):
        brokers.ask(produce(records=records), 7, ProduceResponse, broker_id=leader_id)
    return brokers


def ask_all(
    brokers: Brokers,
    *asked: ListOffsetsPartition,
    version: int,
    topic: str = "orders",
    broker_id: int | None = None,
    isolation_level: int = 0,
) -> list[ListOffsetsPartitionResponse]:
    request = ListOffsetsRequest(
        replica_id=-1,
        isolation_level=isolation_level,
        topics=[ListOffsetsTopic(name=topic, partitions=list(asked))],
    )
    leader_id = broker_id or brokers.partition("orders").leader_id
    answer = brokers.ask(request, version, ListOffsetsResponse, broker_id=leader_id)
    return answer.topics[0].partitions


def ask(
    brokers: Brokers,
    timestamp: int,
    *,
    version: int = 5,
    topic: str = "orders",
    broker_id: int | None = None,
    leader_epoch: int = -1,
    isolation_level: int = 0,
) -> ListOffsetsPartitionResponse:
    asked = ListOffsetsPartition(
        partition_index=0, current_leader_epoch=leader_epoch, timestamp=timestamp
    )
    (answer,) = ask_all(
        brokers,
        asked,
        version=version,
        topic=topic,
        broker_id=broker_id,
        isolation_level=isolation_level,
    )
    return answer


@pytest.mark.parametrize("isolation_level", [0, 1])
@pytest.mark.parametrize(
    ("timestamp", "offset"),
    [
        (LATEST, 3),
        (EARLIEST, 0),
        (NOW_MS - 5, 0),
        (NOW_MS, 0),
        (NOW_MS + 1, 1),
        (NOW_MS + 11, 2),
        (NOW_MS + 21, -1),
    ],
)
def test_an_offset_is_found(
    brokers: Brokers, timestamp: int, offset: int, isolation_level: int
) -> None:
    answer = ask(brokers, timestamp, isolation_level=isolation_level)
    assert answer.error_code == ErrorCode.NONE
    assert answer.offset == offset


def test_the_timestamp_of_a_found_record_is_returned(brokers: Brokers) -> None:
    answer = ask(brokers, NOW_MS + 5)
    assert (answer.timestamp, answer.offset, answer.leader_epoch) == (NOW_MS + 10, 1, 0)


def test_the_record_with_the_largest_timestamp_is_found() -> None:
    brokers = Brokers(topics={"orders": 1})
    records = batch(Item(at_ms=NOW_MS + 7), Item(at_ms=NOW_MS), at_ms=NOW_MS)
    brokers.ask(produce(records=records), 9, ProduceResponse)
    answer = ask(brokers, MAX_TIMESTAMP, version=7)
    assert (answer.timestamp, answer.offset) == (NOW_MS + 7, 0)


def test_a_special_timestamp_needs_a_version_that_has_it() -> None:
    brokers = Brokers(topics={"orders": 1})
    assert ask(brokers, MAX_TIMESTAMP, version=6).error_code == ErrorCode.UNSUPPORTED_VERSION
    assert ask(brokers, -99, version=11).error_code == ErrorCode.UNSUPPORTED_VERSION


def test_3_6_knows_special_timestamps_in_every_version_and_the_others_for_times() -> None:
    brokers = Brokers(topics={"orders": 1}, release="3.6")
    records = batch(*(Item(at_ms=NOW_MS + at) for at in (7, 0)), at_ms=NOW_MS, codec=GZIP)
    brokers.ask(produce(records=records), 9, ProduceResponse)
    answers = [ask(brokers, timestamp, version=1) for timestamp in (MAX_TIMESTAMP, -4, -5)]
    assert [(each.timestamp, each.offset) for each in answers] == [
        (NOW_MS + 7, 1),
        (-1, 0),
        (NOW_MS + 7, 0),
    ]
    (legacy,) = ask_all(
        brokers,
        ListOffsetsPartition(partition_index=0, timestamp=-4, max_num_offsets=10),
        version=0,
    )
    assert legacy.old_style_offsets == [0]


def test_the_oldest_release_takes_any_negative_time_for_one() -> None:
    brokers = Brokers(topics={"orders": 1}, release="2.4")
    assert ask(brokers, MAX_TIMESTAMP).error_code == ErrorCode.NONE


def test_the_oldest_version_lists_the_starts_of_segments() -> None:
    brokers = Brokers(topics={"orders": 1}, release="2.4")
    brokers.ask(produce(), 7, ProduceResponse)
    asked = ListOffsetsPartition(partition_index=0, timestamp=LATEST, max_num_offsets=10)
    (answer,) = ask_all(brokers, asked, version=0)
    assert answer.old_style_offsets == [1, 0]


def test_a_partition_that_is_named_twice_is_refused(brokers: Brokers) -> None:
    asked = [ListOffsetsPartition(partition_index=index, timestamp=LATEST) for index in (0, 0)]
    answers = ask_all(brokers, *asked, version=5)
    assert {answer.error_code for answer in answers} == {ErrorCode.INVALID_REQUEST}


def test_a_partition_that_is_named_twice_is_logged(brokers: Brokers, logged: Logged) -> None:
    asked = [ListOffsetsPartition(partition_index=0, timestamp=LATEST)] * 2
    ask_all(brokers, *asked, version=5)
    (fields,) = logged.named("list_offsets_refused")
    assert fields["why"] == "the request names the partition more than once"


def test_many_repeated_partitions_are_refused_in_no_time(brokers: Brokers) -> None:
    asked = [
        ListOffsetsPartition(partition_index=index % 20_000, timestamp=LATEST)
        for index in range(40_000)
    ]
    answers = ask_all(brokers, *asked, version=5)
    assert {answer.error_code for answer in answers} == {ErrorCode.INVALID_REQUEST}


def test_a_refusal_is_logged(brokers: Brokers, logged: Logged) -> None:
    answer = ask(brokers, LATEST, topic="other")
    assert answer.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert answer.offset == -1
    (fields,) = logged.named("list_offsets_refused")
    assert fields["topic"] == "other"


def test_another_broker_is_not_the_leader(brokers: Brokers) -> None:
    other = 3 - brokers.partition("orders").leader_id
    assert ask(brokers, LATEST, broker_id=other).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_the_leader_epoch_is_checked(brokers: Brokers) -> None:
    assert ask(brokers, LATEST, leader_epoch=1).error_code == ErrorCode.UNKNOWN_LEADER_EPOCH
    assert ask(brokers, LATEST, leader_epoch=0).error_code == ErrorCode.NONE


@pytest.mark.parametrize(("release", "answers"), [("2.4", 1), ("2.8", 2), ("4.4", 1)])
def test_a_partition_that_is_named_twice_is_answered_as_the_release_does(
    release: str, answers: int
) -> None:
    brokers = Brokers(topics={"orders": 1}, release=release)
    asked = ListOffsetsPartition(partition_index=0, timestamp=LATEST)
    found = ask_all(brokers, asked, asked, version=2)
    assert [each.error_code for each in found] == [ErrorCode.INVALID_REQUEST] * answers


@pytest.mark.parametrize("timestamp", [LATEST, NOW_MS])
def test_read_committed_ends_at_the_last_stable_offset(timestamp: int) -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    producer.write(0, b"a")
    everything, committed = (
        ask(brokers, timestamp, isolation_level=isolation_level) for isolation_level in (0, 1)
    )
    assert everything.offset == (1 if timestamp == LATEST else 0)
    assert committed.offset == (0 if timestamp == LATEST else -1)
    producer.end(committed=True)
    ended = ask(brokers, timestamp, isolation_level=1)
    assert ended.offset == (2 if timestamp == LATEST else 0)
