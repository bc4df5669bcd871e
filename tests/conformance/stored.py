"""Records of an answer in a readable form: every header field and every record."""

import hashlib
import struct
import zlib
from collections.abc import Iterator
from typing import Final, TypeAlias

import crc32c

from mockbroker.protocol.records.compression.codecs import decompress
from mockbroker.protocol.types import Buffer
from tests.conformance.batches import CRC_FROM, HEADER, HEADER_FIELDS, LENGTH_FROM
from tests.conformance.placeholders import Placeholders

Shown: TypeAlias = "bool | int | float | str | list[Shown] | dict[str, Shown] | None"

UNPACKED_BYTES_MAX: Final = 64 << 20
LONGEST_SHOWN: Final = 60
CODECS: Final = 0x07
MAGIC_AT: Final = 16


def shown_records(data: Buffer | None, names: Placeholders) -> Shown:
    """Show a records field: batches, messages, and a truncated end."""
    if data is None:
        return None
    return list(_entries(bytes(data), names))


def shown_bytes(data: bytes | None) -> str | None:
    """Show short bytes as text, and long ones by their length and a digest."""
    if data is None:
        return None
    if len(data) > LONGEST_SHOWN:
        return f"<{len(data)} bytes, sha1 {hashlib.sha1(data).hexdigest()[:12]}>"
    return data.decode("ascii", "backslashreplace")


def keys_and_values(data: bytes) -> Iterator[tuple[bytes | None, bytes | None]]:
    """Return the keys and values of uncompressed batches of format 2."""
    position = 0
    while position < len(data):
        (length,) = struct.unpack_from(">i", data, position + 8)
        end = position + LENGTH_FROM + length
        plain = data[position + HEADER.size : end]
        for start, _ in _spans(plain):
            _, at = _varint(plain, start + 1)
            _, at = _varint(plain, at)
            key, at = _sized(plain, at)
            value, at = _sized(plain, at)
            yield key, value
        position = end


def _entries(data: bytes, names: Placeholders) -> Iterator[Shown]:
    position = 0
    while position < len(data):
        end = len(data) + 1
        if len(data) - position > MAGIC_AT:
            (length,) = struct.unpack_from(">i", data, position + 8)
            end = position + LENGTH_FROM + length
        if end > len(data):
            yield {"cut off": len(data) - position}
            return
        whole = data[position:end]
        yield _batch(whole, names) if whole[MAGIC_AT] > 1 else _message(whole, names)
        position = end


def _batch(data: bytes, names: Placeholders) -> Shown:
    header = dict(zip(HEADER_FIELDS, HEADER.unpack_from(data), strict=True))
    crc = header.pop("crc")
    del header["batch_length"]
    payload = data[HEADER.size :]
    codec = header["attributes"] & CODECS
    plain = bytes(decompress(codec, payload, UNPACKED_BYTES_MAX)) if codec else payload
    fields: dict[str, Shown] = {**header}
    fields["base_timestamp"] = names.time(header["base_timestamp"])
    fields["max_timestamp"] = names.time(header["max_timestamp"])
    fields["producer_id"] = names.producer(header["producer_id"])
    fields["crc"] = "right" if crc == crc32c.crc32c(data[CRC_FROM:]) else "wrong"
    fields["records"] = [
        _record(plain, start, end, header["base_timestamp"], names) for start, end in _spans(plain)
    ]
    return fields


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), position


def _spans(plain: bytes) -> Iterator[tuple[int, int]]:
    position = 0
    while position < len(plain):
        size, start = _varint(plain, position)
        position = start + size
        yield start, position


def _sized(data: bytes, position: int) -> tuple[bytes | None, int]:
    size, position = _varint(data, position)
    if size < 0:
        return None, position
    return data[position : position + size], position + size


def _record(
    data: bytes, position: int, end: int, base_timestamp: int, names: Placeholders
) -> Shown:
    timestamp_delta, position = _varint(data, position + 1)
    offset_delta, position = _varint(data, position)
    key, position = _sized(data, position)
    value, position = _sized(data, position)
    count, position = _varint(data, position)
    headers: list[Shown] = []
    for _ in range(count):
        header_key, position = _sized(data, position)
        header_value, position = _sized(data, position)
        headers.append([shown_bytes(header_key), shown_bytes(header_value)])
    assert position == end, (position, end)
    fields: dict[str, Shown] = {
        "offset_delta": offset_delta,
        "timestamp": names.time(base_timestamp + timestamp_delta),
        "key": shown_bytes(key),
        "value": shown_bytes(value),
    }
    if headers:
        fields["headers"] = headers
    return fields


def _message(data: bytes, names: Placeholders) -> Shown:
    offset, _, crc, magic, attributes = struct.unpack_from(">qiIbb", data)
    fields: dict[str, Shown] = {"offset": offset, "magic": magic, "attributes": attributes}
    position = 18
    if magic:
        fields["timestamp"] = names.time(struct.unpack_from(">q", data, position)[0])
        position += 8
    fields["crc"] = "right" if crc == zlib.crc32(data[16:]) else "wrong"
    key, position = _field(data, position)
    value, position = _field(data, position)
    fields["key"] = shown_bytes(key)
    codec = attributes & CODECS
    if codec and value is not None:
        inner = decompress(codec, value, UNPACKED_BYTES_MAX, is_message_format_0=magic == 0)
        fields["messages"] = list(_entries(bytes(inner), names))
    else:
        fields["value"] = shown_bytes(value)
    return fields


def _field(data: bytes, position: int) -> tuple[bytes | None, int]:
    (size,) = struct.unpack_from(">i", data, position)
    position += 4
    return (None, position) if size < 0 else (data[position : position + size], position + size)
