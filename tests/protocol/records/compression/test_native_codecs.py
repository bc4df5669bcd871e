"""Snappy and zstd, in the forms that clients send."""

import struct

import cramjam
import pytest

from mockbroker.protocol.records.compression.codecs import CompressionError, decompress
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
