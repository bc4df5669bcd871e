"""Validator of the records of one partition in a produce request.

The order of the checks is Kafka's, as it determines the error for a batch with several faults: the
shape of the first batch; that it is the only one, and of format 2 (`ProduceRequest`); base offset,
size, checksum, codec (`UnifiedLog.analyzeAndValidateRecords`); header, every record, timestamps,
keys (`LogValidator`). Trailing bytes that are too few for a batch are cut off.

For each record, the fields must be complete and fill its length exactly, and the records must fill
the batch (`survey`); in compressed batches the offsets must be sequential. Like Kafka, it does not
check the attributes of a record, the sequence of offsets in uncompressed batches, or the bytes of
header keys.
"""

from contextlib import suppress
from typing import Final

from mockbroker.protocol import crc32c as checksums
from mockbroker.protocol.errors import DecodeError, ErrorCode
from mockbroker.protocol.records.batch import (
    CRC_FROM,
    CRC_TO_COMPUTE,
    HEADER,
    HEADER_BYTES,
    LOG_OVERHEAD_BYTES,
    MAGIC_V2,
)
from mockbroker.protocol.records.compression.codecs import (
    CompressionError,
    DecompressedTooLargeError,
    decompress,
)
from mockbroker.protocol.records.record import decode_records
from mockbroker.protocol.records.validation.batch_rules import (
    COMPRESSED_RECORDS_MAX,
    LONG_MAX,
    BatchRules,
)
from mockbroker.protocol.records.validation.batch_shape import shape_refusal, zstd_refused
from mockbroker.protocol.records.validation.record_judgement import refuse_records
from mockbroker.protocol.records.validation.refusal import RecordsRefused
from mockbroker.protocol.records.validation.survey import (
    Survey,
    SurveyError,
    survey_records,
    survey_skipping,
)
from mockbroker.protocol.records.varint import VarintError
from mockbroker.protocol.types import NO_TIMESTAMP, BatchHeader, Buffer, Compression, as_long

_COPIED_BYTES: Final = 4096
"""Below this size, copying a batch is faster than creating a view."""
_CODEC: Final = 0x07
_ZSTD: Final = int(Compression.ZSTD)  # reading an enum member takes as long as the checksum
_LOG_APPEND_TIME: Final = 0x08
_CONTROL: Final = 0x20


def validate_batch(
    buffer: Buffer,
    start: int,
    end: int,
    now_ms: int,
    rules: BatchRules,
    *,
    allows_zstd: bool = True,
) -> BatchHeader:
    """Validate a partition's records in a request; return its batch's header as it is to be stored.

    If the header differs from the bytes, `crc` is `CRC_TO_COMPUTE` (see `rewrite_header`);
    `allows_zstd` is false below Produce v7 (KIP-110).
    Raises: RecordsRefused, with Kafka's code and the other fields of the response.
    """
    if end - start < HEADER_BYTES:
        _check_shape(buffer, start, end, rules, allows_zstd=allows_zstd)
    header = BatchHeader(*HEADER.unpack_from(buffer, start))
    stop = start + header.batch_length + LOG_OVERHEAD_BYTES
    if stop != end or header.magic != MAGIC_V2:
        _check_shape(buffer, start, end, rules, allows_zstd=allows_zstd)
    codec = header.attributes & _CODEC
    if codec == _ZSTD and not allows_zstd and rules.release.newest_codec == _ZSTD:
        raise zstd_refused()
    whole = buffer if stop - start < _COPIED_BYTES else memoryview(buffer)
    view = whole[start + CRC_FROM : stop]
    if (
        header.base_offset
        or stop - start > rules.max_message_bytes
        or checksums.crc32c(view) != header.crc
    ):
        raise _log_refused(header, rules)
    count = header.record_count
    if (
        not 0 < count == header.last_offset_delta + 1
        or header.attributes & _CONTROL
        or codec > rules.release.newest_codec
        or header.base_sequence < 0 <= header.producer_id
    ):
        _refuse_or_mend(header, rules)
    try:
        if codec:
            view = _unpacked(view[HEADER_BYTES - CRC_FROM :], codec, count, rules)
            survey = _survey_compressed(view, count, codec, rules)
        else:
            survey = survey_records(buffer, start + HEADER_BYTES, stop, count)
    except (SurveyError, VarintError) as error:
        raise _records_refused(error) from None
    _judge(header, survey, view, now_ms, rules)
    return header


def _check_shape(
    buffer: Buffer, start: int, end: int, rules: BatchRules, *, allows_zstd: bool
) -> None:
    refusal = shape_refusal(buffer, start, end, rules.release, allows_zstd=allows_zstd)
    if refusal is not None:
        raise refusal
    assert end - start >= HEADER_BYTES, (start, end)


def _log_refused(header: BatchHeader, rules: BatchRules) -> RecordsRefused:
    """Return the log's error for a batch, in Kafka's order: base offset, size, checksum."""
    if header.base_offset:
        why = f"the base offset is {header.base_offset}, not 0"
        return RecordsRefused(ErrorCode.INVALID_RECORD, why)
    if header.size_bytes > rules.max_message_bytes:
        why = f"{header.size_bytes} bytes, max.message.bytes is {rules.max_message_bytes}"
        return RecordsRefused(ErrorCode.MESSAGE_TOO_LARGE, why, knows_log_start_offset=False)
    why = f"the checksum in the header, {header.crc:#010x}, is not that of the batch"
    return RecordsRefused(ErrorCode.CORRUPT_MESSAGE, why, knows_log_start_offset=False)


def _refuse_or_mend(header: BatchHeader, rules: BatchRules) -> None:
    """Reject an invalid header; old releases correct the last offset delta instead."""
    codec = header.attributes & _CODEC
    if codec > rules.release.newest_codec:
        raise RecordsRefused(ErrorCode.UNKNOWN_SERVER_ERROR, f"unknown codec {codec}")
    is_mended = header.record_count > 0 and not rules.release.checks_last_offset_delta
    if header.attributes & _CONTROL:
        why = "clients must not write control batches"
    elif header.base_sequence < 0 <= header.producer_id:
        why = f"producer {header.producer_id} has sequence {header.base_sequence}"
    elif is_mended:
        header.last_offset_delta = header.record_count - 1
        header.crc = CRC_TO_COMPUTE
        return
    else:
        why = (
            f"a count of {header.record_count} with a last offset delta of "
            f"{header.last_offset_delta}"
        )
    raise RecordsRefused(ErrorCode.INVALID_RECORD, why)


def _unpacked(payload: Buffer, codec: int, count: int, rules: BatchRules) -> Buffer:
    if count > COMPRESSED_RECORDS_MAX:
        why = f"{count} records in a compressed batch, the limit is {COMPRESSED_RECORDS_MAX}"
        raise RecordsRefused(ErrorCode.MESSAGE_TOO_LARGE, why)
    try:
        return decompress(codec, payload, rules.unpacked_bytes_max(len(payload)))
    except DecompressedTooLargeError as error:
        raise RecordsRefused(ErrorCode.MESSAGE_TOO_LARGE, str(error)) from None
    except CompressionError as error:
        raise RecordsRefused(ErrorCode.UNKNOWN_SERVER_ERROR, str(error)) from None


def _survey_compressed(payload: Buffer, count: int, codec: int, rules: BatchRules) -> Survey:
    """Survey decompressed records, without trusting lengths if the release does not."""
    if rules.release.believes_fields and rules.skips_bodies_of(codec):
        with suppress(SurveyError, VarintError):
            return survey_records(payload, 0, len(payload), count)
        return survey_skipping(payload, count)
    return survey_records(payload, 0, len(payload), count)


def _records_refused(error: SurveyError | VarintError) -> RecordsRefused:
    """Map a survey error to a code: Kafka's varint reader throws for invalid lengths."""
    is_length = isinstance(error, VarintError)
    code = ErrorCode.UNKNOWN_SERVER_ERROR if is_length else ErrorCode.INVALID_RECORD
    return RecordsRefused(code, str(error))


def _judge(
    header: BatchHeader, survey: Survey, payload: Buffer, now_ms: int, rules: BatchRules
) -> None:
    """Validate timestamps, keys and offsets; update the header for storing."""
    lowest_delta, highest_delta, has_null_key, is_sequential = survey
    highest = header.base_timestamp + highest_delta
    if (
        header.base_timestamp + lowest_delta < now_ms - rules.timestamp_before_max_ms
        or highest > now_ms + rules.timestamp_after_max_ms
        or highest > LONG_MAX
        or header.attributes & _LOG_APPEND_TIME
        or (has_null_key and rules.is_compacted)
        or (not is_sequential and header.attributes & _CODEC)
    ):
        highest = _judge_each(header, payload, highest, now_ms, rules)
        if not is_sequential and header.attributes & _CODEC:
            why = "the offset deltas of a compressed batch are not sequential"
            raise RecordsRefused(ErrorCode.UNKNOWN_SERVER_ERROR, why)
    highest = max(highest, NO_TIMESTAMP)
    if highest != header.max_timestamp:
        header.max_timestamp = highest
        header.crc = CRC_TO_COMPUTE


def _judge_each(
    header: BatchHeader, payload: Buffer, highest: int, now_ms: int, rules: BatchRules
) -> int:
    """Validate each record; return the highest timestamp to store."""
    uncompressed = payload if header.attributes & _CODEC else payload[HEADER_BYTES - CRC_FROM :]
    try:
        refusal = refuse_records(header, uncompressed, now_ms, rules)
    except DecodeError as error:  # the lengths were not checked, see survey_skipping
        raise RecordsRefused(ErrorCode.INVALID_RECORD, str(error)) from None
    if refusal is not None:
        raise refusal
    if header.attributes & _LOG_APPEND_TIME:
        header.attributes &= ~_LOG_APPEND_TIME
        header.crc = CRC_TO_COMPUTE
        return header.max_timestamp
    if highest > LONG_MAX:
        records = decode_records(uncompressed, header.record_count, 0, header.base_timestamp)
        return max(as_long(record.timestamp) for record in records)
    return highest
