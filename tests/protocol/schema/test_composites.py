"""Compiled codecs of arrays, structs, nulls and tags."""

from typing import Any

import pytest

from mockbroker.protocol.codec import decode, encode, message_construct, message_tree, tree
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.schema.codegen import UNREADABLE
from mockbroker.protocol.schema.composites import ArrayNode
from mockbroker.protocol.schema.message import (
    INT8,
    INT16,
    STRING,
    UUID,
    Message,
    Struct,
    array,
    field,
    struct,
)
from mockbroker.protocol.schema.primitives import (
    Length,
    Node,
    Scalar,
    StringNode,
    compile_decoder,
    compile_encoder,
)
from mockbroker.protocol.types import ZERO_UUID, Uuid

INT16S = ArrayNode(Length("i"), Scalar("int16", "h"), nullable=False)
STRINGS = ArrayNode(Length(None), StringNode(Length(None), nullable=False), nullable=True)


class Item(Struct):
    number: int = field(INT8)
    added: int = field(INT8, "1+", default=-1)


class Sample(Message, versions="0-2", flexible="1+"):
    items: list[Item] = field(array(Item))
    one: Item | None = field(struct(Item), "1+", nullable="1+", default=None)
    text: str | None = field(STRING, "1+", nullable="1+", default=None, tag=1, tagged="1+")
    topic_id: Uuid = field(UUID, "1+", tag=3, tagged="1+")
    numbers: list[int] = field(array(INT16), "1+", tag=200, tagged="1+")
    late: Item = field(struct(Item), "1+", tag=0, tagged="2+")
    maybe: Item | None = field(struct(Item), "2+", nullable="2+", tag=300, tagged="2+")


def read(node: Node, data: bytes) -> Any:
    value, end = compile_decoder(node, "a test")(data, 0, len(data))
    assert end == len(data)
    return value


def test_an_array_of_scalars_is_read_at_once() -> None:
    assert read(INT16S, b"\0\0\0\x02\0\x01\xff\xff") == [1, -1]


def test_an_array_may_be_null_or_empty() -> None:
    assert read(STRINGS, b"\0") is None
    assert read(STRINGS, b"\x01") == []
    assert read(STRINGS, b"\x02\x02a") == ["a"]


@pytest.mark.parametrize(
    ("value", "data"), [(None, b"\0"), ([], b"\x01"), (["a", ""], b"\x03\x02a\x01")]
)
def test_an_array_is_written_as_it_is_read(value: list[str] | None, data: bytes) -> None:
    parts: list[Any] = []
    compile_encoder(STRINGS, "a test")(value, parts.append)
    assert b"".join(parts) == data
    assert read(STRINGS, data) == value


@pytest.mark.parametrize("data", [b"\xff\xff\xff\xff", b"\0\0\0\x02\0\0\0", b"\x7f\xff\xff\xff"])
def test_an_array_that_is_null_or_too_long_is_refused(data: bytes) -> None:
    with pytest.raises(UNREADABLE):
        read(INT16S, data)


def test_an_array_of_empty_elements_is_refused() -> None:
    nothing = tree(Struct, 0, flexible=False)
    with pytest.raises(AssertionError, match="cannot be checked"):
        ArrayNode(Length("i"), nothing, nullable=False)


def test_a_struct_knows_its_smallest_size() -> None:
    assert message_tree(Sample, 0).least_bytes == 4
    assert message_tree(Sample, 1).least_bytes == 6


def test_fields_of_other_versions_are_left_out_and_come_back_as_initial() -> None:
    sample = Sample(items=[Item(number=1, added=2)], text="lost")
    assert encode(sample, 0) == b"\0\0\0\x01\x01"
    assert decode(Sample, 0, encode(sample, 0)) == Sample(items=[Item(number=1, added=-1)])


@pytest.mark.parametrize(("one", "data"), [(None, b"\xff"), (Item(number=5), b"\x01\x05\xff\0")])
def test_a_struct_may_be_null(one: Item | None, data: bytes) -> None:
    sample = Sample(one=one, late=Item(number=1))
    written = encode(sample, 2)
    assert written == b"\x01" + data + b"\x01\x00\x03\x01\xff\0"
    assert decode(Sample, 2, written) == sample


@pytest.mark.parametrize(("maybe", "data"), [(None, "01 00"), (Item(number=5), "04 01 05 ff 00")])
def test_a_tagged_struct_has_another_null_marker(maybe: Item | None, data: str) -> None:
    sample = Sample(maybe=maybe)
    written = encode(sample, 2)
    assert written == bytes.fromhex("01 ff 01 ac02" + data)
    assert decode(Sample, 2, written) == sample
    assert message_construct(Sample, 2).build_bytes(sample) == written


def test_tags_are_written_in_order_unless_they_are_default() -> None:
    sample = Sample(text="a", numbers=[1], topic_id=ZERO_UUID, late=Item(number=9))
    written = encode(sample, 2)
    assert written == bytes.fromhex("01 ff 03 00 03 09ff00 01 02 0261 c801 03 020001")
    assert decode(Sample, 2, written) == sample


def test_a_tag_of_a_later_version_is_an_ordinary_field_before() -> None:
    assert encode(Sample(late=Item(number=9)), 1) == bytes.fromhex("01 ff 09ff00 00")


def test_unknown_tags_are_passed_over() -> None:
    unknown = bytes.fromhex("01 ff 02 01 02 0261 05 03 010203")
    assert decode(Sample, 2, unknown) == Sample(text="a")


def test_more_tags_than_one_byte_can_count_are_read() -> None:
    many = b"".join(b"\x05\x00" for _ in range(200))
    assert decode(Sample, 2, b"\x01\xff\xc8\x01" + many) == Sample()


@pytest.mark.parametrize(
    ("tags", "path"),
    [
        ("01 05 09 0102", "tags"),  # longer than the frame
        ("01 01 03 026100", "text"),  # longer than its value
        ("01 01 01 0261", "text"),  # shorter than its value
        ("01 01", "tags"),
        ("7f", "tags"),
    ],
)
def test_a_tag_of_a_wrong_size_is_refused(tags: str, path: str) -> None:
    with pytest.raises(DecodeError) as refused:
        decode(Sample, 2, b"\x01\xff" + bytes.fromhex(tags))
    assert refused.value.path == path
