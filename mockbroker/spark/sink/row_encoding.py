"""Record batches from rows of keys, values and headers, in a tight loop."""

import time
from collections.abc import Sequence
from itertools import chain
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

_VARINTS: Final = tuple(varint(number) for number in range(1 << 14))
_CACHED: Final = len(_VARINTS)
_NULL: Final = varint(-1)
_NO_HEADERS: Final = varint(0)
_START: Final = b"\0\0"
"""Attributes and timestamp delta of every record."""
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
    keys = [_NULL] * len(rows.values) if rows.keys is None else list(map(_sized, rows.keys))
    tails = (
        [_NO_HEADERS] * len(rows.values)
        if rows.headers is None
        else [_encoded_headers(each) for each in rows.headers]
    )
    batches: list[EncodedRecords] = []
    parts: list[bytes] = []
    size_bytes = HEADER_BYTES
    for key, value, tail in zip(keys, rows.values, tails, strict=True):
        offset = len(parts)
        body = _START + _varint(offset) + key + _sized(value) + tail
        record = _varint(len(body)) + body
        size_bytes += len(record)
        if size_bytes > limit_bytes and parts:
            batches.append(EncodedRecords(b"".join(parts), offset))
            body = _START + _VARINTS[0] + key + _sized(value) + tail
            record = _varint(len(body)) + body
            parts = []
            size_bytes = HEADER_BYTES + len(record)
        parts.append(record)
    if parts:
        batches.append(EncodedRecords(b"".join(parts), len(parts)))
    return batches


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


def _varint(number: int) -> bytes:
    return _VARINTS[number] if number < _CACHED else varint(number)


def _sized(data: bytes | None) -> bytes:
    return _NULL if data is None else _varint(len(data)) + data


def _encoded_headers(headers: Headers | None) -> bytes:
    if not headers:
        return _NO_HEADERS
    pairs = b"".join(_sized(key.encode()) + _sized(value) for key, value in headers)
    return _varint(len(headers)) + pairs
