"""Validate and up-convert the records of Produce v0-2, as releases up to 3.9 do."""

from mockbroker.protocol.errors import DecodeError, ErrorCode
from mockbroker.protocol.records.batch import (
    MAGIC_AT,
    MAGIC_V2,
    batch_spans,
    build_batch,
    records_of,
    rewrite_header,
)
from mockbroker.protocol.records.compression.codecs import (
    CompressionError,
    DecompressedTooLargeError,
    decompress,
)
from mockbroker.protocol.records.message_set import (
    MAGIC_V0,
    MAGIC_V1,
    LegacyRecord,
    decode_message,
    messages_of,
    records_of_message,
    unwrap,
)
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.records.validation.batch_rules import BatchRules, ReleaseRules
from mockbroker.protocol.records.validation.batch_shape import next_batch, refused_inside_header
from mockbroker.protocol.records.validation.refusal import RecordsRefused, Scope
from mockbroker.protocol.records.validation.validator import validate_batch
from mockbroker.protocol.types import BatchHeader, Buffer, Compression, TimestampType


def validate_message_set(
    buffer: Buffer, start: int, end: int, now_ms: int, rules: BatchRules
) -> tuple[BatchHeader, bytes]:
    """Validate one partition's records `buffer[start:end]`; return them as one batch.

    Returns its header and bytes, in the messages' codec. As in Kafka, a batch of format 2 is
    accepted.

    Raises:
        RecordsRefused: with Kafka's code; responses of these versions carry nothing else.

    """
    refusal = message_set_refusal(buffer, start, end, rules.release)
    if refusal is not None:
        raise refusal
    data = bytes(buffer[start:end])
    try:
        if _is_batch(data, 0) and not (rules.release.mixes_formats and _has_several(data)):
            return _rewritten(data, now_ms, rules)
        if any(_is_batch(data, at) for at, _ in batch_spans(data)):
            return _mixed(data, now_ms, rules)
        messages = list(messages_of(data))
    except DecodeError as error:
        raise RecordsRefused(ErrorCode.CORRUPT_MESSAGE, str(error)) from None
    codec = messages[-1].compression
    _check_together(messages, codec)
    records: list[Record] = []
    for message in messages:
        records += _records_of(message, rules)
    for offset, record in enumerate(records):
        record.offset = offset
    return _rewritten(build_batch(records, compression=codec), now_ms, rules)


def message_set_refusal(
    buffer: Buffer, start: int, end: int, release: ReleaseRules
) -> RecordsRefused | None:
    """Return the reason why no whole message or batch begins at `start`, or None.

    The scope is the connection in the release that checks messages on arrival (2.4).
    """
    fault, size_bytes = next_batch(buffer, start, end)
    is_looked_at = release.malformed_scope is Scope.CONNECTION and not release.accepts_empty_set
    scope = Scope.CONNECTION if is_looked_at else Scope.PARTITION
    if fault:
        return RecordsRefused(ErrorCode.CORRUPT_MESSAGE, fault, scope=scope)
    if size_bytes:
        is_batch = buffer[start + MAGIC_AT] == MAGIC_V2
        return refused_inside_header(size_bytes, release) if is_looked_at and is_batch else None
    why = f"{end - start} bytes hold no whole message"
    is_batch = end - start > MAGIC_AT and buffer[start + MAGIC_AT] == MAGIC_V2
    if release.accepts_empty_set or (is_batch and scope is Scope.PARTITION):
        return RecordsRefused(ErrorCode.NONE, f"{why}: there is nothing to append")
    return RecordsRefused(ErrorCode.INVALID_RECORD, why, scope=scope)


def _is_batch(data: bytes, at: int) -> bool:
    return len(data) > at + MAGIC_AT and data[at + MAGIC_AT] > MAGIC_V1


def _has_several(data: bytes) -> bool:
    return len(list(batch_spans(data))) > 1


def _mixed(data: bytes, now_ms: int, rules: BatchRules) -> tuple[BatchHeader, bytes]:
    """Build one batch from messages and batches, if the release accepts both together."""
    if not rules.release.mixes_formats:
        raise RecordsRefused(ErrorCode.INVALID_RECORD, "messages of different formats")
    records: list[Record] = []
    for at, stop in batch_spans(data):
        if _is_batch(data, at):
            validate_batch(data, at, stop, now_ms, rules)
            records += records_of(data[at:stop], limit_bytes=rules.decompressed_bytes_max)
        else:
            records += _records_of(decode_message(data, at, stop), rules)
    for offset, record in enumerate(records):
        record.offset = offset
    return _rewritten(build_batch(records, compression=Compression.NONE), now_ms, rules)


def _rewritten(batch: bytes, now_ms: int, rules: BatchRules) -> tuple[BatchHeader, bytes]:
    header = validate_batch(batch, 0, len(batch), now_ms, rules)
    kept = bytearray(batch[: header.size_bytes])
    rewrite_header(kept, header)
    return header, bytes(kept)


def _check_together(messages: list[LegacyRecord], codec: int) -> None:
    if codec and len(messages) > 1:
        raise RecordsRefused(ErrorCode.INVALID_RECORD, "more than one compressed message")
    for message in messages:
        if message.magic != messages[0].magic or message.compression != codec:
            raise RecordsRefused(ErrorCode.INVALID_RECORD, "messages of different formats")
        if message.timestamp_type is TimestampType.LOG_APPEND_TIME:
            why = "a producer marked its message LogAppendTime"
            raise RecordsRefused(ErrorCode.INVALID_TIMESTAMP, why)


def _records_of(message: LegacyRecord, rules: BatchRules) -> list[Record]:
    if not message.compression:
        return records_of_message(message, limit_bytes=0)
    if message.compression > rules.release.newest_codec:
        why = f"unknown codec {message.compression}"
        raise RecordsRefused(ErrorCode.UNKNOWN_SERVER_ERROR, why)
    if message.compression > Compression.LZ4 or message.value is None:
        why = f"a wrapper of codec {message.compression} cannot be decompressed"
        raise RecordsRefused(ErrorCode.INVALID_RECORD, why)
    inner = _unpacked(message, message.value, rules)
    try:
        unpacked = list(messages_of(inner))
    except DecodeError as error:
        raise RecordsRefused(ErrorCode.CORRUPT_MESSAGE, str(error)) from None
    offsets = [inner_message.offset for inner_message in unpacked]
    if message.magic == MAGIC_V1 and offsets != list(range(len(offsets))):
        raise RecordsRefused(ErrorCode.INVALID_RECORD, "inner offsets are not sequential")
    try:
        return unwrap(message, unpacked)
    except DecodeError as error:
        raise RecordsRefused(ErrorCode.INVALID_RECORD, str(error)) from None


def _unpacked(message: LegacyRecord, value: bytes, rules: BatchRules) -> Buffer:
    try:
        return decompress(
            message.compression,
            value,
            rules.unpacked_bytes_max(len(value)),
            is_message_format_0=message.magic == MAGIC_V0,
        )
    except DecompressedTooLargeError as error:
        raise RecordsRefused(ErrorCode.MESSAGE_TOO_LARGE, str(error)) from None
    except CompressionError as error:
        raise RecordsRefused(ErrorCode.UNKNOWN_SERVER_ERROR, str(error)) from None
