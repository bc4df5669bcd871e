"""Byte stream of one frame for the constructs, with a limit, error paths and a field dump."""

import io
import struct
from typing import Final

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.schema.codegen import PacedCount
from mockbroker.protocol.schema.primitives import Length
from mockbroker.protocol.types import Buffer
from mockbroker.protocol.varint import read_uvarint

_ROOT: Final = "(parsing)"
_UVARINT_BYTES: Final = 5


def without_prefix(path: str) -> str:
    """Remove construct's prefix from a field path."""
    return path.removeprefix(_ROOT).removeprefix(".")


class FieldSpan:
    """Field of a frame with its byte range and its value: a row of a dump."""

    __slots__ = ("end", "kind", "path", "start", "value")

    def __init__(self, path: str, kind: str, start: int, end: int, value: object) -> None:
        """Record a field's path, kind, byte range `[start:end]` and value."""
        self.path = path
        self.kind = kind
        self.start = start
        self.end = end
        self.value = value


class FrameStream(io.BytesIO):
    """Bytes of one frame, with a limit that nested sizes narrow, and an optional dump.

    In a hurried stream only the first invalid field matters: compiled code skips the valid
    elements of long arrays without creating values; `hurried` yields their indexes.
    """

    def __init__(
        self,
        data: Buffer,
        spans: list[FieldSpan] | None = None,
        *,
        hurried: PacedCount | None = None,
    ) -> None:
        """Read from `data`; append a `Span` for every field read to `spans`, if given."""
        super().__init__(data)
        self.data = bytes(data)
        self.limit = len(data)
        self.spans = spans
        self.hurried = hurried

    def take(self, size_bytes: int, path: str) -> bytes:
        """Read exactly `size_bytes` bytes.

        Raises:
            DecodeError: fewer bytes are left within the limit.

        """
        left = self.limit - self.tell()
        if size_bytes > left:
            raise DecodeError(without_prefix(path), f"{size_bytes} bytes wanted, {left} left")
        return self.read(size_bytes)

    def take_uvarint(self, path: str) -> int:
        """Read an unsigned varint.

        Raises:
            DecodeError: the varint is too long, or the bytes end inside it.

        """
        start = self.tell()
        head = self.data[start : min(start + _UVARINT_BYTES, self.limit)]
        try:
            value, size_bytes = read_uvarint(head, 0)
        except IndexError:
            raise DecodeError(without_prefix(path), "the bytes end inside a varint") from None
        except DecodeError as error:
            raise DecodeError(without_prefix(path), error.why) from None
        self.seek(start + size_bytes)
        return value

    def take_length(self, length: Length, path: str) -> int:
        """Read a length in the encoding of `length`; null is returned as a negative number."""
        if length.letter is None:
            return self.take_uvarint(path) - 1
        layout = ">" + length.letter
        value: int = struct.unpack(layout, self.take(struct.calcsize(layout), path))[0]
        return value

    def note(self, path: str, kind: str, start: int, value: object) -> None:
        """Add a row to the dump, if one was requested."""
        if self.spans is not None:
            self.spans.append(FieldSpan(without_prefix(path), kind, start, self.tell(), value))
