"""Appending produced records to a partition's log: judge, own, append, stamp, wake who waits."""

from typing import Final

from mockbroker.plain_batch import KEEP_VIEW_FROM_BYTES
from mockbroker.protocol.records.batch import (
    CRC_TO_COMPUTE,
    rewrite_header,
    set_log_append_time,
    stamp,
)
from mockbroker.protocol.records.conversion import recompress
from mockbroker.protocol.records.message_set_validator import validate_message_set
from mockbroker.protocol.records.validator import validate_batch
from mockbroker.protocol.types import BatchHeader, Buffer, Compression, TimestampType
from mockbroker.service import Service
from mockbroker.state.log.log_append_info import LogAppendInfo
from mockbroker.state.topic.topic import Partition

_CODECS: Final = {"uncompressed": Compression.NONE} | {
    codec.name.lower(): codec for codec in Compression if codec
}
"""The values of `compression.type` that name a codec; `producer` leaves the batch its own."""


def append_records(
    service: Service, partition: Partition, records: Buffer, *, allows_zstd: bool = True
) -> LogAppendInfo:
    """Append the one batch that a request has for a partition, or find that it is a retry.

    Raises:
        RecordsRefused: the batch cannot be appended anywhere, and what the answer says of it.
        ApiError: this log refuses it (`PartitionLog.append`).

    """
    rules = service.batch_rules_of(partition)
    header = validate_batch(
        records, 0, len(records), service.now_ms, rules, allows_zstd=allows_zstd
    )
    buffer = _own(records, header)
    if header.crc == CRC_TO_COMPUTE:
        rewrite_header(buffer, header)
    return _append_as_configured(service, partition, header, buffer)


def append_message_set(
    service: Service, partition: Partition, message_set: Buffer
) -> LogAppendInfo:
    """Append what Produce v0-2 carries, made into one batch (Kafka's `LogValidator`).

    Raises:
        RecordsRefused: the messages cannot be appended anywhere.
        ApiError: this log refuses them (`PartitionLog.append`).

    """
    rules = service.batch_rules_of(partition)
    header, batch = validate_message_set(message_set, 0, len(message_set), service.now_ms, rules)
    return _append_as_configured(service, partition, header, bytearray(batch))


def _append_as_configured(
    service: Service, partition: Partition, header: BatchHeader, buffer: bytearray | memoryview
) -> LogAppendInfo:
    """Append a batch in the codec, and with the timestamps, that its topic wants."""
    config = partition.config
    codec = _CODECS.get(config.compression_type, header.compression)
    if codec != header.compression:
        header, packed = recompress(buffer, codec)
        buffer = bytearray(packed)
    if config.message_timestamp_type is TimestampType.LOG_APPEND_TIME:
        header = set_log_append_time(buffer, service.now_ms)
    return append_batch(service, partition, header, buffer)


def append_batch(
    service: Service, partition: Partition, header: BatchHeader, buffer: bytearray | memoryview
) -> LogAppendInfo:
    """Append a batch that was judged and is ours to write to.

    Raises:
        ApiError: as `PartitionLog.append`.

    """
    log = service.cluster.log_of(partition, service.now_ms)
    leader_epoch = partition.leader_epoch
    info = log.append(header, buffer, leader_epoch=leader_epoch, now_ms=service.now_ms)
    if not info.is_duplicate:
        stamp(buffer, 0, info.base_offset, leader_epoch)
        service.parking.touch(partition)
    return info


def _own(records: Buffer, header: BatchHeader) -> bytearray | memoryview:
    """Make the batch's bytes ours to stamp and keep; large ones are kept where they lie."""
    size_bytes = header.size_bytes
    if (
        size_bytes >= KEEP_VIEW_FROM_BYTES
        and isinstance(records, memoryview)
        and not records.readonly
    ):
        return records[:size_bytes]
    return bytearray(records[:size_bytes])
