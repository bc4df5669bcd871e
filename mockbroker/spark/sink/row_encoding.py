"""Record batches from columns of keys, values and headers.

A sink spends most of its time here, so that each step is one of Arrow or numpy for a whole column.
"""

import time
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np

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
from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.byte_columns import Ints, byte_column, bytes_of, is_valid, sizes, spans

_pa: Final[Any] = import_module("pyarrow")  # it has no type annotations
_pc: Final[Any] = import_module("pyarrow.compute")

_START: Final = b"\0\0"
"""Attributes and timestamp delta of every record."""
_FRAME_BYTES_MAX: Final = 12
"""Longest length, attributes, timestamp delta and offset delta of a record."""
_TABLE: Final = 1 << 14
_NANOSECONDS: Final = 1_000_000


def record_contents(keys: Any, values: Any, headers: Any) -> Any:
    """Return what each record has after its offset, from columns with a row for each.

    Keys and headers may be None.

    Raises:
        KafkaEosError: a header has no key.

    """
    return _joined(
        *((_varints(-1),) if keys is None else _sized(keys)),
        *_sized(values),
        *((_varints(0),) if headers is None else _encoded_headers(headers)),
    )


class EncodedRecords(NamedTuple):
    """Records of one batch, without its header."""

    payload: memoryview
    record_count: int


def encode_records(
    contents: Any, places: Ints, limit_bytes: int
) -> dict[int, list[EncodedRecords]]:
    """Encode the records of each place as those of as few batches as possible.

    A batch has at most `limit_bytes`. A record that is larger is a batch alone; the broker decides
    about it.
    """
    if np.any(np.diff(places) < 0):
        order = np.argsort(places, kind="stable")
        contents, places = contents.take(_pa.array(order)), places[order]
    content_bytes = sizes(contents)
    ends = np.cumsum(content_bytes + _FRAME_BYTES_MAX)
    cuts = np.array(list(_cuts(places, ends, limit_bytes - HEADER_BYTES)), np.int64)
    counts = np.diff(cuts, append=len(places))
    offsets = np.arange(len(places)) - np.repeat(cuts, counts)
    every_start = _starts(1 << int(counts.max(initial=1) - 1).bit_length())
    starts = every_start.take(_pa.array(offsets))
    lengths = _varints_of(sizes(starts) + content_bytes)
    payload, ends = spans(_joined(lengths, starts, contents))
    batches: dict[int, list[EncodedRecords]] = {}
    begin = 0
    for cut, count in zip(cuts.tolist(), counts.tolist(), strict=True):
        end = int(ends[cut + count - 1])
        batch = EncodedRecords(payload[begin:end], count)
        batches.setdefault(int(places[cut]), []).append(batch)
        begin = end
    return batches


def _cuts(places: Ints, ends: Ints, limit_bytes: int) -> Iterator[int]:
    """Yield the first row of each batch."""
    start, taken_bytes = 0, 0
    for stop in [*(np.flatnonzero(np.diff(places)) + 1).tolist(), len(places)]:
        while start < stop:
            yield start
            fitting = int(np.searchsorted(ends, taken_bytes + limit_bytes, side="right"))
            start = min(max(fitting, start + 1), stop)
            taken_bytes = int(ends[start - 1])


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


def _sized(column: Any) -> tuple[Any, Any]:
    """Return the lengths of a column's rows, which are -1 for null, and the column."""
    lengths = sizes(column)
    if column.null_count:
        lengths = np.where(is_valid(column), lengths, -1)
    return _varints_of(lengths), column


def _encoded_headers(column: Any) -> tuple[Any, Any]:
    """Return the number of headers of each record, and the headers."""
    counts = np.diff(column.offsets.to_numpy())
    if column.null_count:
        counts = np.where(is_valid(column), counts, 0)
    pairs = column.flatten()
    keys, values = (bytes_of(each) for each in pairs.flatten())
    if keys.null_count:
        raise KafkaEosError("a header has no key: each element of headers needs one")
    encoded = _joined(*_sized(keys), *_sized(values))
    every = _pa.LargeListArray.from_arrays(np.append(0, np.cumsum(counts)), encoded)
    return _varints_of(counts), _pc.binary_join(every, _nothing())


def _joined(*columns: Any) -> Any:
    """Join the bytes of columns row by row; null has none."""
    return _pc.binary_join_element_wise(
        *columns, _nothing(), null_handling="replace", null_replacement=""
    )


@cache
def _nothing() -> Any:
    return byte_column([b""])[0]


@cache
def _varints(number: int) -> Any:
    """Return a varint for all rows."""
    return byte_column([varint(number)])[0]


def _varints_of(values: Ints) -> Any:
    """Return a varint for each row, of numbers from -1."""
    if values.max(initial=0) < _TABLE:
        return _table().take(_pa.array(values + 1))
    distinct, places = np.unique(values, return_inverse=True)
    return byte_column([varint(value) for value in distinct.tolist()]).take(_pa.array(places))


@cache
def _table() -> Any:
    return byte_column([varint(number) for number in range(-1, _TABLE)])


@cache
def _starts(count: int) -> Any:
    """Return the first fields of records, by their offset in the batch."""
    return byte_column([_START + varint(offset) for offset in range(count)])
