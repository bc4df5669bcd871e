"""Record batches from columns."""

import random
from importlib import import_module
from typing import Any, Final

import numpy as np
import pytest

from mockbroker.protocol.records.batch import HEADER_BYTES, parse_batch_header, records_of
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import Compression
from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.byte_columns import byte_column, bytes_of
from mockbroker.spark.sink.row_encoding import (
    EncodedRecords,
    encode_records,
    record_contents,
    seal_batch,
)
from tests.support.spark_marks import SPARK_MARKS

pytestmark = SPARK_MARKS

pa: Final[Any] = import_module("pyarrow")  # it has no type annotations

LIMIT: Final = 1 << 20
HEADERS: Final = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


def column(values: list[bytes | None]) -> Any:
    return bytes_of(pa.array(values, pa.binary()))


def headers_of(rows: list[list[tuple[str | None, bytes | None]] | None]) -> Any:
    pairs = [
        None if row is None else [{"key": key, "value": value} for key, value in row]
        for row in rows
    ]
    return pa.array(pairs, HEADERS)


def encoded(
    contents: Any, limit_bytes: int = LIMIT, places: list[int] | None = None
) -> dict[int, list[EncodedRecords]]:
    return encode_records(contents, np.array(places or [0] * len(contents)), limit_bytes)


def sealed(records: EncodedRecords, compression: Compression = Compression.NONE) -> bytes:
    return seal_batch(
        records, producer_id=7, producer_epoch=2, base_sequence=5, compression=compression
    )


def read(records: EncodedRecords) -> list[Record]:
    return list(records_of(sealed(records)))


@pytest.mark.parametrize("codec", Compression)
def test_a_batch_has_keys_values_and_headers(codec: Compression) -> None:
    headers = headers_of([None, [("h", b"x"), ("n", None)]])
    contents = record_contents(column([b"k", None]), column([None, b"v"]), headers)
    ((records,),) = encoded(contents).values()
    batch = sealed(records, codec)
    assert [(each.offset, each.key, each.value, each.headers) for each in records_of(batch)] == [
        (0, b"k", None, ()),
        (1, None, b"v", (("h", b"x"), ("n", None))),
    ]
    header = parse_batch_header(batch)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (7, 2, 5)
    assert header.is_transactional


def test_columns_may_be_missing_or_parts_of_others() -> None:
    headers = headers_of([[("a", b"1")], None, [], [("b", b"2")]])
    keys, values = column([b"0", b"1", None, b"3"]), column([b"a", b"b", b"c", None])
    contents = record_contents(*(each.slice(1) for each in (keys, values, headers)))
    ((records,),) = encoded(contents).values()
    assert [(each.key, each.value, each.headers) for each in read(records)] == [
        (b"1", b"b", ()),
        (None, b"c", ()),
        (b"3", None, (("b", b"2"),)),
    ]
    ((records,),) = encoded(record_contents(None, values, None)).values()
    assert [each.value for each in read(records)] == [b"a", b"b", b"c", None]


def test_long_values_and_many_records_have_longer_lengths() -> None:
    values = [b"x" * 20_000, *([b"y"] * 20_000)]
    ((records,),) = encoded(record_contents(None, byte_column(values), None)).values()
    assert [each.value for each in read(records)] == values


def test_batches_end_before_the_limit() -> None:
    contents = record_contents(None, byte_column([b"x" * 100] * 30), None)
    (batches,) = encoded(contents, HEADER_BYTES + 1_165).values()
    assert [each.record_count for each in batches] == [10, 10, 10]
    assert all(len(each.payload) <= 1_165 for each in batches)


def test_a_record_above_the_limit_is_alone() -> None:
    contents = record_contents(None, byte_column([b"x", b"y" * 500, b"z"]), None)
    (batches,) = encoded(contents, HEADER_BYTES + 100).values()
    assert [each.record_count for each in batches] == [1, 1, 1]


@pytest.mark.parametrize("seed", range(20))
def test_records_of_each_place_are_in_their_order_below_the_limit(seed: int) -> None:
    choose = random.Random(seed)
    places = [choose.randrange(choose.choice([1, 5, 40])) for _ in range(choose.randrange(1, 300))]
    values = [choose.randbytes(choose.choice([0, 1, 70, 300])) for _ in places]
    limit_bytes = choose.choice([1, 200, 1_000, LIMIT])
    found = encoded(record_contents(None, byte_column(values), None), limit_bytes, places)
    wanted = {
        place: [value for value, at in zip(values, places, strict=True) if at == place]
        for place in places
    }
    in_place = {
        place: [record.value for batch in batches for record in read(batch)]
        for place, batches in found.items()
    }
    assert in_place == wanted
    for batch in (batch for batches in found.values() for batch in batches):
        assert batch.record_count == 1 or len(sealed(batch)) <= limit_bytes


def test_a_header_needs_a_key() -> None:
    with pytest.raises(KafkaEosError, match="a header has no key"):
        record_contents(None, column([b"v"]), headers_of([[(None, b"x")]]))
