"""A fast check that the common case of produced batches is valid.

It makes the checks of `validator` for batches that need no change. For other batches the result is
False, and the validator has to decide.
"""

from typing import Final

from mockbroker.protocol import crc32c as checksums
from mockbroker.protocol.produce_template import Fields
from mockbroker.protocol.records.batch import (
    CRC_FROM,
    HEADER_BYTES,
    LOG_OVERHEAD_BYTES,
    MAGIC_V2,
)
from mockbroker.protocol.records.compression.codecs import CompressionError, decompress
from mockbroker.protocol.records.validation.batch_rules import (
    COMPRESSED_RECORDS_MAX,
    UNPACKED_BYTES_MAX,
    BatchRules,
)
from mockbroker.protocol.records.validation.survey import Survey, SurveyError, survey_records
from mockbroker.protocol.records.varint import VarintError
from mockbroker.protocol.types import TRANSACTIONAL

_COPY_BELOW_BYTES: Final = 4096
_CODEC: Final = 0x07
_UNPACKED_RATIO: Final = 16
_UNPACKED_BYTES: Final = 4096
"""Limit of the decompressed size here: work on this path is counted in received bytes."""


def is_surely_valid(  # noqa: PLR0917 - the hot path
    data: bytes | bytearray, at: int, end: int, fields: Fields, rules: BatchRules, now_ms: int
) -> bool:
    """Check the header, the checksum, every record and the timestamps of a batch.

    `fields` are those of its header. A transactional batch may be valid even without an open
    transaction.
    """
    (
        base_offset, batch_length, _, magic, crc, attributes, last_offset_delta,
        base_timestamp, max_timestamp, producer_id, _, base_sequence, count,
    ) = fields  # fmt: skip
    if (
        attributes & ~(TRANSACTIONAL | _CODEC)
        or magic != MAGIC_V2
        or count != last_offset_delta + 1
        or count <= 0
        or base_offset
        or batch_length + LOG_OVERHEAD_BYTES != end - at
        or end - at > rules.max_message_bytes
        or (producer_id >= 0 and base_sequence < 0)
    ):
        return False
    # A copy if that is faster than a view.
    is_short = end - at < _COPY_BELOW_BYTES
    covered = data[at + CRC_FROM : end] if is_short else memoryview(data)[at + CRC_FROM : end]
    if checksums.crc32c(covered) != crc:
        return False
    try:
        if attributes & _CODEC:
            packed = bytes(memoryview(data)[at + HEADER_BYTES : end])
            lowest, highest, _, is_sequential = _survey_packed(
                packed, attributes & _CODEC, count, rules
            )
            if not is_sequential:
                return False
        else:
            lowest, highest, _, _ = survey_records(data, at + HEADER_BYTES, end, count)
    except (SurveyError, VarintError, CompressionError):
        return False
    return (
        base_timestamp >= 0
        and max_timestamp == base_timestamp + highest
        and base_timestamp + lowest >= now_ms - rules.timestamp_before_max_ms
        and max_timestamp <= now_ms + rules.timestamp_after_max_ms
    )


def _survey_packed(packed: bytes, codec: int, count: int, rules: BatchRules) -> Survey:
    """Walk the records of a compressed batch.

    Raises:
        CompressionError: they are corrupt, too large, too many, or the codec is not supported.
        SurveyError: as `survey_records`.
        VarintError: as `survey_records`.

    """
    if codec > rules.release.newest_codec or count > COMPRESSED_RECORDS_MAX:
        raise CompressionError
    limit_bytes = min(
        _UNPACKED_RATIO * len(packed) + _UNPACKED_BYTES,
        UNPACKED_BYTES_MAX,
        rules.decompressed_bytes_max,
    )
    unpacked = decompress(codec, packed, limit_bytes)
    return survey_records(unpacked, 0, len(unpacked), count)
