"""Exceptions for compressed bytes that cannot be decompressed within limits."""


class CompressionError(Exception):
    """Data that is not valid in its codec: corrupt, truncated, or of an unknown codec."""


class DecompressedTooLargeError(CompressionError):
    """Decompressed size above the caller's limit."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"the decompressed size exceeds {limit_bytes} bytes")
        self.limit_bytes = limit_bytes
