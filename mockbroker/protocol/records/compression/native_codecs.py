"""Snappy, LZ4 and zstd, by the native library cramjam."""

import struct
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from cramjam import DecompressionError, snappy, zstd

from mockbroker.protocol.records.compression.compression_error import (
    CompressionError,
    DecompressedTooLargeError,
)
from mockbroker.protocol.records.compression.lz4_frame import compress_lz4, decompress_lz4
from mockbroker.protocol.types import Buffer, Compression

_XERIAL_MAGIC: Final = b"\x82SNAPPY\x00"
_XERIAL_HEADER: Final = _XERIAL_MAGIC + struct.pack(">ii", 1, 1)
_XERIAL_BLOCK_BYTES: Final = 32 * 1024
_SNAPPY_MAX_RATIO: Final = 32  # three bytes copy 64 at most
_ZSTD_FIRST_GUESS: Final = 8
_ZSTD_HEADER_MAX_BYTES: Final = 18
_ZSTD_DICTIONARY_ID_BYTES: Final = (0, 1, 2, 4)
_I32: Final = struct.Struct(">i")


class NativeCodec(NamedTuple):
    """Functions of a codec; the last argument selects message format 0, which LZ4 differs in."""

    compress: Callable[[Buffer, int | None, bool], Buffer]
    """Compress data at a level; None is the default level."""
    decompress: Callable[[Buffer, int, bool], Buffer]
    """Decompress data to at most a number of bytes."""


def _compress_snappy(data: Buffer, _level: int | None, _is_format_0: bool) -> bytes:
    parts = [_XERIAL_HEADER]
    view = memoryview(data)
    for start in range(0, len(view), _XERIAL_BLOCK_BYTES):
        block = bytes(snappy.compress_raw(bytes(view[start : start + _XERIAL_BLOCK_BYTES])))
        parts += (_I32.pack(len(block)), block)
    return b"".join(parts)


def _decompress_snappy(packed: Buffer, limit_bytes: int, _is_format_0: bool) -> bytes:
    """Decompress xerial's framing, or one raw block if its magic bytes are missing."""
    data = bytes(packed)
    if not data.startswith(_XERIAL_MAGIC):
        return _unpack_snappy_block(data, limit_bytes, limit_bytes)
    parts: list[bytes] = []
    pos, left_bytes = len(_XERIAL_HEADER), limit_bytes
    while pos < len(data):
        if data.startswith(_XERIAL_MAGIC, pos):  # another stream was appended
            pos += len(_XERIAL_HEADER)
            continue
        if pos + 4 > len(data):
            message = "the snappy stream ends inside a length"
            raise CompressionError(message)
        (size,) = _I32.unpack_from(data, pos)
        pos += 4
        if size < 0 or pos + size > len(data):
            message = f"a snappy block of {size} bytes, beyond its stream"
            raise CompressionError(message)
        part = _unpack_snappy_block(data[pos : pos + size], left_bytes, limit_bytes)
        parts.append(part)
        left_bytes -= len(part)
        pos += size
    if len(data) < len(_XERIAL_HEADER):
        message = "the snappy stream ends inside its header"
        raise CompressionError(message)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _unpack_snappy_block(block: bytes, left_bytes: int, limit_bytes: int) -> bytes:
    try:
        size = snappy.decompress_raw_len(block)
        if size > len(block) * _SNAPPY_MAX_RATIO:
            message = f"corrupt snappy: {len(block)} bytes cannot hold {size}"
            raise CompressionError(message)
        if size > left_bytes:
            raise DecompressedTooLargeError(limit_bytes)
        if not block:
            message = "an empty snappy block"
            raise CompressionError(message)
        return bytes(snappy.decompress_raw(block))
    except DecompressionError as error:
        message = f"corrupt snappy: {error}"
        raise CompressionError(message) from None


def _compress_zstd(data: Buffer, level: int | None, _is_format_0: bool) -> bytes:
    return bytes(zstd.compress(bytes(data), level=level))


def _decompress_zstd(packed: Buffer, limit_bytes: int, _is_format_0: bool) -> Buffer:
    """Decompress into a buffer of the declared or an estimated size, which grows up to the limit.

    A buffer costs as much as its bytes, because it is zeroed.
    """
    data = bytes(packed)
    if not data:
        return b""
    size_bytes = _declared_zstd_size(data) or max(len(data) * _ZSTD_FIRST_GUESS, 4096)
    size_bytes = min(size_bytes, limit_bytes)
    while True:
        out = bytearray(size_bytes)
        try:
            written_bytes = zstd.decompress_into(data, out)
        except DecompressionError as error:
            if "whole buffer" not in str(error):  # anything but "the output is full"
                message = f"corrupt zstd: {error}"
                raise CompressionError(message) from None
            if size_bytes == limit_bytes:
                raise DecompressedTooLargeError(limit_bytes) from None
            size_bytes = min(size_bytes * _ZSTD_FIRST_GUESS, limit_bytes)
        else:
            del out[written_bytes:]
            return out


def _declared_zstd_size(data: bytes) -> int:
    """Return the content size in the header of the first frame (RFC 8878, 3.1.1.1); 0 if none."""
    if len(data) < _ZSTD_HEADER_MAX_BYTES:
        return 0
    descriptor = data[4]
    code, is_single_segment = descriptor >> 6, descriptor & 0x20
    start = 5 + (not is_single_segment) + _ZSTD_DICTIONARY_ID_BYTES[descriptor & 3]
    if code == 0:
        return data[start] if is_single_segment else 0
    size_bytes = int.from_bytes(data[start : start + (1 << code)], "little")
    return size_bytes + 256 if code == 1 else size_bytes


def _compress_lz4(data: Buffer, _level: int | None, is_format_0: bool) -> bytes:
    return compress_lz4(data, broken_header_checksum=is_format_0)


def _decompress_lz4(data: Buffer, limit_bytes: int, is_format_0: bool) -> bytes:
    return decompress_lz4(data, limit_bytes, ignore_header_checksum=is_format_0)


NATIVE_CODECS: Final[Mapping[int, NativeCodec]] = {
    Compression.SNAPPY: NativeCodec(_compress_snappy, _decompress_snappy),
    Compression.LZ4: NativeCodec(_compress_lz4, _decompress_lz4),
    Compression.ZSTD: NativeCodec(_compress_zstd, _decompress_zstd),
}
