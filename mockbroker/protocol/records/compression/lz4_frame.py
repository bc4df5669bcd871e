"""LZ4 frames as Kafka reads and writes them: independent blocks, and the checksum of KAFKA-3160.

The frame is parsed here and not by the native codec, because Kafka deviates from the specification:
it rejects linked blocks, never verifies the content checksum, ignores bytes after the end mark, and
in message sets of format 0 the header checksum covers the wrong bytes.
"""

import struct
from functools import lru_cache
from typing import Final

from cramjam import DecompressionError, lz4

from mockbroker.protocol.records.compression.compression_error import (
    CompressionError,
    DecompressedTooLargeError,
)
from mockbroker.protocol.types import Buffer

_MAGIC: Final = b"\x04\x22\x4d\x18"
_BLOCK_64_KIB: Final = 0x40
_INDEPENDENT: Final = 0x60  # version 1, independent blocks, no checksums, no content size
_WRITTEN_BLOCK_BYTES: Final = 1 << 16
_UNCOMPRESSED: Final = 1 << 31
_BLOCK_SIZES_BYTES: Final = {4: 1 << 16, 5: 1 << 18, 6: 1 << 20, 7: 1 << 22}
_MAX_RATIO: Final = 255
_U32: Final = struct.Struct("<I")
_LANES: Final = struct.Struct("<4I")
_MASK: Final = (1 << 32) - 1
_PRIMES: Final = (2654435761, 2246822519, 3266489917, 668265263, 374761393)


def compress_lz4(data: Buffer, *, broken_header_checksum: bool = False) -> bytes:
    """Compress into one frame of 64 KiB blocks.

    `broken_header_checksum` creates the frame that clients of message format 0 expect (KAFKA-3160).
    """
    descriptor = bytes((_INDEPENDENT, _BLOCK_64_KIB))
    parts = [_MAGIC, descriptor, _header_checksum(descriptor, broken=broken_header_checksum)]
    view = memoryview(data)
    for start in range(0, len(view), _WRITTEN_BLOCK_BYTES):
        block = bytes(view[start : start + _WRITTEN_BLOCK_BYTES])
        packed = bytes(lz4.compress_block(block, store_size=False))
        if len(packed) < len(block):
            parts += (_U32.pack(len(packed)), packed)
        else:
            parts += (_U32.pack(len(block) | _UNCOMPRESSED), block)
    parts.append(_U32.pack(0))
    return b"".join(parts)


def decompress_lz4(
    data: Buffer, limit_bytes: int, *, ignore_header_checksum: bool = False
) -> bytes:
    """Decompress the first frame of `data`; bytes after its end mark are ignored.

    Raises:
        CompressionError: the frame is invalid or corrupt.
        DecompressedTooLargeError: the result exceeds `limit_bytes`.

    """
    frame = bytes(data)
    try:
        flags, block_bytes, pos = _read_header(frame, check=not ignore_header_checksum)
        return _read_blocks(frame, pos, flags, block_bytes, limit_bytes)
    except (struct.error, IndexError):
        message = "the LZ4 frame ends too early"
        raise CompressionError(message) from None


def _read_header(frame: bytes, *, check: bool) -> tuple[int, int, int]:
    if frame[:4] != _MAGIC:
        message = "not an LZ4 frame: the magic bytes are wrong"
        raise CompressionError(message)
    flags, block_code = frame[4], frame[5]
    if flags >> 6 != 1 or flags & 0x03 or block_code & 0x8F:
        message = f"an LZ4 frame of an unknown kind (flags {flags:#x}, block {block_code:#x})"
        raise CompressionError(message)
    if not flags & 0x20:
        message = "an LZ4 frame of linked blocks, which Kafka does not read"
        raise CompressionError(message)
    block_bytes = _BLOCK_SIZES_BYTES.get(block_code >> 4)
    if block_bytes is None:
        message = f"an LZ4 frame with blocks of an unknown size ({block_code:#x})"
        raise CompressionError(message)
    pos = 14 if flags & 0x08 else 6
    if check and frame[pos] != _header_checksum(frame[4:pos], broken=False)[0]:
        message = "the LZ4 frame's header does not match its checksum"
        raise CompressionError(message)
    return flags, block_bytes, pos + 1


def _read_blocks(frame: bytes, pos: int, flags: int, block_bytes: int, limit_bytes: int) -> bytes:
    parts: list[bytes] = []
    total_bytes = 0
    while True:
        (size,) = _U32.unpack_from(frame, pos)
        pos += 4
        if size == 0:
            if flags & 0x04:
                _U32.unpack_from(frame, pos)  # present, but never verified by Kafka
            return parts[0] if len(parts) == 1 else b"".join(parts)
        stored, size = size & _UNCOMPRESSED, size & ~_UNCOMPRESSED
        if size > block_bytes or pos + size > len(frame):
            message = f"an LZ4 block of {size} bytes, beyond its frame or the frame's block size"
            raise CompressionError(message)
        block = frame[pos : pos + size]
        pos += size
        if flags & 0x10:
            _verify_block(block, frame, pos)
            pos += 4
        part = block if stored else _unpack_block(block, block_bytes)
        total_bytes += len(part)
        if total_bytes > limit_bytes:
            raise DecompressedTooLargeError(limit_bytes)
        parts.append(part)


def _verify_block(block: bytes, frame: bytes, pos: int) -> None:
    if _U32.unpack_from(frame, pos)[0] != xxh32(block):
        message = "an LZ4 block does not match its checksum"
        raise CompressionError(message)


def _unpack_block(block: bytes, block_bytes: int) -> bytes:
    out = bytearray(min(block_bytes, len(block) * _MAX_RATIO + 64))
    try:
        size = lz4.decompress_block_into(block, out)
    except DecompressionError:
        message = "a corrupt LZ4 block"
        raise CompressionError(message) from None
    return bytes(memoryview(out)[:size])


@lru_cache(maxsize=64)
def _header_checksum(descriptor: bytes, *, broken: bool) -> bytes:
    """Return the second byte of the descriptor's hash; `broken` includes the magic bytes."""
    hashed = xxh32(_MAGIC + descriptor if broken else descriptor)
    return bytes((hashed >> 8 & 0xFF,))


def xxh32(data: bytes) -> int:
    """Compute XXH32 with seed 0, the hash of LZ4 frames; slow for large inputs."""
    pos, size = 0, len(data)
    if size >= 16:
        accumulators = [
            (_PRIMES[0] + _PRIMES[1]) & _MASK,
            _PRIMES[1],
            0,
            -_PRIMES[0] & _MASK,
        ]
        while pos + 16 <= size:
            for i, lane in enumerate(_LANES.unpack_from(data, pos)):
                mixed = accumulators[i] + lane * _PRIMES[1] & _MASK
                accumulators[i] = _rotate(mixed, 13) * _PRIMES[0] & _MASK
            pos += 16
        turns = zip(accumulators, (1, 7, 12, 18), strict=True)
        value = sum(_rotate(accumulator, bits) for accumulator, bits in turns) & _MASK
    else:
        value = _PRIMES[4]
    value += size
    while pos + 4 <= size:
        value = value + _U32.unpack_from(data, pos)[0] * _PRIMES[2] & _MASK
        value = _rotate(value, 17) * _PRIMES[3] & _MASK
        pos += 4
    for byte in data[pos:]:
        value = value + byte * _PRIMES[4] & _MASK
        value = _rotate(value, 11) * _PRIMES[0] & _MASK
    value = (value ^ value >> 15) * _PRIMES[1] & _MASK
    value = (value ^ value >> 13) * _PRIMES[2] & _MASK
    return value ^ value >> 16


def _rotate(value: int, bits: int) -> int:
    return (value << bits | value >> 32 - bits) & _MASK
