"""The batches that brokers write themselves."""

import pytest

from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.protocol.codec import encode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.log_records.transaction_log import (
    PartitionsSchema,
    TransactionLogKey,
)
from mockbroker.protocol.log_records.transaction_log import TransactionLogValue as DeclaredValue
from mockbroker.protocol.records.batch import build_batch, parse_batch_header, records_of
from mockbroker.protocol.records.control_batch import (
    ControlRecordType,
    EndTransactionMarker,
    build_end_transaction_marker,
)
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import TimestampType, TopicPartition
from mockbroker.state.coordinator.log_records import BatchStamps, BatchWriter, GroupValueVersions
from mockbroker.state.group.group_log_record import (
    GroupLogRecord,
    GroupMetadataValue,
    GroupRecord,
    OffsetAndMetadata,
    OffsetRecord,
)
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from tests.conformance.classic_consumers import assigned, subscribed

NOW_MS = 1_700_000_000_000
EMPTY = TransactionLogValue(
    producer_id=5,
    producer_epoch=1,
    transaction_timeout_ms=60_000,
    state=0,
    partitions=None,
    last_update_timestamp_ms=NOW_MS,
    start_timestamp_ms=-1,
)
ONGOING = EMPTY._replace(
    state=1,
    partitions=(
        TopicPartition("orders", 0),
        TopicPartition("orders", 300),
        TopicPartition("ä", 1),
    ),
    start_timestamp_ms=NOW_MS - 5,
    previous_producer_id=4,
    next_producer_id=1 << 40,
    client_transaction_version=2,
    next_producer_epoch=0,
)


def transaction_batch(value: TransactionLogValue | None, value_version: int) -> bytes:
    header, batch = LOG_RECORDS.build_transaction_record(
        "mine",
        value,
        value_version=value_version,
        base_offset=7,
        leader_epoch=3,
        timestamp_ms=NOW_MS,
    )
    assert header == parse_batch_header(batch)
    return bytes(batch)


@pytest.mark.parametrize("is_commit", [True, False])
def test_a_marker_is_a_control_batch_as_kafka_builds_it(is_commit: bool) -> None:
    marker = EndTxnMarker(9, 2, 4, is_commit)
    header, batch = LOG_RECORDS.build_end_txn_marker(
        marker, base_offset=7, leader_epoch=3, timestamp_ms=NOW_MS
    )
    kind = ControlRecordType.COMMIT if is_commit else ControlRecordType.ABORT
    assert batch == build_end_transaction_marker(
        EndTransactionMarker(kind, 4),
        offset=7,
        timestamp_ms=NOW_MS,
        producer_id=9,
        producer_epoch=2,
        partition_leader_epoch=3,
    )
    assert header == LOG_RECORDS.read_header(batch)
    assert LOG_RECORDS.read_end_txn_marker(batch) == marker


def test_a_topic_may_want_the_brokers_time_in_the_attributes() -> None:
    header, batch = LOG_RECORDS.build_end_txn_marker(
        EndTxnMarker(9, 2, 4, is_commit=True),
        base_offset=0,
        leader_epoch=0,
        timestamp_ms=NOW_MS,
        timestamp_type=TimestampType.LOG_APPEND_TIME,
    )
    assert header.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert header == LOG_RECORDS.read_header(batch)
    assert (header.is_control, header.is_transactional) == (True, True)


def test_a_control_batch_of_another_kind_is_no_marker() -> None:
    leader_change = Record(key=b"\0\0\0\2", value=b"\0\0")
    batch = build_batch([leader_change], is_control=True)
    assert LOG_RECORDS.read_end_txn_marker(batch) is None


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize(
    "value",
    [EMPTY, ONGOING, ONGOING._replace(last_producer_epoch=3), ONGOING._replace(partitions=())],
)
def test_a_record_equals_its_declaration(value: TransactionLogValue, version: int) -> None:
    (record,) = records_of(transaction_batch(value, version))
    by_topic: dict[str, list[int]] = {}
    for topic, index in value.partitions or ():
        by_topic.setdefault(topic, []).append(index)
    declared = DeclaredValue(
        producer_id=value.producer_id,
        previous_producer_id=value.previous_producer_id,
        next_producer_id=value.next_producer_id,
        producer_epoch=value.producer_epoch,
        next_producer_epoch=value.next_producer_epoch,
        transaction_timeout_ms=value.transaction_timeout_ms,
        transaction_status=value.state,
        transaction_partitions=None
        if value.partitions is None
        else [
            PartitionsSchema(topic=topic, partition_ids=indexes)
            for topic, indexes in by_topic.items()
        ],
        transaction_last_update_timestamp_ms=value.last_update_timestamp_ms,
        transaction_start_timestamp_ms=value.start_timestamp_ms,
        client_transaction_version=value.client_transaction_version,
        last_producer_epoch=value.last_producer_epoch,
    )
    assert record.key == b"\0\0" + encode(TransactionLogKey(transactional_id="mine"), 0)
    assert record.value == version.to_bytes(2, "big") + encode(declared, version)
    assert record.timestamp == NOW_MS


@pytest.mark.parametrize("value", [EMPTY, ONGOING, ONGOING._replace(last_producer_epoch=3), None])
def test_a_value_of_version_1_is_decoded_again(value: TransactionLogValue | None) -> None:
    found = list(LOG_RECORDS.read_transaction_records(transaction_batch(value, 1)))
    assert found == [("mine", value)]


def test_version_0_drops_the_fields_that_it_lacks() -> None:
    ((_, value),) = LOG_RECORDS.read_transaction_records(transaction_batch(ONGOING, 0))
    assert value == ONGOING._replace(
        previous_producer_id=-1,
        next_producer_id=-1,
        client_transaction_version=0,
        next_producer_epoch=-1,
    )


def test_records_of_others_are_left_out() -> None:
    marker = EndTxnMarker(9, 2, 4, is_commit=True)
    _, control = LOG_RECORDS.build_end_txn_marker(
        marker, base_offset=0, leader_epoch=0, timestamp_ms=NOW_MS
    )
    unknown = build_batch([Record(key=b"\0\x09mine", value=b""), Record(offset=1, key=None)])
    assert list(LOG_RECORDS.read_transaction_records(control)) == []
    assert list(LOG_RECORDS.read_transaction_records(unknown)) == []


@pytest.mark.parametrize("value", [b"", b"\0\x02", b"\0\0\0", b"\0\1"])
def test_an_invalid_value_is_an_error(value: bytes) -> None:
    batch = build_batch([Record(key=b"\0\0\0\1m", value=value)])
    with pytest.raises(DecodeError):
        list(LOG_RECORDS.read_transaction_records(batch))


def test_records_of_groups_are_read_as_they_were_built() -> None:
    commit = OffsetRecord(
        "readers", TopicPartition("orders", 1), OffsetAndMetadata(5, 0, "", NOW_MS)
    )
    records: list[GroupLogRecord] = [
        commit,
        OffsetRecord("readers", TopicPartition("orders", 2), None),
        GroupRecord("readers", GroupMetadataValue("consumer", 1, "range", "m", NOW_MS, ())),
    ]
    header, batch = LOG_RECORDS.build_group_records(
        records,
        versions=GroupValueVersions(4, 3),
        stamps=BatchStamps(7, 3, NOW_MS),
        writer=BatchWriter(9, 2, 0),
    )
    assert header == parse_batch_header(batch)
    assert header.is_transactional
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (9, 2, 0)
    assert (header.base_offset, header.last_offset_delta, header.record_count) == (7, 2, 3)
    offset = OffsetAndMetadata(5, 0, "", NOW_MS, record_offset=7)
    assert list(LOG_RECORDS.read_group_records(batch)) == [
        commit._replace(value=offset),
        *records[1:],
    ]


def test_groups_write_outside_of_transactions_too() -> None:
    header, batch = LOG_RECORDS.build_group_records(
        [GroupRecord("readers", None)],
        versions=GroupValueVersions(4, 3),
        stamps=BatchStamps(0, 0, NOW_MS),
        timestamp_type=TimestampType.LOG_APPEND_TIME,
    )
    assert header == parse_batch_header(batch)
    assert (header.is_transactional, header.producer_id, header.base_sequence) == (False, -1, -1)
    assert header.timestamp_type is TimestampType.LOG_APPEND_TIME
    (record,) = records_of(batch)
    assert (record.value, record.timestamp) == (None, NOW_MS)


@pytest.mark.parametrize("version", [0, 1, 2, 3, 9])
def test_subscriptions_and_assignments_of_classic_consumers(version: int) -> None:
    written = min(version, 3)
    data = subscribed("orders", owned={"orders": [1]}, version=written, rack_id="r")
    data = version.to_bytes(2) + data[2:]
    assert LOG_RECORDS.read_subscription(data) == (
        frozenset({"orders"}),
        {"orders": [1]} if version else {},
        "r" if version >= 3 else None,
    )
    assignment = LOG_RECORDS.write_assignment({"orders": [0, 2]}, data)
    assert assignment == assigned({"orders": [0, 2]}, version=written)
    assert LOG_RECORDS.read_assignment(assignment) == ({"orders": [0, 2]}, b"")
    with_data = assigned({}, user_data=b"mine", version=written)
    assert LOG_RECORDS.read_assignment(with_data) == ({}, b"mine")


@pytest.mark.parametrize("data", [b"", b"\0", b"\xff\xff\0\0\0\0\xff\xff\xff\xff", b"\0\0no"])
def test_other_bytes_are_neither(data: bytes) -> None:
    assert LOG_RECORDS.read_subscription(data) is None
    assert LOG_RECORDS.read_assignment(data) is None
