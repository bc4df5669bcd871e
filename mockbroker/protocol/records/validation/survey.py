"""Walk over the records of a batch, to validate them without creating values.

Like Kafka, it reads each field of each record. Records of the usual shape (lengths of at most two
bytes, no headers) are walked in one loop without a call, records of the same layout by columns
(`record_runs`), all others field by field.
"""

from typing import Final

from mockbroker.protocol.records.validation.record_runs import MIN_RUN, find_run
from mockbroker.protocol.records.varint import VarintError, read_varint, read_varlong
from mockbroker.protocol.types import Buffer

_FAR: Final = 1 << 62
_SKIP: Final = tuple(
    1 if first == 1 else _FAR if first & 1 or first > 127 else 1 + (first >> 1)
    for first in range(256)
)
"""Size of a one-byte length with the bytes that it covers; `_FAR` for other lengths."""


_MISFIT: Final = "the length of record {} does not fit the {} bytes left"


class SurveyError(ValueError):
    """Bytes that are not the records which the batch's header declares."""


Survey = tuple[int, int, bool, bool]
"""Lowest and highest timestamp delta; True if a key is null; True if the n-th record's offset delta
is n (Kafka checks the last one for compressed batches only)."""


_Data = bytes | bytearray
_Walk = tuple[int, int, Survey]


def survey_records(data: Buffer, pos: int, end: int, count: int) -> Survey:
    """Walk the `count` (> 0) uncompressed records, which must fill `data[pos:end]` exactly.

    Raises:
        SurveyError: a length, a count or a varint is invalid.
        VarintError: the varint of a record's length has more than five bytes.

    """
    if isinstance(data, memoryview):  # slow to index and to slice by strides
        data, pos, end = bytes(data[pos:end]), 0, end - pos
    try:
        index, pos, survey = _survey(data, pos, end, count)
    except IndexError:
        message = "the records end too early"
        raise SurveyError(message) from None
    if index != count or pos != end:
        message = f"{index} records found, {count} declared, {end - pos} bytes left after them"
        raise SurveyError(message)
    return survey


def _survey(data: _Data, pos: int, end: int, count: int) -> _Walk:  # noqa: C901, PLR0912
    # one loop: a call per record would cost more than its walk
    lowest, highest, previous, null_key = _FAR, -_FAR, -1, False
    index = disorder = 0
    while index < count:
        start = pos
        size, pos = data[pos], pos + 1
        if size > 127:
            size, pos = size & 0x7F | data[pos] << 7, pos + 1
            if size > 16383:
                size, pos = _long_length(data, start)
        stop = pos + (size >> 1)
        if size & 1 or stop > end:
            raise SurveyError(_MISFIT.format(index, end - pos))
        timestamp, at = data[pos + 1], pos + 2
        if timestamp > 127:
            timestamp, at = timestamp & 0x7F | data[at] << 7, at + 1
        offset, at = data[at], at + 1
        if offset > 127:
            offset, at = offset & 0x7F | data[at] << 7, at + 1
        key = data[at]
        at += _SKIP[key]
        if at + 1 >= stop:  # not the usual shape, which has two more fields
            at = _FAR
        elif (value := data[at]) < 128:
            at += _SKIP[value]
        elif data[at + 1] < 128 and not value & 1:
            at += 2 + ((value & 0x7F | data[at + 1] << 7) >> 1)
        else:
            at = _FAR
        if at + 1 == stop and not data[at] and timestamp < 16384 and offset < 16384:
            disorder |= offset ^ index << 1
            null_key = null_key or key == 1
        else:
            timestamp, offset_delta, is_null = _walk_record(data, pos, stop)
            disorder |= offset_delta ^ index
            null_key = null_key or is_null
        if timestamp != previous:
            previous = timestamp
            delta = timestamp >> 1 ^ -(timestamp & 1)
            lowest = delta if delta < lowest else lowest  # noqa: FURB136  min() is a call
            highest = delta if delta > highest else highest  # noqa: FURB136
        index, pos = index + 1, stop
        if count - index >= MIN_RUN and data[pos] == data[start]:
            run = find_run(data, start, pos, end, index)
            if run is not None:
                index, pos = index + run[0], run[1]
                lowest, highest = min(lowest, run[2]), max(highest, run[3])
                disorder |= not run[4]
    return index, pos, (lowest, highest, null_key, not disorder)


def _long_length(data: _Data, pos: int) -> tuple[int, int]:
    """Read a length of more than two bytes in zigzag form; a negative one becomes 1."""
    length, pos = read_varint(data, pos)
    return (length << 1 if length >= 0 else 1), pos


def _walk_record(data: Buffer, pos: int, stop: int) -> tuple[int, int, bool]:
    """Walk the fields of any record, from its attributes on.

    Returns the timestamp delta in zigzag form, the offset delta, and True if the key is null.
    """
    timestamp, offset_delta, is_null, at = _walk_fields(data, pos, stop)
    if at != stop:
        message = f"the fields of a record end {stop - at:+} bytes before its declared end"
        raise SurveyError(message)
    return timestamp, offset_delta, is_null


def _walk_fields(data: Buffer, pos: int, stop: int) -> tuple[int, int, bool, int]:
    try:
        timestamp_delta, at = read_varlong(data, pos + 1)
        offset_delta, at = read_varint(data, at)
        key_size, at = read_varint(data, at)
        at += max(key_size, 0)
        at = _skip_sized(data, at)
        header_count, at = read_varint(data, at)
        if not 0 <= header_count <= stop - at:
            message = f"{header_count} headers in {stop - at} bytes"
            raise SurveyError(message)
        for _ in range(header_count):
            header_key_size, at = read_varint(data, at)
            if header_key_size < 0:
                message = "a header's key is null"
                raise SurveyError(message)
            at = _skip_sized(data, at + header_key_size)
    except VarintError as error:
        raise SurveyError(str(error)) from None
    return timestamp_delta << 1 ^ timestamp_delta >> 63, offset_delta, key_size < 0, at


def _skip_sized(data: Buffer, pos: int) -> int:
    """Skip length-prefixed bytes; any negative length is null, as in Kafka."""
    size, pos = read_varint(data, pos)
    return pos + size if size > 0 else pos


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
            timestamps.append(timestamp >> 1 ^ -(timestamp & 1))
            null_key = null_key or is_null
            sequential = sequential and offset_delta == index
    except IndexError:
        message = "the records end too early"
        raise SurveyError(message) from None
    if pos != len(view):
        message = f"{len(view) - pos} bytes are left after the last record"
        raise SurveyError(message)
    return min(timestamps), max(timestamps), null_key, sequential
