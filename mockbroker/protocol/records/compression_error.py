"""What is raised for compressed bytes that cannot, or may not, be unpacked."""


class CompressionError(Exception):
    """Bytes that are not what their codec writes: corrupt, truncated, or of an unknown codec."""


class DecompressedTooLargeError(CompressionError):
    """Bytes that unpack to more than the caller allows."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"it unpacks to more than {limit_bytes} bytes")
        self.limit_bytes = limit_bytes
