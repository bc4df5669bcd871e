"""Zigzag varints, the integers of a record of format 2 (Kafka's `ByteUtils.readVarint`)."""

from typing import Final

from mockbroker.protocol.types import Buffer

_MASK_32: Final = (1 << 32) - 1
_MASK_64: Final = (1 << 64) - 1
_MAX_VARINT_BYTES: Final = 5
_MAX_VARLONG_BYTES: Final = 10
_ONE_BYTE: Final = tuple(bytes((value,)) for value in range(128))


class VarintError(ValueError):
    """Varint with more bytes than its type allows."""


def read_varint(buffer: Buffer, pos: int) -> tuple[int, int]:
    """Read a 32-bit zigzag varint at `pos`; return (value, position after it).

    As in Kafka, bits beyond the 32nd are dropped and redundant bytes are accepted.

    Raises:
        VarintError: the varint has more than five bytes.
        IndexError: the buffer ends inside it.

    """
    raw, pos = _read_raw(buffer, pos, _MAX_VARINT_BYTES)
    raw &= _MASK_32
    return (raw >> 1) ^ -(raw & 1), pos


def read_varlong(buffer: Buffer, pos: int) -> tuple[int, int]:
    """Read a 64-bit zigzag varint at `pos`; return (value, position after it).

    Raises:
        VarintError: the varint has more than ten bytes.
        IndexError: the buffer ends inside it.

    """
    raw, pos = _read_raw(buffer, pos, _MAX_VARLONG_BYTES)
    raw &= _MASK_64
    return (raw >> 1) ^ -(raw & 1), pos


def _read_raw(buffer: Buffer, pos: int, max_bytes: int) -> tuple[int, int]:
    byte = buffer[pos]
    if byte < 0x80:
        return byte, pos + 1
    raw = byte & 0x7F
    for shift in range(7, 7 * max_bytes, 7):
        pos += 1
        byte = buffer[pos]
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            return raw, pos + 1
    message = f"a varint has more than {max_bytes} bytes"
    raise VarintError(message)


def varint(value: int) -> bytes:
    """Encode an integer of at most 64 bits as a zigzag varint (32-bit values encode the same)."""
    raw = ((value << 1) ^ (value >> 63)) & _MASK_64
    if raw < 0x80:
        return _ONE_BYTE[raw]
    out = bytearray()
    while raw >= 0x80:
        out.append(raw & 0x7F | 0x80)
        raw >>= 7
    out.append(raw)
    return bytes(out)
