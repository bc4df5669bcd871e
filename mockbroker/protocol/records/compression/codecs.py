"""Compression codecs of record batches and message sets, with a limit on the decompressed size.

The containers are those of Kafka's Java classes: gzip members, snappy blocks in xerial's framing,
an LZ4 frame of independent blocks, zstd frames. cramjam is imported at the first use.
"""

import struct
import zlib
from collections.abc import Callable
from typing import Final

from mockbroker.protocol.records.compression.compression_error import (
    CompressionError,
    DecompressedTooLargeError,
)
from mockbroker.protocol.records.compression.lz4_frame import compress_lz4, decompress_lz4
from mockbroker.protocol.types import Buffer, Compression

__all__ = ["CompressionError", "DecompressedTooLargeError", "compress", "decompress"]

_GZIP_WINDOW_BITS: Final = 31
_GZIP_HEADER: Final = b"\x1f\x8b\x08"
_XERIAL_MAGIC: Final = b"\x82SNAPPY\x00"
_XERIAL_HEADER: Final = _XERIAL_MAGIC + struct.pack(">ii", 1, 1)
_XERIAL_BLOCK_BYTES: Final = 32 * 1024
_SNAPPY_MAX_RATIO: Final = 32  # three bytes copy 64 at most
_ZSTD_FIRST_GUESS: Final = 8
_I32: Final = struct.Struct(">i")


def compress(
    codec: int, data: Buffer, *, level: int | None = None, is_message_format_0: bool = False
) -> Buffer:
    """Compress `data` with a codec (a member of `Compression`); `NONE` returns it unchanged.

    `level` applies to gzip and zstd. `is_message_format_0` selects the LZ4 frame of that format.

    Raises:
        CompressionError: the codec is unknown.

    """
    if codec == Compression.NONE:
        return data
    if codec == Compression.GZIP:
        packer = zlib.compressobj(-1 if level is None else level, wbits=_GZIP_WINDOW_BITS)
        return packer.compress(data) + packer.flush()
    if codec == Compression.SNAPPY:
        return _compress_snappy(data)
    if codec == Compression.LZ4:
        return compress_lz4(data, broken_header_checksum=is_message_format_0)
    if codec == Compression.ZSTD:
        from cramjam import zstd

        return bytes(zstd.compress(bytes(data), level=level))
    message = f"unknown codec {codec}"
    raise CompressionError(message)


def decompress(
    codec: int, data: Buffer, limit_bytes: int, *, is_message_format_0: bool = False
) -> Buffer:
    """Decompress `data` to at most `limit_bytes`; `NONE` returns it unchanged.

    Raises:
        CompressionError: the data is corrupt, or the codec is unknown.
        DecompressedTooLargeError: the result exceeds `limit_bytes`.

    """
    if codec == Compression.NONE:
        return data
    if codec == Compression.LZ4:
        return decompress_lz4(data, limit_bytes, ignore_header_checksum=is_message_format_0)
    unpack = _UNPACKERS.get(codec)
    if unpack is None:
        message = f"unknown codec {codec}"
        raise CompressionError(message)
    return unpack(bytes(data), limit_bytes)


def _decompress_gzip(data: bytes, limit_bytes: int) -> bytes:
    """Decompress all members; other trailing bytes are ignored, as in GZIPInputStream."""
    parts: list[bytes] = []
    left_bytes = limit_bytes
    while True:
        unpacker = zlib.decompressobj(_GZIP_WINDOW_BITS)
        try:
            part = unpacker.decompress(data, left_bytes + 1)
        except zlib.error as error:
            message = f"corrupt gzip: {error}"
            raise CompressionError(message) from None
        left_bytes -= len(part)
        if left_bytes < 0:
            raise DecompressedTooLargeError(limit_bytes)
        if not unpacker.eof:
            message = "the gzip stream ends too early"
            raise CompressionError(message)
        parts.append(part)
        data = unpacker.unused_data
        if not data.startswith(_GZIP_HEADER):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def _compress_snappy(data: Buffer) -> bytes:
    from cramjam import snappy

    parts = [_XERIAL_HEADER]
    view = memoryview(data)
    for start in range(0, len(view), _XERIAL_BLOCK_BYTES):
        block = bytes(snappy.compress_raw(bytes(view[start : start + _XERIAL_BLOCK_BYTES])))
        parts += (_I32.pack(len(block)), block)
    return b"".join(parts)


def _decompress_snappy(data: bytes, limit_bytes: int) -> bytes:
    """Decompress xerial's framing, or one raw block if its magic bytes are missing."""
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
    from cramjam import DecompressionError, snappy

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


def _decompress_zstd(data: bytes, limit_bytes: int) -> Buffer:
    """Decompress into a buffer of an estimated size, which grows up to the limit."""
    from cramjam import DecompressionError, zstd

    if not data:
        return b""
    size_bytes = min(max(len(data) * _ZSTD_FIRST_GUESS, 4096), limit_bytes)
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


_UNPACKERS: Final[dict[int, Callable[[bytes, int], Buffer]]] = {
    Compression.GZIP: _decompress_gzip,
    Compression.SNAPPY: _decompress_snappy,
    Compression.ZSTD: _decompress_zstd,
}
