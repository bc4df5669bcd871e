"""Conversion of records between formats and codecs, for old clients and for topics.

Down-conversion produces message sets for Fetch v0-3 (`RecordsUtil.downConvert`). Recompression
applies a topic's `compression.type`, unless it is `producer`. Up-conversion from Produce v0-2 is in
`message_set_validator`.
"""

from collections.abc import Sequence
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.records.batch import (
    DECOMPRESSED_BYTES_MAX,
    HEADER_BYTES,
    MAGIC_AT,
    batch_spans,
    decompressed_payload,
    parse_batch_header,
    records_of,
    seal,
)
from mockbroker.protocol.records.compression.codecs import compress
from mockbroker.protocol.records.message_set import (
    MAGIC_V1,
    build_message_set,
    messages_of,
    records_of_message,
)
from mockbroker.protocol.records.record import Record, decode_records, encode_record
from mockbroker.protocol.types import BatchHeader, Buffer, Compression, TimestampType

_CODEC: Final = 0x07


def down_convert(
    batches: Buffer,
    to_magic: int,
    *,
    first_offset: int = 0,
    refuses_headers: bool = False,
    limit_bytes: int = DECOMPRESSED_BYTES_MAX,
) -> bytes:
    """Convert the batches of a fetch from `first_offset` to message sets of format 0 or 1.

    Control batches, headers and transactions are lost, as are records below `first_offset` unless
    they are compressed. Messages of an old enough format are copied unchanged.

    Raises:
        ApiError: UNSUPPORTED_COMPRESSION_TYPE for zstd, which clients of these formats cannot read;
            UNKNOWN_SERVER_ERROR for a record with headers, if `refuses_headers`.
        DecodeError: a batch is incomplete or corrupt.

    """
    assert to_magic <= MAGIC_V1, to_magic
    parts: list[Buffer] = []
    for start, end in batch_spans(batches):
        batch = memoryview(batches)[start:end]
        if end - start > MAGIC_AT and batch[MAGIC_AT] <= to_magic:
            parts.append(batch)
        else:
            if refuses_headers:
                _refuse_headers(batch, first_offset, limit_bytes)
            parts.append(_converted_down(batch, to_magic, first_offset, limit_bytes))
    return b"".join(parts)


def _refuse_headers(batch: memoryview, first_offset: int, limit_bytes: int) -> None:
    if batch[MAGIC_AT] == MAGIC_V1:
        return
    header = parse_batch_header(batch)
    if header.is_control:
        return
    converted_from = header.base_offset if header.compression else first_offset
    records = records_of(batch, limit_bytes=limit_bytes)
    if any(record.headers and record.offset >= converted_from for record in records):
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "old formats have no record headers")


def _converted_down(batch: memoryview, to_magic: int, first_offset: int, limit_bytes: int) -> bytes:
    if len(batch) > MAGIC_AT and batch[MAGIC_AT] == MAGIC_V1:
        return _message_set_down(batch, to_magic, first_offset, limit_bytes)
    header = parse_batch_header(batch)
    if header.is_control:
        return b""
    codec = header.compression
    if codec == Compression.ZSTD:
        raise ApiError(
            ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, "zstd batches are not converted down"
        )
    records = list(records_of(batch, limit_bytes=limit_bytes))
    return _built_down(records, to_magic, first_offset, codec, header.timestamp_type)


def _message_set_down(
    data: memoryview, to_magic: int, first_offset: int, limit_bytes: int
) -> bytes:
    (message,) = messages_of(data)
    records = records_of_message(message, limit_bytes=limit_bytes)
    codec = message.compression
    return _built_down(records, to_magic, first_offset, codec, message.timestamp_type)


def _built_down(
    records: Sequence[Record],
    to_magic: int,
    first_offset: int,
    codec: int,
    timestamp_type: TimestampType,
) -> bytes:
    if not codec:
        records = [record for record in records if record.offset >= first_offset]
    if not records:
        return b""
    return build_message_set(
        records, magic=to_magic, compression=codec, timestamp_type=timestamp_type
    )


def recompress(
    batch: Buffer,
    compression: int,
    *,
    level: int | None = None,
    limit_bytes: int = DECOMPRESSED_BYTES_MAX,
) -> tuple[BatchHeader, bytes]:
    """Compress a batch's records with another codec; return the new header and the new batch.

    The other header fields are unchanged, except the base timestamp, which becomes the first
    record's (`MemoryRecordsBuilder`).

    Raises:
        DecodeError: the batch is incomplete, or its compressed data is corrupt.

    """
    header = parse_batch_header(batch)
    uncompressed = decompressed_payload(batch, header, limit_bytes=limit_bytes)
    header.attributes = header.attributes & ~_CODEC | int(compression)
    first = next(decode_records(uncompressed, 1, 0, header.base_timestamp))
    if first.timestamp != header.base_timestamp:
        records = list(decode_records(uncompressed, header.record_count, 0, header.base_timestamp))
        header.base_timestamp = first.timestamp
        uncompressed = b"".join(encode_record(record, 0, first.timestamp) for record in records)
    sealed = seal(header, compress(compression, uncompressed, level=level))
    assert len(sealed) == header.size_bytes >= HEADER_BYTES, header
    return header, sealed
