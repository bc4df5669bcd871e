"""Record batches of format 2: parse, build and stamp them (Kafka's `DefaultRecordBatch`)."""

import struct
from collections.abc import Iterator, Sequence
from typing import Final

from mockbroker.protocol import crc32c as checksums
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.compression.codecs import CompressionError, compress, decompress
from mockbroker.protocol.records.header_fields import ATTRIBUTES, HEADER_FIELDS
from mockbroker.protocol.records.record import Record, decode_records, encode_record
from mockbroker.protocol.types import (
    CONTROL,
    LOG_APPEND_TIME,
    NO_PARTITION_LEADER_EPOCH,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    TRANSACTIONAL,
    BatchHeader,
    Buffer,
    Compression,
    TimestampType,
)

MAGIC_V2: Final = 2
HEADER: Final = struct.Struct(">qiibIhiqqqhii")
HEADER_BYTES: Final = HEADER.size
LOG_OVERHEAD_BYTES: Final = 12
"""Size of the base offset and the length, which the length does not include."""
LEAST_LENGTH: Final = 14
"""Smallest valid length: that of the shortest message of format 0."""
LENGTH_AT: Final = 8
LEADER_EPOCH_AT: Final = 12
MAGIC_AT: Final = 16
STAMPED_BYTES: Final = MAGIC_AT
"""Base offset, length and leader epoch: the part that the leader rewrites."""
CRC_AT: Final = 17
CRC_FROM: Final = 21
"""Start of the bytes that the checksum covers: the attributes."""
CRC_TO_COMPUTE: Final = -1
"""Value of `crc` in a header whose changes are not in the bytes yet (`rewrite_header`)."""
DECOMPRESSED_BYTES_MAX: Final = 256 << 20

_STAMP_OFFSET: Final = struct.Struct(">q")
_STAMP_LEADER_EPOCH: Final = struct.Struct(">i")
_LENGTH: Final = struct.Struct(">i")
_STAMP_CRC: Final = struct.Struct(">I")
_STAMP_ATTRIBUTES: Final = struct.Struct(">h")
_ATTRIBUTES_AT: Final = 21
_MAX_TIMESTAMP_AT: Final = 35

_PREFIX: Final = struct.Struct(">qiib")
PREFIX_BYTES: Final = _PREFIX.size
read_prefix: Final = _PREFIX.unpack_from
"""Base offset, length, leader epoch (or a message's CRC) and magic: of every format."""
pack_stamps: Final = struct.Struct(">qii").pack
"""Packs base offset, length and leader epoch, the first fields of a batch."""


def parse_batch_header(buffer: Buffer, pos: int = 0) -> BatchHeader:
    """Parse the header at `pos`, without validating it.

    Raises:
        DecodeError: fewer than 61 bytes are left.

    """
    try:
        return BatchHeader(*HEADER.unpack_from(buffer, pos))
    except struct.error:
        raise DecodeError("batch", f"{len(buffer) - pos} bytes hold no batch header") from None


def pack_batch_header(header: BatchHeader) -> bytes:
    """Encode a header as it is, including its `crc`."""
    return HEADER.pack(*(getattr(header, name) for name in HEADER_FIELDS))


def stamp(
    buffer: bytearray | memoryview, pos: int, base_offset: int, partition_leader_epoch: int
) -> None:
    """Write the base offset and leader epoch; the checksum covers neither."""
    _STAMP_OFFSET.pack_into(buffer, pos, base_offset)
    _STAMP_LEADER_EPOCH.pack_into(buffer, pos + LEADER_EPOCH_AT, partition_leader_epoch)


def set_log_append_time(
    buffer: bytearray | memoryview, timestamp_ms: int, pos: int = 0
) -> BatchHeader:
    """Stamp the batch at `pos` with the broker's time, and return its new header."""
    header = parse_batch_header(buffer, pos)
    header.attributes |= LOG_APPEND_TIME
    header.max_timestamp = timestamp_ms
    rewrite_header(buffer, header, pos)
    return header


def rewrite_header(buffer: bytearray | memoryview, header: BatchHeader, pos: int = 0) -> None:
    """Write a header's attributes and max timestamp into the batch at `pos`, with a new CRC.

    Kafka does this if a producer's header contradicts its records (`setMaxTimestamp`).
    """
    _STAMP_ATTRIBUTES.pack_into(buffer, pos + _ATTRIBUTES_AT, header.attributes)
    _STAMP_OFFSET.pack_into(buffer, pos + _MAX_TIMESTAMP_AT, header.max_timestamp)
    covered = memoryview(buffer)[pos + CRC_FROM : pos + header.size_bytes]
    header.crc = checksums.crc32c(covered)
    _STAMP_CRC.pack_into(buffer, pos + CRC_AT, header.crc)


def attributes_of(
    timestamp_type: TimestampType, *, is_transactional: bool = False, is_control: bool = False
) -> int:
    """Return the attributes of a batch that is not compressed."""
    flags = TRANSACTIONAL * is_transactional | CONTROL * is_control
    return LOG_APPEND_TIME * timestamp_type | flags


def is_transactional(records: Buffer | None) -> bool:
    """Return whether records begin with a batch of a transaction."""
    return (
        records is not None
        and len(records) >= HEADER_BYTES
        and bool(HEADER.unpack_from(records)[ATTRIBUTES] & TRANSACTIONAL)
    )


def batch_spans(buffer: Buffer, pos: int = 0) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each whole batch or message in a buffer, in any format.

    A partial batch at the end, as in fetches of old clients, is skipped.

    Raises:
        DecodeError: a length is too small for a batch.

    """
    size = len(buffer)
    while pos + LOG_OVERHEAD_BYTES <= size:
        (length,) = _LENGTH.unpack_from(buffer, pos + LENGTH_AT)
        if length < LEAST_LENGTH:
            raise DecodeError("batch", f"invalid length {length} at {pos}")
        end = pos + LOG_OVERHEAD_BYTES + length
        if end > size:
            return
        yield pos, end
        pos = end


def records_of(
    buffer: Buffer, pos: int = 0, *, limit_bytes: int = DECOMPRESSED_BYTES_MAX
) -> Iterator[Record]:
    """Decode the records of the batch at `pos` lazily, with absolute offsets and timestamps.

    With LogAppendTime, records have the batch's timestamp. The checksum is not verified: this was
    done when the batch was received.

    Raises:
        DecodeError: the batch is incomplete, or its records contradict its header.

    """
    header = parse_batch_header(buffer, pos)
    payload = decompressed_payload(buffer, header, pos, limit_bytes=limit_bytes)
    records = decode_records(
        payload, header.record_count, header.base_offset, header.base_timestamp
    )
    if header.timestamp_type is TimestampType.CREATE_TIME:
        return records
    return _stamped(records, header.max_timestamp)


def _stamped(records: Iterator[Record], timestamp: int) -> Iterator[Record]:
    for record in records:
        record.timestamp = timestamp
        yield record


def decompressed_payload(
    buffer: Buffer, header: BatchHeader, pos: int = 0, *, limit_bytes: int
) -> Buffer:
    """Return the bytes of a batch's records, decompressed.

    Raises:
        DecodeError: the batch is incomplete, or its compressed data is corrupt.

    """
    end = pos + header.size_bytes
    if header.size_bytes < HEADER_BYTES or end > len(buffer):
        raise DecodeError("batch", f"{header.size_bytes} bytes declared, {len(buffer) - pos} left")
    payload = memoryview(buffer)[pos + HEADER_BYTES : end]
    try:
        return decompress(header.compression, payload, limit_bytes)
    except CompressionError as error:
        raise DecodeError("batch.records", str(error)) from None


def build_batch(
    records: Sequence[Record],
    *,
    base_offset: int | None = None,
    compression: int = Compression.NONE,
    compression_level: int | None = None,
    timestamp_type: TimestampType = TimestampType.CREATE_TIME,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    base_sequence: int = NO_SEQUENCE,
    partition_leader_epoch: int = NO_PARTITION_LEADER_EPOCH,
    is_transactional: bool = False,
    is_control: bool = False,
) -> bytes:
    """Build a batch from records, which are in the order of their absolute offsets.

    `base_offset` is the first record's offset by default; compaction passes a lower one. The base
    timestamp is the first record's, as in Kafka's builder.
    """
    assert records, "a batch has records"
    first_offset = records[0].offset if base_offset is None else base_offset
    base_timestamp = records[0].timestamp
    uncompressed = b"".join(
        encode_record(record, first_offset, base_timestamp) for record in records
    )
    payload = compress(compression, uncompressed, level=compression_level)
    attributes = attributes_of(
        timestamp_type, is_transactional=is_transactional, is_control=is_control
    )
    header = BatchHeader(
        base_offset=first_offset,
        batch_length=HEADER_BYTES - LOG_OVERHEAD_BYTES + len(payload),
        partition_leader_epoch=partition_leader_epoch,
        magic=MAGIC_V2,
        crc=0,
        attributes=int(compression) | attributes,
        last_offset_delta=records[-1].offset - first_offset,
        base_timestamp=base_timestamp,
        max_timestamp=max(NO_TIMESTAMP, *(record.timestamp for record in records)),
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        record_count=len(records),
    )
    return seal(header, payload)


def seal(header: BatchHeader, payload: Buffer) -> bytes:
    """Join a header and the (compressed) records, with their length and checksum."""
    header.batch_length = HEADER_BYTES - LOG_OVERHEAD_BYTES + len(payload)
    batch = bytearray(pack_batch_header(header))
    batch += payload
    header.crc = checksums.crc32c(memoryview(batch)[CRC_FROM:])
    _STAMP_CRC.pack_into(batch, CRC_AT, header.crc)
    return bytes(batch)
