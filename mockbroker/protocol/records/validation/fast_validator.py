"""A fast check that the common case of produced batches is valid.

It makes the checks of `validator` for uncompressed batches that need no change. For other batches
the result is False, and the validator has to decide.
"""

from typing import Final

from mockbroker.protocol import crc32c as checksums
from mockbroker.protocol.records.batch import (
    CRC_FROM,
    HEADER_BYTES,
    LOG_OVERHEAD_BYTES,
    MAGIC_V2,
)
from mockbroker.protocol.records.validation.batch_rules import BatchRules
from mockbroker.protocol.records.validation.survey import SurveyError, survey_records
from mockbroker.protocol.records.validation.survey_plan import RECORDS, SurveyPlans
from mockbroker.protocol.records.varint import VarintError
from mockbroker.protocol.types import TRANSACTIONAL, Buffer

_COPY_BELOW_BYTES: Final = 4096
_LAST_SHORT: Final = 127
_RECORD_BYTES_MIN: Final = 7
_TWO_BYTES: Final = 1 << 14
_THREE_BYTES: Final = 1 << 21


def _covered(data: bytes | bytearray, start: int, end: int) -> Buffer:
    """Return the bytes that the checksum covers: a copy if that is faster than a view."""
    return data[start:end] if end - start < _COPY_BELOW_BYTES else memoryview(data)[start:end]


def is_surely_valid(  # noqa: PLR0917 - the hot path: keywords would cost as much as the call
    data: bytes | bytearray,
    at: int,
    end: int,
    fields: list[int],
    rules: BatchRules,
    now_ms: int,
    plans: SurveyPlans,
) -> bool:
    """Check the header, the checksum, every record and the timestamps of a batch.

    `fields` are those of its header. A transactional batch may be valid even without an open
    transaction. `plans` are those of batches on the same connection.
    """
    (
        base_offset, batch_length, _, magic, crc, attributes, last_offset_delta,
        base_timestamp, max_timestamp, producer_id, _, base_sequence, count,
    ) = fields  # fmt: skip
    if (
        attributes & ~TRANSACTIONAL
        or magic != MAGIC_V2
        or count != last_offset_delta + 1
        or count <= 0
        or base_offset
        or batch_length + LOG_OVERHEAD_BYTES != end - at
        or end - at > rules.max_message_bytes
        or (producer_id >= 0 and base_sequence < 0)
        or checksums.crc32c(_covered(data, at + CRC_FROM, end)) != crc
    ):
        return False
    lowest = highest = 0
    try:
        if count > 1 or not _is_single_record(data, at + HEADER_BYTES, end):
            if count < RECORDS.start:
                lowest, highest, _, _ = survey_records(data, at + HEADER_BYTES, end, count)
            else:
                lowest, highest = plans.survey(data, at + HEADER_BYTES, end, count)
    except (SurveyError, VarintError, IndexError):
        return False
    return (
        base_timestamp >= 0
        and max_timestamp == base_timestamp + highest
        and base_timestamp + lowest >= now_ms - rules.timestamp_before_max_ms
        and max_timestamp <= now_ms + rules.timestamp_after_max_ms
    )


def _is_single_record(  # noqa: C901 - a call for each varint would double the cost
    data: bytes | bytearray, pos: int, end: int
) -> bool:
    """Recognise one record with both deltas 0, a short key or none, a value, and no headers.

    Raises:
        IndexError: the buffer ends inside what would be the record.

    """
    if end - pos < _RECORD_BYTES_MIN:
        return False
    size = data[pos]
    at = pos + 1
    if size > _LAST_SHORT:
        size = size & _LAST_SHORT | data[at] << 7
        at += 1
        if size >= _TWO_BYTES:
            size = size & _TWO_BYTES - 1 | data[at] << 14
            at += 1
            if size >= _THREE_BYTES:
                return False
    if size & 1 or at + (size >> 1) != end or data[at + 1] or data[at + 2]:
        return False
    key = data[at + 3]
    if key == 1:
        at += 4
    elif key & 1 or key > _LAST_SHORT:
        return False
    else:
        at += 4 + (key >> 1)
    if at + 1 >= end:  # no room for a length and the number of headers
        return False
    value = data[at]
    at += 1
    if value > _LAST_SHORT:
        value = value & _LAST_SHORT | data[at] << 7
        at += 1
        if value >= _TWO_BYTES and at < end:
            value = value & _TWO_BYTES - 1 | data[at] << 14
            at += 1
            if value >= _THREE_BYTES:
                return False
    return not value & 1 and at + (value >> 1) + 1 == end and not data[end - 1]
