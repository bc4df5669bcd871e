"""Codec of the records that brokers write themselves (the state's port `LogRecords`)."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from mockbroker.broker.internal_records.group_record import (
    EXPIRING_VERSION,
    read_record,
    write_group,
    write_offset,
)
from mockbroker.broker.internal_records.group_record import write_key as write_group_key
from mockbroker.broker.internal_records.modern_record import write_modern_value
from mockbroker.broker.internal_records.share_record import read_record as read_share_record
from mockbroker.broker.internal_records.share_record import write_record as write_share_record
from mockbroker.broker.internal_records.streams_record import write_streams_value
from mockbroker.broker.internal_records.transaction_record import (
    read_key,
    read_value,
    write_key,
    write_value,
)
from mockbroker.protocol.codec import decode_prefix
from mockbroker.protocol.consumer_protocol import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
    TopicPartition,
)
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.batch import (
    DECOMPRESSED_BYTES_MAX,
    attributes_of,
    decompressed_payload,
    parse_batch_header,
    records_of,
)
from mockbroker.protocol.records.control_batch import (
    ControlRecordType,
    marker_key,
    marker_value,
    parse_control_type,
    parse_end_transaction_marker,
)
from mockbroker.protocol.records.pairs import build_pair, build_pairs
from mockbroker.protocol.records.record import decode_keys_and_values
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import (
    NO_PRODUCER_ID,
    BatchHeader,
    Buffer,
    TimestampType,
)
from mockbroker.protocol.versioned import VERSION_BYTES, read_version, write_versioned
from mockbroker.state.coordinator.log_records import (
    NOBODY,
    BatchStamps,
    BatchWriter,
    GroupValueVersions,
    LogRecords,
)
from mockbroker.state.group.consumer.embedded_protocol import (
    EmbeddedAssignment,
    EmbeddedSubscription,
    NamedPartitions,
)
from mockbroker.state.group.group_log_record import (
    NO_EXPIRY,
    GroupLogRecord,
    GroupRecord,
    OffsetRecord,
)
from mockbroker.state.group.streams.streams_records import StreamsRecord
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.share.share_log_record import ShareLogRecord
from mockbroker.state.transaction.transaction_log import TransactionLogValue

MessageT = TypeVar("MessageT", bound=Message)

NEWEST_EMBEDDED: Final = 3
"""The newest version of the consumer protocol's messages."""
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
        return build_pair(
            marker_key(marker.control_type),
            marker_value(marker.coordinator_epoch),
            stamps=(base_offset, leader_epoch, timestamp_ms),
            attributes=attributes_of(timestamp_type, is_transactional=True, is_control=True),
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
        return build_pair(
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
        return build_pairs(
            [(write_group_key(record), _group_value(record, versions)) for record in records],
            stamps=stamps,
            attributes=attributes_of(timestamp_type, is_transactional=is_transactional),
            writer=writer,
        )

    def build_share_record(
        self, record: ShareLogRecord, stamps: BatchStamps
    ) -> tuple[BatchHeader, bytearray]:
        """Build the batch that stores a share partition's state, its change or its tombstone."""
        key, value = write_share_record(record)
        return build_pair(key, value, stamps=stamps)

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

    def read_share_records(self, data: Buffer) -> Iterator[ShareLogRecord]:
        """Yield the share partitions' records in a batch.

        Raises:
            DecodeError: the batch, or a record in it, is invalid.

        """
        if parse_batch_header(data).is_control:
            return
        for record in records_of(data):
            read = read_share_record(record.key, record.value)
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

    def read_subscription(self, data: bytes) -> EmbeddedSubscription | None:
        """Return a consumer's subscription; None if the bytes are no subscription."""
        read = _read_embedded(ConsumerProtocolSubscription, data)
        if read is None:
            return None
        owned = {each.topic: each.partitions for each in read.owned_partitions}
        return EmbeddedSubscription(frozenset(read.topics), owned, read.rack_id)

    def read_assignment(self, data: bytes) -> EmbeddedAssignment | None:
        """Return a consumer's assignment; None if the bytes are no assignment."""
        read = _read_embedded(ConsumerProtocolAssignment, data)
        if read is None:
            return None
        partitions = {each.topic: each.partitions for each in read.assigned_partitions}
        return EmbeddedAssignment(partitions, bytes(read.user_data or b""))

    def write_assignment(self, partitions: NamedPartitions, subscription: bytes) -> bytes:
        """Return an assignment in the version of a member's subscription."""
        named = [
            TopicPartition(topic=topic, partitions=list(each)) for topic, each in partitions.items()
        ]
        version = min(read_version(subscription), NEWEST_EMBEDDED)
        return write_versioned(ConsumerProtocolAssignment(assigned_partitions=named), version)


def _read_embedded(kind: type[MessageT], data: bytes) -> MessageT | None:
    """Decode a message of the consumer protocol; a newer version is read as the newest one."""
    try:
        version = read_version(data)
        if version < 0:
            return None
        read, _ = decode_prefix(kind, min(version, NEWEST_EMBEDDED), data, VERSION_BYTES)
    except DecodeError:
        return None
    return read


def _group_value(record: GroupLogRecord, versions: GroupValueVersions) -> bytes | None:
    if record.value is None:
        return None
    if isinstance(record, OffsetRecord):
        expires = record.value.expire_timestamp_ms != NO_EXPIRY
        return write_offset(record.value, EXPIRING_VERSION if expires else versions.offset)
    if isinstance(record, GroupRecord):
        return write_group(record.value, versions.group)
    if isinstance(record, StreamsRecord):
        return write_streams_value(record)
    return write_modern_value(record)


LOG_RECORDS: Final[LogRecords] = LogRecordsCodec()
