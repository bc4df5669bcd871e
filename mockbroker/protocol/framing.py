"""Frames: every request and response follows its size (four bytes, signed)."""

import struct
from typing import Final

from mockbroker.protocol.errors import DecodeError

SIZE_BYTES: Final = 4

_SIZE: Final = struct.Struct(">i")

read_size = _SIZE.unpack_from


def sized(frame: bytes) -> bytes:
    """Prefix a frame with its size."""
    return _SIZE.pack(len(frame)) + frame


def check_size(size_bytes: int, max_size_bytes: int) -> None:
    """Check the declared size of a request frame.

    Raises:
        DecodeError: the size is negative, or exceeds `socket.request.max.bytes`.

    """
    if size_bytes < 0:
        raise DecodeError("size", f"a frame of {size_bytes} bytes")
    if size_bytes > max_size_bytes:
        raise DecodeError(
            "size",
            f"a frame of {size_bytes} bytes exceeds socket.request.max.bytes={max_size_bytes}",
        )
