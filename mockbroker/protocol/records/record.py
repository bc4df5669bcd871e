"""Records of format 2: encode and decode them (Kafka's `DefaultRecord`)."""

from collections.abc import Iterator, Sequence
from typing import Final

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.varint import VarintError, read_varint, read_varlong, varint
from mockbroker.protocol.types import Buffer

Header = tuple[str, bytes | None]
"""Record header: a key, and a value or None (KIP-82)."""

_NULL_LENGTH: Final = varint(-1)
_LAST_OF_VARINT: Final = 0x7F
"""Largest value of the last byte of a varint."""


class Record:
    """Record with its absolute offset and its timestamp in milliseconds since 1970."""

    __slots__ = ("attributes", "headers", "key", "offset", "timestamp", "value")

    def __init__(
        self,
        *,
        offset: int = 0,
        timestamp: int = -1,
        key: bytes | None = None,
        value: bytes | None = None,
        headers: Sequence[Header] = (),
        attributes: int = 0,
    ) -> None:
        """Take the values; `attributes` has no meaning yet in any release."""
        self.offset = offset
        self.timestamp = timestamp
        self.key = key
        self.value = value
        self.headers = tuple(headers)
        self.attributes = attributes

    def __eq__(self, other: object) -> bool:
        """Compare field by field."""
        if not isinstance(other, Record):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]  # a mutable value

    def __repr__(self) -> str:
        """Format every field with its name."""
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"Record({fields})"


def encode_record(record: Record, base_offset: int, base_timestamp: int) -> bytes:
    """Encode a record with its length, relative to its batch's offset and timestamp."""
    parts = [
        bytes((record.attributes & 0xFF,)),
        varint(record.timestamp - base_timestamp),
        varint(record.offset - base_offset),
        _sized(record.key),
        _sized(record.value),
        varint(len(record.headers)),
    ]
    for key, value in record.headers:
        parts += (_sized(key.encode()), _sized(value))
    body = b"".join(parts)
    return varint(len(body)) + body


def _sized(data: bytes | None) -> bytes:
    return _NULL_LENGTH if data is None else varint(len(data)) + data


def decode_records(
    payload: Buffer, count: int, base_offset: int, base_timestamp: int
) -> Iterator[Record]:
    """Decode `count` records lazily from uncompressed bytes.

    Raises:
        DecodeError: the bytes are not exactly that many records.

    """
    data = bytes(payload)
    pos = 0
    for index in range(count):
        try:
            record, pos = _decode_record(data, pos, base_offset, base_timestamp)
        except (IndexError, ValueError) as error:
            path = f"records[{index}]"
            raise DecodeError(path, str(error)) from None
        yield record
    if pos != len(data):
        raise DecodeError("records", f"{len(data) - pos} bytes are left after the last record")


def decode_keys_and_values(payload: Buffer, count: int) -> list[tuple[bytes | None, bytes | None]]:
    """Decode only the keys and values of `count` records.

    Raises:
        DecodeError: the bytes are not that many records.

    """
    data = bytes(payload)
    found: list[tuple[bytes | None, bytes | None]] = []
    pos = 0
    try:
        for _ in range(count):
            size, pos = read_varint(data, pos)
            stop = pos + size
            if size < 0 or stop > len(data):
                message = f"a length of {size} where {len(data) - pos} bytes are left"
                raise VarintError(message)
            pos += 1  # the attributes
            while data[pos] > _LAST_OF_VARINT:  # the timestamp
                pos += 1
            pos += 1
            while data[pos] > _LAST_OF_VARINT:  # the offset
                pos += 1
            key, pos = _read_sized(data, pos + 1, stop)
            value, _ = _read_sized(data, pos, stop)
            found.append((key, value))
            pos = stop
    except (IndexError, ValueError) as error:
        raise DecodeError(f"records[{len(found)}]", str(error)) from None
    return found


def _decode_record(
    data: bytes, pos: int, base_offset: int, base_timestamp: int
) -> tuple[Record, int]:
    size, pos = read_varint(data, pos)
    stop = pos + size
    if size < 0 or stop > len(data):
        message = f"a length of {size} where {len(data) - pos} bytes are left"
        raise VarintError(message)
    attributes = data[pos]
    timestamp_delta, pos = read_varlong(data, pos + 1)
    offset_delta, pos = read_varint(data, pos)
    key, pos = _read_sized(data, pos, stop)
    value, pos = _read_sized(data, pos, stop)
    header_count, pos = read_varint(data, pos)
    if not 0 <= header_count <= stop - pos:
        message = f"{header_count} headers in {stop - pos} bytes"
        raise ValueError(message)
    headers: list[Header] = []
    for _ in range(header_count):
        header_key, pos = _read_sized(data, pos, stop)
        if header_key is None:
            message = "a header's key is null"
            raise ValueError(message)
        header_value, pos = _read_sized(data, pos, stop)
        headers.append((header_key.decode("utf-8", "replace"), header_value))
    if pos != stop:
        message = f"a length of {size}, but the fields end {stop - pos:+} bytes before it"
        raise ValueError(message)
    record = Record(
        offset=base_offset + offset_delta,
        timestamp=base_timestamp + timestamp_delta,
        key=key,
        value=value,
        headers=headers,
        attributes=attributes,
    )
    return record, pos


def _read_sized(data: bytes, pos: int, stop: int) -> tuple[bytes | None, int]:
    """Read length-prefixed bytes; any negative length is null, as in Kafka."""
    size, pos = read_varint(data, pos)
    if size < 0:
        return None, pos
    end = pos + size
    if end > stop:
        message = f"{size} bytes declared, {stop - pos} left"
        raise ValueError(message)
    return data[pos:end], end
