"""Bytes in, frames out: every request stands behind its size (four bytes, signed)."""

import struct
from collections.abc import Iterator
from typing import Final

from mockbroker.protocol.errors import DecodeError

SIZE_BYTES: Final = 4
MAX_SIZE_BYTES_DEFAULT: Final = 104_857_600
"""Kafka's default of `socket.request.max.bytes`."""

read_size = struct.Struct(">i").unpack_from
write_size = struct.Struct(">i").pack


def check_size(size_bytes: int, max_size_bytes: int) -> None:
    """Refuse a frame that declares a size no request may have.

    Raises:
        DecodeError: the size is negative, or more than `socket.request.max.bytes`.

    """
    if size_bytes < 0:
        raise DecodeError("size", f"a frame of {size_bytes} bytes")
    if size_bytes > max_size_bytes:
        raise DecodeError(
            "size",
            f"a frame of {size_bytes} bytes is more than socket.request.max.bytes={max_size_bytes}",
        )


class FrameBuffer:
    """Cuts a stream of bytes into frames; what is incomplete waits for more."""

    def __init__(self, max_size_bytes: int = MAX_SIZE_BYTES_DEFAULT) -> None:
        """Refuse frames above the given size."""
        self._pending = bytearray()
        self._max_size_bytes = max_size_bytes

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take bytes as they come, and give every frame that is complete, without its size.

        Raises:
            DecodeError: a size that no frame may have; the stream cannot be read any further.

        """
        self._pending += data
        position = 0
        while len(self._pending) - position >= SIZE_BYTES:
            (size_bytes,) = read_size(self._pending, position)
            check_size(size_bytes, self._max_size_bytes)
            end = position + SIZE_BYTES + size_bytes
            if end > len(self._pending):
                break
            yield bytes(self._pending[position + SIZE_BYTES : end])
            position = end
        del self._pending[:position]
