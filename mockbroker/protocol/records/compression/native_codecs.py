"""Snappy and LZ4 by the native library cramjam, zstd by zstandard."""

import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from cramjam import DecompressionError, snappy
from zstandard import ZstdCompressor, ZstdDecompressor, ZstdError, frame_content_size

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
_ZSTD_SLICE_BYTES: Final = 512
"""Input of one call, which becomes 16 MiB at most (32,768 times as much)."""
_ZSTD_DEFAULT_LEVEL: Final = 3
_IDLE_ZSTD_CONTEXTS: Final[list[ZstdDecompressor]] = []
"""Contexts, at most one for each thread: a new one costs more than a small batch."""
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
    return ZstdCompressor(_ZSTD_DEFAULT_LEVEL if level is None else level).compress(data)


def _decompress_zstd(packed: Buffer, limit_bytes: int, _is_format_0: bool) -> bytes:
    data = bytes(packed)
    if not data:
        return data
    try:
        context = _IDLE_ZSTD_CONTEXTS.pop()
    except IndexError:
        context = ZstdDecompressor()
    try:
        declared_bytes = frame_content_size(data)
        if declared_bytes > limit_bytes:
            raise DecompressedTooLargeError(limit_bytes)
        if declared_bytes > 0:
            with suppress(ZstdError):  # more frames follow, or the declared size is wrong
                return context.decompress(data, allow_extra_data=False)
        return _decompress_zstd_frames(context, data, limit_bytes)
    except ZstdError as error:
        message = f"corrupt zstd: {error}"
        raise CompressionError(message) from None
    finally:
        _IDLE_ZSTD_CONTEXTS.append(context)


def _decompress_zstd_frames(context: ZstdDecompressor, data: bytes, limit_bytes: int) -> bytes:
    """Decompress all frames, in slices, because a frame does not have to declare its size."""
    parts: list[bytes] = []
    left_bytes = limit_bytes
    while data:
        frame = context.decompressobj()
        start = 0
        while not frame.eof:
            if start >= len(data):
                message = "the zstd frame ends too early"
                raise CompressionError(message)
            part = frame.decompress(data[start : start + _ZSTD_SLICE_BYTES])
            start += _ZSTD_SLICE_BYTES
            left_bytes -= len(part)
            if left_bytes < 0:
                raise DecompressedTooLargeError(limit_bytes)
            parts.append(part)
        data = frame.unused_data + data[start:]
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _compress_lz4(data: Buffer, _level: int | None, is_format_0: bool) -> bytes:
    return compress_lz4(data, broken_header_checksum=is_format_0)


def _decompress_lz4(data: Buffer, limit_bytes: int, is_format_0: bool) -> bytes:
    return decompress_lz4(data, limit_bytes, ignore_header_checksum=is_format_0)


NATIVE_CODECS: Final[Mapping[int, NativeCodec]] = {
    Compression.SNAPPY: NativeCodec(_compress_snappy, _decompress_snappy),
    Compression.LZ4: NativeCodec(_compress_lz4, _decompress_lz4),
    Compression.ZSTD: NativeCodec(_compress_zstd, _decompress_zstd),
}
