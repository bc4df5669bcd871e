"""Constructs of a message's tree, which read and write field by field with a path for each.

They explain bytes that a compiled codec rejected, list the fields of a frame for `mockbroker
decode`, and check the compiled codec in tests. Importing construct takes as long as starting
asyncio, so no module that a broker needs for its first response imports this one.
"""

import io
import struct
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from construct import Construct

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.schema.codegen import UNREADABLE, Decoder, PacedCount
from mockbroker.protocol.schema.composites import ArrayNode, NullableStructNode, StructNode
from mockbroker.protocol.schema.frame_stream import FieldSpan, FrameStream, without_prefix
from mockbroker.protocol.schema.primitives import (
    Length,
    Node,
    Scalar,
    Sized,
    StringNode,
    UuidNode,
    compile_decoder,
)
from mockbroker.protocol.types import Buffer
from mockbroker.protocol.varint import write_uvarint

_NULL: Final = -1
_PRESENT: Final = 1
_LONG_ARRAY: Final = 16


def _length_bytes(length: Length, value: int) -> bytes:
    if length.letter is None:
        return write_uvarint(value + 1)
    return struct.pack(">" + length.letter, value)


class NodeConstruct(Construct):  # type: ignore[misc]  # construct is not typed
    """Base class of the construct of a node; each kind of node has a subclass."""

    def take(self, stream: FrameStream, path: str) -> Any:
        """Read a value.

        Raises:
            DecodeError: the bytes are not a valid value.

        """
        raise NotImplementedError

    def put(self, value: Any, stream: io.BytesIO, path: str) -> None:
        """Write a value."""
        raise NotImplementedError

    def parse_bytes(self, data: Buffer, spans: list[FieldSpan] | None = None) -> Any:
        """Read a value that fills a whole buffer.

        Raises:
            DecodeError: the buffer has no valid value, or bytes after it.

        """
        return self._take_all(FrameStream(data, spans))

    def build_bytes(self, value: Any) -> bytes:
        """Write a value into a new buffer."""
        stream = io.BytesIO()
        self.put(value, stream, "")
        return stream.getvalue()

    def explain(self, data: Buffer, paced: PacedCount = range) -> DecodeError | None:
        """Return the first error in a buffer; takes about as long as decoding it."""
        try:
            self._take_all(FrameStream(data, hurried=paced))
        except DecodeError as error:
            return error
        return None

    def _take_all(self, stream: FrameStream) -> Any:
        value = self.take(stream, "")
        left = stream.limit - stream.tell()
        if left:
            raise DecodeError("", f"{left} bytes are left over after the last field")
        return value

    # construct's own protocol: these constructs can be combined with any others

    def _parse(self, stream: io.BytesIO, context: object, path: str) -> Any:
        start = stream.tell()
        frame = FrameStream(stream.read())
        value = self.take(frame, path)
        stream.seek(start + frame.tell())
        return value

    def _build(self, obj: Any, stream: io.BytesIO, context: object, path: str) -> Any:
        self.put(obj, stream, path)
        return obj


def construct_of(node: Node) -> NodeConstruct:
    """Create the construct of a node and its descendants."""
    if isinstance(node, StructNode):
        return StructConstruct(node)
    if isinstance(node, NullableStructNode):
        return NullableStructConstruct(node)
    if isinstance(node, ArrayNode):
        return ArrayConstruct(node)
    if isinstance(node, Sized):
        return SizedConstruct(node)
    assert isinstance(node, Scalar), node
    return UuidConstruct(node) if isinstance(node, UuidNode) else ScalarConstruct(node)


class ScalarConstruct(NodeConstruct):
    """Value of fixed size."""

    def __init__(self, node: Scalar) -> None:
        """Use the node's `struct` letter."""
        super().__init__()
        self.kind = node.kind
        self._layout = struct.Struct(">" + node.letter)

    def take(self, stream: FrameStream, path: str) -> Any:
        """Unpack the value."""
        start = stream.tell()
        (raw,) = self._layout.unpack(stream.take(self._layout.size, path))
        value = self.value_of(raw)
        stream.note(path, self.kind, start, value)
        return value

    def put(self, value: Any, stream: io.BytesIO, path: str) -> None:
        """Pack the value."""
        stream.write(self._layout.pack(self.raw_of(value)))

    def value_of(self, raw: Any) -> Any:
        """Convert the unpacked value to the field's value."""
        return raw

    def raw_of(self, value: Any) -> Any:
        """Convert the field's value to the value to pack."""
        return value


class UuidConstruct(ScalarConstruct):
    """UUID of sixteen bytes."""

    def value_of(self, raw: bytes) -> UUID:
        """Create a UUID from its bytes."""
        return UUID(bytes=raw)

    def raw_of(self, value: UUID) -> bytes:
        """Return the UUID's bytes."""
        return value.bytes


class SizedConstruct(NodeConstruct):
    """Length-prefixed text, opaque bytes or records."""

    def __init__(self, node: Sized) -> None:
        """Use the node's length and limits."""
        super().__init__()
        self._node = node

    def take(self, stream: FrameStream, path: str) -> Any:
        """Read the length, then that many bytes."""
        start = stream.tell()
        length = stream.take_length(self._node.length, path)
        value: object = None
        if length >= 0:
            longest = self._node.longest_bytes
            if longest is not None and length > longest:
                raise DecodeError(
                    without_prefix(path), f"{length} bytes exceed the limit of {longest}"
                )
            value = self._value_of(stream.take(length, path), path)
        elif not self._node.nullable:
            raise DecodeError(without_prefix(path), "null is not allowed here")
        stream.note(path, self._node.kind, start, value)
        return value

    def _value_of(self, data: bytes, path: str) -> str | bytes:
        if not isinstance(self._node, StringNode):
            return data
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise DecodeError(without_prefix(path), f"invalid UTF-8: {error.reason}") from None

    def put(self, value: Any, stream: io.BytesIO, path: str) -> None:
        """Write the length, then the bytes."""
        if value is None:
            assert self._node.nullable, path
            stream.write(_length_bytes(self._node.length, _NULL))
        else:
            data = value.encode() if isinstance(value, str) else bytes(value)
            stream.write(_length_bytes(self._node.length, len(data)) + data)


class ArrayConstruct(NodeConstruct):
    """Length-prefixed list."""

    def __init__(self, node: ArrayNode) -> None:
        """Use the construct of the element."""
        super().__init__()
        self._node = node
        self._element = construct_of(node.element)

    @cached_property
    def _decode_element(self) -> Decoder:
        return compile_decoder(self._node.element, "an element")

    def take(self, stream: FrameStream, path: str) -> list[Any] | None:
        """Read the count, then the elements."""
        start = stream.tell()
        count = stream.take_length(self._node.length, path)
        left = stream.limit - stream.tell()
        if count * self._node.element.least_bytes > left:
            raise DecodeError(without_prefix(path), f"{count} elements declared, {left} bytes left")
        if count < 0 and not self._node.nullable:
            raise DecodeError(without_prefix(path), "null is not allowed here")
        stream.note(path, self._node.kind, start, None if count < 0 else count)
        if count < 0:
            return None
        first = self._pass_over(stream, count) if count > _LONG_ARRAY else 0
        return [self._element.take(stream, f"{path}[{i}]") for i in range(first, count)]

    def _pass_over(self, stream: FrameStream, count: int) -> int:
        """In a hurried stream, skip the valid elements at its position; return their number."""
        if stream.hurried is None:
            return 0
        for i in stream.hurried(count):
            try:
                _, stop = self._decode_element(stream.data, stream.tell(), stream.limit)
            except UNREADABLE:
                return i
            if stop > stream.limit:
                return i
            stream.seek(stop)
        return count

    def put(self, value: Any, stream: io.BytesIO, path: str) -> None:
        """Write the count, then the elements."""
        if value is None:
            assert self._node.nullable, path
            stream.write(_length_bytes(self._node.length, _NULL))
        else:
            stream.write(_length_bytes(self._node.length, len(value)))
            for i, item in enumerate(value):
                self._element.put(item, stream, f"{path}[{i}]")


class StructConstruct(NodeConstruct):
    """Fields of a struct, with the tagged fields of a flexible version."""

    def __init__(self, node: StructNode) -> None:
        """Create the construct of each field."""
        super().__init__()
        self._node = node
        self._fields = [(m.name, construct_of(inner)) for m, inner in node.untagged]
        self._tagged = {tag: (m, construct_of(inner)) for tag, m, inner in node.tagged}

    def take(self, stream: FrameStream, path: str) -> Any:
        """Read each field, then the tagged fields."""
        values = {name: field.take(stream, f"{path}.{name}") for name, field in self._fields}
        if self._node.flexible:
            values |= self._take_tags(stream, path)
        return self._node.of(**values)

    def _take_tags(self, stream: FrameStream, path: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        start = stream.tell()
        count = stream.take_uvarint(f"{path}.tags")
        stream.note(f"{path}.tags", "tags", start, count)
        for _ in (stream.hurried or range)(count):
            start = stream.tell()
            tag = stream.take_uvarint(f"{path}.tags")
            size_bytes = stream.take_uvarint(f"{path}.tags")
            end, outer = stream.tell() + size_bytes, stream.limit
            if end > outer:
                raise DecodeError(
                    without_prefix(f"{path}.tags"), f"tag {tag} is longer than the frame"
                )
            if tag not in self._tagged:
                stream.note(f"{path}.tag({tag})", "unknown", start, stream.read(size_bytes))
                continue
            member, field = self._tagged[tag]
            stream.note(f"{path}.{member.name}", "tag", start, tag)
            stream.limit = end
            values[member.name] = field.take(stream, f"{path}.{member.name}")
            stream.limit = outer
            if stream.tell() != end:
                raise DecodeError(
                    without_prefix(f"{path}.{member.name}"), "its tag declares another size"
                )
        return values

    def put(self, value: Any, stream: io.BytesIO, path: str) -> None:
        """Write each field, then the tagged fields that are not default."""
        for name, field in self._fields:
            field.put(getattr(value, name), stream, f"{path}.{name}")
        if self._node.flexible:
            self._put_tags(value, stream, path)

    def _put_tags(self, value: Any, stream: io.BytesIO, path: str) -> None:
        parts: list[bytes] = []
        for tag, (member, field) in self._tagged.items():
            item = getattr(value, member.name)
            if item == member.field.initial():
                continue
            body = io.BytesIO()
            field.put(item, body, f"{path}.{member.name}")
            data = body.getvalue()
            parts.append(write_uvarint(tag) + write_uvarint(len(data)) + data)
        stream.write(write_uvarint(len(parts)) + b"".join(parts))


class NullableStructConstruct(NodeConstruct):
    """Struct that may be null, with a signed marker byte before it."""

    def __init__(self, node: NullableStructNode) -> None:
        """Create the construct of the struct."""
        super().__init__()
        self._inner = StructConstruct(node.inner)
        self._null = node.null

    def take(self, stream: FrameStream, path: str) -> Any:
        """Read the marker byte, then the struct unless it is null."""
        start = stream.tell()
        mark = int.from_bytes(stream.take(1, path), "big", signed=True)
        is_null = mark == 0 if self._null == 0 else mark < 0
        stream.note(path, "struct", start, "null" if is_null else "present")
        return None if is_null else self._inner.take(stream, path)

    def put(self, value: Any, stream: io.BytesIO, path: str) -> None:
        """Write the marker byte, then the struct unless it is null."""
        mark = self._null if value is None else _PRESENT
        stream.write(mark.to_bytes(1, "big", signed=True))
        if value is not None:
            self._inner.put(value, stream, path)
