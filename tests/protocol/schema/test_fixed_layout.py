"""Layouts that are found by writing with one value and with another."""

import struct

import pytest

from mockbroker.protocol.codec import encode
from mockbroker.protocol.headers import RequestHeader
from mockbroker.protocol.schema.fixed_layout import FixedLayout, difference


def written(key: int, correlation_id: int) -> bytes:
    header = RequestHeader(
        request_api_key=key, request_api_version=3, correlation_id=correlation_id, client_id="me"
    )
    return encode(header, 2)


def test_numbers_are_written_between_constant_bytes() -> None:
    layout = FixedLayout(written, ("key", "correlation_id"))
    assert layout.layout == ">0sh2si5s"
    assert layout.constants == (b"", b"\0\x03", b"\0\x02me\0")
    front, between, tail = layout.constants
    assert struct.pack(layout.layout, front, 18, between, 77, tail) == written(18, 77)


def test_numbers_must_be_named_in_their_order() -> None:
    with pytest.raises(AssertionError):
        FixedLayout(written, ("correlation_id", "key"))


def test_a_difference_reaches_from_the_first_byte_to_the_last() -> None:
    assert difference(b"abcde", b"aBcDe") == range(1, 4)
