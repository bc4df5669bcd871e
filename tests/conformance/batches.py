"""Record batches and message sets built field by field, so that each field can be invalid."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import crc32c

from mockbroker.protocol.records.compression.codecs import compress

HEADER: Final = struct.Struct(">qiibIhiqqqhii")
HEADER_FIELDS: Final = (
    "base_offset",
    "batch_length",
    "partition_leader_epoch",
    "magic",
    "crc",
    "attributes",
    "last_offset_delta",
    "base_timestamp",
    "max_timestamp",
    "producer_id",
    "producer_epoch",
    "base_sequence",
    "record_count",
)
CRC_FROM: Final = 21
LENGTH_FROM: Final = 12
LOG_APPEND_TIME: Final = 0x08
TRANSACTIONAL: Final = 0x10
CONTROL: Final = 0x20
GZIP, SNAPPY, LZ4, ZSTD = 1, 2, 3, 4


def varint(value: int) -> bytes:
    """Encode a signed number as in records."""
    rest = (value << 1) ^ (value >> 63)
    written = bytearray()
    while rest > 0x7F:
        written.append(rest & 0x7F | 0x80)
        rest >>= 7
    written.append(rest)
    return bytes(written)


def sized(data: bytes | None) -> bytes:
    """Encode bytes with their length, or null."""
    return varint(-1) if data is None else varint(len(data)) + data


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A record, relative to its batch; the offset delta is its position by default."""

    value: bytes | None = b"value"
    key: bytes | None = None
    at_ms: int | None = None
    offset_delta: int | None = None
    headers: Sequence[tuple[bytes | None, bytes | None]] = ()

    def written(self, index: int, base_timestamp: int) -> bytes:
        """Encode the record with its length."""
        delta = index if self.offset_delta is None else self.offset_delta
        at_ms = base_timestamp if self.at_ms is None else self.at_ms
        body = b"\0" + varint(at_ms - base_timestamp) + varint(delta)
        body += sized(self.key) + sized(self.value) + varint(len(self.headers))
        body += b"".join(sized(key) + sized(value) for key, value in self.headers)
        return varint(len(body)) + body


@dataclass(frozen=True, slots=True)
class Producer:
    """Producer of a batch, and the batch's sequence."""

    producer_id: int
    producer_epoch: int = 0
    base_sequence: int = 0


def batch(
    *items: Item,
    at_ms: int,
    codec: int = 0,
    attributes: int = 0,
    producer: Producer | None = None,
    payload: bytes | None = None,
    wrong: Mapping[str, int] | None = None,
) -> bytes:
    """Build a batch of format 2; `payload` replaces the records, `wrong` replaces header fields."""
    written = b"".join(item.written(index, at_ms) for index, item in enumerate(items))
    body = bytes(compress(codec, written)) if payload is None else payload
    given = wrong or {}
    who = producer or Producer(-1, -1, -1)
    fields = {
        "base_offset": 0,
        "batch_length": HEADER.size - LENGTH_FROM + len(body),
        "partition_leader_epoch": -1,
        "magic": 2,
        "crc": 0,
        "attributes": attributes | codec,
        "last_offset_delta": len(items) - 1,
        "base_timestamp": at_ms,
        "max_timestamp": max([at_ms, *(item.at_ms for item in items if item.at_ms is not None)]),
        "producer_id": who.producer_id,
        "producer_epoch": who.producer_epoch,
        "base_sequence": who.base_sequence,
        "record_count": len(items),
        **given,
    }
    data = HEADER.pack(*(fields[name] for name in HEADER_FIELDS)) + body
    if "crc" not in given:
        fields["crc"] = crc32c.crc32c(data[CRC_FROM:])
        data = HEADER.pack(*(fields[name] for name in HEADER_FIELDS)) + body
    return data


def plain(*values: bytes, at_ms: int, codec: int = 0, producer: Producer | None = None) -> bytes:
    """Build a valid batch of these values."""
    items = [Item(value=value) for value in values]
    return batch(*items, at_ms=at_ms, codec=codec, producer=producer)


def message(
    value: bytes | None,
    *,
    magic: int,
    at_ms: int = -1,
    offset: int = 0,
    key: bytes | None = None,
    attributes: int = 0,
    crc: int | None = None,
) -> bytes:
    """Build one message of a message set, of format 0 or 1."""
    body = bytes([magic, attributes]) + (struct.pack(">q", at_ms) if magic else b"")
    for data in (key, value):
        body += struct.pack(">i", -1) if data is None else struct.pack(">i", len(data)) + data
    body = struct.pack(">I", zlib.crc32(body) if crc is None else crc) + body
    return struct.pack(">qi", offset, len(body)) + body


def wrapped(
    messages: Sequence[bytes], *, magic: int, codec: int, at_ms: int = -1, offset: int = 0
) -> bytes:
    """Build a compressed message set: one message that contains the others."""
    inner = compress(codec, b"".join(messages), is_message_format_0=magic == 0)
    return message(bytes(inner), magic=magic, at_ms=at_ms, offset=offset, attributes=codec)
