"""The compression codecs and their limits."""

import gzip
import struct
import tracemalloc

import cramjam
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.protocol.records.compression.codecs import (
    CompressionError,
    DecompressedTooLargeError,
    compress,
    decompress,
)
from mockbroker.protocol.types import Compression

LIMIT_BYTES = 1 << 24
CODECS = [Compression.GZIP, Compression.SNAPPY, Compression.LZ4, Compression.ZSTD]
XERIAL = b"\x82SNAPPY\x00" + struct.pack(">ii", 1, 1)


@given(st.sampled_from(Compression), st.binary(max_size=200), st.integers(1, 1000))
def test_compressed_data_is_decompressed(codec: Compression, piece: bytes, times: int) -> None:
    data = piece * times
    assert bytes(decompress(codec, memoryview(compress(codec, data)), LIMIT_BYTES)) == data


@pytest.mark.parametrize("codec", CODECS)
def test_data_compressed_by_others_is_decompressed(codec: Compression) -> None:
    data = b"some records, and some more records " * 5000
    snappy = b"".join(
        struct.pack(">i", len(block)) + block
        for start in range(0, len(data), 1000)
        for block in [bytes(cramjam.snappy.compress_raw(data[start : start + 1000]))]
    )
    packed = {
        Compression.GZIP: gzip.compress(data, 9),
        Compression.SNAPPY: XERIAL + snappy,
        Compression.LZ4: bytes(compress(Compression.LZ4, data)),
        Compression.ZSTD: bytes(cramjam.zstd.compress(data, level=19)),
    }
    assert bytes(decompress(codec, packed[codec], len(data))) == data


@pytest.mark.parametrize("codec", CODECS)
def test_more_than_the_limit_is_refused(codec: Compression) -> None:
    packed = compress(codec, b"records " * 1000)
    with pytest.raises(DecompressedTooLargeError) as refusal:
        decompress(codec, packed, 7999)
    assert refusal.value.limit_bytes == 7999


@pytest.mark.parametrize("codec", CODECS)
def test_a_decompression_bomb_uses_no_more_memory_than_the_limit(codec: Compression) -> None:
    bomb = compress(codec, bytes(64 << 20))
    decompress(codec, compress(codec, b"imports are done"), 100)
    tracemalloc.start()
    try:
        with pytest.raises(DecompressedTooLargeError):
            decompress(codec, bomb, 1 << 20)
        assert tracemalloc.get_traced_memory()[1] < (8 << 20) + 3 * len(bomb)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("kept", [1, 5, 0.5, -1])
def test_a_truncated_stream_is_refused(codec: Compression, kept: float) -> None:
    packed = bytes(compress(codec, bytes(range(256)) * 40))
    end = int(len(packed) * kept) if kept == 0.5 else int(kept)
    with pytest.raises(CompressionError):
        decompress(codec, packed[:end], LIMIT_BYTES)


@pytest.mark.parametrize("codec", [Compression.GZIP, Compression.SNAPPY, Compression.ZSTD])
def test_concatenated_streams_are_one(codec: Compression) -> None:
    packed = bytes(compress(codec, b"one,")) + bytes(compress(codec, b"two"))
    assert bytes(decompress(codec, packed, LIMIT_BYTES)) == b"one,two"


def test_bytes_after_a_gzip_member_are_ignored() -> None:
    assert decompress(Compression.GZIP, gzip.compress(b"abc") + b"junk", 100) == b"abc"


@pytest.mark.parametrize("codec", [5, 6, 7])
def test_a_codec_that_does_not_exist_is_refused(codec: int) -> None:
    with pytest.raises(CompressionError, match=f"unknown codec {codec}"):
        compress(codec, b"")
    with pytest.raises(CompressionError, match=f"unknown codec {codec}"):
        decompress(codec, b"", 0)


def test_a_level_is_taken() -> None:
    data = bytes(range(256)) * 100
    for codec in (Compression.GZIP, Compression.ZSTD):
        assert bytes(decompress(codec, compress(codec, data, level=1), LIMIT_BYTES)) == data


@given(st.sampled_from(CODECS), st.binary(max_size=100), st.booleans())
def test_any_bytes_are_decompressed_or_refused(
    codec: Compression, data: bytes, is_mutated: bool
) -> None:
    packed = bytearray(compress(codec, b"some records " * 20))
    if is_mutated:
        packed[5 : 5 + len(data) % 8] = data
    try:
        unpacked = decompress(codec, bytes(packed) if is_mutated else data, 1000)
    except CompressionError:
        return
    assert len(unpacked) <= 1000
