"""Record batches, against the declarations and against other implementations."""

from collections.abc import Iterable
from typing import Any

import pytest
from aiokafka.record.default_records import DefaultRecordBatch as AioBatch
from aiokafka.record.default_records import DefaultRecordBatchBuilder as AioBuilder
from hypothesis import given
from hypothesis import strategies as st
from kafka.record.default_records import DefaultRecordBatch as KafkaPythonBatch

from mockbroker.protocol import crc32c as checksums
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.batch import (
    batch_spans,
    build_batch,
    decompressed_payload,
    is_transactional,
    pack_batch_header,
    parse_batch_header,
    records_of,
    rewrite_header,
    set_log_append_time,
    stamp,
)
from mockbroker.protocol.records.declarations import RECORD_BATCH
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import Compression, TimestampType

HEADERS = st.lists(st.tuples(st.text(max_size=5), st.none() | st.binary(max_size=5)), max_size=2)


@st.composite
def record_lists(draw: st.DrawFn) -> list[Record]:
    """Draw records with sequential offsets."""
    base_offset = draw(st.integers(0, 1 << 40))
    times = draw(st.lists(st.integers(0, 1 << 45), min_size=1, max_size=6))
    return [
        Record(
            offset=base_offset + index,
            timestamp=timestamp,
            key=draw(st.none() | st.binary(max_size=70)),
            value=draw(st.none() | st.binary(max_size=70)),
            headers=draw(HEADERS),
        )
        for index, timestamp in enumerate(times)
    ]


@given(record_lists(), st.sampled_from(Compression))
def test_a_batch_is_decoded_again(records: list[Record], codec: Compression) -> None:
    batch = build_batch(
        records,
        compression=codec,
        producer_id=7,
        producer_epoch=8,
        base_sequence=9,
        partition_leader_epoch=10,
        is_transactional=True,
    )
    assert list(records_of(b"abc" + batch, 3)) == records
    header = parse_batch_header(batch)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (7, 8, 9)
    assert (header.is_transactional, header.is_control, header.compression) == (True, False, codec)
    assert header.partition_leader_epoch == 10
    assert header.last_offset == records[-1].offset
    assert header.max_timestamp == max(record.timestamp for record in records)
    assert header.crc == checksums.crc32c(batch[21:])


@given(record_lists(), st.sampled_from(Compression))
def test_the_struct_matches_the_declaration(records: list[Record], codec: Compression) -> None:
    batch = build_batch(records, compression=codec, producer_id=1 << 50)
    header = parse_batch_header(batch)
    declared = RECORD_BATCH.parse(batch)
    for name in header.__slots__:
        assert getattr(header, name) == declared[name], name
    assert RECORD_BATCH.build(declared) == batch
    assert pack_batch_header(header) + declared.records == batch


def values(records: Iterable[Any]) -> list[tuple[object, ...]]:
    return [(r.offset, r.timestamp, r.key, r.value, list(r.headers)) for r in records]


@given(record_lists(), st.sampled_from(Compression))
def test_kafka_python_and_aiokafka_read_our_batches(
    records: list[Record], codec: Compression
) -> None:
    batch = build_batch(records, compression=codec)
    readers: list[Any] = [KafkaPythonBatch(batch), AioBatch(batch)]
    for reader in readers:
        assert reader.validate_crc()
        assert values(reader) == values(records)


@given(record_lists(), st.sampled_from(Compression))
def test_batches_of_aiokafka_are_read(records: list[Record], codec: Compression) -> None:
    builder = AioBuilder(
        magic=2,
        compression_type=int(codec),
        is_transactional=1,
        producer_id=5,
        producer_epoch=6,
        base_sequence=7,
        batch_size=1 << 20,
    )
    base_offset = records[0].offset
    for record in records:
        builder.append(
            record.offset - base_offset,
            record.timestamp,
            record.key,
            record.value,
            list(record.headers),
        )
    built = bytearray(builder.build())
    stamp(built, 0, base_offset, 3)
    assert list(records_of(built)) == records
    if codec is Compression.NONE or parse_batch_header(built).compression == Compression.NONE:
        ours = build_batch(
            records,
            producer_id=5,
            producer_epoch=6,
            base_sequence=7,
            partition_leader_epoch=3,
            is_transactional=True,
        )
        assert bytes(built) == ours


def test_the_stamp_changes_offset_and_leader_epoch_and_not_the_checksum() -> None:
    batch = bytearray(b"xx" + build_batch([Record(value=b"v")]))
    before = parse_batch_header(batch, 2)
    stamp(batch, 2, 1 << 40, 77)
    after = parse_batch_header(batch, 2)
    assert (after.base_offset, after.partition_leader_epoch) == (1 << 40, 77)
    assert after.crc == before.crc == checksums.crc32c(batch[23:])


def test_the_append_time_is_that_of_every_record() -> None:
    batch = bytearray(build_batch([Record(timestamp=5), Record(offset=1, timestamp=6)]))
    header = set_log_append_time(memoryview(batch), 99)
    assert header == parse_batch_header(batch)
    assert header.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert header.crc == checksums.crc32c(batch[21:])
    assert [record.timestamp for record in records_of(batch)] == [99, 99]


def test_a_rewritten_header_has_a_new_checksum() -> None:
    batch = bytearray(build_batch([Record(timestamp=5)]))
    header = parse_batch_header(batch)
    header.max_timestamp = 7
    rewrite_header(batch, header)
    assert parse_batch_header(batch) == header
    assert header.crc == checksums.crc32c(batch[21:])


def test_a_batch_may_start_before_its_first_record_as_compaction_leaves_it() -> None:
    batch = build_batch([Record(offset=12)], base_offset=10)
    assert parse_batch_header(batch).base_offset == 10
    assert [record.offset for record in records_of(batch)] == [12]


def test_whole_batches_of_a_buffer_are_found_and_a_partial_one_is_skipped() -> None:
    one, two = build_batch([Record()]), build_batch([Record(value=b"more")])
    spans = [(3, 3 + len(one)), (3 + len(one), 3 + len(one + two))]
    assert list(batch_spans(b"abc" + one + two, 3)) == spans
    assert list(batch_spans(b"abc" + one + two[:-1], 3)) == spans[:1]
    assert list(batch_spans(b"abc" + one + two[:12], 3)) == spans[:1]
    assert not list(batch_spans(b""))


@pytest.mark.parametrize("length", [0, -1])
def test_a_length_that_no_batch_has_is_refused(length: int) -> None:
    with pytest.raises(DecodeError, match=f"invalid length {length} at 0"):
        list(batch_spans(bytes(8) + length.to_bytes(4, "big", signed=True) + bytes(50)))


def test_a_buffer_shorter_than_a_header_is_refused() -> None:
    with pytest.raises(DecodeError, match="60 bytes hold no batch header"):
        parse_batch_header(bytes(61), 1)


def test_a_batch_longer_than_its_buffer_is_refused() -> None:
    batch = build_batch([Record()])
    with pytest.raises(DecodeError, match="bytes declared"):
        records_of(batch[:-1])
    header = parse_batch_header(batch)
    header.batch_length = 48
    with pytest.raises(DecodeError, match="60 bytes declared"):
        decompressed_payload(batch, header, limit_bytes=100)


def test_corrupt_compression_is_refused_with_its_path() -> None:
    batch = bytearray(build_batch([Record(value=b"v")], compression=Compression.GZIP))
    batch[61] = 0
    with pytest.raises(DecodeError) as refusal:
        records_of(batch)
    assert refusal.value.path == "batch.records"


@given(st.binary(max_size=120))
def test_any_bytes_are_records_or_refused(data: bytes) -> None:
    batch = bytearray(build_batch([Record(value=b"v" * 50)]))
    batch[61 : 61 + len(data)] = data
    for buffer in (data, bytes(batch)):
        try:
            for record in records_of(buffer, limit_bytes=1000):
                assert isinstance(record, Record)
        except DecodeError:
            continue


def test_a_transactional_batch_is_recognised_by_its_header() -> None:
    records = [Record(value=b"v", timestamp=5)]
    batch = build_batch(records, is_transactional=True)
    assert is_transactional(batch)
    assert not is_transactional(build_batch(records))
    assert not is_transactional(batch[:60])
    assert not is_transactional(None)
