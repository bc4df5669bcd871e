"""Compiled codecs of each kind of field."""

import uuid
from typing import Any

import pytest

from mockbroker.protocol.schema.codegen import (
    UNREADABLE,
    DecodeRun,
    EncodeRun,
    FunctionSource,
)
from mockbroker.protocol.schema.primitives import (
    LONGEST_STRING_BYTES,
    BytesNode,
    Length,
    Node,
    RecordsNode,
    Scalar,
    StringNode,
    UuidNode,
    compile_decoder,
    compile_encoder,
    uuid_of,
)
from mockbroker.protocol.types import BufferChain

COMPACT = Length(None)
SHORT = Length("h")
LONG = Length("i")
ID = uuid.UUID(int=0x0102)


def written(node: Node, value: object) -> bytes:
    parts: list[bytes | bytearray | memoryview] = []
    compile_encoder(node, "a test")(value, parts.append)
    return b"".join(parts)


def read(node: Node, data: bytes) -> Any:
    value, end = compile_decoder(node, "a test")(data, 0, len(data))
    assert end == len(data)
    return value


@pytest.mark.parametrize(
    ("node", "value", "data"),
    [
        (Scalar("int16", "h"), -2, b"\xff\xfe"),
        (Scalar("uint16", "H"), 65534, b"\xff\xfe"),
        (Scalar("bool", "?"), True, b"\x01"),
        (UuidNode(), ID, bytes(14) + b"\x01\x02"),
        (StringNode(SHORT, nullable=False), "aß", b"\0\x03a\xc3\x9f"),
        (StringNode(SHORT, nullable=True), None, b"\xff\xff"),
        (StringNode(SHORT, nullable=True), "", b"\0\0"),
        (StringNode(COMPACT, nullable=False), "ab", b"\x03ab"),
        (StringNode(COMPACT, nullable=True), None, b"\0"),
        (StringNode(COMPACT, nullable=True), "", b"\x01"),
        (StringNode(COMPACT, nullable=False), "x" * 126, b"\x7f" + b"x" * 126),
        (StringNode(COMPACT, nullable=False), "x" * 127, b"\x80\x01" + b"x" * 127),
        (BytesNode(LONG, nullable=False), b"ab", b"\0\0\0\x02ab"),
        (BytesNode(LONG, nullable=True), None, b"\xff\xff\xff\xff"),
        (BytesNode(COMPACT, nullable=True), b"", b"\x01"),
        (RecordsNode(LONG, nullable=True), b"ab", b"\0\0\0\x02ab"),
        (RecordsNode(LONG, nullable=True), None, b"\xff\xff\xff\xff"),
        (RecordsNode(COMPACT, nullable=False), b"ab", b"\x03ab"),
    ],
)
def test_a_field_is_written_and_read_back(node: Node, value: object, data: bytes) -> None:
    assert written(node, value) == data
    assert read(node, data) == value


@pytest.mark.parametrize(
    ("node", "least_bytes"),
    [
        (Scalar("int64", "q"), 8),
        (UuidNode(), 16),
        (StringNode(SHORT, nullable=False), 2),
        (StringNode(COMPACT, nullable=False), 1),
        (BytesNode(LONG, nullable=False), 4),
    ],
)
def test_a_node_knows_its_smallest_size(node: Node, least_bytes: int) -> None:
    assert node.least_bytes == least_bytes


@pytest.mark.parametrize(
    ("node", "data"),
    [
        (Scalar("int32", "i"), b"\0\0\0"),
        (StringNode(SHORT, nullable=False), b"\xff\xff"),
        (StringNode(SHORT, nullable=False), b"\0"),
        (StringNode(SHORT, nullable=False), b"\0\x01\xff"),
        (StringNode(COMPACT, nullable=False), b"\0"),
        (StringNode(COMPACT, nullable=False), b"\xff\xff\xff\xff\xff\xff"),
        (StringNode(COMPACT, nullable=False), b""),
        (BytesNode(LONG, nullable=False), b"\xff\xff\xff\xff"),
        (RecordsNode(COMPACT, nullable=False), b"\0"),
    ],
)
def test_invalid_bytes_of_a_field_are_refused(node: Node, data: bytes) -> None:
    with pytest.raises(UNREADABLE):
        compile_decoder(node, "a test")(data, 0, len(data))


def test_text_is_no_longer_than_kafka_reads_it() -> None:
    node = StringNode(COMPACT, nullable=False)
    longest = "x" * LONGEST_STRING_BYTES
    assert read(node, written(node, longest)) == longest
    with pytest.raises(UNREADABLE):
        read(node, written(node, longest + "x"))


def test_records_are_a_view_of_the_frame() -> None:
    frame = bytearray(b"\0\0\0\x02ab")
    decode = compile_decoder(RecordsNode(LONG, nullable=True), "a test")
    view: memoryview[int] = decode(frame, 0, len(frame))[0]
    frame[4:6] = b"cd"
    assert view.tobytes() == b"cd"


def test_bytes_are_a_copy() -> None:
    frame = bytearray(b"\0\0\0\x02ab")
    value, _ = compile_decoder(BytesNode(LONG, nullable=True), "a test")(frame, 0, len(frame))
    frame[4:6] = b"cd"
    assert value == b"ab"


def test_a_chain_of_records_is_written_without_a_copy() -> None:
    buffers: list[bytes | memoryview] = [b"ab", memoryview(b"cd")]
    parts: list[Any] = []
    encode = compile_encoder(RecordsNode(LONG, nullable=True), "a test")
    encode(BufferChain(buffers, 4), parts.append)
    assert parts[0] == b"\0\0\0\x04"
    assert all(part is buffer for part, buffer in zip(parts[1:], buffers, strict=True))


def test_the_same_uuid_is_made_once() -> None:
    data = uuid.uuid5(uuid.NAMESPACE_DNS, "topic").bytes
    assert uuid_of(data) is uuid_of(bytes(bytearray(data)))


def test_a_base_node_is_abstract() -> None:
    out = FunctionSource("f()")
    with pytest.raises(NotImplementedError):
        Node().emit_decode(out, DecodeRun(out), "value")
    with pytest.raises(NotImplementedError):
        Node().emit_encode(out, EncodeRun(out), "value")
