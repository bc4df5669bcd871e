"""Walk over the records of a batch, to validate them without creating values.

Like Kafka, it reads each field of each record. `_survey` is compiled where a compiler is installed
(see `tools.compilation`); `i64` is an `int` without a compiler.
"""

from typing import TYPE_CHECKING, Final

from mockbroker.protocol.records.validation.batch_rules import HEADERS_MAX
from mockbroker.protocol.records.varint import VarintError, read_varint, read_varlong
from mockbroker.protocol.types import Buffer

if TYPE_CHECKING:
    from mypy_extensions import i64

_FAR: Final = 1 << 62
_MASK_32: Final = (1 << 32) - 1
_COPIED_RECORD_BYTES: Final = 4096
"""Size of records from which on a walk over the received bytes is faster than copying them."""
_MISFIT: Final = "the length of record {} does not fit the {} bytes left"


class SurveyError(ValueError):
    """Bytes that are not the records which the batch's header declares."""


Survey = tuple[int, int, bool, bool]
"""Lowest and highest timestamp delta; True if a key is null; True if the n-th record's offset delta
is n (Kafka checks the last one for compressed batches only)."""


def survey_records(data: Buffer, pos: int, end: int, count: int) -> Survey:
    """Walk the `count` (> 0) uncompressed records, which must fill `data[pos:end]` exactly.

    Raises:
        SurveyError: a length, a count or a varint is invalid.
        VarintError: the varint of a record's length has more than five bytes.

    """
    try:
        if isinstance(data, bytes):
            return _survey(data, pos, end, count)
        if end - pos > count * _COPIED_RECORD_BYTES:
            return _survey_large(data, pos, end, count)
        return _survey(bytes(memoryview(data)[pos:end]), 0, end - pos, count)
    except IndexError:
        message = "the records end too early"
        raise SurveyError(message) from None


def _survey(  # noqa: C901, PLR0912 - one loop: in Python, calls take longer
    data: bytes, pos: "i64", end: "i64", count: "i64"
) -> Survey:
    lowest: i64 = _FAR
    highest: i64 = -_FAR
    has_null_key = False
    disorder: i64 = 0
    index: i64 = 0
    while index < count:
        size: i64 = data[pos]
        pos += 1
        if size > 127:
            size, pos = _long_length(data, pos - 1)
        stop: i64 = pos + (size >> 1)
        if size & 1 or stop > end:
            raise SurveyError(_MISFIT.format(index, end - pos))
        delta: i64 = data[pos + 1]
        pos += 2
        if delta > 127:
            delta, pos = _long_delta(data, pos - 1)
        else:
            delta = delta >> 1 ^ -(delta & 1)
        lowest = min(lowest, delta)
        highest = max(highest, delta)
        offset: i64 = data[pos]
        pos += 1
        if offset > 127:
            offset, pos = _long_size(data, pos - 1)
        disorder |= offset ^ index << 1
        key: i64 = data[pos]
        pos += 1
        if key > 127:
            key, pos = _long_size(data, pos - 1)
        if key & 1:
            has_null_key = True
        else:
            pos += key >> 1
        value: i64 = data[pos]
        pos += 1
        if value > 127:
            value, pos = _long_size(data, pos - 1)
        if not value & 1:
            pos += value >> 1
        pos = _walk_headers(data, pos, stop) if data[pos] else pos + 1
        if pos != stop:
            raise SurveyError(_end_differs(stop - pos))
        index += 1
    if pos != end:
        raise SurveyError(_left_over(count, end - pos))
    return lowest, highest, has_null_key, disorder == 0


def _walk_headers(data: bytes, pos: "i64", stop: "i64") -> "i64":
    """Walk a record's headers from their count on; return the position after them."""
    count: i64
    count, pos = _long_size(data, pos)
    if count & 1 or count >> 1 > stop - pos:
        raise SurveyError(_headers_misfit((count >> 1) ^ -(count & 1), stop - pos))
    count >>= 1
    if count > HEADERS_MAX:
        raise SurveyError(_TOO_MANY_HEADERS)
    while count > 0:
        key: i64 = data[pos]
        pos += 1
        if key > 127:
            key, pos = _long_size(data, pos - 1)
        if key & 1:
            raise SurveyError(_NULL_HEADER_KEY)
        pos += key >> 1
        value: i64 = data[pos]
        pos += 1
        if value > 127:
            value, pos = _long_size(data, pos - 1)
        if not value & 1:
            pos += value >> 1
        count -= 1
    return pos


def _long_size(data: bytes, pos: "i64") -> "tuple[i64, i64]":
    """Read a varint of 32 bits in zigzag form; return it and the position after it."""
    raw: i64 = 0
    shift: i64 = 0
    while shift < 35:
        byte: i64 = data[pos]
        pos += 1
        raw |= (byte & 0x7F) << shift
        if byte < 128:
            return raw & _MASK_32, pos
        shift += 7
    raise SurveyError(_TOO_LONG)


def _long_length(data: bytes, pos: "i64") -> "tuple[i64, i64]":
    """Read the length of a record as `_long_size` does; only its error is another one."""
    try:
        return _long_size(data, pos)
    except SurveyError as error:
        raise VarintError(str(error)) from None


def _long_delta(data: bytes, pos: "i64") -> "tuple[i64, i64]":
    """Read a varint of 64 bits; return its value and the position after it."""
    raw: i64 = data[pos] & 0x7F
    byte: i64 = data[pos + 1]
    if byte < 128:
        raw |= byte << 7
        return raw >> 1 ^ -(raw & 1), pos + 2
    try:
        return read_varlong(data, pos)
    except VarintError as error:
        raise SurveyError(str(error)) from None


def _survey_large(data: Buffer, pos: int, end: int, count: int) -> Survey:
    """Walk large records where they are."""
    lowest, highest, has_null_key, is_sequential = _FAR, -_FAR, False, True
    for index in range(count):
        size, pos = read_varint(data, pos)
        stop = pos + size
        if size < 0 or stop > end:
            raise SurveyError(_MISFIT.format(index, end - pos))
        delta, offset_delta, is_null, pos = _walk_fields(data, pos, stop)
        if pos != stop:
            raise SurveyError(_end_differs(stop - pos))
        lowest, highest = min(lowest, delta), max(highest, delta)
        has_null_key = has_null_key or is_null
        is_sequential = is_sequential and offset_delta == index
    if pos != end:
        raise SurveyError(_left_over(count, end - pos))
    return lowest, highest, has_null_key, is_sequential


def _walk_fields(data: Buffer, pos: int, stop: int) -> tuple[int, int, bool, int]:
    """Walk the fields of any record, from its attributes on.

    Returns the timestamp delta, the offset delta, True if the key is null, and the position after
    the last field.
    """
    try:
        timestamp_delta, at = read_varlong(data, pos + 1)
        offset_delta, at = read_varint(data, at)
        key_size, at = read_varint(data, at)
        at = _skip_sized(data, at + max(key_size, 0))
        header_count, at = read_varint(data, at)
        if not 0 <= header_count <= stop - at:
            raise SurveyError(_headers_misfit(header_count, stop - at))
        if header_count > HEADERS_MAX:
            raise SurveyError(_TOO_MANY_HEADERS)
        for _ in range(header_count):
            header_key_size, at = read_varint(data, at)
            if header_key_size < 0:
                raise SurveyError(_NULL_HEADER_KEY)
            at = _skip_sized(data, at + header_key_size)
    except VarintError as error:
        raise SurveyError(str(error)) from None
    return timestamp_delta, offset_delta, key_size < 0, at


def _skip_sized(data: Buffer, pos: int) -> int:
    """Skip length-prefixed bytes; any negative length is null, as in Kafka."""
    size, pos = read_varint(data, pos)
    return pos + size if size > 0 else pos


_TOO_LONG: Final = "a varint has more than 5 bytes"
_NULL_HEADER_KEY: Final = "a header's key is null"
_TOO_MANY_HEADERS: Final = f"a record has more than {HEADERS_MAX:,} headers"


def _end_differs(left_bytes: int) -> str:
    return f"the fields of a record end {left_bytes:+} bytes before its declared end"


def _headers_misfit(count: int, left_bytes: int) -> str:
    return f"{count} headers in {left_bytes} bytes"


def _left_over(count: int, left_bytes: int) -> str:
    return f"{count} records declared, {left_bytes} bytes left after them"


def survey_skipping(data: Buffer, count: int) -> Survey:
    """Walk decompressed records as the releases do that skip keys and values.

    The length of each record is read but not trusted, unless it is negative: the fields alone
    determine the end of the record. Returns the same as `survey_records`.

    Raises:
        SurveyError: the fields do not fit the bytes.
        VarintError: the varint of a record's length has more than five bytes.

    """
    view = bytes(data)
    timestamps: list[int] = []
    null_key, sequential, pos = False, True, 0
    try:
        for index in range(count):
            length, pos = read_varint(view, pos)
            if length < 0:
                message = f"the length of record {index} is negative"
                raise SurveyError(message)
            timestamp, offset_delta, is_null, pos = _walk_fields(view, pos, len(view))
            timestamps.append(timestamp)
            null_key = null_key or is_null
            sequential = sequential and offset_delta == index
    except IndexError:
        message = "the records end too early"
        raise SurveyError(message) from None
    if pos != len(view):
        message = f"{len(view) - pos} bytes are left after the last record"
        raise SurveyError(message)
    return min(timestamps), max(timestamps), null_key, sequential
