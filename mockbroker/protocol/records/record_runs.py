"""Runs of records that look alike, taken by columns at C speed.

With `stride` the size of a record, `data[i::stride]` is the i-th byte of each of them. In a run
every length byte (of the record, its key, its value, its headers) is equal down its column, and
every byte of the two varints that may differ, timestamp and offset, is of the same kind (last of
its varint, or not). So each record of a run has been looked at as far as one by one: its fields
are where the first record's are, and fill it exactly. Nothing is sampled.
"""

from collections.abc import Sequence
from typing import Final

from mockbroker.protocol.records.record_patterns import pattern_of
from mockbroker.protocol.records.varint import read_varint, read_varlong, varint

MIN_RUN: Final = 12
"""Shorter runs are cheaper one by one."""

_BYTES: Final = tuple(bytes((value,)) for value in range(256))
_CONTINUED: Final = bytes(range(128, 256))
_LAST: Final = bytes(range(128))
_TABLE_SIZE: Final = 8192
_ONE_BYTE_DELTAS: Final = bytes(2 * index for index in range(64))
_FIRST_BYTES: Final = bytes(2 * index & 0x7F | 0x80 for index in range(_TABLE_SIZE))
_SECOND_BYTES: Final = bytes(2 * index >> 7 for index in range(_TABLE_SIZE))

_FAR: Final = 1 << 62
_NO_PART: Final = (0, _FAR, -_FAR, True)

Run = tuple[int, int, int, int, bool]
"""How many records; where they end; their lowest and highest timestamp delta; whether their
offset deltas are sequential."""


def find_run(data: bytes | bytearray, start: int, stop: int, end: int, index: int) -> Run | None:
    """Measure the run behind the whole record at `start:stop`, in a batch that ends at `end`.

    `index` is the number in the batch of the first record of the run. None: there is no run
    worth it.
    """
    stride = stop - start
    column = data[stop : min(stop + (MIN_RUN - 1) * stride + 1, end) : stride]
    if column != _BYTES[data[start]] * MIN_RUN:
        return None
    return _plain_run(data, start, stop, end, index) or _column_run(data, start, stop, end, index)


def _plain_run(data: bytes | bytearray, start: int, stop: int, end: int, index: int) -> Run | None:
    """Match plain records by the pattern of their shape, if it is worth one."""
    at = start + 1
    while data[at - 1] > 127:
        at += 1
    offset_bytes = 1 if data[at + 2] < 128 else 2
    key = data[at + 2 + offset_bytes]
    body_bytes = stop - at - offset_bytes + 1
    pattern = pattern_of(body_bytes, key) if key < 128 else None
    match = pattern.match(data, stop, end) if pattern is not None else None
    if match is None or match.end() == stop:
        return None
    middle, end = match.span(1)[1], match.end()
    if middle == end:
        count, lowest, highest, is_sequential = _plain_part(data, stop, end, body_bytes, index)
        return count, end, lowest, highest, is_sequential
    one = _plain_part(data, stop, middle, body_bytes, index) if middle > stop else _NO_PART
    two = _plain_part(data, middle, end, body_bytes + 1, index + one[0])
    return one[0] + two[0], end, min(one[1], two[1]), max(one[2], two[2]), one[3] and two[3]


def _plain_part(
    data: bytes | bytearray, first: int, end: int, body_bytes: int, index: int
) -> tuple[int, int, int, bool]:
    """Count the plain records of one size in `first:end`, and read their timestamps and offsets."""
    length_bytes = 1 if body_bytes < 64 else 2 if body_bytes < 8192 else len(varint(body_bytes))
    stride = length_bytes + body_bytes
    timestamp_at = first + length_bytes + 1
    timestamps = data[timestamp_at:end:stride]
    count = len(timestamps)
    offsets = data[timestamp_at + 1 : end : stride]
    if offsets.isascii():
        is_sequential = offsets == _ONE_BYTE_DELTAS[index : index + count]
    else:
        is_sequential = (
            offsets == _FIRST_BYTES[index : index + count]
            and data[timestamp_at + 2 : end : stride] == _SECOND_BYTES[index : index + count]
        )
    raw = timestamps[0]
    if timestamps == _BYTES[raw] * count:
        lowest = highest = raw >> 1 ^ -(raw & 1)
    else:
        lowest, highest = _range_of([timestamps])
    return count, lowest, highest, is_sequential


def _column_run(data: bytes | bytearray, start: int, stop: int, end: int, index: int) -> Run:
    """Take the records that are laid out as the one at `start:stop` is, whatever its shape."""
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
    """Find where a whole record has its timestamp, its offset, its key's length; all lengths."""
    body_at = start + 1
    while data[body_at - 1] > 127:
        body_at += 1
    offset_at = body_at + 2
    while data[offset_at - 1] > 127:
        offset_at += 1
    key_at = offset_at + 1
    while data[key_at - 1] > 127:
        key_at += 1
    lengths = [*range(start + 1, body_at), key_at]  # the first byte is the caller's
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
    """Step over sized bytes at `pos`; note where the further bytes of their length are."""
    first = data[pos]
    if first < 128:
        return pos + 1 if first & 1 else pos + 1 + (first >> 1)
    size, end = read_varint(data, pos)
    lengths += range(pos + 1, end)
    return end + size if size > 0 else end


def _same_width(columns: Sequence[bytes | bytearray]) -> int:
    """For how many records the varint in these columns is exactly as wide as they are."""
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
    """Whether the offset deltas are `index`, `index + 1`, … (compared byte for byte)."""
    last = index + len(columns[0])
    if len(columns) == 1:
        return columns[0] == _ONE_BYTE_DELTAS[index:last]
    if len(columns) == 2 and last <= _TABLE_SIZE:
        return columns[0] == _FIRST_BYTES[index:last] and columns[1] == _SECOND_BYTES[index:last]
    return all(
        read_varint(bytes(raw), 0)[0] == expected
        for expected, raw in enumerate(zip(*columns, strict=True), index)
    )
