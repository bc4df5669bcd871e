"""The errors of compressed bytes."""

from mockbroker.protocol.records.compression_error import (
    CompressionError,
    DecompressedTooLargeError,
)


def test_too_much_is_a_compression_error_that_tells_the_limit() -> None:
    error = DecompressedTooLargeError(7)
    assert isinstance(error, CompressionError)
    assert error.limit_bytes == 7
    assert str(error) == "it unpacks to more than 7 bytes"
