"""Validation of single records (the messages are compared with Kafka's elsewhere)."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.records.batch import build_batch, parse_batch_header
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.records.validation.batch_rules import RULES_OF_2_4, BatchRules
from mockbroker.protocol.records.validation.record_judgement import refuse_records
from mockbroker.protocol.records.validation.refusal import RecordError, RecordsRefused

NOW_MS = 10_000_000


def refusal_of(records: list[Record], rules: BatchRules) -> RecordsRefused | None:
    batch = build_batch(records)
    return refuse_records(parse_batch_header(batch), batch[61:], NOW_MS, rules)


def test_records_without_fault_are_not_refused() -> None:
    assert refusal_of([Record(timestamp=NOW_MS)], BatchRules(topic_partition="t-0")) is None


def test_every_fault_is_reported_and_a_timestamp_decides_the_code() -> None:
    rules = BatchRules(topic_partition="t-0", is_compacted=True, timestamp_after_max_ms=1)
    records = [
        Record(timestamp=NOW_MS),
        Record(offset=1, timestamp=NOW_MS, key=b"k"),
        Record(offset=2, timestamp=NOW_MS + 2, key=b"k"),
    ]
    refusal = refusal_of(records, rules)
    assert refusal is not None
    assert refusal.code is ErrorCode.INVALID_TIMESTAMP
    assert [error.batch_index for error in refusal.record_errors] == [0, 2]


def test_older_releases_report_the_first_fault_only() -> None:
    rules = BatchRules(topic_partition="t-0", is_compacted=True, release=RULES_OF_2_4)
    refusal = refusal_of([Record(timestamp=NOW_MS), Record(offset=1, timestamp=NOW_MS)], rules)
    assert refusal is not None
    assert refusal.record_errors == (RecordError(0, None),)


def test_a_release_may_report_every_fault_without_a_summary() -> None:
    between = RULES_OF_2_4._replace(collects_record_errors=True, sums_up_record_errors=False)
    rules = BatchRules(topic_partition="t-0", is_compacted=True, release=between)
    refusal = refusal_of([Record(timestamp=NOW_MS), Record(offset=1, timestamp=NOW_MS)], rules)
    assert refusal is not None
    assert refusal.error_message == "One or more records have been rejected"
    why = "Compacted topic cannot accept message without key in topic partition t-0."
    assert refusal.record_errors == (RecordError(0, why), RecordError(1, why))
