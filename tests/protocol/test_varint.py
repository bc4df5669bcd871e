import pytest

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.varint import (
    SHORT_UVARINTS,
    read_uvarint,
    write_compact_length,
    write_uvarint,
)

WRITTEN = [
    (0, b"\0"),
    (1, b"\x01"),
    (127, b"\x7f"),
    (128, b"\x80\x01"),
    (300, b"\xac\x02"),
    (2**31 - 1, b"\xff\xff\xff\xff\x07"),
    (2**32 - 1, b"\xff\xff\xff\xff\x0f"),
]


@pytest.mark.parametrize(("value", "written"), WRITTEN)
def test_a_varint_is_encoded_and_decoded(value: int, written: bytes) -> None:
    assert write_uvarint(value) == written
    assert read_uvarint(b"\xff" + written + b"\xff", 1) == (value, 1 + len(written))


def test_the_short_ones_are_ready_made() -> None:
    assert [write_uvarint(value) for value in range(128)] == list(SHORT_UVARINTS)


def test_more_bits_than_32_are_dropped_as_in_kafka() -> None:
    assert read_uvarint(b"\xff\xff\xff\xff\x7f", 0) == (2**32 - 1, 5)


def test_a_varint_that_does_not_end_is_refused() -> None:
    with pytest.raises(DecodeError, match="longer than five bytes"):
        read_uvarint(b"\x80\x80\x80\x80\x80\x01", 0)


def test_a_varint_cut_short_is_an_index_error() -> None:
    with pytest.raises(IndexError):
        read_uvarint(b"\x80", 0)


def test_a_compact_length_is_one_more_so_that_null_has_one() -> None:
    assert [write_compact_length(length) for length in (-1, 0, 127)] == [
        b"\0",
        b"\x01",
        b"\x80\x01",
    ]
