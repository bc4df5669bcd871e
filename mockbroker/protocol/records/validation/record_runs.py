"""Runs of records of the same layout, validated column by column at C speed.

With `stride` the size of a record, `data[i::stride]` is the i-th byte of each record. In a run,
each length byte (of the record, its key, its value, its headers) is equal in all records. Each byte
of the two varints that may differ, timestamp and offset, is of the same kind (last byte of its
varint, or not). A run is therefore validated as completely as single records are: the fields of
each record are where those of the first record are, and fill it exactly. Nothing is sampled.
"""

from collections.abc import Sequence
from typing import Final

from mockbroker.protocol.records.varint import read_varint, read_varlong

MIN_RUN: Final = 12
"""Smallest run; for fewer records, single validation is faster."""

_BYTES: Final = tuple(bytes((value,)) for value in range(256))
_CONTINUED: Final = bytes(range(128, 256))
_LAST: Final = bytes(range(128))
_TABLE_SIZE: Final = 8192
_ONE_BYTE_DELTAS: Final = bytes(2 * index for index in range(64))
_FIRST_BYTES: Final = bytes(2 * index & 0x7F | 0x80 for index in range(_TABLE_SIZE))
_SECOND_BYTES: Final = bytes(2 * index >> 7 for index in range(_TABLE_SIZE))

_FAR: Final = 1 << 62

Run = tuple[int, int, int, int, bool]
"""Number of records; their end; their lowest and highest timestamp delta; True if their offset
deltas are sequential."""


def find_run(data: bytes | bytearray, start: int, stop: int, end: int, index: int) -> Run | None:
    """Find the run after the whole record at `start:stop`, in a batch that ends at `end`.

    `index` is the position in the batch of the run's first record. Returns None if there is no run
    of at least `MIN_RUN` records.
    """
    stride = stop - start
    column = data[stop : min(stop + (MIN_RUN - 1) * stride + 1, end) : stride]
    if column != _BYTES[data[start]] * MIN_RUN:
        return None
    return _even_run(data, start, stop, end, index) or _column_run(data, start, stop, end, index)


def _even_run(data: bytes | bytearray, start: int, stop: int, end: int, index: int) -> Run | None:
    """Match what producers send in bulk: records of one size, in sequence, without headers.

    The whole run has one layout, up to the end of the batch or to where the offset's varint grows.
    Otherwise returns None, and `_column_run` takes over.
    """
    body_at = start + 1 if data[start] < 128 else start + 2 if data[start + 1] < 128 else stop
    offset_at = body_at + 2
    if offset_at + 3 > stop or data[offset_at - 1] > 127:
        return None
    offset_bytes = 1 if index < len(_ONE_BYTE_DELTAS) else 2
    key_at = offset_at + offset_bytes
    value_at = key_at + (1 if data[key_at] == 1 else 1 + (data[key_at] >> 1))
    if data[key_at] > 127 or value_at + 2 > stop:
        return None
    table = _ONE_BYTE_DELTAS if offset_bytes == 1 else _FIRST_BYTES
    stride = stop - start
    count = min((end - stop) // stride, len(table) - index)
    ahead, span = stop - start, count * stride
    for at in (*range(start, body_at), key_at, value_at, stop - 1):
        if data[at + ahead : at + ahead + span : stride] != _BYTES[data[at]] * count:
            return None
    if data[value_at] > 127:
        at = value_at + 1
        if (
            data[at] > 127
            or data[at + ahead : at + ahead + span : stride] != _BYTES[data[at]] * count
        ):
            return None
        value_bytes, head_bytes = data[value_at] & 0x7F | data[at] << 7, 2
    else:
        value_bytes, head_bytes = data[value_at], 1
    at = offset_at + ahead
    if (
        value_bytes & 1
        or value_at + head_bytes + (value_bytes >> 1) + 1 != stop
        or data[stop - 1]
        or data[at : at + span : stride] != table[index : index + count]
        or (
            offset_bytes == 2
            and data[at + 1 : at + 1 + span : stride] != _SECOND_BYTES[index : index + count]
        )
    ):
        return None
    timestamps = data[at - 1 : at - 1 + span : stride]
    if not timestamps.isascii():
        return None
    lowest, highest = _range_of([timestamps])
    return count, stop + span, lowest, highest, True


def _column_run(data: bytes | bytearray, start: int, stop: int, end: int, index: int) -> Run:
    """Match the records with the same layout as the one at `start:stop`, in any shape."""
    stride = stop - start
    length = (end - stop) // stride
    timestamp_at, offset_at, key_at, lengths = _layout(data, start, stop)
    span = length * stride + 1
    for at in (start, *lengths):
        column = data[at + stride : at + span : stride]
        first = _BYTES[data[at]]
        if column != first * length:
            length -= len(column.lstrip(first))
            span = length * stride + 1
    timestamps = [data[at + stride : at + span : stride] for at in range(timestamp_at, offset_at)]
    offsets = [data[at + stride : at + span : stride] for at in range(offset_at, key_at)]
    kept = min(_same_width(timestamps), _same_width(offsets))
    if kept < length:
        timestamps = [column[:kept] for column in timestamps]
        offsets = [column[:kept] for column in offsets]
    if kept == 0:
        return 0, stop, _FAR, -_FAR, True
    lowest, highest = _range_of(timestamps)
    return kept, stop + kept * stride, lowest, highest, _is_sequential(offsets, index)


def _layout(data: bytes | bytearray, start: int, stop: int) -> tuple[int, int, int, list[int]]:
    """Return the positions of a record's timestamp, offset, key length, and all lengths."""
    body_at = start + 1
    while data[body_at - 1] > 127:
        body_at += 1
    offset_at = body_at + 2
    while data[offset_at - 1] > 127:
        offset_at += 1
    key_at = offset_at + 1
    while data[key_at - 1] > 127:
        key_at += 1
    lengths = [*range(start + 1, body_at), key_at]  # the caller checks the first byte
    value_at = _skip(data, key_at, lengths)
    lengths.append(value_at)
    headers_at = _skip(data, value_at, lengths)
    lengths.append(headers_at)
    if headers_at + 1 == stop:
        return body_at + 1, offset_at, key_at, lengths
    header_count, pos = read_varint(data, headers_at)
    lengths += range(headers_at + 1, pos)
    for _ in range(2 * header_count):
        lengths.append(pos)
        pos = _skip(data, pos, lengths)
    assert pos == stop, (pos, stop)
    return body_at + 1, offset_at, key_at, lengths


def _skip(data: bytes | bytearray, pos: int, lengths: list[int]) -> int:
    """Skip length-prefixed bytes; append the positions of the length's other bytes."""
    first = data[pos]
    if first < 128:
        return pos + 1 if first & 1 else pos + 1 + (first >> 1)
    size, end = read_varint(data, pos)
    lengths += range(pos + 1, end)
    return end + size if size > 0 else end


def _same_width(columns: Sequence[bytes | bytearray]) -> int:
    """Return for how many records the varint is exactly as wide as these columns."""
    last = columns[-1]
    length = len(last)
    if not last.isascii():
        length -= len(last.lstrip(_LAST))
    for column in columns[:-1]:
        length = min(length, len(column) - len(column.lstrip(_CONTINUED)))
    return length


def _range_of(columns: Sequence[bytes | bytearray]) -> tuple[int, int]:
    if len(columns) == 1:
        column = columns[0]
        raw = column[0]
        if column == _BYTES[raw] * len(column):
            delta = raw >> 1 ^ -(raw & 1)
            return delta, delta
        deltas = [raw >> 1 ^ -(raw & 1) for raw in set(column)]
    else:
        deltas = [read_varlong(bytes(raw), 0)[0] for raw in set(zip(*columns, strict=True))]
    return min(deltas), max(deltas)


def _is_sequential(columns: Sequence[bytes | bytearray], index: int) -> bool:
    """Return True if the offset deltas are `index`, `index + 1`, … (byte by byte)."""
    last = index + len(columns[0])
    if len(columns) == 1:
        return columns[0] == _ONE_BYTE_DELTAS[index:last]
    if len(columns) == 2 and last <= _TABLE_SIZE:
        return columns[0] == _FIRST_BYTES[index:last] and columns[1] == _SECOND_BYTES[index:last]
    return all(
        read_varint(bytes(raw), 0)[0] == expected
        for expected, raw in enumerate(zip(*columns, strict=True), index)
    )
