"""Markers that end transactions."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.batch import parse_batch_header, records_of
from mockbroker.protocol.records.control_batch import (
    ControlRecordType,
    EndTransactionMarker,
    build_end_transaction_marker,
    parse_control_type,
    parse_end_transaction_marker,
)
from mockbroker.protocol.records.declarations import (
    CONTROL_RECORD_KEY,
    END_TRANSACTION_MARKER_VALUE,
)
from mockbroker.protocol.records.record import Record

ENDS = st.sampled_from([ControlRecordType.ABORT, ControlRecordType.COMMIT])


@given(ENDS, st.integers(-1, (1 << 31) - 1))
def test_a_marker_is_decoded_again(control_type: ControlRecordType, coordinator_epoch: int) -> None:
    marker = EndTransactionMarker(control_type, coordinator_epoch)
    batch = build_end_transaction_marker(
        marker, offset=5, timestamp_ms=6, producer_id=7, producer_epoch=8, partition_leader_epoch=9
    )
    header = parse_batch_header(batch)
    assert (header.is_control, header.is_transactional, header.base_sequence) == (True, True, -1)
    assert (header.base_offset, header.max_timestamp, header.partition_leader_epoch) == (5, 6, 9)
    assert (header.producer_id, header.producer_epoch, header.record_count) == (7, 8, 1)
    (record,) = records_of(batch)
    assert parse_end_transaction_marker(record) == marker
    assert CONTROL_RECORD_KEY.parse(record.key).type == control_type
    assert END_TRANSACTION_MARKER_VALUE.parse(record.value).coordinator_epoch == coordinator_epoch


def test_a_marker_of_a_later_version_is_read_as_far_as_it_is_known() -> None:
    record = Record(key=struct.pack(">hhi", 1, 1, 5), value=struct.pack(">hih", 1, 7, 2))
    assert parse_end_transaction_marker(record) == EndTransactionMarker(ControlRecordType.COMMIT, 7)


def test_a_type_of_a_later_release_is_unknown() -> None:
    assert parse_control_type(struct.pack(">hh", 0, 99)) is ControlRecordType.UNKNOWN


@pytest.mark.parametrize(
    ("key", "value", "path"),
    [
        (None, None, "key"),
        (b"\0\0\0", None, "key"),
        (b"\xff\xff\0\0", None, "key.version"),
        (b"\0\0\0\2", b"\0" * 6, "key.type"),
        (b"\0\0\0\0", None, "value"),
        (b"\0\0\0\0", b"\0\0\0\0\0", "value"),
        (b"\0\0\0\0", b"\xff\xff\0\0\0\0", "value.version"),
    ],
)
def test_other_records_than_markers_are_refused(
    key: bytes | None, value: bytes | None, path: str
) -> None:
    with pytest.raises(DecodeError) as refusal:
        parse_end_transaction_marker(Record(key=key, value=value))
    assert refusal.value.path == path
