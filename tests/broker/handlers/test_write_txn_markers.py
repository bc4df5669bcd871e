"""WriteTxnMarkers: any client may write markers that end transactions."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from mockbroker.protocol.records.batch import parse_batch_header
from mockbroker.protocol.types import TimestampType
from tests.support.in_process import Brokers
from tests.support.transactions import Transactor, new_brokers, read


def marker_of(
    producer: Transactor,
    *indexes: int,
    epoch: int | None = None,
    coordinator_epoch: int = 0,
    topic: str = "orders",
    committed: bool = False,
) -> WritableTxnMarker:
    return WritableTxnMarker(
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch if epoch is None else epoch,
        transaction_result=committed,
        coordinator_epoch=coordinator_epoch,
        topics=[WritableTxnMarkerTopic(name=topic, partition_indexes=list(indexes or (0,)))],
    )


def write(
    brokers: Brokers, *markers: WritableTxnMarker, version: int = 1, broker_id: int = 1
) -> list[ErrorCode]:
    answer = brokers.ask(
        WriteTxnMarkersRequest(markers=list(markers)),
        version,
        WriteTxnMarkersResponse,
        broker_id=broker_id,
    )
    return [
        ErrorCode(partition.error_code)
        for marker in answer.markers
        for topic in marker.topics
        for partition in topic.partitions
    ]


@pytest.fixture
def producer() -> Transactor:
    producer = Transactor(new_brokers())
    producer.init()
    producer.add(0, 1)
    producer.write(0)
    return producer


@pytest.mark.parametrize("version", [1, 2])
def test_a_hanging_transaction_is_ended(producer: Transactor, version: int) -> None:
    brokers = producer.brokers
    assert read(brokers, committed=True).last_stable_offset == 0
    assert write(brokers, marker_of(producer), version=version) == [ErrorCode.NONE]
    found = read(brokers, committed=True)
    assert found.last_stable_offset == 2
    assert [each.producer_id for each in found.aborted_transactions or ()] == [producer.producer_id]


def test_repeated_markers_and_those_without_a_transaction_are_written(producer: Transactor) -> None:
    marker = marker_of(producer)
    assert write(producer.brokers, marker, marker_of(producer, committed=True)) == [ErrorCode.NONE]
    producer.producer_id = 999_999
    assert write(producer.brokers, marker_of(producer, epoch=7)) == [ErrorCode.NONE]
    assert read(producer.brokers, committed=True).high_watermark == 4


def test_an_old_epoch_and_an_old_coordinator_are_refused(producer: Transactor) -> None:
    brokers = producer.brokers
    assert write(brokers, marker_of(producer, epoch=3, coordinator_epoch=5)) == [ErrorCode.NONE]
    before = brokers.state.as_text()
    assert write(brokers, marker_of(producer, epoch=2, coordinator_epoch=5)) == [
        ErrorCode.INVALID_PRODUCER_EPOCH
    ]
    assert write(brokers, marker_of(producer, epoch=3, coordinator_epoch=4)) == [
        ErrorCode.TRANSACTION_COORDINATOR_FENCED
    ]
    assert brokers.state.as_text() == before


@pytest.mark.parametrize(("topic", "index"), [("orders", 9), ("missing", 0)])
def test_a_missing_partition_is_unknown(producer: Transactor, topic: str, index: int) -> None:
    marker = marker_of(producer, index, topic=topic)
    assert write(producer.brokers, marker) == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]


def test_a_partition_on_other_brokers_only_is_unknown() -> None:
    brokers = new_brokers(brokers=3)
    producer = Transactor(brokers)
    producer.init()
    leader_id = brokers.partition("orders").leader_id
    for broker_id in brokers.state.brokers:
        expected = (
            ErrorCode.NONE if broker_id == leader_id else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        )
        assert write(brokers, marker_of(producer), broker_id=broker_id) == [expected]


@pytest.mark.parametrize(("producer_id", "epoch"), [(-1, 0), (5, -1)])
def test_a_marker_that_cannot_be_built_changes_nothing(
    producer: Transactor, producer_id: int, epoch: int
) -> None:
    good = marker_of(producer, 0, 1)
    producer.producer_id = producer_id
    before = producer.brokers.state.as_text()
    codes = write(producer.brokers, good, marker_of(producer, epoch=epoch))
    assert set(codes) == {ErrorCode.UNKNOWN_SERVER_ERROR}
    assert producer.brokers.state.as_text() == before


def test_no_markers_are_no_answers(producer: Transactor) -> None:
    assert write(producer.brokers) == []


def test_a_partition_that_is_named_twice_gets_its_marker_once(producer: Transactor) -> None:
    end = producer.brokers.state.log_of(producer.brokers.partition("orders"), 0).log_end_offset
    assert write(producer.brokers, marker_of(producer, 0, 0)) == [ErrorCode.NONE]
    log = producer.brokers.state.log_of(producer.brokers.partition("orders"), 0)
    assert log.log_end_offset == end + 1


def configure(brokers: Brokers, name: str, value: str) -> None:
    brokers.state.configs.set_topic_overrides("orders", {name: value})
    brokers.state.configs_changed("orders")


def test_a_marker_has_the_timestamp_type_of_its_topic(producer: Transactor) -> None:
    configure(producer.brokers, "message.timestamp.type", "LogAppendTime")
    before = len(producer.brokers.log_bytes("orders"))
    assert write(producer.brokers, marker_of(producer)) == [ErrorCode.NONE]
    header = parse_batch_header(producer.brokers.log_bytes("orders")[before:])
    assert header.is_control
    assert header.timestamp_type is TimestampType.LOG_APPEND_TIME


def test_old_formats_have_no_markers() -> None:
    brokers = new_brokers(release="2.3")
    configure(brokers, "message.format.version", "0.10.0")
    producer = Transactor(brokers)
    producer.init(version=0)
    refused = [ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT]
    assert write(brokers, marker_of(producer), version=0) == refused
    assert producer.add(0, version=0) == [ErrorCode.NONE]
    producer.end(committed=True, version=0)
    assert brokers.log_bytes("orders") == b""


@pytest.mark.parametrize("release", ["0.11", "4.4"])
def test_a_partition_without_a_local_replica_is_unknown(release: str) -> None:
    brokers = new_brokers(brokers=2, release=release)
    producer = Transactor(brokers)
    producer.init(version=0)
    other = brokers.partition("orders").leader_id % 2 + 1
    version = 0 if release == "0.11" else 1
    codes = write(brokers, marker_of(producer), version=version, broker_id=other)
    assert codes == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
