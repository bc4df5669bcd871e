"""Stored batches, read by their headers."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.control_batch import (
    ControlRecordType,
    EndTransactionMarker,
    build_end_transaction_marker,
)
from mockbroker.protocol.records.message_set import build_message_set
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import Compression
from mockbroker.spark.batches.batch_headers import Batch, BatchRow, cut_batches

FOREVER = 1 << 62


def stored(*sizes: int, first: int = 0, compression: int = Compression.NONE) -> bytes:
    """Build one batch of so many records for each size."""
    log = b""
    for size in sizes:
        records = [Record(offset=first + n, timestamp=1_000 + n, value=b"v") for n in range(size)]
        log += build_batch(
            records,
            compression=compression,
            producer_id=7,
            producer_epoch=2,
            base_sequence=first,
            partition_leader_epoch=3,
        )
        first += size
    return log


def test_the_header_is_parsed_without_decompression() -> None:
    log = stored(4, first=10, compression=Compression.GZIP)
    broken = log[:-1] + bytes([log[-1] ^ 0xFF])
    (batch,) = cut_batches(broken, 10, FOREVER).batches
    assert batch == Batch(
        base_offset=10,
        last_offset=13,
        leader_epoch=3,
        producer_id=7,
        producer_epoch=2,
        base_sequence=10,
        record_count=4,
        is_transactional=False,
        is_control=False,
        marker=None,
        coordinator_epoch=None,
        crc=struct.unpack_from(">I", log, 17)[0],
        max_timestamp_ms=1_003,
        size_bytes=len(log),
    )


@pytest.mark.parametrize("end", [ControlRecordType.COMMIT, ControlRecordType.ABORT])
def test_a_marker_has_the_outcome_and_the_coordinator_epoch(end: ControlRecordType) -> None:
    log = build_end_transaction_marker(
        EndTransactionMarker(end, 5), offset=9, timestamp_ms=1, producer_id=7, producer_epoch=2
    )
    (batch,) = cut_batches(log, 9, FOREVER).batches
    assert (batch.marker, batch.coordinator_epoch) == (end.name, 5)
    assert (batch.is_control, batch.is_transactional, batch.producer_id) == (True, True, 7)


def test_a_control_batch_that_ends_no_transaction_has_no_marker() -> None:
    key = struct.pack(">hh", 0, ControlRecordType.LEADER_CHANGE)
    record = Record(offset=0, key=key, value=b"")
    (batch,) = cut_batches(build_batch([record], is_control=True), 0, FOREVER).batches
    assert (batch.is_control, batch.marker, batch.coordinator_epoch) == (True, None, None)


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("compression", [Compression.NONE, Compression.GZIP])
def test_messages_of_older_formats_are_batches_without_a_producer(
    magic: int, compression: int
) -> None:
    records = [Record(offset=n, timestamp=1_000 + n, value=b"v") for n in range(5, 8)]
    log = build_message_set(records, magic=magic, compression=compression)
    batches = cut_batches(log, 5, FOREVER).batches
    spans = [(each.base_offset, each.last_offset, each.record_count) for each in batches]
    assert spans == ([(5, 7, 3)] if compression else [(5, 5, 1), (6, 6, 1), (7, 7, 1)])
    assert {(each.producer_id, each.leader_epoch, each.base_sequence) for each in batches} == {
        (-1, -1, -1)
    }
    assert batches[-1].max_timestamp_ms == (1_007 if magic else -1)


@given(sizes=st.lists(st.integers(1, 5), min_size=1, max_size=8), data=st.data())
def test_adjoining_ranges_have_each_batch_once(sizes: list[int], data: st.DataObject) -> None:
    log, end = stored(*sizes), sum(sizes)
    at = data.draw(st.integers(0, end))
    first, second = cut_batches(log, 0, at), cut_batches(log, at, end)
    assert first.batches + second.batches == cut_batches(log, 0, end).batches


@given(sizes=st.lists(st.integers(1, 3), min_size=1, max_size=5), data=st.data())
def test_a_truncated_batch_is_left_for_the_next_response(
    sizes: list[int], data: st.DataObject
) -> None:
    log, end = stored(*sizes), sum(sizes)
    size_bytes = data.draw(st.integers(0, len(log)))
    first = cut_batches(log[:size_bytes], 0, end)
    rest = log[sum(each.size_bytes for each in first.batches) :]
    second = cut_batches(rest, first.next_offset, end)
    assert first.batches + second.batches == cut_batches(log, 0, end).batches
    assert second.is_past_end


def test_bytes_that_are_no_batch_are_refused() -> None:
    log = bytearray(stored(2))
    struct.pack_into(">i", log, 8, -5)
    with pytest.raises(DecodeError, match="a length of -5 after offset 0"):
        cut_batches(log, 0, FOREVER)
    struct.pack_into(">i", log, 8, 20)
    with pytest.raises(DecodeError, match="32 bytes are no batch"):
        cut_batches(log, 0, FOREVER)


def test_a_row_is_a_batch_and_its_place() -> None:
    apart = ("topic", "partition", "high_watermark", "last_stable_offset", "log_start_offset")
    assert tuple(name for name in BatchRow._fields if name not in apart) == Batch._fields
