"""Message sets of Produce v0-2, compared with Kafka 2.4.1's results for the same bytes."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.records.batch import (
    build_batch,
    parse_batch_header,
    records_of,
    set_log_append_time,
    stamp,
)
from mockbroker.protocol.records.message_set import LegacyRecord, build_message_set, encode_message
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.records.validation.batch_rules import (
    LONG_MAX,
    RULES_OF_2_4,
    RULES_OF_4_4,
    BatchRules,
    ReleaseRules,
)
from mockbroker.protocol.records.validation.message_set_validator import validate_message_set
from mockbroker.protocol.records.validation.refusal import RecordsRefused, Scope
from mockbroker.protocol.types import Compression, TimestampType

GOLDEN = Path(__file__).parents[1] / "golden" / "converted_batches.jsonl"
CASES: list[dict[str, Any]] = [
    case for case in map(json.loads, GOLDEN.read_text().splitlines()) if case["api_version"] < 3
]
NOW_MS = 1795267960838


def rules_for(topic: str) -> BatchRules:
    return BatchRules(
        topic_partition=f"{topic}-0",
        release=RULES_OF_2_4,
        is_compacted=topic == "K",
        timestamp_type=TimestampType(topic == "L"),
        timestamp_after_max_ms=LONG_MAX,
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['topic']} {case['name']}")
def test_kafka_2_4_has_the_same_result(case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["bytes"])
    if case["outcome"] == "stored":
        header, batch = validate_message_set(
            b"xx" + data, 2, 2 + len(data), NOW_MS, rules_for(case["topic"])
        )
        assert header == parse_batch_header(batch)
        stored = bytes.fromhex(case["fetch_v4"]["records"])
        ours = [(r.key, r.value) for r in records_of(batch)]
        assert ours == [(r.key, r.value) for r in records_of(stored)]
        return
    with pytest.raises(RecordsRefused) as refusal:
        validate_message_set(data, 0, len(data), NOW_MS, rules_for(case["topic"]))
    if case["outcome"] == "closed":
        assert refusal.value.scope is Scope.CONNECTION
    else:
        assert refusal.value.code == case["code"]


CONVERTED = [
    case
    for case in CASES
    if case["outcome"] == "stored"
    and (case["name"].startswith("magic") or case["name"] in {"one and partial", "offsets 5.."})
]


@pytest.mark.parametrize("case", CONVERTED, ids=lambda case: f"{case['topic']} {case['name']}")
def test_kafka_2_4_stored_the_same_batch(case: dict[str, Any]) -> None:
    data = bytes.fromhex(case["bytes"])
    stored = bytes.fromhex(case["fetch_v4"]["records"])
    told = parse_batch_header(stored)
    _, made = validate_message_set(data, 0, len(data), NOW_MS, rules_for(case["topic"]))
    ours = bytearray(made)
    stamp(ours, 0, case["base_offset"], 0)
    if case["topic"] == "L":
        set_log_append_time(ours, told.max_timestamp)
    assert list(records_of(ours)) == list(records_of(stored))
    header = parse_batch_header(ours)
    for name in header.__slots__:
        if name not in {"crc", "batch_length", "base_timestamp"} or not told.compression:
            assert getattr(header, name) == getattr(told, name), name


def test_an_empty_set_fails_only_its_partition_in_releases_that_do_not_close() -> None:
    with pytest.raises(RecordsRefused) as refusal:
        validate_message_set(
            b"", 0, 0, NOW_MS, BatchRules(topic_partition="t-0", release=RULES_OF_4_4)
        )
    assert refusal.value.scope is Scope.PARTITION


def test_a_wrapper_with_a_decompressed_size_above_the_limit_is_too_large() -> None:
    data = build_message_set([Record(value=bytes(9999))], magic=1, compression=Compression.GZIP)
    rules = BatchRules(topic_partition="t-0", release=RULES_OF_2_4, decompressed_bytes_max=999)
    with pytest.raises(RecordsRefused) as refusal:
        validate_message_set(data, 0, len(data), NOW_MS, rules)
    assert refusal.value.code is ErrorCode.MESSAGE_TOO_LARGE


@given(st.binary(max_size=60), st.integers(0, 100), st.sampled_from([0, 1]), st.integers(0, 4))
def test_any_bytes_are_accepted_or_refused_and_nothing_else(
    data: bytes, at: int, magic: int, codec: int
) -> None:
    mutated = bytearray(build_message_set([Record(value=b"v" * 30)], magic=magic))
    mutated[at : at + len(data)] = data
    wrapped = encode_message(
        LegacyRecord(offset=0, magic=magic, attributes=codec, value=bytes(mutated))
    )
    for buffer in (data, bytes(mutated), wrapped):
        try:
            header, batch = validate_message_set(buffer, 0, len(buffer), NOW_MS, rules_for("C"))
        except RecordsRefused:
            continue
        assert header.size_bytes == len(batch)


def judged_by(release: ReleaseRules, data: bytes) -> list[bytes | None]:
    rules = BatchRules(topic_partition="t-0", release=release, timestamp_after_max_ms=LONG_MAX)
    _, batch = validate_message_set(data, 0, len(data), NOW_MS, rules)
    return [record.value for record in records_of(batch)]


def test_batches_may_follow_messages_in_old_releases() -> None:
    message = encode_message(LegacyRecord(offset=0, magic=1, timestamp=NOW_MS, value=b"a"))
    batch = build_batch([Record(timestamp=NOW_MS, value=b"b"), Record(offset=1, value=b"c")])
    mixing = RULES_OF_2_4._replace(mixes_formats=True)
    assert judged_by(mixing, message + batch) == [b"a", b"b", b"c"]
    with pytest.raises(RecordsRefused) as refusal:
        judged_by(RULES_OF_2_4, message + batch)
    assert refusal.value.code is ErrorCode.INVALID_RECORD


@pytest.mark.parametrize("data", [b"", bytes(11)])
def test_no_whole_message_is_no_error_in_some_releases(data: bytes) -> None:
    with pytest.raises(RecordsRefused) as refusal:
        judged_by(RULES_OF_2_4._replace(accepts_empty_set=True), data)
    assert (refusal.value.code, refusal.value.scope) == (ErrorCode.NONE, Scope.PARTITION)


def test_a_wrapper_of_a_later_codec_is_refused() -> None:
    wrapper = LegacyRecord(offset=0, magic=1, attributes=4, timestamp=NOW_MS, value=b"packed")
    with pytest.raises(RecordsRefused) as refusal:
        judged_by(RULES_OF_2_4._replace(newest_codec=3), encode_message(wrapper))
    assert refusal.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
