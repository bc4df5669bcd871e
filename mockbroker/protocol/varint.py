"""Unsigned varints, the encoding of compact lengths and tags (KIP-482)."""

from typing import Final

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.types import Buffer

_MAX_BYTES: Final = 5
_MASK: Final = 0xFFFFFFFF


def read_uvarint(buffer: Buffer, position: int) -> tuple[int, int]:
    """Read an unsigned varint of at most 32 bits; return it and the position after it.

    Raises:
        DecodeError: the varint is longer than five bytes.
        IndexError: the buffer ends inside it.

    """
    value = shift = 0
    for _ in range(_MAX_BYTES):
        byte = buffer[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & _MASK, position
        shift += 7
    raise DecodeError("", "a varint is longer than five bytes")


def write_uvarint(value: int) -> bytes:
    """Write an unsigned varint."""
    if value < 0x80:
        return SHORT_UVARINTS[value]
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def write_compact_length(length: int) -> bytes:
    """Write the compact length of a nullable field: -1 stands for null."""
    return write_uvarint(length + 1)


SHORT_UVARINTS: Final = tuple(bytes((value,)) for value in range(0x80))
"""Precomputed one-byte varints; almost every length on the wire is one of them."""
