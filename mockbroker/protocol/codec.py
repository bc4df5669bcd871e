"""Codec of a message: encode and decode one message in one version.

The codec of a (message, version) is compiled from its declaration at the first use and cached. When
the compiled decoder rejects bytes, the constructs of the same tree read them again, field by field,
to name the invalid field.
"""

from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar, cast

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.schema.codegen import UNREADABLE, Decoder, Encoder, PacedCount
from mockbroker.protocol.schema.composites import (
    ArrayNode,
    Member,
    NullableStructNode,
    StructNode,
)
from mockbroker.protocol.schema.message import (
    Field,
    Kind,
    Message,
    Struct,
)
from mockbroker.protocol.schema.primitives import (
    BytesNode,
    Length,
    Node,
    RecordsNode,
    Scalar,
    StringNode,
    UuidNode,
    compile_decoder,
    compile_encoder,
)
from mockbroker.protocol.types import Buffer

if TYPE_CHECKING:
    from mockbroker.protocol.schema.constructs import NodeConstruct
    from mockbroker.protocol.schema.frame_stream import FieldSpan

M = TypeVar("M", bound=Message)

_LETTERS: Final = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "float64": "d",
}


def tree(message: type[Struct], version: int, *, flexible: bool) -> StructNode:
    """Build the node tree of a struct in one version."""
    members = [
        Member(
            name,
            field,
            _field_node(field, version, flexible=flexible) if version in field.versions else None,
            field.tag if version in field.tagged else None,
        )
        for name, field in message.FIELDS.items()
    ]
    return StructNode(message, members, flexible=flexible)


def _field_node(field: Field, version: int, *, flexible: bool) -> Node:
    compact = flexible if field.flexible is None else version in field.flexible
    nullable = version in field.nullable
    if field.kind.struct is not None and nullable:
        inner = tree(field.kind.struct, version, flexible=compact)
        return NullableStructNode(inner, tagged=version in field.tagged)
    return _node(field.kind, version, compact=compact, nullable=nullable)


def _node(kind: Kind, version: int, *, compact: bool, nullable: bool) -> Node:
    if kind.element is not None:
        element = _node(kind.element, version, compact=compact, nullable=False)
        return ArrayNode(Length(None if compact else "i"), element, nullable=nullable)
    if kind.struct is not None:
        return tree(kind.struct, version, flexible=compact)
    if kind.name == "uuid":
        return UuidNode()
    if kind.name == "string":
        return StringNode(Length(None if compact else "h"), nullable=nullable)
    if kind.name in ("bytes", "records"):
        make = BytesNode if kind.name == "bytes" else RecordsNode
        return make(Length(None if compact else "i"), nullable=nullable)
    return Scalar(kind.name, _LETTERS[kind.name])


@cache
def message_tree(message: type[Message], version: int) -> StructNode:
    """Build and cache the node tree of a message in one version."""
    assert version in message.VERSIONS, (message, version)
    return tree(message, version, flexible=version in message.FLEXIBLE)


@cache
def message_construct(message: type[Message], version: int) -> "NodeConstruct":
    """Build and cache the constructs of a message's tree in one version."""
    # Imported late: only rejected bytes and people who read a frame need constructs.
    from mockbroker.protocol.schema.constructs import construct_of

    return construct_of(message_tree(message, version))


@cache
def decoder(message: type[Message], version: int) -> Decoder:
    """Compile and cache the decoder of a message in one version."""
    return compile_decoder(message_tree(message, version), f"{message.__name__} v{version}")


@cache
def encoder(message: type[Message], version: int) -> Encoder:
    """Compile and cache the encoder of a message in one version."""
    return compile_encoder(message_tree(message, version), f"{message.__name__} v{version}")


def decode(
    message: type[M],
    version: int,
    buffer: Buffer,
    position: int = 0,
    paced: PacedCount = range,
) -> M:
    """Decode a message that fills the buffer from `position` to its end.

    Records fields are views of the buffer; all other values are copies.

    Raises:
        DecodeError: the bytes are not such a message; the error names the field.

    """
    data = bytes(buffer) if isinstance(buffer, memoryview) else buffer
    end = len(data)
    try:
        value, stop = decoder(message, version)(data, position, end, paced)
    except UNREADABLE:
        raise explain(message, version, data[position:]) from None
    if stop != end:
        raise explain(message, version, data[position:])
    return cast("M", value)


def decode_prefix(
    message: type[M],
    version: int,
    data: bytes | bytearray,
    position: int = 0,
    paced: PacedCount = range,
) -> tuple[M, int]:
    """Decode a message at `position`, ignoring trailing bytes; return it and its end position.

    `paced` yields the indexes of the elements of each array.

    Raises:
        DecodeError: no such message begins at `position`.

    """
    try:
        value, stop = decoder(message, version)(data, position, len(data), paced)
    except UNREADABLE:
        raise explain(message, version, data[position:], paced) from None
    if stop > len(data):
        raise explain(message, version, data[position:], paced)
    return cast("M", value), stop


def explain(
    message: type[Message], version: int, data: Buffer, paced: PacedCount = range
) -> DecodeError:
    """Return the error in bytes that the compiled decoder rejected."""
    error = message_construct(message, version).explain(data, paced)
    assert error is not None, (message, version, bytes(data))
    return error


def dump(message: type[M], version: int, data: Buffer) -> "tuple[list[FieldSpan], M | DecodeError]":
    """Decode a message with the constructs, and list the position of each field.

    A decode error is returned, not raised; the list then has the fields before the error.
    """
    spans: list[FieldSpan] = []
    try:
        value: M = message_construct(message, version).parse_bytes(data, spans)
    except DecodeError as error:
        return spans, error
    return spans, value


def encode(message: Message, version: int) -> bytes:
    """Encode a message in one version; fields that the version lacks are left out."""
    parts: list[Buffer] = []
    encoder(type(message), version)(message, parts.append)
    return b"".join(parts)
