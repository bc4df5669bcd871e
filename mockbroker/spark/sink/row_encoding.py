"""Record batches from rows of keys, values and headers, column by column.

A sink spends most of its time here, so that each step is a `map` over a column, which runs no
Python code for a row.
"""

import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, count, repeat
from operator import add
from typing import Final, NamedTuple, TypeAlias, TypeVar

from mockbroker.protocol.records.batch import (
    HEADER_BYTES,
    MAGIC_V2,
    attributes_of,
    seal,
)
from mockbroker.protocol.records.compression.codecs import compress
from mockbroker.protocol.records.varint import varint
from mockbroker.protocol.types import (
    NO_PARTITION_LEADER_EPOCH,
    BatchHeader,
    Compression,
    TimestampType,
)

T = TypeVar("T")
Headers: TypeAlias = Sequence[tuple[str, bytes | None]]

_NULL: Final = varint(-1)
_NO_HEADERS: Final = varint(0)
_START: Final = b"\0\0"
"""Attributes and timestamp delta of every record."""
_TABLE: Final = 1 << 14
_LENGTHS: Final = tuple(varint(length) for length in range(_TABLE))
_STARTS: Final = tuple(_START + varint(offset) for offset in range(_TABLE))
"""First fields of records, by their offset in the batch."""
_FRAME_BYTES_MAX: Final = 12
"""Longest length, attributes, timestamp delta and offset delta of a record."""
_NANOSECONDS: Final = 1_000_000


class SinkRows(NamedTuple):
    """Rows for one partition; columns without a value in any row are None."""

    keys: list[bytes | None] | None
    values: list[bytes | None]
    headers: list[Headers | None] | None


def joined(parts: Sequence[SinkRows]) -> SinkRows:
    """Return the rows of all parts, in their order."""
    if len(parts) == 1:
        return parts[0]
    return SinkRows(
        _joined([(part.keys, len(part.values)) for part in parts]),
        list(chain.from_iterable(part.values for part in parts)),
        _joined([(part.headers, len(part.values)) for part in parts]),
    )


class EncodedRecords(NamedTuple):
    """Records of one batch, without its header."""

    payload: bytes
    record_count: int


def encode_rows(rows: SinkRows, limit_bytes: int) -> list[EncodedRecords]:
    """Encode rows as records of as few batches as possible, of at most `limit_bytes` each.

    A record that is larger is a batch alone; the broker decides about it.
    """
    headers = repeat(_NO_HEADERS) if rows.headers is None else map(_encoded_headers, rows.headers)
    keys = repeat(_NULL) if rows.keys is None else _sized_column(rows.keys)
    contents = list(map(add, map(add, keys, _sized_column(rows.values)), headers))
    ends = list(accumulate(map(add, map(len, contents), repeat(_FRAME_BYTES_MAX))))
    batches: list[EncodedRecords] = []
    start, taken_bytes = 0, 0
    while start < len(contents):
        stop = bisect_right(ends, taken_bytes + limit_bytes - HEADER_BYTES, lo=start + 1)
        batches.append(_records(contents[start:stop]))
        start, taken_bytes = stop, ends[stop - 1]
    return batches


def _records(contents: list[bytes]) -> EncodedRecords:
    more = (_START + varint(offset) for offset in count(_TABLE))
    records = list(map(add, chain(_STARTS, more), contents))
    parts = chain.from_iterable(zip(_lengths(records), records, strict=True))
    return EncodedRecords(b"".join(parts), len(records))


def seal_batch(
    records: EncodedRecords,
    *,
    producer_id: int,
    producer_epoch: int,
    base_sequence: int,
    compression: Compression = Compression.NONE,
) -> bytes:
    """Build a transactional batch; all its records have the current time."""
    now_ms = time.time_ns() // _NANOSECONDS
    attributes = attributes_of(TimestampType.CREATE_TIME, is_transactional=True)
    header = BatchHeader(
        base_offset=0,
        batch_length=0,
        partition_leader_epoch=NO_PARTITION_LEADER_EPOCH,
        magic=MAGIC_V2,
        crc=0,
        attributes=int(compression) | attributes,
        last_offset_delta=records.record_count - 1,
        base_timestamp=now_ms,
        max_timestamp=now_ms,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        record_count=records.record_count,
    )
    return seal(header, compress(compression, records.payload))


def _joined(columns: Sequence[tuple[list[T | None] | None, int]]) -> list[T | None] | None:
    if all(column is None for column, _ in columns):
        return None
    every = ([None] * count if column is None else column for column, count in columns)
    return list(chain.from_iterable(every))


def _sized_column(column: list[bytes | None]) -> Iterable[bytes]:
    if None in column:
        return map(_sized, column)
    values: list[bytes] = column  # type: ignore[assignment]  # without None
    return map(add, _lengths(values), values)


def _lengths(values: Sequence[bytes]) -> Iterator[bytes]:
    """Return the length of each value as a varint."""
    lengths = list(map(len, values))
    table = _LENGTHS.__getitem__ if max(lengths, default=0) < _TABLE else varint
    return map(table, lengths)


def _sized(data: bytes | None) -> bytes:
    return _NULL if data is None else varint(len(data)) + data


def _encoded_headers(headers: Headers | None) -> bytes:
    if not headers:
        return _NO_HEADERS
    pairs = b"".join(_sized(key.encode()) + _sized(value) for key, value in headers)
    return varint(len(headers)) + pairs
