"""Record conversion, compared with the results of Kafka 2.4.1 for the same bytes.

`golden/converted_batches.jsonl` has the produced bytes (Produce v1, v2 and v7) and the results of
Fetch v4, v2 and v0: formats 2, 1 and 0. Uncompressed sets are compared byte for byte, compressed
ones by their decompressed messages, since compressors differ.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.protocol.errors import ApiError, DecodeError, ErrorCode
from mockbroker.protocol.records.batch import (
    build_batch,
    parse_batch_header,
    records_of,
    seal,
)
from mockbroker.protocol.records.conversion import down_convert, recompress
from mockbroker.protocol.records.message_set import (
    build_message_set,
    messages_of,
    records_of_message_set,
)
from mockbroker.protocol.records.record import Record, encode_record
from mockbroker.protocol.types import Compression

GOLDEN = Path(__file__).parent / "golden" / "converted_batches.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in GOLDEN.read_text().splitlines()]
STORED = [case for case in CASES if case["outcome"] == "stored"]
LIMIT_BYTES = 1 << 20


def fetched(case: dict[str, Any], version: int) -> bytes:
    """Return the fetched batch of the case, without the batches of later cases."""
    return bytes.fromhex(case[f"fetch_v{version}"]["records"])


def unpacked(message_set: bytes) -> list[Any]:
    shallow = [
        (m.offset, m.magic, m.attributes, m.timestamp, m.key) for m in messages_of(message_set)
    ]
    return [shallow, list(records_of_message_set(message_set, limit_bytes=LIMIT_BYTES))]


@pytest.mark.parametrize("case", STORED, ids=lambda case: f"{case['topic']} {case['name']}")
@pytest.mark.parametrize(("version", "to_magic"), [(2, 1), (0, 0)])
def test_batches_are_converted_down_as_by_kafka(
    case: dict[str, Any], version: int, to_magic: int
) -> None:
    stored = fetched(case, 4)
    if parse_batch_header(stored).compression == Compression.ZSTD:
        assert case[f"fetch_v{version}"] == {"error": 76, "records": ""}
        with pytest.raises(ApiError) as refusal:
            down_convert(stored, to_magic)
        assert refusal.value.code is ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
        return
    ours, theirs = down_convert(stored, to_magic), fetched(case, version)
    assert unpacked(ours) == unpacked(theirs)
    if parse_batch_header(stored).compression == Compression.NONE:
        assert theirs.startswith(ours)  # Kafka pads with an incomplete message


RECORDS = [
    Record(offset=index, timestamp=100 + index, key=b"k", value=b"v" * 50, headers=[("h", None)])
    for index in range(5)
]


def test_control_batches_are_left_out_on_the_way_down() -> None:
    control = build_batch(RECORDS[:1], is_control=True, is_transactional=True)
    assert down_convert(control + build_batch(RECORDS), 1) == down_convert(build_batch(RECORDS), 1)


def test_uncompressed_records_below_the_first_offset_are_left_out() -> None:
    plain = down_convert(build_batch(RECORDS), 1, first_offset=3)
    offsets = [r.offset for r in records_of_message_set(plain, limit_bytes=LIMIT_BYTES)]
    assert offsets == [3, 4]
    packed = down_convert(build_batch(RECORDS, compression=Compression.GZIP), 1, first_offset=3)
    offsets = [r.offset for r in records_of_message_set(packed, limit_bytes=LIMIT_BYTES)]
    assert offsets == [0, 1, 2, 3, 4]
    assert down_convert(build_batch(RECORDS), 1, first_offset=5) == b""


def test_message_sets_are_converted_down_unless_they_are_old_enough() -> None:
    for codec in (Compression.NONE, Compression.GZIP):
        one = build_message_set(RECORDS, magic=1, compression=codec)
        zero = build_message_set(RECORDS, magic=0, compression=codec)
        assert down_convert(one, 1) == one
        assert down_convert(zero, 0) == zero
        assert unpacked(down_convert(one, 0)) == unpacked(zero)


@given(st.sampled_from(Compression), st.sampled_from(Compression))
def test_a_recompressed_batch_keeps_its_records_and_its_producer(
    before: Compression, after: Compression
) -> None:
    batch = build_batch(
        RECORDS,
        compression=before,
        producer_id=1,
        producer_epoch=2,
        base_sequence=3,
        is_transactional=True,
    )
    header, packed = recompress(batch, after)
    assert header == parse_batch_header(packed)
    assert header.compression == after
    assert list(records_of(packed)) == RECORDS
    old = parse_batch_header(batch)
    for name in set(header.__slots__) - {"crc", "attributes", "batch_length"}:
        assert getattr(header, name) == getattr(old, name), name
    assert header.is_transactional
    assert seal(parse_batch_header(packed), packed[61:]) == packed


def test_a_recompressed_batch_counts_from_its_first_record() -> None:
    data = bytearray(build_batch(RECORDS))
    header = parse_batch_header(data)
    shifted = [
        encode_record(record, header.base_offset, header.base_timestamp - 7) for record in RECORDS
    ]
    header.base_timestamp -= 7  # as some producers send it, whose first record came later
    header, packed = recompress(seal(header, b"".join(shifted)), Compression.GZIP)
    assert header.base_timestamp == RECORDS[0].timestamp
    assert list(records_of(packed)) == RECORDS


@given(st.binary(max_size=100), st.integers(0, 120))
def test_any_bytes_are_converted_or_refused(data: bytes, at: int) -> None:
    mutated = bytearray(build_batch(RECORDS[:2]))
    mutated[at : at + len(data)] = data
    for buffer in (data, bytes(mutated)):
        with suppress(DecodeError, ApiError):
            down_convert(buffer, 0)
        with suppress(DecodeError, ApiError):
            recompress(buffer, 1)


def test_headers_are_lost_or_refused() -> None:
    batch = build_batch([Record(timestamp=5, value=b"a", headers=(("h", b"v"),))])
    assert [m.value for m in messages_of(down_convert(batch, 1))] == [b"a"]
    with pytest.raises(ApiError) as refusal:
        down_convert(batch, 1, refuses_headers=True)
    assert refusal.value.code is ErrorCode.UNKNOWN_SERVER_ERROR


def test_headers_of_records_that_are_not_taken_do_no_harm() -> None:
    records = [Record(offset=0, headers=(("h", b"v"),)), Record(offset=1, value=b"b")]
    taken = down_convert(build_batch(records), 1, first_offset=1, refuses_headers=True)
    assert [message.value for message in messages_of(taken)] == [b"b"]
    packed = build_batch(records, compression=Compression.GZIP)
    with pytest.raises(ApiError, match="no record headers"):
        down_convert(packed, 1, first_offset=1, refuses_headers=True)


def test_records_without_headers_are_converted_even_if_headers_are_refused() -> None:
    batch = build_batch([Record(timestamp=5, value=b"a")])
    assert down_convert(batch, 0, refuses_headers=True) == down_convert(batch, 0)
