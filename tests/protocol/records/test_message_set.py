"""Message sets of format 0 and 1."""

import zlib
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kafka.record import MemoryRecords
from kafka.record.legacy_records import LegacyRecordBatchBuilder

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.compression.codecs import compress
from mockbroker.protocol.records.declarations import LEGACY_MESSAGE
from mockbroker.protocol.records.message_set import (
    LegacyRecord,
    build_message_set,
    decode_message,
    encode_message,
    messages_of,
    records_of_message,
    records_of_message_set,
)
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import Compression, TimestampType

LIMIT_BYTES = 1 << 20
CODECS = st.sampled_from([c for c in Compression if c is not Compression.ZSTD])
MAGICS = st.sampled_from([0, 1])


@st.composite
def record_lists(draw: st.DrawFn) -> list[Record]:
    """Draw records of format 1 with sequential offsets."""
    base_offset = draw(st.integers(0, 1 << 40))
    return [
        Record(
            offset=base_offset + index,
            timestamp=draw(st.integers(0, 1 << 45)),
            key=draw(st.none() | st.binary(max_size=20)),
            value=draw(st.none() | st.binary(max_size=20)),
        )
        for index in range(draw(st.integers(1, 5)))
    ]


def of_format(magic: int, records: list[Record]) -> list[Record]:
    if magic == 1:
        return records
    return [Record(offset=r.offset, timestamp=-1, key=r.key, value=r.value) for r in records]


@given(record_lists(), MAGICS, CODECS)
def test_a_set_is_decoded_again(records: list[Record], magic: int, codec: Compression) -> None:
    data = b"abc" + build_message_set(records, magic=magic, compression=codec)
    read = records_of_message_set(data, 3, limit_bytes=LIMIT_BYTES)
    assert list(read) == of_format(magic, records)


@given(record_lists(), MAGICS)
def test_the_struct_matches_the_declaration(records: list[Record], magic: int) -> None:
    data = build_message_set(records[:1], magic=magic)
    declared = LEGACY_MESSAGE.parse(data)
    (message,) = messages_of(data)
    for name in ("crc", "magic", "attributes"):
        assert getattr(message, name) == declared.message[name]
    assert message.offset == declared.offset
    assert message.timestamp == (-1 if magic == 0 else declared.message.timestamp)
    assert (message.key, message.value) == (declared.message.key.data, declared.message.value.data)
    assert LEGACY_MESSAGE.build(declared) == data


@given(record_lists(), MAGICS, CODECS)
def test_sets_are_equal_to_those_of_kafka_python(
    records: list[Record], magic: int, codec: Compression
) -> None:
    assume((magic, codec) != (0, Compression.LZ4))  # it needs another module for KAFKA-3160
    builder: Any = LegacyRecordBatchBuilder(magic, int(codec), 1 << 20)
    for index, record in enumerate(records):
        offset = index if magic == 1 and codec else record.offset
        builder.append(offset, timestamp=record.timestamp, key=record.key, value=record.value)
    theirs = bytes(builder.build())
    ours = build_message_set(records, magic=magic, compression=codec)
    if not codec:
        assert ours == theirs
    expected = [(record.key, record.value) for record in records]
    read_by_us = records_of_message_set(theirs, limit_bytes=LIMIT_BYTES)
    assert [(record.key, record.value) for record in read_by_us] == expected
    sets: Any = MemoryRecords(ours)
    read_by_them: list[tuple[object, ...]] = []
    while (batch := sets.next_batch()) is not None:
        assert batch.validate_crc()
        read_by_them += [(r.offset, r.timestamp, r.key, r.value) for r in batch]
    assert read_by_them == [
        (r.offset, r.timestamp if magic else None, r.key, r.value) for r in records
    ]


def test_the_broker_s_time_is_that_of_the_wrapper() -> None:
    records = [Record(offset=5, timestamp=10), Record(offset=6, timestamp=99)]
    for codec in (Compression.NONE, Compression.GZIP):
        data = build_message_set(
            records,
            magic=1,
            compression=codec,
            timestamp_type=TimestampType.LOG_APPEND_TIME,
        )
        assert {m.timestamp_type for m in messages_of(data)} == {TimestampType.LOG_APPEND_TIME}
    assert [r.timestamp for r in records_of_message_set(data, limit_bytes=99)] == [99, 99]


def test_format_0_has_no_timestamp_type() -> None:
    message = LegacyRecord(offset=0, magic=0, attributes=8)
    assert message.timestamp_type is TimestampType.CREATE_TIME


def test_a_partial_message_at_the_end_is_skipped() -> None:
    data = build_message_set([Record(value=b"v")], magic=1)
    assert len(list(messages_of(data + data[:-1]))) == 1


def wrapper(inner: bytes | None, magic: int = 1) -> LegacyRecord:
    value = None if inner is None else bytes(compress(Compression.GZIP, inner))
    return LegacyRecord(offset=2, magic=magic, attributes=Compression.GZIP, value=value)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (wrapper(None), "null"),
        (wrapper(b""), "without messages"),
        (wrapper(encode_message(LegacyRecord(offset=0, magic=0))), "format 0 inside 1"),
        (wrapper(encode_message(wrapper(b""))), "inside a wrapper"),
        (LegacyRecord(offset=0, magic=1, attributes=1, value=b"garbage"), "corrupt gzip"),
        (LegacyRecord(offset=0, magic=1, attributes=7, value=b""), "unknown codec 7"),
    ],
)
def test_a_wrapper_that_cannot_be_decompressed_is_refused(message: LegacyRecord, why: str) -> None:
    with pytest.raises(DecodeError, match=why):
        records_of_message(message, limit_bytes=LIMIT_BYTES)


@pytest.mark.parametrize(
    ("at", "byte", "path"),
    [(16, 3, "message.magic"), (12, 1, "message.crc"), (-1, 1, "message.crc")],
)
def test_a_corrupt_message_is_refused(at: int, byte: int, path: str) -> None:
    data = bytearray(encode_message(LegacyRecord(offset=0, magic=1, value=b"v")))
    data[at] ^= byte
    with pytest.raises(DecodeError) as refusal:
        list(messages_of(bytes(data)))
    assert refusal.value.path == path


def test_lengths_beyond_the_message_are_refused() -> None:
    whole = encode_message(LegacyRecord(offset=0, magic=0, key=b"k" * 30, value=b"v"))
    cut = bytearray(whole[:40])
    cut[8:12] = (40 - 12).to_bytes(4, "big")
    cut[12:16] = zlib.crc32(cut[16:]).to_bytes(4, "big")
    with pytest.raises(DecodeError, match="30 bytes declared"):
        decode_message(bytes(cut), 0, 40)
    with pytest.raises(DecodeError, match="too few"):
        decode_message(whole[:14], 0, 14)


@given(st.binary(max_size=100), st.integers(0, 60))
def test_any_bytes_are_messages_or_refused(data: bytes, at: int) -> None:
    mutated = bytearray(encode_message(wrapper(b"inner")))
    mutated[at : at + len(data)] = data
    for buffer in (data, bytes(mutated)):
        try:
            for record in records_of_message_set(buffer, limit_bytes=1000):
                assert isinstance(record, Record)
        except DecodeError:
            continue
