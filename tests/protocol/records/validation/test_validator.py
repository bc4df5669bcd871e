"""Produced batches, compared with the results of Kafka 4.4.0 and 2.4.1 for the same bytes.

`golden/produced_batches.jsonl` has the response of both brokers to each batch, and for accepted
ones the result of a later fetch. Codes, messages, record errors, the presence of the log start
offset and the stored bytes are compared.
"""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.records.batch import (
    CRC_TO_COMPUTE,
    build_batch,
    parse_batch_header,
    rewrite_header,
    seal,
    set_log_append_time,
    stamp,
)
from mockbroker.protocol.records.compression.codecs import compress
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.records.validation import batch_rules
from mockbroker.protocol.records.validation.batch_rules import (
    COMPRESSED_RECORDS_MAX,
    LONG_MAX,
    RULES_OF_2_4,
    RULES_OF_4_4,
    BatchRules,
    ReleaseRules,
)
from mockbroker.protocol.records.validation.refusal import RecordsRefused, Scope
from mockbroker.protocol.records.validation.validator import validate_batch
from mockbroker.protocol.types import BatchHeader, Compression, TimestampType

GOLDEN = Path(__file__).parents[1] / "golden" / "produced_batches.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in GOLDEN.read_text().splitlines()]
NOW_MS = 1795267960838

ENDS_OF_STREAM_IN_2_4 = re.compile(
    "[1-4] reclen (neg|huge)|1 trunc half|1 byte flipped mid|4 trailing junk"
)
"""Where 2.4.1 shows how its streams are read: it fails in an allocation for a wrong length, finds
the records wrong before it finds the stream broken, and does not read what trails zstd frames.
"""


def rules_for(case: dict[str, Any], release: str) -> BatchRules:
    is_new = release == "kafka_4_4"
    return BatchRules(
        topic_partition=f"{case['topic']}-0",
        release=RULES_OF_4_4 if is_new else RULES_OF_2_4,
        max_message_bytes=200 if case["topic"] == "t" else 1_048_588,
        is_compacted=case["topic"] == "c",
        timestamp_type=TimestampType(case["topic"] == "a"),
        timestamp_after_max_ms=3_600_000 if is_new else LONG_MAX,
    )


def judged(case: dict[str, Any], release: str) -> dict[str, Any]:
    """Process a batch as a broker does; return the result in the golden file's format."""
    data, told = bytes.fromhex(case["bytes"]), case[release]
    now_ms = told.get("log_append_time_ms", told.get("now_ms", NOW_MS))
    rules = rules_for(case, release)
    allows_zstd = case["api_version"] >= 7
    try:
        header = validate_batch(data, 0, len(data), now_ms, rules, allows_zstd=allows_zstd)
    except RecordsRefused as refusal:
        return outcome_of(refusal)
    stored = bytearray(data[: header.size_bytes])
    if header.crc == CRC_TO_COMPUTE:
        rewrite_header(stored, header)
    outcome: dict[str, Any] = {"outcome": "stored"}
    if rules.timestamp_type is TimestampType.LOG_APPEND_TIME:
        set_log_append_time(stored, now_ms)
        outcome["log_append_time_ms"] = now_ms
    stamp(
        stored, 0, parse_batch_header(bytes.fromhex(told.get("stored", "00" * 61))).base_offset, 0
    )
    outcome["stored"] = stored.hex()
    return outcome


def outcome_of(refusal: RecordsRefused) -> dict[str, Any]:
    if refusal.scope is Scope.CONNECTION:
        return {"outcome": "closed"}
    told: dict[str, Any] = {
        "outcome": "refused",
        "code": int(refusal.code),
        "knows_log_start_offset": refusal.knows_log_start_offset,
    }
    if refusal.error_message is not None:
        told["error_message"] = refusal.error_message
    if refusal.record_errors:
        told["record_errors"] = [list(error) for error in refusal.record_errors]
    return told


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['topic']} {case['name']}")
def test_kafka_4_4_has_the_same_result(case: dict[str, Any]) -> None:
    told = {key: value for key, value in case["kafka_4_4"].items() if key != "now_ms"}
    assert judged(case, "kafka_4_4") == told


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['topic']} {case['name']}")
def test_kafka_2_4_has_the_same_result(case: dict[str, Any]) -> None:
    if ENDS_OF_STREAM_IN_2_4.fullmatch(case["name"]):
        assert judged(case, "kafka_2_4")["outcome"] == "refused"
        return
    assert judged(case, "kafka_2_4") == case["kafka_2_4"]


RULES = BatchRules(topic_partition="t-0")


def test_a_batch_inside_a_bigger_buffer_is_validated_in_place() -> None:
    batch = build_batch([Record(timestamp=NOW_MS, value=b"v")])
    for frame in (b"xyz" + batch + b"behind", memoryview(b"xyz" + batch + b"behind")):
        header = validate_batch(frame, 3, 3 + len(batch), NOW_MS, RULES)
        assert header == parse_batch_header(batch)


def test_malformed_first_bytes_fail_the_whole_request() -> None:
    with pytest.raises(RecordsRefused) as refusal:
        validate_batch(bytes(100), 0, 100, NOW_MS, RULES)
    assert refusal.value.scope is Scope.REQUEST
    with pytest.raises(RecordsRefused) as refusal:
        validate_batch(b"", 0, 0, NOW_MS, RULES)
    assert refusal.value.scope is Scope.PARTITION


@pytest.mark.parametrize("codec", [c for c in Compression if c is not Compression.NONE])
def test_a_batch_with_a_decompressed_size_above_the_limit_is_too_large(codec: Compression) -> None:
    rules = BatchRules(topic_partition="t-0", decompressed_bytes_max=1000)
    batch = build_batch([Record(timestamp=NOW_MS, value=bytes(2000))], compression=codec)
    with pytest.raises(RecordsRefused) as refusal:
        validate_batch(batch, 0, len(batch), NOW_MS, rules)
    assert refusal.value.code is ErrorCode.MESSAGE_TOO_LARGE


@pytest.mark.parametrize("codec", [c for c in Compression if c is not Compression.NONE])
def test_a_small_batch_may_not_hold_more_than_the_limit(
    codec: Compression, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_rules, "UNPACKED_BYTES_MAX", 4000)
    batch = build_batch([Record(timestamp=NOW_MS, value=bytes(5000))], compression=codec)
    with pytest.raises(RecordsRefused) as refusal:
        validate_batch(batch, 0, len(batch), NOW_MS, RULES)
    assert refusal.value.code is ErrorCode.MESSAGE_TOO_LARGE


def test_a_large_batch_may_hold_four_times_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_rules, "UNPACKED_BYTES_MAX", 4000)
    value = random.Random(1).randbytes(4000) * 2
    batch = build_batch([Record(timestamp=NOW_MS, value=value)], compression=Compression.ZSTD)
    assert validate_batch(batch, 0, len(batch), NOW_MS, RULES).record_count == 1


def test_a_compressed_batch_may_not_hold_more_records_than_the_limit() -> None:
    records = [Record(timestamp=NOW_MS, offset=n) for n in range(COMPRESSED_RECORDS_MAX + 1)]
    batch = build_batch(records, compression=Compression.ZSTD)
    with pytest.raises(RecordsRefused) as refusal:
        validate_batch(batch, 0, len(batch), NOW_MS, RULES)
    assert refusal.value.code is ErrorCode.MESSAGE_TOO_LARGE
    assert "100001 records in a compressed batch" in refusal.value.why


def test_a_timestamp_before_the_allowed_span_is_refused() -> None:
    rules = BatchRules(topic_partition="t-0", timestamp_before_max_ms=1000)
    batch = build_batch([Record(timestamp=NOW_MS - 1001)])
    with pytest.raises(RecordsRefused) as refusal:
        validate_batch(batch, 0, len(batch), NOW_MS, rules)
    assert refusal.value.code is ErrorCode.INVALID_TIMESTAMP


@pytest.mark.parametrize("timestamp", [NOW_MS - 1000, -1])
def test_a_timestamp_inside_the_allowed_span_or_none_is_accepted(timestamp: int) -> None:
    rules = BatchRules(topic_partition="t-0", timestamp_before_max_ms=1000)
    batch = build_batch([Record(timestamp=timestamp)])
    assert validate_batch(batch, 0, len(batch), NOW_MS, rules).max_timestamp == timestamp


def test_wrong_lengths_of_compressed_records_do_not_hide_an_invalid_timestamp() -> None:
    case = next(case for case in CASES if case["name"] == "1 reclen-1")
    data = bytes.fromhex(case["bytes"])
    rules = BatchRules(topic_partition="t-0", timestamp_before_max_ms=1)
    with pytest.raises(RecordsRefused) as refusal:
        validate_batch(data, 0, len(data), NOW_MS + 5, rules)
    assert refusal.value.code is ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("release", [RULES_OF_4_4, RULES_OF_2_4])
def test_an_overlong_length_of_a_compressed_record_is_a_server_error(release: ReleaseRules) -> None:
    rules = BatchRules(topic_partition="t-0", release=release)
    batch = recoded(b"\x80" * 6)
    with pytest.raises(RecordsRefused) as refusal:
        validate_batch(batch, 0, len(batch), NOW_MS, rules)
    assert refusal.value.code is ErrorCode.UNKNOWN_SERVER_ERROR


def recoded(payload: bytes) -> bytes:
    """Make a gzip batch of one record out of bytes that need not be one."""
    header = parse_batch_header(build_batch([Record()], compression=Compression.GZIP))
    return seal(header, compress(Compression.GZIP, payload))


@given(
    st.sampled_from(["ok3", "1 ok", "2 ok", "3 ok", "4 ok", "two batches", "trailing junk 12"]),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=3),
    st.booleans(),
    st.integers(0, 90),
)
def test_any_bytes_are_accepted_or_refused_and_nothing_else(
    name: str, edits: list[tuple[int, int]], is_resealed: bool, cut: int
) -> None:
    case = next(case for case in CASES if case["name"] == name)
    data = bytearray.fromhex(case["bytes"])
    for place, byte in edits:
        data[place % len(data)] = byte
    del data[len(data) - cut % len(data) :]
    if is_resealed and len(data) >= 61:
        header = parse_batch_header(data)
        header.batch_length = len(data) - 12
        rewrite_header(data, header)
    try:
        header = validate_batch(data, 0, len(data), NOW_MS, RULES)
    except RecordsRefused:
        return
    assert header.size_bytes <= len(data)


def judged_by(release: ReleaseRules, batch: bytes) -> BatchHeader:
    rules = BatchRules(topic_partition="t-0", release=release)
    return validate_batch(batch, 0, len(batch), NOW_MS, rules)


@pytest.mark.parametrize("last_offset_delta", [0, 5, -1])
def test_the_oldest_release_corrects_the_last_offset(last_offset_delta: int) -> None:
    batch = build_batch([Record(timestamp=NOW_MS), Record(offset=1, timestamp=NOW_MS)])
    header = parse_batch_header(batch)
    header.last_offset_delta = last_offset_delta
    wrong = seal(header, batch[61:])
    lenient = RULES_OF_2_4._replace(checks_last_offset_delta=False)
    mended = judged_by(lenient, wrong)
    assert (mended.last_offset_delta, mended.crc) == (1, CRC_TO_COMPUTE)
    with pytest.raises(RecordsRefused) as refusal:
        judged_by(RULES_OF_2_4, wrong)
    assert refusal.value.code is ErrorCode.INVALID_RECORD


def test_a_codec_of_a_later_release_is_unknown() -> None:
    batch = build_batch([Record(timestamp=NOW_MS)], compression=Compression.ZSTD)
    with pytest.raises(RecordsRefused) as refusal:
        judged_by(RULES_OF_2_4._replace(newest_codec=int(Compression.LZ4)), batch)
    assert refusal.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
    assert judged_by(RULES_OF_2_4, batch).compression == Compression.ZSTD
