"""Snappy and zstd, in the forms that clients send."""

import struct
import tracemalloc

import cramjam
import pytest

from mockbroker.protocol.records.compression.codecs import (
    CompressionError,
    DecompressedTooLargeError,
    decompress,
)
from mockbroker.protocol.types import Compression

LIMIT_BYTES = 1 << 24
XERIAL = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)


def test_snappy_without_framing_is_read() -> None:
    raw = bytes(cramjam.snappy.compress_raw(b"abc" * 100))
    assert decompress(Compression.SNAPPY, raw, 300) == b"abc" * 100


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (XERIAL + b"\0\0", "inside a length"),
        (XERIAL + b"\xff\xff\xff\xff", "block of -1"),
        (XERIAL + b"\0\0\0\x09abc", "block of 9"),
        (XERIAL + b"\0\0\0\0", "empty"),
        (XERIAL[:12], "inside its header"),
        (b"\xff\xff\xff\xff\x0fabc", "cannot hold"),
        (b"\x05\xff\xff", "corrupt"),
    ],
)
def test_corrupt_snappy_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(CompressionError, match=why):
        decompress(Compression.SNAPPY, data, LIMIT_BYTES)


def test_a_snappy_header_without_blocks_is_decompressed_to_nothing() -> None:
    assert decompress(Compression.SNAPPY, XERIAL, 0) == b""


def test_empty_zstd_input_is_decompressed_to_nothing() -> None:
    assert decompress(Compression.ZSTD, b"", 0) == b""


@pytest.mark.parametrize("size_bytes", [1, 255, 256, 65_791, 65_792, 300_000])
def test_zstd_frames_with_and_without_a_declared_size_are_decompressed(size_bytes: int) -> None:
    data = bytes(range(256)) * (size_bytes // 256 + 1)
    data = data[:size_bytes]
    declared = bytes(cramjam.zstd.compress(data))
    streamed = cramjam.zstd.Compressor()
    streamed.compress(data)
    undeclared = bytes(streamed.finish())
    assert declared[:8] != undeclared[:8]
    for frame in (declared, undeclared):
        assert decompress(Compression.ZSTD, frame, size_bytes) == data
        with pytest.raises(DecompressedTooLargeError):
            decompress(Compression.ZSTD, frame, size_bytes - 1)
    both = decompress(Compression.ZSTD, declared + undeclared, 2 * size_bytes)
    assert both == data * 2


@pytest.mark.parametrize(("kept", "why"), [(3, "corrupt"), (20, "too early"), (-1, "too early")])
def test_a_truncated_zstd_frame_is_refused(kept: int, why: str) -> None:
    frame = bytes(cramjam.zstd.compress(bytes(range(256)) * 20))
    with pytest.raises(CompressionError, match=why):
        decompress(Compression.ZSTD, frame[:kept], LIMIT_BYTES)


def test_what_is_no_zstd_frame_is_refused_also_after_a_frame() -> None:
    for data in (b"abcdefgh", bytes(cramjam.zstd.compress(b"abc")) + b"abcdefgh"):
        with pytest.raises(CompressionError, match="corrupt zstd"):
            decompress(Compression.ZSTD, data, LIMIT_BYTES)


def test_a_frame_without_a_declared_size_is_decompressed_little_further_than_the_limit() -> None:
    streamed = cramjam.zstd.Compressor()
    streamed.compress(bytes(1 << 28))
    bomb = bytes(streamed.finish())
    tracemalloc.start()
    try:
        with pytest.raises(DecompressedTooLargeError):
            decompress(Compression.ZSTD, bomb, 1000)
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()


def test_a_corrupt_zstd_frame_does_not_harm_the_next_one() -> None:
    frame = bytes(cramjam.zstd.compress(b"abc" * 1000))
    with pytest.raises(CompressionError):
        decompress(Compression.ZSTD, frame[:-1] + b"abcd", LIMIT_BYTES)
    assert decompress(Compression.ZSTD, frame, LIMIT_BYTES) == b"abc" * 1000
