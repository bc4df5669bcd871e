"""Receive buffers, which are not zeroed, as they are written in full before a read."""

from collections.abc import Callable
from functools import cache
from typing import Final

from mockbroker.protocol.framing import SIZE_BYTES, read_size

_FIRST_ALLOCATION_BYTES: Final = 16 * 1024
_GROWTH: Final = 4


def unzeroed(size_bytes: int) -> bytearray:
    """Return a buffer with undefined contents; it must be written in full before it is read.

    Zeroing a frame of 640 KiB takes a third of the time that receiving it takes.
    """
    return allocator()(size_bytes)


@cache
def allocator() -> Callable[[int], bytearray]:
    """Return CPython's allocation function, or `bytearray` (zeroed) on other Pythons."""
    try:
        # Imported late: only large frames need it.
        import ctypes

        allocate = ctypes.pythonapi.PyByteArray_FromStringAndSize
    except (ImportError, AttributeError):
        return bytearray
    allocate.restype = ctypes.py_object
    allocate.argtypes = (ctypes.c_void_p, ctypes.c_ssize_t)
    return lambda size_bytes: allocate(None, size_bytes)


def begin_large_frame(received: memoryview, max_size_bytes: int) -> "LargeFrame | None":
    """Begin the frame that the received bytes begin, if it goes on after them.

    None is returned for a frame that has arrived whole, or that is larger than is allowed.
    """
    (size_bytes,) = read_size(received, 0)
    arrived = received[SIZE_BYTES:]
    return LargeFrame(size_bytes, arrived) if len(arrived) < size_bytes <= max_size_bytes else None


class LargeFrame:
    """Frame with a buffer of its own, which grows as its bytes arrive."""

    __slots__ = ("_filled_bytes", "_size_bytes", "data")

    def __init__(self, size_bytes: int, arrived: memoryview) -> None:
        """Begin a frame of a declared size with the bytes that have arrived."""
        capacity = min(size_bytes, max(_FIRST_ALLOCATION_BYTES, len(arrived) * _GROWTH))
        self.data = unzeroed(capacity)
        """The buffer; it is the frame when it is whole."""
        self.data[: len(arrived)] = arrived
        self._filled_bytes = len(arrived)
        self._size_bytes = size_bytes

    @property
    def room(self) -> memoryview:
        """Part of the buffer for the next bytes."""
        return memoryview(self.data)[self._filled_bytes :]

    @property
    def is_whole(self) -> bool:
        """True when all bytes have arrived."""
        return self._filled_bytes == self._size_bytes

    def fill(self, size_bytes: int) -> None:
        """Count bytes that were written to `room`, and make more room if it is full."""
        self._filled_bytes += size_bytes
        if self._filled_bytes == len(self.data) and not self.is_whole:
            larger = unzeroed(min(self._size_bytes, self._filled_bytes * _GROWTH))
            larger[: self._filled_bytes] = self.data
            self.data = larger
