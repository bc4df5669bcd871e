"""Errors of compressed data."""

from mockbroker.protocol.records.compression.compression_error import (
    CompressionError,
    DecompressedTooLargeError,
)


def test_a_size_above_the_limit_is_a_compression_error_with_the_limit() -> None:
    error = DecompressedTooLargeError(7)
    assert isinstance(error, CompressionError)
    assert error.limit_bytes == 7
    assert str(error) == "the decompressed size exceeds 7 bytes"
