"""Surveys of a batch read each field of each record."""

import random
from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.record import Header, Record, decode_records, encode_record
from mockbroker.protocol.records.validation.batch_rules import HEADERS_MAX
from mockbroker.protocol.records.validation.survey import (
    Survey,
    SurveyError,
    survey_records,
    survey_skipping,
)
from mockbroker.protocol.records.varint import VarintError, varint
from mockbroker.protocol.types import Buffer

BASE_TIMESTAMP = 1000


def encoded(records: list[Record]) -> bytes:
    return b"".join(encode_record(record, 0, BASE_TIMESTAMP) for record in records)


def expected(records: list[Record]) -> Survey:
    deltas = [record.timestamp - BASE_TIMESTAMP for record in records]
    return (
        min(deltas),
        max(deltas),
        any(record.key is None for record in records),
        [record.offset for record in records] == list(range(len(records))),
    )


Number = int | Callable[[int], int]
Bytes = bytes | None | Callable[[int], bytes | None]
# a field of many records: the same for all, or by their number


def many(
    count: int,
    *,
    offset: Number = lambda index: index,
    timestamp: Number = BASE_TIMESTAMP,
    key: Bytes = b"key",
    value: Bytes = b"v" * 50,
    headers: Sequence[Header] = (),
) -> list[Record]:
    return [
        Record(
            offset=offset(index) if callable(offset) else offset,
            timestamp=timestamp(index) if callable(timestamp) else timestamp,
            key=key(index) if callable(key) else key,
            value=value(index) if callable(value) else value,
            headers=headers,
        )
        for index in range(count)
    ]


SHAPES = {
    "equal": many(300),
    "no keys": many(300, key=None),
    "no values": many(300, value=None),
    "empty values": many(300, value=b""),
    "neither": many(200, key=None, value=None),
    "long keys": many(300, key=b"k" * 70),
    "long values": many(300, value=b"v" * 9000),
    "headers": many(300, headers=(("h", b"v"), ("long" * 20, None))),
    "rising timestamps": many(300, timestamp=lambda i: BASE_TIMESTAMP + i // 4),
    "fast timestamps": many(300, timestamp=lambda i: BASE_TIMESTAMP + 100 * i),
    "falling timestamps": many(300, timestamp=lambda i: BASE_TIMESTAMP - i // 5),
    "a far timestamp at the end": [
        *many(64, key=None, value=None),
        *many(
            1,
            offset=lambda _: 64,
            timestamp=BASE_TIMESTAMP + (1 << 32),
            key=None,
            value=None,
            headers=(("00", None), ("00", b"\x00\x00\x00\x80")),
        ),
    ],
    "gaps": many(300, offset=lambda i: 2 * i),
    "offsets all 0": many(300, offset=0),
    "negative offsets": many(300, offset=lambda i: -i),
    "late gap": many(300, offset=lambda i: i + (i > 290)),
    "huge offsets": many(60, offset=lambda i: 20_000 + i),
    "changing sizes": many(300, value=lambda i: b"v" * (i % 7)),
    "two sizes": many(300, value=lambda i: b"v" * (20 + i // 150)),
    "one other": many(300, value=lambda i: b"v" * (20 + (i == 200))),
    "one null key": many(300, key=lambda i: None if i == 250 else b"k"),
    "values around 64": many(300, value=lambda i: b"v" * (60 + i // 40)),
    "more than 8192": many(8300, value=b"v"),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_whole_records_are_surveyed_exactly(shape: str, kind: Callable[[bytes], Buffer]) -> None:
    records = SHAPES[shape]
    data = kind(b"before" + encoded(records) + b"behind")
    for _ in range(10):  # patterns are made when a shape has been seen often enough
        assert survey_records(data, 6, len(data) - 6, len(records)) == expected(records)


@given(
    st.lists(
        st.builds(
            Record,
            timestamp=st.integers(0, 1 << 40),
            key=st.none() | st.binary(max_size=70),
            value=st.none() | st.binary(max_size=70),
            headers=st.lists(st.tuples(st.text(max_size=2), st.none() | st.binary()), max_size=2),
        ),
        min_size=1,
        max_size=5,
    ),
    st.integers(1, 50),
)
def test_any_records_are_surveyed_exactly(pieces: list[Record], times: int) -> None:
    records = [
        Record(
            offset=index * times + turn,
            timestamp=piece.timestamp,
            key=piece.key,
            value=piece.value,
            headers=piece.headers,
        )
        for index, piece in enumerate(pieces)
        for turn in range(times)
    ]
    data = encoded(records)
    assert survey_records(data, 0, len(data), len(records)) == expected(records)
    assert survey_skipping(data, len(records)) == expected(records)


@pytest.mark.parametrize("shape", SHAPES)
def test_one_wrong_byte_is_validated_as_field_by_field(shape: str) -> None:
    records = SHAPES[shape][:200]
    whole = encoded(records)
    dice = random.Random(shape)
    for _ in range(60):
        data = bytearray(whole)
        data[dice.randrange(len(data))] = dice.randrange(256)
        mutated = bytes(data)
        try:
            by_fields = list(decode_records(mutated, len(records), 0, BASE_TIMESTAMP))
        except DecodeError:
            with pytest.raises((SurveyError, VarintError)):
                survey_records(mutated, 0, len(mutated), len(records))
        else:
            assert survey_records(mutated, 0, len(mutated), len(records)) == expected(by_fields)


@pytest.mark.parametrize("count", [1, 99, 101, 150, 1 << 30])
def test_a_wrong_count_is_refused(count: int) -> None:
    data = encoded(many(100))
    for _ in range(10):
        with pytest.raises(SurveyError):
            survey_records(data, 0, len(data), count)
        with pytest.raises(SurveyError):
            survey_skipping(data, count)


@given(st.binary(max_size=80), st.integers(1, 20))
@settings(max_examples=300)
def test_any_bytes_are_surveyed_as_they_are_decoded(data: bytes, count: int) -> None:
    try:
        records = list(decode_records(data, count, 0, BASE_TIMESTAMP))
    except DecodeError:
        with pytest.raises((SurveyError, VarintError)):
            survey_records(data, 0, len(data), count)
        with suppress(SurveyError, VarintError):
            survey_skipping(data, count)
    else:
        assert survey_records(data, 0, len(data), count) == expected(records)


def test_a_length_of_many_bytes_is_distinguished_from_an_invalid_one() -> None:
    with pytest.raises(VarintError):
        survey_records(b"\x80" * 6, 0, 6, 1)
    with pytest.raises(VarintError):
        survey_skipping(b"\x80" * 6, 1)


def test_a_length_of_three_bytes_is_read() -> None:
    records = many(2, value=bytes(20_000))
    data = encoded(records)
    assert survey_records(data, 0, len(data), 2) == expected(records)


def test_bytes_after_the_batch_are_never_parsed_as_records() -> None:
    data = encoded(many(300))
    half = len(data) // 2
    for _ in range(10):
        with pytest.raises(SurveyError):
            survey_records(data, 0, half, 300)


def test_skipping_ignores_lengths_but_refuses_a_negative_one() -> None:
    body = b"\0\0\0\1\1\0"
    assert survey_skipping(varint(50) + body + varint(0) + body, 2) == (0, 0, True, False)
    with pytest.raises(SurveyError, match="negative"):
        survey_skipping(varint(-1) + body, 1)
    with pytest.raises(SurveyError, match="1 bytes are left"):
        survey_skipping(varint(6) + body + b"\0", 1)


@pytest.mark.parametrize("as_buffer", [bytes, bytearray])
def test_a_record_has_at_most_ten_thousand_headers(as_buffer: Callable[[bytes], Buffer]) -> None:
    most = encoded(many(1, headers=[("", None)] * HEADERS_MAX))
    assert survey_records(as_buffer(most), 0, len(most), 1)
    more = encoded(many(1, headers=[("", None)] * (HEADERS_MAX + 1)))
    with pytest.raises(SurveyError, match="more than 10,000 headers"):
        survey_records(as_buffer(more), 0, len(more), 1)
    with pytest.raises(SurveyError, match="more than 10,000 headers"):
        survey_skipping(more, 1)
