"""Validation of single records, with Kafka's error messages.

This slow path runs only if `survey` found a record with an invalid timestamp, key or offset.
"""

from typing import Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.records.record import Record, decode_records
from mockbroker.protocol.records.validation.batch_rules import LONG_MAX, BatchRules
from mockbroker.protocol.records.validation.refusal import RecordError, RecordsRefused
from mockbroker.protocol.types import NO_TIMESTAMP, BatchHeader, Buffer, TimestampType, as_long

_SHOWN_ERRORS: Final = 3


def refuse_records(
    header: BatchHeader, payload: Buffer, now_ms: int, rules: BatchRules
) -> RecordsRefused | None:
    """Validate each record of a batch; `payload` are its uncompressed records.

    Returns None if no key, no timestamp and, in the releases that report it, no offset is invalid.
    """
    faults: list[tuple[ErrorCode, RecordError]] = []
    records = decode_records(payload, header.record_count, 0, header.base_timestamp)
    is_stamped = header.timestamp_type is TimestampType.LOG_APPEND_TIME
    for index, record in enumerate(records):
        record.timestamp = header.max_timestamp if is_stamped else as_long(record.timestamp)
        fault = _fault_of(record, index, header, now_ms, rules)
        if fault is None:
            continue
        code, message = fault
        if not rules.release.collects_record_errors:
            return RecordsRefused(
                code, message, error_message=message, record_errors=(RecordError(index, None),)
            )
        faults.append((code, RecordError(index, message)))
    return _joined(faults, rules) if faults else None


def _fault_of(
    record: Record, index: int, header: BatchHeader, now_ms: int, rules: BatchRules
) -> tuple[ErrorCode, str] | None:
    release = rules.release
    if rules.is_compacted and record.key is None:
        stop = "." if release.ends_with_period else ""
        message = (
            "Compacted topic cannot accept message without key in topic partition "
            f"{rules.topic_partition}{stop}"
        )
        return ErrorCode.INVALID_RECORD, message
    fault = _timestamp_fault(record, header, now_ms, rules)
    if fault or release.collects_record_errors or not header.compression or record.offset == index:
        return fault
    message = (
        f"Inner record {_shown(record)} inside the compressed record batch does not have "
        f"incremental offsets, expected offset is {index} in topic partition "
        f"{rules.topic_partition}."
    )
    return ErrorCode.INVALID_RECORD, message


def _timestamp_fault(
    record: Record, header: BatchHeader, now_ms: int, rules: BatchRules
) -> tuple[ErrorCode, str] | None:
    is_judged = (
        rules.timestamp_type is TimestampType.CREATE_TIME and record.timestamp != NO_TIMESTAMP
    )
    has_limits = min(rules.timestamp_before_max_ms, rules.timestamp_after_max_ms) < LONG_MAX
    lowest = now_ms - rules.timestamp_before_max_ms
    highest = now_ms + rules.timestamp_after_max_ms
    if is_judged and has_limits and not lowest <= record.timestamp <= highest:
        message = (
            f"Timestamp {record.timestamp} of message with offset {record.offset} is out of "
            f"range. The timestamp should be within [{lowest}, {highest}]"
        )
        return ErrorCode.INVALID_TIMESTAMP, message
    is_stamped = header.timestamp_type is TimestampType.LOG_APPEND_TIME
    if is_stamped and not (is_judged and rules.release.accepts_log_append_time):
        is_partial = rules.skips_bodies_of(header.compression)
        shown = _shown(record, is_partial=is_partial)
        message = (
            f"Invalid timestamp type in message {shown}. Producer should not set "
            "timestamp type to LogAppendTime."
        )
        return ErrorCode.INVALID_TIMESTAMP, message
    return None


def _joined(faults: list[tuple[ErrorCode, RecordError]], rules: BatchRules) -> RecordsRefused:
    errors = tuple(error for _, error in faults)
    if any(code is ErrorCode.INVALID_TIMESTAMP for code, _ in faults):
        code = ErrorCode.INVALID_TIMESTAMP
        message = "One or more records have been rejected due to invalid timestamp"
    else:
        code = ErrorCode.INVALID_RECORD
        message = "One or more records have been rejected"
    if rules.release.sums_up_record_errors and code is ErrorCode.INVALID_RECORD:
        shown = ", ".join(
            f"RecordError(batchIndex={error.batch_index}, message='{error.message}')"
            for error in errors[:_SHOWN_ERRORS]
        )
        message = (
            f"One or more records have been rejected due to {len(errors)} record errors in "
            f"total, and only showing the first three errors at most: [{shown}]"
        )
    return RecordsRefused(code, message, error_message=message, record_errors=errors)


def _shown(record: Record, *, is_partial: bool = False) -> str:
    """Format a record as Kafka's classes do; a null of a partial record has length -1."""
    null_bytes = -1 if is_partial else 0
    key_bytes = null_bytes if record.key is None else len(record.key)
    value_bytes = null_bytes if record.value is None else len(record.value)
    return (
        f"{'Partial' if is_partial else ''}DefaultRecord(offset={record.offset}, "
        f"timestamp={record.timestamp}, key={key_bytes} bytes, value={value_bytes} bytes)"
    )
