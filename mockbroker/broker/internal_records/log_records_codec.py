"""Codec of the records that brokers write themselves (the state's port `LogRecords`)."""

import struct
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from mockbroker.broker.internal_records.group_record import (
    EXPIRING_VERSION,
    read_record,
    write_group,
    write_offset,
)
from mockbroker.broker.internal_records.group_record import write_key as write_group_key
from mockbroker.broker.internal_records.transaction_record import (
    read_key,
    read_value,
    write_key,
    write_value,
)
from mockbroker.protocol import crc32c as checksums
from mockbroker.protocol.codec import decode_prefix
from mockbroker.protocol.consumer_protocol import ConsumerProtocolSubscription
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.batch import (
    CRC_FROM,
    DECOMPRESSED_BYTES_MAX,
    LOG_OVERHEAD_BYTES,
    MAGIC_V2,
    decompressed_payload,
    parse_batch_header,
    records_of,
)
from mockbroker.protocol.records.control_batch import (
    ControlRecordType,
    parse_control_type,
    parse_end_transaction_marker,
)
from mockbroker.protocol.records.record import decode_keys_and_values
from mockbroker.protocol.records.varint import varint
from mockbroker.protocol.types import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    BatchHeader,
    Buffer,
    TimestampType,
)
from mockbroker.state.coordinator.log_records import (
    NOBODY,
    BatchStamps,
    BatchWriter,
    GroupValueVersions,
    LogRecords,
)
from mockbroker.state.group.group_log_record import GroupLogRecord, OffsetRecord
from mockbroker.state.group.offset_and_metadata import NO_EXPIRY
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.transaction.transaction_log_value import TransactionLogValue

VERSION_BYTES: Final = 2
_TRANSACTIONAL: Final = 0x10
_CONTROL: Final = 0x20
_TIMESTAMP_TYPE_SHIFT: Final = 3
_BEFORE_CRC: Final = struct.Struct(">qiibI").pack
_AFTER_CRC: Final = struct.Struct(">hiqqqhii").pack
_MARKER_KEY: Final = struct.Struct(">hh").pack
_MARKER_VALUE: Final = struct.Struct(">hi").pack
_MARKER_VERSION: Final = 0
_NULL: Final = varint(-1)
_length: Final = lru_cache(1024)(varint)
"""Encoder of lengths, cached because few lengths occur."""
_ENDS: Final = (ControlRecordType.ABORT, ControlRecordType.COMMIT)


class LogRecordsCodec:
    """Encoder and decoder of batches of the brokers' own records (the port `LogRecords`)."""

    def build_end_txn_marker(
        self,
        marker: EndTxnMarker,
        *,
        base_offset: int,
        leader_epoch: int,
        timestamp_ms: int,
        timestamp_type: TimestampType = TimestampType.CREATE_TIME,
    ) -> tuple[BatchHeader, bytearray]:
        """Build the control batch that ends a transaction in a partition (KIP-98)."""
        return _one_record_batch(
            _MARKER_KEY(_MARKER_VERSION, marker.control_type),
            _MARKER_VALUE(_MARKER_VERSION, marker.coordinator_epoch),
            stamps=(base_offset, leader_epoch, timestamp_ms),
            attributes=_TRANSACTIONAL | _CONTROL | timestamp_type << _TIMESTAMP_TYPE_SHIFT,
            producer=(marker.producer_id, marker.producer_epoch),
        )

    def build_transaction_record(
        self,
        transactional_id: str,
        value: TransactionLogValue | None,
        *,
        value_version: int,
        base_offset: int,
        leader_epoch: int,
        timestamp_ms: int,
    ) -> tuple[BatchHeader, bytearray]:
        """Build the batch that stores a transactional id's state, or its tombstone."""
        return _one_record_batch(
            write_key(transactional_id),
            None if value is None else write_value(value, value_version),
            stamps=(base_offset, leader_epoch, timestamp_ms),
        )

    def build_group_records(
        self,
        records: Sequence[GroupLogRecord],
        *,
        versions: GroupValueVersions,
        stamps: BatchStamps,
        writer: BatchWriter = NOBODY,
        timestamp_type: TimestampType = TimestampType.CREATE_TIME,
    ) -> tuple[BatchHeader, bytearray]:
        """Build the batch that stores groups and their offsets, in this order."""
        is_transactional = writer.producer_id != NO_PRODUCER_ID
        return _batch(
            [(write_group_key(record), _group_value(record, versions)) for record in records],
            stamps=stamps,
            attributes=_TRANSACTIONAL * is_transactional | timestamp_type << _TIMESTAMP_TYPE_SHIFT,
            writer=writer,
        )

    def read_header(self, data: Buffer) -> BatchHeader:
        """Decode the header of a batch.

        Raises:
            DecodeError: the bytes are too few for a header.

        """
        return parse_batch_header(data)

    def read_end_txn_marker(self, data: Buffer) -> EndTxnMarker | None:
        """Decode the marker in a control batch; return None for other control records.

        Raises:
            DecodeError: the batch contradicts its header.

        """
        header = parse_batch_header(data)
        record = next(records_of(data), None)
        if record is None:
            raise DecodeError("batch", "a control batch without a record")
        if parse_control_type(record.key) not in _ENDS:
            return None
        marker = parse_end_transaction_marker(record)
        return EndTxnMarker(
            header.producer_id,
            header.producer_epoch,
            marker.coordinator_epoch,
            marker.control_type is ControlRecordType.COMMIT,
        )

    def read_transaction_records(
        self, data: Buffer
    ) -> Iterator[tuple[str, TransactionLogValue | None]]:
        """Yield each transactional id in a batch, with its state or None for a tombstone.

        Raises:
            DecodeError: the batch, or a record in it, is invalid.

        """
        if parse_batch_header(data).is_control:
            return
        for record in records_of(data):
            transactional_id = read_key(record.key)
            if transactional_id is not None:
                yield transactional_id, None if record.value is None else read_value(record.value)

    def read_group_records(self, data: Buffer) -> Iterator[GroupLogRecord]:
        """Yield the groups and offsets in a batch.

        Raises:
            DecodeError: the batch, or a record in it, is invalid.

        """
        header = parse_batch_header(data)
        payload = decompressed_payload(data, header, limit_bytes=DECOMPRESSED_BYTES_MAX)
        pairs = decode_keys_and_values(payload, header.record_count)
        for offset, (key, value) in enumerate(pairs, header.base_offset):
            read = read_record(key, value, offset)
            if read is not None:
                yield read

    def read_subscribed_topics(self, data: bytes) -> frozenset[str] | None:
        """Return the topics in a consumer's subscription; None if the bytes are no subscription.

        Every version begins with the fields of the first one.
        """
        try:
            read, _ = decode_prefix(ConsumerProtocolSubscription, 0, data, VERSION_BYTES)
        except DecodeError:
            return None
        return frozenset(read.topics)


def _group_value(record: GroupLogRecord, versions: GroupValueVersions) -> bytes | None:
    if record.value is None:
        return None
    if isinstance(record, OffsetRecord):
        expires = record.value.expire_timestamp_ms != NO_EXPIRY
        return write_offset(record.value, EXPIRING_VERSION if expires else versions.offset)
    return write_group(record.value, versions.group)


def _one_record_batch(
    key: bytes,
    value: bytes | None,
    *,
    stamps: tuple[int, int, int],
    attributes: int = 0,
    producer: tuple[int, int] = (NO_PRODUCER_ID, NO_PRODUCER_EPOCH),
) -> tuple[BatchHeader, bytearray]:
    """Build a batch of one record at half the cost of `_batch`.

    Every step of every transaction writes such a batch.
    """
    base_offset, leader_epoch, timestamp_ms = stamps
    producer_id, producer_epoch = producer
    sized_value = _NULL if value is None else _length(len(value)) + value
    record = b"".join((b"\0\0\0", _length(len(key)), key, sized_value, b"\0"))
    fields = (
        attributes, 0, timestamp_ms, timestamp_ms, producer_id, producer_epoch, NO_SEQUENCE, 1,
    )  # fmt: skip
    covered = b"".join((_AFTER_CRC(*fields), _length(len(record)), record))
    crc = checksums.crc32c(covered)
    batch_length = CRC_FROM - LOG_OVERHEAD_BYTES + len(covered)
    front = (base_offset, batch_length, leader_epoch, MAGIC_V2, crc)
    return BatchHeader(*front, *fields), bytearray(_BEFORE_CRC(*front) + covered)


def _batch(
    records: Sequence[tuple[bytes, bytes | None]],
    *,
    stamps: BatchStamps,
    attributes: int,
    writer: BatchWriter,
) -> tuple[BatchHeader, bytearray]:
    """Build a batch from keys and values; all records have the same timestamp."""
    base_offset, leader_epoch, timestamp_ms = stamps
    producer_id, producer_epoch, base_sequence = writer
    count = len(records)
    parts = [
        _AFTER_CRC(
            attributes, count - 1, timestamp_ms, timestamp_ms, producer_id, producer_epoch,
            base_sequence, count,
        )
    ]  # fmt: skip
    for index, (key, value) in enumerate(records):
        sized_value = _NULL if value is None else varint(len(value)) + value
        record = b"".join((b"\0\0", varint(index), varint(len(key)), key, sized_value, b"\0"))
        parts += (varint(len(record)), record)
    covered = b"".join(parts)
    crc = checksums.crc32c(covered)
    batch_length = CRC_FROM - LOG_OVERHEAD_BYTES + len(covered)
    batch = bytearray(_BEFORE_CRC(base_offset, batch_length, leader_epoch, MAGIC_V2, crc))
    batch += covered
    header = BatchHeader(
        base_offset, batch_length, leader_epoch, MAGIC_V2, crc, attributes, count - 1,
        timestamp_ms, timestamp_ms, producer_id, producer_epoch, base_sequence, count,
    )  # fmt: skip
    return header, batch


LOG_RECORDS: Final[LogRecords] = LogRecordsCodec()
