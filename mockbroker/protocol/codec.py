"""From a declaration to its codec: the tree of one version, and that tree compiled.

`encode` and `decode` are what everybody uses. The compiled form is made at the first use of a
(message, version) and kept in memory. When it meets bytes that are no message, the constructs of
the same tree read them again, slowly, and name the field that is wrong.
"""

from functools import cache
from typing import TYPE_CHECKING, Final, TypeVar, cast

from mockbroker.protocol.codegen import UNREADABLE, Decoder, Encoder
from mockbroker.protocol.composites import ArrayNode, Member, NullableStructNode, StructNode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.primitives import (
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
from mockbroker.protocol.schema import Field, Kind, Message, Struct
from mockbroker.protocol.types import Buffer

if TYPE_CHECKING:
    from mockbroker.protocol.constructs import NodeConstruct
    from mockbroker.protocol.frame_stream import Span

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
    """Make the tree of a struct in one version."""
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
    """Make, once, the tree of a message in one of its versions."""
    assert version in message.VERSIONS, (message, version)
    return tree(message, version, flexible=version in message.FLEXIBLE)


@cache
def message_construct(message: type[Message], version: int) -> "NodeConstruct":
    """Make, once, the constructs of a message's tree in one of its versions."""
    from mockbroker.protocol.constructs import construct_of

    return construct_of(message_tree(message, version))


@cache
def decoder(message: type[Message], version: int) -> Decoder:
    """Compile, once, the decoder of a message in one of its versions."""
    return compile_decoder(message_tree(message, version), f"{message.__name__} v{version}")


@cache
def encoder(message: type[Message], version: int) -> Encoder:
    """Compile, once, the encoder of a message in one of its versions."""
    return compile_encoder(message_tree(message, version), f"{message.__name__} v{version}")


def decode(message: type[M], version: int, buffer: Buffer, position: int = 0) -> M:
    """Read a message that takes all of the buffer from `position` on.

    Records fields are views of the buffer; everything else is copied out of it.

    Raises:
        DecodeError: the bytes are no such message; it names the field.

    """
    data = bytes(buffer) if isinstance(buffer, memoryview) else buffer
    end = len(data)
    try:
        value, stop = decoder(message, version)(data, position, end)
    except UNREADABLE:
        raise explain(message, version, data[position:]) from None
    if stop != end:
        raise explain(message, version, data[position:])
    return cast("M", value)


def decode_prefix(
    message: type[M], version: int, data: bytes | bytearray, position: int = 0
) -> tuple[M, int]:
    """Read a message that begins at `position`, whatever follows; return it and where it ended.

    Raises:
        DecodeError: no such message begins there.

    """
    try:
        value, stop = decoder(message, version)(data, position, len(data))
    except UNREADABLE:
        raise explain(message, version, data[position:]) from None
    if stop > len(data):
        raise explain(message, version, data[position:])
    return cast("M", value), stop


def explain(message: type[Message], version: int, data: Buffer) -> DecodeError:
    """Say what is wrong with bytes that the compiled decoder refused."""
    error = message_construct(message, version).explain(data)
    assert error is not None, (message, version, bytes(data))
    return error


def dump(message: type[M], version: int, data: Buffer) -> "tuple[list[Span], M | DecodeError]":
    """Read a message, interpreted, and list where each of its fields stands.

    What was read before an error is listed too: the error is returned and not raised.
    """
    spans: list[Span] = []
    try:
        value: M = message_construct(message, version).parse_bytes(data, spans)
    except DecodeError as error:
        return spans, error
    return spans, value


def encode(message: Message, version: int) -> bytes:
    """Write a message in one of its versions; fields that version lacks are left out."""
    parts: list[Buffer] = []
    encoder(type(message), version)(message, parts.append)
    return b"".join(parts)
