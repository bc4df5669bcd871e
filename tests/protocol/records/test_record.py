"""Encode and decode single records."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.record import (
    Record,
    decode_keys_and_values,
    decode_records,
    encode_record,
)
from mockbroker.protocol.records.varint import varint

RECORDS = st.builds(
    Record,
    offset=st.integers(0, (1 << 31) - 1),
    timestamp=st.integers(-1, 1 << 62),
    key=st.none() | st.binary(max_size=80),
    value=st.none() | st.binary(max_size=80),
    headers=st.lists(st.tuples(st.text(max_size=5), st.none() | st.binary(max_size=5)), max_size=3),
    attributes=st.integers(0, 255),
)


@given(st.lists(RECORDS, max_size=5))
def test_records_are_decoded_again(records: list[Record]) -> None:
    payload = b"".join(encode_record(record, 7, 1000) for record in records)
    assert list(decode_records(payload, len(records), 7, 1000)) == records


def test_a_record_is_shown_field_by_field() -> None:
    record = Record(offset=5, timestamp=6, key=b"k")
    assert repr(record) == (
        "Record(attributes=0, headers=(), key=b'k', offset=5, timestamp=6, value=None)"
    )
    assert record != "a record"
    assert record != Record(offset=6, timestamp=6, key=b"k")


def with_length(body: bytes) -> bytes:
    return varint(len(body)) + body


@pytest.mark.parametrize(
    ("payload", "count", "why"),
    [
        (b"", 1, "index out of range"),
        (varint(-3), 1, "a length of -3"),
        (varint(9) + b"abc", 1, "a length of 9 where 3 bytes are left"),
        (with_length(b"\0\0\0\x10a\0\0"), 1, "8 bytes declared, 3 left"),
        (with_length(b"\0\0\0\1\1\x0a"), 1, "5 headers in 0 bytes"),
        (with_length(b"\0\0\0\1\1\1"), 1, "-1 headers"),
        (with_length(b"\0\0\0\1\1\2\1\0"), 1, "header's key is null"),
        (with_length(b"\0\0\0\1\1\0\0"), 1, "the fields end \\+1 bytes"),
        (with_length(b"\0\0\0\1\1\0") + b"\0", 1, "1 bytes are left"),
        (b"\x80" * 6, 1, "more than 5 bytes"),
        (b"\x0c\0" + b"\x80" * 11, 1, "more than 10 bytes"),
    ],
)
def test_broken_records_are_refused(payload: bytes, count: int, why: str) -> None:
    with pytest.raises(DecodeError, match=why):
        list(decode_records(payload, count, 0, 0))


def test_a_refusal_names_the_record() -> None:
    whole = with_length(b"\0\0\0\1\1\0")
    with pytest.raises(DecodeError) as refusal:
        list(decode_records(whole * 2, 3, 0, 0))
    assert refusal.value.path == "records[2]"


def test_any_negative_length_is_null_as_in_kafka() -> None:
    (record,) = decode_records(with_length(b"\0\0\0" + varint(-2) + varint(-9) + b"\0"), 1, 0, 0)
    assert (record.key, record.value) == (None, None)


@given(st.binary(max_size=60), st.integers(0, 5))
def test_any_bytes_are_records_or_refused(payload: bytes, count: int) -> None:
    try:
        records = list(decode_records(payload, count, 0, 0))
    except DecodeError:
        return
    assert len(records) == count


def test_keys_and_values_are_read_without_the_rest() -> None:
    records = [
        Record(offset=7, timestamp=1_000, key=b"k", value=None),
        Record(offset=300, timestamp=1 << 40, key=None, value=b"v" * 200, headers=[("h", b"1")]),
    ]
    payload = b"".join(encode_record(record, 7, 1_000) for record in records)
    assert decode_keys_and_values(payload, 2) == [(b"k", None), (None, b"v" * 200)]
    with pytest.raises(DecodeError, match=r"records\[1\]"):
        decode_keys_and_values(payload[:-100], 2)
