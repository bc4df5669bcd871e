"""Produce appends valid records, and returns a result for each partition."""

from uuid import UUID

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from mockbroker.state.topic.replication_control import NewTopic
from tests.conformance.batches import TRANSACTIONAL, ZSTD, Item, Producer, batch, message
from tests.support.in_process import NOW_MS, Brokers
from tests.support.logged import Logged
from tests.support.requests import batch_of, produce

GOOD = batch_of(b"good")


@pytest.fixture
def brokers() -> Brokers:
    return Brokers(topics={"orders": 2}, fast=False)


def only(answer: ProduceResponse) -> PartitionProduceResponse:
    """Return the only partition of a response."""
    (topic,) = answer.responses
    (partition,) = topic.partition_responses
    return partition


def ask(brokers: Brokers, request: ProduceRequest, version: int = 9) -> PartitionProduceResponse:
    return only(brokers.ask(request, version, ProduceResponse))


@pytest.mark.parametrize("version", range(3, 14))
def test_a_batch_is_appended_in_every_version(brokers: Brokers, version: int) -> None:
    request = produce(topic_id=brokers.topic("orders").topic_id)
    offsets = [ask(brokers, request, version).base_offset for _ in range(2)]
    assert offsets == [0, 1]


@pytest.mark.parametrize("version", [0, 1, 2])
def test_old_versions_are_served_by_old_releases_only(version: int, logged: Logged) -> None:
    request = produce(records=message(b"a", magic=min(1, version), at_ms=NOW_MS))
    old = Brokers(topics={"orders": 1}, release="2.4")
    assert ask(old, request, version).base_offset == 0
    peer = Brokers(topics={"orders": 1}).connect()
    peer.send(request, version)
    assert peer.is_hung_up
    assert logged.named("connection_closed")[0]["reason"] == "unsupported_version"


def test_each_partition_is_answered_by_itself(brokers: Brokers) -> None:
    request = produce()
    request.topic_data = [
        TopicProduceData(
            name="orders",
            partition_data=[
                PartitionProduceData(index=0, records=GOOD),
                PartitionProduceData(index=1, records=batch(Item(), at_ms=1, wrong={"crc": 1})),
                PartitionProduceData(index=2, records=GOOD),
            ],
        ),
        TopicProduceData(
            name="other", partition_data=[PartitionProduceData(index=0, records=GOOD)]
        ),
    ]
    answer = brokers.ask(request, 9, ProduceResponse)
    assert [
        [(p.index, p.error_code, p.base_offset) for p in topic.partition_responses]
        for topic in answer.responses
    ] == [
        [
            (0, ErrorCode.NONE, 0),
            (1, ErrorCode.CORRUPT_MESSAGE, -1),
            (2, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1),
        ],
        [(0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)],
    ]


def test_a_refusal_is_logged(brokers: Brokers, logged: Logged) -> None:
    ask(brokers, produce("other"))
    (fields,) = logged.named("produce_refused")
    assert fields["topic"] == "other"
    assert fields["error"] == "UNKNOWN_TOPIC_OR_PARTITION"


@pytest.mark.parametrize(
    ("request_", "version", "code"),
    [
        (produce(acks=2), 9, ErrorCode.INVALID_REQUIRED_ACKS),
        (produce("other"), 9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (produce(index=7), 9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (produce(topic_id=UUID(int=9)), 13, ErrorCode.UNKNOWN_TOPIC_ID),
        (produce("__consumer_offsets"), 9, ErrorCode.INVALID_TOPIC_EXCEPTION),
        (
            produce(records=batch(Item(), at_ms=NOW_MS, codec=ZSTD)),
            6,
            ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
        ),
        (
            produce(records=batch(Item(), at_ms=NOW_MS, producer=Producer(7, 0, -1))),
            9,
            ErrorCode.INVALID_RECORD,
        ),
    ],
)
def test_invalid_records_are_refused(
    request_: ProduceRequest, version: int, code: ErrorCode
) -> None:
    brokers = Brokers(topics={"orders": 1, "__consumer_offsets": 1}, fast=False)
    answer = ask(brokers, request_, version)
    assert (answer.error_code, answer.base_offset) == (code, -1)
    assert not any(log.log_end_offset for log in brokers.state.logs.values())


def test_refused_records_are_named(brokers: Brokers) -> None:
    late_ms = NOW_MS + 10 * 3_600_000
    records = batch(Item(), Item(at_ms=late_ms), at_ms=NOW_MS)
    answer = ask(brokers, produce(records=records), 8)
    assert answer.error_code == ErrorCode.INVALID_TIMESTAMP
    assert answer.error_message
    assert [error.batch_index for error in answer.record_errors] == [1]
    assert answer.log_start_offset == 0


def codes_beside(brokers: Brokers, records: bytes | None) -> list[int]:
    """Return the error codes of a valid partition, and of one with these records."""
    request = produce(records=GOOD)
    request.topic_data[0].partition_data.append(PartitionProduceData(index=1, records=records))
    (topic,) = brokers.ask(request, 9, ProduceResponse).responses
    return [partition.error_code for partition in topic.partition_responses]


@pytest.mark.parametrize("records", [None, b"", b"no batch"])
def test_bytes_that_are_no_records_are_invalid(brokers: Brokers, records: bytes | None) -> None:
    assert codes_beside(brokers, records) == [ErrorCode.NONE, ErrorCode.INVALID_RECORD]


@pytest.mark.parametrize(
    "records",
    [
        batch(Item(), at_ms=NOW_MS, wrong={"batch_length": 10}),
        batch(Item(), at_ms=NOW_MS, attributes=TRANSACTIONAL, producer=Producer(7, 0, 0)),
    ],
)
def test_some_mistakes_fail_the_whole_request(brokers: Brokers, records: bytes) -> None:
    first, second = codes_beside(brokers, records)
    assert first == second != ErrorCode.NONE
    assert not brokers.state.logs


@pytest.mark.parametrize("version", [2, 7])
def test_the_oldest_release_closes_the_connection_at_invalid_records(
    version: int, logged: Logged
) -> None:
    peer = Brokers(topics={"orders": 1}, release="2.4").connect()
    peer.send(produce(records=b"no batch"), version)
    assert peer.is_hung_up
    assert logged.named("connection_closed")[0]["reason"] == "malformed_records"


@pytest.mark.parametrize(
    ("version", "first", "second"),
    [
        # A wrong codec fails the request, but not before all partitions are read.
        (6, batch(Item(), at_ms=1, attributes=7), batch(Item(), at_ms=1, wrong={"magic": -1})),
        # A message is not appended beside a batch that ends inside its header.
        (1, message(b"m", at_ms=1, magic=1), batch(Item(), at_ms=1, wrong={"batch_length": 30})),
    ],
)
def test_unreadable_records_close_the_connection_before_others_are_appended(
    version: int, first: bytes, second: bytes
) -> None:
    brokers = Brokers(topics={"orders": 2}, release="2.4")
    peer = brokers.connect()
    request = produce(records=first)
    request.topic_data[0].partition_data.append(PartitionProduceData(index=1, records=second))
    peer.send(request, version)
    assert peer.is_hung_up
    assert not brokers.state.logs


def test_a_gap_in_sequences_is_refused_with_the_logs_start(brokers: Brokers) -> None:
    for sequence in (0, 5):
        records = batch(Item(), at_ms=NOW_MS, producer=Producer(7, 0, sequence))
        answer = ask(brokers, produce(records=records))
    assert answer.error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert answer.log_start_offset == 0


def test_a_retry_is_answered_as_the_first_time(brokers: Brokers) -> None:
    records = batch(Item(), at_ms=NOW_MS, producer=Producer(7, 0, 0))
    first, again = (ask(brokers, produce(records=records)) for _ in range(2))
    assert (first.error_code, first.base_offset) == (ErrorCode.NONE, 0)
    assert (again.error_code, again.base_offset) == (ErrorCode.NONE, 0)
    assert again.log_append_time_ms == NOW_MS  # as in Kafka, the time of the stored batch


def test_acks_0_is_not_answered_and_an_error_ends_the_connection(
    brokers: Brokers, logged: Logged
) -> None:
    peer = brokers.connect()
    peer.send(produce(acks=0), 9)
    assert not peer.new_frames()
    assert not peer.is_hung_up
    peer.send(produce("other", acks=0), 9)
    assert peer.is_hung_up
    assert not peer.new_frames()
    (fields,) = logged.named("connection_closed")
    assert fields["reason"] == "produce_failed_without_acks"
    assert fields["errors"] == "UNKNOWN_TOPIC_OR_PARTITION"


@pytest.mark.parametrize(("version", "is_named"), [(9, False), (10, True), (12, True)])
def test_the_right_broker_is_named_by_the_wrong_one(version: int, is_named: bool) -> None:
    brokers = Brokers(brokers=2, fast=False)
    brokers.state.create_topic(NewTopic(name="orders", assignments=((0, (2,)), (1, (2,)))))
    request = produce()
    request.topic_data[0].partition_data.append(PartitionProduceData(index=1, records=GOOD))
    answer = brokers.ask(request, version, ProduceResponse)
    (topic,) = answer.responses
    for partition in topic.partition_responses:
        assert partition.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert partition.current_leader.leader_id == (2 if is_named else -1)
    assert [node.node_id for node in answer.node_endpoints] == ([2] if is_named else [])


def test_log_append_time_is_returned(brokers: Brokers) -> None:
    overrides = {"message.timestamp.type": "LogAppendTime"}
    brokers.state.configs.set_topic_overrides("orders", overrides)
    brokers.state.configs_changed("orders")
    assert ask(brokers, produce()).log_append_time_ms == NOW_MS


WRONG_COUNT = batch(Item(), at_ms=NOW_MS, wrong={"record_count": 2})


@pytest.mark.parametrize(
    ("release", "code", "log_start_offset"),
    [
        ("2.3", ErrorCode.CORRUPT_MESSAGE, -1),
        ("2.4", ErrorCode.INVALID_RECORD, 0),
    ],
)
def test_records_that_break_the_rules_have_a_code_of_their_own_since_2_4(
    release: str, code: ErrorCode, log_start_offset: int
) -> None:
    brokers = Brokers(topics={"orders": 1}, release=release, fast=False)
    answer = ask(brokers, produce(records=WRONG_COUNT), 7)
    assert (answer.error_code, answer.log_start_offset) == (code, log_start_offset)


@pytest.mark.parametrize(("release", "hangs_up"), [("1.1", True), ("2.3", False)])
def test_two_batches_close_the_connection_in_old_releases(release: str, *, hangs_up: bool) -> None:
    peer = Brokers(topics={"orders": 1}, release=release).connect()
    peer.send(produce(records=GOOD + GOOD), 5)
    assert peer.is_hung_up is hangs_up


@pytest.mark.parametrize("release", ["0.11", "1.1", "2.8", "3.9"])
def test_an_empty_message_set_is_no_error(release: str) -> None:
    brokers = Brokers(topics={"orders": 1}, release=release)
    answer = ask(brokers, produce(records=b""), 2)
    assert (answer.error_code, answer.base_offset) == (ErrorCode.NONE, -1)
    assert not brokers.log_bytes("orders")


@pytest.mark.parametrize(
    ("release", "code"),
    [
        ("1.1", ErrorCode.INVALID_REQUIRED_ACKS),
        ("2.3", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_an_unknown_partition_with_wrong_acks(release: str, code: ErrorCode) -> None:
    request = produce(index=7)
    request.acks = 2
    assert ask(Brokers(topics={"orders": 1}, release=release), request, 5).error_code == code
