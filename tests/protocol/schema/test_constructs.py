"""Interpreted decoding, beyond the tests over all messages."""

import uuid
from typing import Any

import construct
import pytest

from mockbroker.protocol.codec import dump, message_construct
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.messages.fetch import FetchRequest
from mockbroker.protocol.messages.produce import ProduceRequest, TopicProduceData
from mockbroker.protocol.schema.constructs import NodeConstruct, construct_of
from mockbroker.protocol.schema.message import (
    BYTES,
    INT8,
    STRING,
    UUID,
    Message,
    Struct,
    array,
    field,
    struct,
)
from mockbroker.protocol.schema.primitives import Length, Scalar, StringNode
from mockbroker.protocol.types import Uuid


def test_a_construct_can_be_combined_with_others() -> None:
    text = construct_of(StringNode(Length("h"), nullable=False))
    wire: Any = construct
    both: Any = wire.Struct("text" / text, "number" / wire.Int16ub)
    data = b"\0\x02ab\0\x07"
    parsed = both.parse(data)
    assert (parsed.text, parsed.number) == ("ab", 7)
    assert both.build({"text": "ab", "number": 7}) == data


def test_a_message_parses_and_builds_as_any_construct() -> None:
    request = ProduceRequest(acks=1, topic_data=[TopicProduceData(name="t")])
    interpreted: Any = message_construct(ProduceRequest, 9)
    assert interpreted.parse(interpreted.build(request)) == request


def test_null_is_refused_in_fields_that_are_not_nullable() -> None:
    text = construct_of(StringNode(Length("h"), nullable=False))
    with pytest.raises(AssertionError):
        text.build_bytes(None)


def test_valid_bytes_have_no_error() -> None:
    number = construct_of(Scalar("int16", "h"))
    assert number.explain(b"\0\0") is None
    error = number.explain(b"\0\0\0")
    assert isinstance(error, DecodeError)
    assert error.why == "1 bytes are left over after the last field"


class Part(Struct):
    number: int = field(INT8)
    name: str | None = field(STRING, nullable="0+", default=None)


class Whole(Message, versions="0", flexible="0+"):
    parts: list[Part] | None = field(array(Part), nullable="0+")
    names: list[str] = field(array(STRING))
    topic_id: Uuid = field(UUID)
    part: Part | None = field(struct(Part), nullable="0+", default=None)
    key: bytes = field(BYTES, tag=0, tagged="0+")


WHOLES = {
    "00 01" + 16 * "00" + "ff 00": Whole(parts=None),
    "03 05 00 00 06 02 61 00 02 01" + 16 * "11" + "01 07 00 00 01 00 02 02 62": Whole(
        parts=[Part(number=5), Part(number=6, name="a")],
        names=[""],
        topic_id=uuid.UUID(bytes=b"\x11" * 16),
        part=Part(number=7),
        key=b"b",
    ),
}
LONG = "29" + 39 * "01 00 00"  # forty parts, the last one still to come


@pytest.mark.parametrize("written", WHOLES)
def test_every_kind_of_field_is_read_and_written(written: str) -> None:
    interpreted = message_construct(Whole, 0)
    data = bytes.fromhex(written)
    assert interpreted.build_bytes(WHOLES[written]) == data
    assert interpreted.parse_bytes(data) == WHOLES[written]


@pytest.mark.parametrize(
    ("written", "path", "why"),
    [
        ("09 00", "parts", "8 elements declared, 1 bytes left"),
        ("00 00", "names", "null is not allowed here"),
        ("00 02 00", "names[0]", "null is not allowed here"),
        ("00 02 03 61", "names[0]", "2 bytes wanted, 1 left"),
        ("00 02 02 ff", "names[0]", "invalid UTF-8: invalid start byte"),
        ("00 02 81 80 02", "names[0]", "32768 bytes exceed the limit of 32767"),
        ("00 01" + 16 * "00" + "ff 01 00 03 01", "tags", "tag 0 is longer than the frame"),
        ("00 01" + 16 * "00" + "ff 01 00 03 02 61 62", "key", "its tag declares another size"),
        (LONG + "01 02 ff 00", "parts[39].name", "invalid UTF-8: invalid start byte"),
        (LONG + "01 05 61 00", "parts[39].name", "4 bytes wanted, 2 left"),
        (LONG + "01 00 00", "names", "the bytes end inside a varint"),
        (LONG + "01 00 00 01", "topic_id", "16 bytes wanted, 0 left"),
    ],
)
def test_a_field_that_cannot_be_read_is_named(written: str, path: str, why: str) -> None:
    interpreted = message_construct(Whole, 0)
    with pytest.raises(DecodeError) as refused:
        interpreted.parse_bytes(bytes.fromhex(written))
    assert (refused.value.path, refused.value.why) == (path, why)
    error = interpreted.explain(bytes.fromhex(written))
    assert error is not None
    assert (error.path, error.why) == (path, why)


def test_a_dump_names_every_field_in_the_order_of_the_wire() -> None:
    request = ProduceRequest(acks=1, timeout_ms=9, topic_data=[TopicProduceData(name="t")])
    data = message_construct(ProduceRequest, 9).build_bytes(request)
    spans, value = dump(ProduceRequest, 9, data)
    assert value == request
    assert [(span.path, span.kind, span.value) for span in spans] == [
        ("transactional_id", "string", None),
        ("acks", "int16", 1),
        ("timeout_ms", "int32", 9),
        ("topic_data", "array", 1),
        ("topic_data[0].name", "string", "t"),
        ("topic_data[0].partition_data", "array", 0),
        ("topic_data[0].tags", "tags", 0),
        ("tags", "tags", 0),
    ]
    assert [span.start for span in spans[1:]] == [span.end for span in spans[:-1]]
    assert spans[-1].end == len(data)


def test_a_dump_shows_tags_known_and_unknown() -> None:
    request = FetchRequest(cluster_id="c", rack_id="r")
    written = message_construct(FetchRequest, 12).build_bytes(request)
    data = written.replace(b"\x01\0\x02\x02c", b"\x02\0\x02\x02c\x63\x03xyz")
    spans, value = dump(FetchRequest, 12, data)
    assert value == request
    assert [(span.path, span.kind, span.value) for span in spans[-4:]] == [
        ("tags", "tags", 2),
        ("cluster_id", "tag", 0),
        ("cluster_id", "string", "c"),
        ("tag(99)", "unknown", b"xyz"),
    ]


def test_a_dump_of_invalid_bytes_lists_the_fields_before_the_error() -> None:
    spans, error = dump(ProduceRequest, 9, b"\0\0\x01\0")
    assert [span.path for span in spans] == ["transactional_id", "acks"]
    assert isinstance(error, DecodeError)
    assert error.path == "timeout_ms"


def test_a_base_construct_is_abstract() -> None:
    with pytest.raises(NotImplementedError):
        NodeConstruct().parse_bytes(b"")
    with pytest.raises(NotImplementedError):
        NodeConstruct().build_bytes(1)
