"""LZ4 frames, including Kafka's deviations from the specification."""

import struct

import cramjam
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.protocol.records.compression.compression_error import (
    CompressionError,
    DecompressedTooLargeError,
)
from mockbroker.protocol.records.compression.lz4_frame import compress_lz4, decompress_lz4, xxh32

LIMIT_BYTES = 1 << 24
HEADER = bytes.fromhex("04224d18604082")


@given(st.binary(max_size=300), st.integers(1, 2000))
def test_compressed_data_is_decompressed(piece: bytes, times: int) -> None:
    data = piece * times
    packed = compress_lz4(data)
    assert decompress_lz4(packed, LIMIT_BYTES) == data
    assert bytes(cramjam.lz4.decompress(packed)) == data


def test_the_header_is_the_one_that_kafka_writes() -> None:
    assert compress_lz4(b"")[:7] == HEADER


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", 0x02CC5D05),
        (b"a", 0x550D7456),
        (b"abc", 0x32D153FF),
        (b"Nobody inspects the spammish repetition", 0xE2293B2F),
    ],
)
def test_xxh32_gives_its_published_values(data: bytes, expected: int) -> None:
    assert xxh32(data) == expected


def test_format_0_has_a_header_checksum_over_the_magic_bytes_too() -> None:
    packed = compress_lz4(b"abc", broken_header_checksum=True)
    assert packed[6] == xxh32(HEADER[:6]) >> 8 & 0xFF != HEADER[6]
    assert decompress_lz4(packed, LIMIT_BYTES, ignore_header_checksum=True) == b"abc"
    with pytest.raises(CompressionError, match="does not match its checksum"):
        decompress_lz4(packed, LIMIT_BYTES)


def test_a_frame_with_a_content_size_and_a_content_checksum_is_read() -> None:
    descriptor = bytes((0x6C, 0x40)) + struct.pack("<Q", 3)
    frame = HEADER[:4] + descriptor + bytes((xxh32(descriptor) >> 8 & 0xFF,))
    frame += struct.pack("<I", 3 | 1 << 31) + b"abc" + bytes(4)
    assert decompress_lz4(frame + b"\1\2\3\4", LIMIT_BYTES) == b"abc"
    with pytest.raises(CompressionError, match="too early"):
        decompress_lz4(frame, LIMIT_BYTES)


def test_bytes_after_the_end_mark_are_ignored() -> None:
    assert decompress_lz4(compress_lz4(b"abc") + b"junk", LIMIT_BYTES) == b"abc"


def with_descriptor(*descriptor: int) -> bytes:
    head = bytes(descriptor)
    return HEADER[:4] + head + bytes((xxh32(head) >> 8 & 0xFF,)) + bytes(4)


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (b"", "magic"),
        (b"\x04\x22\x4d", "magic"),
        (HEADER[:5], "too early"),
        (HEADER, "too early"),
        (with_descriptor(0x40, 0x40), "linked"),
        (with_descriptor(0xA0, 0x40), "unknown kind"),
        (with_descriptor(0x61, 0x40), "unknown kind"),
        (with_descriptor(0x60, 0x41), "unknown kind"),
        (with_descriptor(0x60, 0x30), "unknown size"),
        (HEADER[:6] + b"\0", "checksum"),
        (HEADER + struct.pack("<I", 70_000) + bytes(70_000), "block of 70000"),
        (HEADER + struct.pack("<I", 9) + b"abc", "block of 9"),
        (HEADER + struct.pack("<I", 3) + b"\xff\xff\xff" + bytes(4), "corrupt"),
    ],
)
def test_a_broken_frame_is_refused(frame: bytes, why: str) -> None:
    with pytest.raises(CompressionError, match=why):
        decompress_lz4(frame, LIMIT_BYTES)


def test_block_checksums_are_verified() -> None:
    block = b"0123456789abcdef-and-some-more"
    frame = with_descriptor(0x70, 0x40)[:-4]
    frame += struct.pack("<I", len(block) | 1 << 31) + block
    assert decompress_lz4(frame + struct.pack("<I", xxh32(block)) + bytes(4), LIMIT_BYTES) == block
    with pytest.raises(CompressionError, match="block does not match"):
        decompress_lz4(frame + bytes(8), LIMIT_BYTES)


def test_more_than_the_limit_is_refused() -> None:
    packed = compress_lz4(bytes(1 << 20))
    assert len(decompress_lz4(packed, 1 << 20)) == 1 << 20
    with pytest.raises(DecompressedTooLargeError, match="exceeds 1048575 bytes"):
        decompress_lz4(packed, (1 << 20) - 1)


@given(st.binary(max_size=200))
def test_any_bytes_are_decompressed_or_refused(data: bytes) -> None:
    for frame in (data, HEADER + data):
        try:
            unpacked = decompress_lz4(frame, 1000)
        except CompressionError:
            continue
        assert len(unpacked) <= 1000
