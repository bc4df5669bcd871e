"""A produced batch of the usual kind, judged and owned at the least cost.

This is the validator's judgement (`protocol.records.validator`), narrowed to batches without a
codec and without anything to mend; whatever else there is, False sends the batch to the validator.
"""

from typing import Final

from mockbroker.protocol import crc32c as checksums
from mockbroker.protocol.records.batch import (
    CRC_FROM,
    HEADER_BYTES,
    LOG_OVERHEAD_BYTES,
    MAGIC_V2,
    STAMPED_BYTES,
)
from mockbroker.protocol.records.batch_rules import BatchRules
from mockbroker.protocol.records.survey import SurveyError
from mockbroker.protocol.records.survey_plan import SurveyPlans
from mockbroker.protocol.records.varint import VarintError
from mockbroker.protocol.types import Buffer

KEEP_VIEW_FROM_BYTES: Final = 64 * 1024
"""Size from which a batch stays in the buffer in which it was received, if that is its own."""

TRANSACTIONAL: Final = 0x10
"""The attribute of a batch that belongs to a transaction."""

_COPY_BELOW_BYTES: Final = 4096
_LAST_SHORT: Final = 127
_RECORD_BYTES_MIN: Final = 7
_TWO_BYTES: Final = 1 << 14
_THREE_BYTES: Final = 1 << 21


def _covered(data: bytes | bytearray, start: int, end: int) -> Buffer:
    """Give what the checksum covers: a copy where that is quicker than a view."""
    return data[start:end] if end - start < _COPY_BELOW_BYTES else memoryview(data)[start:end]


def kept_batch(data: bytes | bytearray, at: int, end: int, front: bytes) -> bytes | memoryview:
    """Give a batch's bytes as the log keeps them: a copy behind a new front, or where they lie."""
    if end - at < _COPY_BELOW_BYTES:
        return front + data[at + STAMPED_BYTES : end]
    if end - at >= KEEP_VIEW_FROM_BYTES and type(data) is bytearray:
        return memoryview(data)[at:end]
    return b"".join((front, memoryview(data)[at + STAMPED_BYTES : end]))


def is_plain_batch(  # noqa: PLR0917 - the hot path: keywords would cost as much as the call
    data: bytes | bytearray,
    at: int,
    end: int,
    fields: list[int],
    rules: BatchRules,
    now_ms: int,
    plans: SurveyPlans,
) -> bool:
    """Judge a batch: its header, its checksum, every record, their timestamps.

    One of a transaction is as good as any other; whether that is open is not asked here. `plans`
    are what was seen of batches that came the same way.
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
