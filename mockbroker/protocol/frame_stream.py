"""The bytes of one frame as the constructs read them: with a limit, paths in errors, and a dump."""

import io
import struct
from typing import Final

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.primitives import Length
from mockbroker.protocol.types import Buffer
from mockbroker.protocol.varint import read_uvarint

_ROOT: Final = "(parsing)"
_UVARINT_BYTES: Final = 5


def plain(path: str) -> str:
    """Turn the path that construct passes along into one that people read."""
    return path.removeprefix(_ROOT).removeprefix(".")


class Span:
    """Where a field stands in a frame, and what it says: a row of a dump."""

    __slots__ = ("end", "kind", "path", "start", "value")

    def __init__(self, path: str, kind: str, start: int, end: int, value: object) -> None:
        """Note a field by its path, its kind and its bytes `[start:end]`."""
        self.path = path
        self.kind = kind
        self.start = start
        self.end = end
        self.value = value


class FrameStream(io.BytesIO):
    """The bytes of one frame, with a limit that nested sizes narrow, and an optional dump.

    In a hurry only the first unreadable field matters: compiled code passes over the readable
    elements of long arrays, and nothing is made of them.
    """

    def __init__(
        self, data: Buffer, spans: list[Span] | None = None, *, hurried: bool = False
    ) -> None:
        """Read from `data`; append a `Span` for every field read to `spans`, if given."""
        super().__init__(data)
        self.data = bytes(data)
        self.limit = len(data)
        self.spans = spans
        self.hurried = hurried

    def take(self, size_bytes: int, path: str) -> bytes:
        """Read exactly so many bytes.

        Raises:
            DecodeError: fewer are left within the limit.

        """
        left = self.limit - self.tell()
        if size_bytes > left:
            raise DecodeError(plain(path), f"{size_bytes} bytes wanted, {left} left")
        return self.read(size_bytes)

    def take_uvarint(self, path: str) -> int:
        """Read an unsigned varint.

        Raises:
            DecodeError: it is too long, or the bytes end inside it.

        """
        start = self.tell()
        head = self.data[start : min(start + _UVARINT_BYTES, self.limit)]
        try:
            value, size_bytes = read_uvarint(head, 0)
        except IndexError:
            raise DecodeError(plain(path), "the bytes end inside a varint") from None
        except DecodeError as error:
            raise DecodeError(plain(path), error.why) from None
        self.seek(start + size_bytes)
        return value

    def take_length(self, length: Length, path: str) -> int:
        """Read a length as `length` says; null reads as a negative one."""
        if length.letter is None:
            return self.take_uvarint(path) - 1
        layout = ">" + length.letter
        value: int = struct.unpack(layout, self.take(struct.calcsize(layout), path))[0]
        return value

    def note(self, path: str, kind: str, start: int, value: object) -> None:
        """Add a row to the dump, if there is one."""
        if self.spans is not None:
            self.spans.append(Span(plain(path), kind, start, self.tell(), value))
