"""Compression codecs of record batches and message sets, with a limit on the decompressed size.

The containers are those of Kafka's Java classes: gzip members, snappy blocks in xerial's framing,
an LZ4 frame of independent blocks, zstd frames.
"""

import zlib
from functools import cache
from typing import TYPE_CHECKING, Final

from mockbroker.protocol.records.compression.compression_error import (
    CompressionError,
    DecompressedTooLargeError,
)
from mockbroker.protocol.types import Buffer, Compression

if TYPE_CHECKING:
    from mockbroker.protocol.records.compression.native_codecs import NativeCodec

__all__ = ["CompressionError", "DecompressedTooLargeError", "compress", "decompress"]

_NONE: Final = int(Compression.NONE)  # a comparison with an enum member takes far longer
_GZIP: Final = int(Compression.GZIP)
_GZIP_WINDOW_BITS: Final = 31
_GZIP_HEADER: Final = b"\x1f\x8b\x08"


def compress(
    codec: int, data: Buffer, *, level: int | None = None, is_message_format_0: bool = False
) -> Buffer:
    """Compress `data` with a codec (a member of `Compression`); `NONE` returns it unchanged.

    `level` applies to gzip and zstd. `is_message_format_0` selects the LZ4 frame of that format.

    Raises:
        CompressionError: the codec is unknown.

    """
    if codec == _NONE:
        return data
    if codec == _GZIP:
        packer = zlib.compressobj(-1 if level is None else level, wbits=_GZIP_WINDOW_BITS)
        return packer.compress(data) + packer.flush()
    return _native(codec).compress(data, level, is_message_format_0)


def decompress(
    codec: int, data: Buffer, limit_bytes: int, *, is_message_format_0: bool = False
) -> Buffer:
    """Decompress `data` to at most `limit_bytes`; `NONE` returns it unchanged.

    Raises:
        CompressionError: the data is corrupt, or the codec is unknown.
        DecompressedTooLargeError: the result exceeds `limit_bytes`.

    """
    if codec == _NONE:
        return data
    if codec == _GZIP:
        return _decompress_gzip(bytes(data), limit_bytes)
    return _native(codec).decompress(data, limit_bytes, is_message_format_0)


@cache
def _native(codec: int) -> "NativeCodec":
    # Imported late: most clients send batches without compression, which need no native library.
    from mockbroker.protocol.records.compression.native_codecs import NATIVE_CODECS

    found = NATIVE_CODECS.get(codec)
    if found is None:
        message = f"unknown codec {codec}"
        raise CompressionError(message)
    return found


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
