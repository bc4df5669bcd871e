"""Message sets: record formats 0 and 1 of Kafka before KIP-98 (Kafka's `LegacyRecord`).

A compressed message is a wrapper whose value is a compressed message set. Inner offsets are
absolute in format 0; in format 1 they count from 0 and the wrapper has the last offset (KIP-31).
"""

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Final

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.batch import batch_spans
from mockbroker.protocol.records.compression.codecs import CompressionError, compress, decompress
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import NO_TIMESTAMP, Buffer, Compression, TimestampType

MAGIC_V0: Final = 0
MAGIC_V1: Final = 1

_PREFIX: Final = struct.Struct(">qi")
INCOMPLETE_MESSAGE: Final = _PREFIX.pack(-1, 0x7FFF_FFFF)
"""An offset, and a length that no answer has."""
_HEAD: Final = struct.Struct(">Ibb")
_TIMESTAMP: Final = struct.Struct(">q")
_SIZE: Final = struct.Struct(">i")
_CRC_BYTES: Final = 4
_CODEC: Final = 0x07
_LOG_APPEND_TIME: Final = 0x08


class LegacyRecord:
    """Message of a set, wrapper or not; timestamps are -1 in format 0."""

    __slots__ = ("attributes", "crc", "key", "magic", "offset", "timestamp", "value")

    def __init__(
        self,
        *,
        offset: int,
        magic: int,
        attributes: int = 0,
        timestamp: int = NO_TIMESTAMP,
        key: bytes | None = None,
        value: bytes | None = None,
        crc: int = 0,
    ) -> None:
        """Take the fields; `crc` is the value of a parsed message, and unused when encoding."""
        self.offset = offset
        self.magic = magic
        self.attributes = attributes
        self.timestamp = timestamp
        self.key = key
        self.value = value
        self.crc = crc

    @property
    def compression(self) -> int:
        """Number of the codec; not a member of `Compression` if the message is invalid."""
        return self.attributes & _CODEC

    @property
    def timestamp_type(self) -> TimestampType:
        """Source of the timestamp; CreateTime in format 0, which has no timestamps."""
        if self.magic == MAGIC_V1 and self.attributes & _LOG_APPEND_TIME:
            return TimestampType.LOG_APPEND_TIME
        return TimestampType.CREATE_TIME


def encode_message(message: LegacyRecord) -> bytes:
    """Encode a message with its offset, its size and its checksum (CRC-32, zlib's)."""
    parts = [bytes((message.magic, message.attributes))]
    if message.magic == MAGIC_V1:
        parts.append(_TIMESTAMP.pack(message.timestamp))
    for data in (message.key, message.value):
        parts.append(_SIZE.pack(-1 if data is None else len(data)))
        parts.append(data or b"")
    body = b"".join(parts)
    prefix = _PREFIX.pack(message.offset, _CRC_BYTES + len(body))
    return prefix + zlib.crc32(body).to_bytes(_CRC_BYTES, "big") + body


def decode_message(data: Buffer, start: int, end: int) -> LegacyRecord:
    """Decode the message that fills `data[start:end]`, and verify its checksum.

    Raises:
        DecodeError: the message is invalid or corrupt.

    """
    offset, _ = _PREFIX.unpack_from(data, start)
    pos = start + _PREFIX.size
    try:
        crc, magic, attributes = _HEAD.unpack_from(data, pos)
        if magic not in (MAGIC_V0, MAGIC_V1):
            raise DecodeError("message.magic", f"{magic} is not the format of a message set")
        if zlib.crc32(memoryview(data)[pos + _CRC_BYTES : end]) != crc:
            raise DecodeError("message.crc", f"{crc:#010x} is not the message's checksum")
        pos += _HEAD.size
        timestamp = NO_TIMESTAMP
        if magic == MAGIC_V1:
            (timestamp,) = _TIMESTAMP.unpack_from(data, pos)
            pos += _TIMESTAMP.size
        key, pos = _read_sized(data, pos, end, "message.key")
        value, pos = _read_sized(data, pos, end, "message.value")
    except struct.error:
        raise DecodeError("message", f"{end - start} bytes are too few") from None
    return LegacyRecord(
        offset=offset,
        magic=magic,
        attributes=attributes,
        timestamp=timestamp,
        key=key,
        value=value,
        crc=crc,
    )


def _read_sized(data: Buffer, pos: int, end: int, path: str) -> tuple[bytes | None, int]:
    (size,) = _SIZE.unpack_from(data, pos)
    pos += _SIZE.size
    if size < 0:
        return None, pos
    if pos + size > end:
        raise DecodeError(path, f"{size} bytes declared, {end - pos} left")
    return bytes(data[pos : pos + size]), pos + size


def messages_of(data: Buffer, pos: int = 0) -> Iterator[LegacyRecord]:
    """Decode the messages of a set, without unpacking wrappers.

    Raises:
        DecodeError: a message is invalid or corrupt.

    """
    for start, end in batch_spans(data, pos):
        yield decode_message(data, start, end)


def records_of_message(message: LegacyRecord, *, limit_bytes: int) -> list[Record]:
    """Return the record of a message, or the records inside a wrapper, with absolute offsets.

    Raises:
        DecodeError: the wrapper cannot be decompressed, or its content is invalid.

    """
    if not message.compression:
        return [_record(message, message.offset, message.timestamp)]
    if message.value is None:
        raise DecodeError("message.value", "a compressed message is null")
    try:
        inner = decompress(
            message.compression,
            message.value,
            limit_bytes,
            is_message_format_0=message.magic == MAGIC_V0,
        )
    except CompressionError as error:
        raise DecodeError("message.value", str(error)) from None
    return unwrap(message, list(messages_of(inner)))


def unwrap(wrapper: LegacyRecord, inner: Sequence[LegacyRecord]) -> list[Record]:
    """Create records from the messages in a wrapper.

    Raises:
        DecodeError: there are none, or one has another format or is itself a wrapper.

    """
    if not inner:
        raise DecodeError("message.value", "a wrapper without messages")
    for message in inner:
        if message.magic != wrapper.magic:
            raise DecodeError("message.value", f"format {message.magic} inside {wrapper.magic}")
        if message.compression:
            raise DecodeError("message.value", "a wrapper inside a wrapper")
    base_offset = wrapper.offset - inner[-1].offset if wrapper.magic == MAGIC_V1 else 0
    is_stamped = wrapper.timestamp_type is TimestampType.LOG_APPEND_TIME
    return [
        _record(
            message,
            base_offset + message.offset,
            wrapper.timestamp if is_stamped else message.timestamp,
        )
        for message in inner
    ]


def _record(message: LegacyRecord, offset: int, timestamp: int) -> Record:
    return Record(offset=offset, timestamp=timestamp, key=message.key, value=message.value)


def records_of_message_set(data: Buffer, pos: int = 0, *, limit_bytes: int) -> Iterator[Record]:
    """Decode all records of a message set, including those in wrappers.

    Raises:
        DecodeError: a message is invalid or corrupt, or cannot be decompressed.

    """
    for message in messages_of(data, pos):
        yield from records_of_message(message, limit_bytes=limit_bytes)


def build_message_set(
    records: Sequence[Record],
    *,
    magic: int,
    compression: int = Compression.NONE,
    timestamp_type: TimestampType = TimestampType.CREATE_TIME,
) -> bytes:
    """Build a message set from records: one message each, or one wrapper if compressed.

    Headers are dropped, as these formats have none. Format 0 drops the timestamps too.
    """
    assert records, "a message set has records"
    stamped = timestamp_type if magic == MAGIC_V1 else TimestampType.CREATE_TIME
    time_flag = _LOG_APPEND_TIME if stamped is TimestampType.LOG_APPEND_TIME else 0
    base_offset = records[0].offset if magic == MAGIC_V1 and compression else 0
    uncompressed = b"".join(
        encode_message(
            LegacyRecord(
                offset=record.offset - base_offset,
                magic=magic,
                attributes=time_flag,
                timestamp=record.timestamp,
                key=record.key,
                value=record.value,
            )
        )
        for record in records
    )
    if not compression:
        return uncompressed
    packed = compress(compression, uncompressed, is_message_format_0=magic == MAGIC_V0)
    wrapper = LegacyRecord(
        offset=records[-1].offset,
        magic=magic,
        attributes=int(compression) | time_flag,
        timestamp=max(record.timestamp for record in records),
        value=bytes(packed),
    )
    return encode_message(wrapper)
