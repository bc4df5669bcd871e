import random
from typing import Any

import pytest

from mockbroker.protocol.dump.decode_records import batch_rows, shown_record
from mockbroker.protocol.dump.decode_rows import DumpRow
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.control_batch import (
    ControlRecordType,
    EndTransactionMarker,
    build_end_transaction_marker,
)
from mockbroker.protocol.records.message_set import build_message_set
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import Compression, TimestampType

RECORDS = [
    Record(offset=5, timestamp=1_000, key=b"k", value=b"first", headers=[("h", None)]),
    Record(offset=6, timestamp=1_001, value=b"second"),
]
SHOWN = [
    "offset 5, timestamp 1000, key 'k', value 'first', header 'h': null",
    "offset 6, timestamp 1001, key null, value 'second'",
]


def rows_of(data: bytes) -> list[DumpRow]:
    return list(batch_rows(data, 100, "records"))


def values(data: bytes) -> dict[str, Any]:
    return {row.path: row.value for row in rows_of(data)}


def test_a_batch_is_shown_header_first_and_then_by_records() -> None:
    data = build_batch(RECORDS, producer_id=9, is_transactional=True)
    found = values(data)
    assert [found[f"records[0].records[{i}]"] for i in range(2)] == SHOWN
    assert found["records[0].producer_id"] == 9
    assert found["records[0].record_count"] == 2
    assert found["records[0].attributes"] == "16 (compression none, create time, transactional)"
    assert found["records[0].crc"].endswith("(correct)")


def test_every_byte_of_an_uncompressed_batch_is_in_one_row() -> None:
    data = build_batch(RECORDS)
    rows = rows_of(data + data)
    assert [row.start for row in rows] == [100, *(row.end for row in rows[:-1])]
    assert rows[-1].end == 100 + 2 * len(data)


@pytest.mark.parametrize("compression", list(Compression)[1:])
def test_compressed_records_are_shown_without_a_place(compression: Compression) -> None:
    rows = rows_of(build_batch(RECORDS, compression=compression))
    records = [row for row in rows if row.kind == "record"]
    assert [row.value for row in records] == SHOWN
    assert {(row.start, row.end) for row in records} == {(None, None)}
    name = f"compression {compression.name.lower()}"
    assert any(name in str(row.value) for row in rows)


def test_a_wrong_checksum_is_shown_beside_the_right_one() -> None:
    data = bytearray(build_batch(RECORDS))
    data[20] ^= 1
    assert "wrong: the bytes have 0x" in values(bytes(data))["records[0].crc"]


def test_the_attributes_are_spelled_out() -> None:
    data = bytearray(build_batch(RECORDS, timestamp_type=TimestampType.LOG_APPEND_TIME))
    data[22] |= 0x40 | 0x07
    found = values(bytes(data))
    assert found["records[0].attributes"] == "79 (compression 7, log append time, delete horizon)"
    assert found["records[0].records"] == "unknown codec 7"


def test_a_marker_shows_how_the_transaction_ended() -> None:
    marker = EndTransactionMarker(ControlRecordType.COMMIT, 4)
    data = build_end_transaction_marker(
        marker, offset=8, timestamp_ms=50, producer_id=1, producer_epoch=0
    )
    shown = values(data)["records[0].records[0]"]
    assert shown == "offset 8, timestamp 50, COMMIT, coordinator epoch 4"


def test_a_control_record_of_another_kind_is_shown_with_its_type() -> None:
    record = Record(key=b"\0\0\0\x02", value=b"v")
    shown = values(build_batch([record], is_control=True))["records[0].records[0]"]
    assert shown == "offset 0, timestamp -1, key 4 bytes 00 00 00 02, value 'v'"


@pytest.mark.parametrize("magic", [0, 1])
def test_messages_of_the_old_formats_are_shown_field_by_field(magic: int) -> None:
    data = build_message_set(RECORDS, magic=magic)
    found = values(data)
    assert [found[f"records[{i}].value"] for i in range(2)] == [b"first", b"second"]
    assert found["records[1].key"] is None
    assert ("records[0].timestamp" in found) is bool(magic)
    rows = rows_of(data)
    assert [row.start for row in rows] == [100, *(row.end for row in rows[:-1])]
    assert rows[-1].end == 100 + len(data)
    assert found["records[0].message_size"] == int.from_bytes(data[8:12], "big")


def test_the_messages_in_a_wrapper_are_shown_below_it() -> None:
    data = build_message_set(RECORDS, magic=1, compression=Compression.GZIP)
    found = values(data)
    assert found["records[0].records[1]"] == SHOWN[1]


def test_a_truncated_batch_is_distinguished_from_a_bad_one() -> None:
    data = build_batch(RECORDS)
    *_, last = rows_of(data + data[:30])
    assert (last.kind, last.value) == ("part", "30 bytes of a batch that is cut")
    assert last.start == 100 + len(data)


def test_bytes_that_are_no_batch_are_shown_as_unreadable() -> None:
    [row] = rows_of(bytes(40))
    assert (row.kind, row.start, row.end) == ("unreadable", 100, 140)


def test_records_that_contradict_the_header_are_shown_up_to_the_error() -> None:
    data = bytearray(build_batch(RECORDS))
    data[60] = 3
    *_, last = rows_of(bytes(data))
    assert last.kind == "unreadable"
    assert last.path.startswith("records[0].records[2]")
    data = bytearray(build_batch(RECORDS))
    data[61:] = b"\xff" * len(data[61:])
    *_, last = rows_of(bytes(data))
    assert last.kind == "unreadable"


def test_a_record_is_one_line() -> None:
    assert shown_record(RECORDS[0]) == SHOWN[0]


def test_any_bytes_are_rows_to_their_end() -> None:
    rng = random.Random("batches")
    sets = [build_batch(RECORDS, compression=codec) for codec in Compression]
    sets += [build_message_set(RECORDS, magic=magic, compression=1) for magic in (0, 1)]
    for _ in range(500):
        data = bytearray(rng.choice(sets))
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))
        rows = rows_of(bytes(data[: rng.randint(1, len(data))]))
        assert all(row.path.startswith("records") for row in rows)
