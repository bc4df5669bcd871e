"""Zigzag varints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.protocol.records.varint import VarintError, read_varint, read_varlong, varint

INTS = st.integers(-(1 << 31), (1 << 31) - 1)
LONGS = st.integers(-(1 << 63), (1 << 63) - 1)


@given(INTS, st.binary(max_size=3))
def test_a_varint_is_decoded_without_the_bytes_after_it(value: int, behind: bytes) -> None:
    written = varint(value)
    assert read_varint(written + behind, 0) == (value, len(written))


@given(LONGS)
def test_a_varlong_is_decoded_again(value: int) -> None:
    written = varint(value)
    assert read_varlong(b"\xff" + written, 1) == (value, 1 + len(written))


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, "00"), (-1, "01"), (1, "02"), (63, "7e"), (64, "8001"), (-65, "8101"), (8192, "808001")],
)
def test_the_bytes_are_those_of_the_specification(value: int, written: str) -> None:
    assert varint(value).hex() == written


def test_more_bytes_than_needed_are_accepted() -> None:
    assert read_varint(b"\x82\x80\x00", 0) == (1, 3)


def test_bits_beyond_the_type_are_dropped_as_by_kafka() -> None:
    assert read_varint(b"\x80\x80\x80\x80\x70", 0) == (0, 5)
    assert read_varlong(b"\x80" * 9 + b"\x7e", 0) == (0, 10)


def test_a_varint_of_six_bytes_is_refused() -> None:
    with pytest.raises(VarintError, match="more than 5 bytes"):
        read_varint(b"\x80" * 5 + b"\x00", 0)


def test_a_varlong_of_eleven_bytes_is_refused() -> None:
    with pytest.raises(VarintError, match="more than 10 bytes"):
        read_varlong(b"\x80" * 10 + b"\x00", 0)


@given(LONGS)
def test_a_varint_cut_short_is_an_index_error(value: int) -> None:
    with pytest.raises(IndexError):
        read_varlong(varint(value)[:-1], 0)
