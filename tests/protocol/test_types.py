import pytest

from mockbroker.protocol.types import (
    NO_SEQUENCE,
    BatchHeader,
    BufferChain,
    Compression,
    TimestampType,
    TopicPartition,
    as_long,
)


def header(**changes: int) -> BatchHeader:
    fields = {
        "base_offset": 100,
        "batch_length": 49,
        "partition_leader_epoch": 3,
        "magic": 2,
        "crc": 0xCAFE,
        "attributes": 0,
        "last_offset_delta": 4,
        "base_timestamp": 1_000,
        "max_timestamp": 2_000,
        "producer_id": 7,
        "producer_epoch": 1,
        "base_sequence": 10,
        "record_count": 5,
    }
    return BatchHeader(**(fields | changes))


def test_a_topic_partition_reads_as_kafka_writes_it() -> None:
    assert str(TopicPartition("my-topic", 3)) == "my-topic-3"


def test_the_attributes_of_a_batch_are_bits() -> None:
    plain = header()
    assert plain.compression == Compression.NONE
    assert plain.timestamp_type is TimestampType.CREATE_TIME
    assert not (plain.is_transactional)
    assert not (plain.is_control)
    assert not (plain.has_delete_horizon)
    full = header(attributes=0x04 | 0x08 | 0x10 | 0x20 | 0x40)
    assert full.compression == Compression.ZSTD
    assert full.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert full.is_transactional
    assert full.is_control
    assert full.has_delete_horizon


def test_a_batch_ends_after_its_last_record() -> None:
    assert header().last_offset == 104
    assert header().last_sequence == 14
    assert header().size_bytes == 61


def test_sequences_wrap_to_zero_after_the_largest_one() -> None:
    assert header(base_sequence=2**31 - 1, last_offset_delta=0).last_sequence == 2**31 - 1
    assert header(base_sequence=2**31 - 1, last_offset_delta=1).last_sequence == 0


def test_a_batch_without_sequences_has_no_last_one() -> None:
    assert header(base_sequence=NO_SEQUENCE).last_sequence == NO_SEQUENCE


def test_headers_are_values_that_may_change() -> None:
    assert header() == header()
    assert header() != header(crc=1)
    assert header() != "a header"
    with pytest.raises(TypeError, match="unhashable"):
        hash(header())
    assert "base_offset=100" in repr(header())


def test_a_chain_of_buffers_behaves_like_one_buffer() -> None:
    chain = BufferChain([b"ab", memoryview(b"cde")], 5)
    assert len(chain) == 5
    assert bytes(chain) == b"abcde"


def test_a_sum_wraps_as_a_long_does() -> None:
    assert as_long((1 << 63) - 1) == (1 << 63) - 1
    assert as_long(1 << 63) == -(1 << 63)
