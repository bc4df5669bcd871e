"""Append of produced records to a log: validate, copy, append, stamp, wake delayed requests."""

from typing import Final

from mockbroker.broker.produce.batch_rules import CODECS, batch_rules_of
from mockbroker.broker.service import Service
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.records.batch import (
    CRC_TO_COMPUTE,
    records_of,
    rewrite_header,
    set_log_append_time,
    stamp,
)
from mockbroker.protocol.records.conversion import recompress
from mockbroker.protocol.records.validation.message_set_validator import validate_message_set
from mockbroker.protocol.records.validation.refusal import RecordsRefused
from mockbroker.protocol.records.validation.validator import validate_batch
from mockbroker.protocol.types import (
    NO_PRODUCER_ID,
    BatchHeader,
    Buffer,
    Compression,
    TimestampType,
)
from mockbroker.state.log.log_append_info import LogAppendInfo
from mockbroker.state.producer.refused_batch import remember_refused
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.topic.topic import Partition

KEEP_VIEW_FROM_BYTES: Final = 64 * 1024
"""Size from which a batch is stored in its receive buffer, if it has its own, without a copy."""


def append_records(
    service: Service,
    partition: Partition,
    records: Buffer,
    *,
    allows_zstd: bool,
    verification_guard: VerificationGuard | None = None,
) -> LogAppendInfo:
    """Append the batch that a request has for a partition, unless it is a retry.

    The first batch of a transaction needs the guard with which it was verified.

    Raises:
        RecordsRefused: the batch is invalid; the exception has the response's fields.
        ApiError: this log refuses the batch (`PartitionLog.append`).

    """
    rules = batch_rules_of(service, partition)
    header = validate_batch(
        records, 0, len(records), service.client_now_ms, rules, allows_zstd=allows_zstd
    )
    if not partition.config.has_newest_format:
        _refuse_for_old_format(partition.config.record_version, header, records)
    buffer = _own(records, header)
    if header.crc == CRC_TO_COMPUTE:
        rewrite_header(buffer, header)
    return _append_as_configured(service, partition, header, buffer, verification_guard)


def _refuse_for_old_format(record_version: int, header: BatchHeader, records: Buffer) -> None:
    """Refuse a batch that a topic's old record format cannot store (`LogValidator`, KIP-98).

    Raises:
        RecordsRefused: UNSUPPORTED_FOR_MESSAGE_FORMAT for a batch with a producer id;
            UNKNOWN_SERVER_ERROR, as in Kafka, for an uncompressed transactional batch, for zstd,
            and for records with headers.

    """
    if header.is_transactional:
        if header.compression:  # only then Kafka checks the batch before it converts it
            raise RecordsRefused(
                ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
                f"Transactional records cannot be used with magic version {record_version}",
            )
        raise RecordsRefused(
            ErrorCode.UNKNOWN_SERVER_ERROR,
            f"Transactional records are not supported for magic {record_version}",
        )
    if header.producer_id > NO_PRODUCER_ID:
        raise RecordsRefused(
            ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
            f"Idempotent records cannot be used with magic version {record_version}",
        )
    if header.compression == Compression.ZSTD:
        raise RecordsRefused(
            ErrorCode.UNKNOWN_SERVER_ERROR,
            f"ZStandard compression is not supported for magic {record_version}",
        )
    if any(record.headers for record in records_of(records)):
        raise RecordsRefused(
            ErrorCode.UNKNOWN_SERVER_ERROR,
            f"Magic v{record_version} does not support record headers",
        )


def append_message_set(
    service: Service, partition: Partition, message_set: Buffer
) -> LogAppendInfo:
    """Append the message set of Produce v0-2, converted to one batch (Kafka's `LogValidator`).

    Raises:
        RecordsRefused: the messages are invalid.
        ApiError: this log refuses them (`PartitionLog.append`).

    """
    rules = batch_rules_of(service, partition)
    now_ms = service.client_now_ms
    header, batch = validate_message_set(message_set, 0, len(message_set), now_ms, rules)
    if not partition.config.has_newest_format:
        _refuse_for_old_format(partition.config.record_version, header, batch)
    return _append_as_configured(service, partition, header, bytearray(batch))


def _append_as_configured(
    service: Service,
    partition: Partition,
    header: BatchHeader,
    buffer: bytearray | memoryview,
    verification_guard: VerificationGuard | None = None,
) -> LogAppendInfo:
    """Append a batch with the codec and the timestamps that its topic's config requires."""
    config = partition.config
    codec = CODECS.get(config.compression_type, header.compression)
    if codec != header.compression:
        header, packed = recompress(buffer, codec)
        buffer = bytearray(packed)
    if config.message_timestamp_type is TimestampType.LOG_APPEND_TIME:
        header = set_log_append_time(buffer, service.now_ms)
    return append_batch(service, partition, header, buffer, verification_guard)


def append_batch(
    service: Service,
    partition: Partition,
    header: BatchHeader,
    buffer: bytearray | memoryview,
    verification_guard: VerificationGuard | None = None,
) -> LogAppendInfo:
    """Append a validated batch from a buffer that may be modified.

    Raises:
        ApiError: as `PartitionLog.append`.

    """
    log = service.cluster.log_of(partition, service.now_ms)
    leader_epoch = partition.leader_epoch
    try:
        info = log.append(
            header,
            buffer,
            leader_epoch=leader_epoch,
            now_ms=service.now_ms,
            verification_guard=verification_guard,
        )
    except ApiError as refusal:
        remember_refused(log.producers, header, log.log_end_offset, refusal)
        raise
    if not info.is_duplicate:
        stamp(buffer, 0, info.base_offset, leader_epoch)
        service.purgatory.touch(partition)
    reporter = service.cluster.observation.reporter
    if reporter is not None:
        reporter.batch_appended(
            partition, header, info.base_offset, info.last_offset, is_duplicate=info.is_duplicate
        )
    return info


def _own(records: Buffer, header: BatchHeader) -> bytearray | memoryview:
    """Return a buffer that may be stamped and stored: a copy, or the receive buffer if large."""
    size_bytes = header.size_bytes
    if (
        size_bytes >= KEEP_VIEW_FROM_BYTES
        and isinstance(records, memoryview)
        and not records.readonly
    ):
        return records[:size_bytes]
    return bytearray(records[:size_bytes])
