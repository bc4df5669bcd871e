"""Record batches from rows."""

import pytest

from mockbroker.protocol.records.batch import HEADER_BYTES, parse_batch_header, records_of
from mockbroker.protocol.types import Compression
from mockbroker.spark.sink.row_encoding import SinkRows, encode_rows, joined, seal_batch

LIMIT = 1 << 20


def sealed(rows: SinkRows, compression: Compression = Compression.NONE) -> bytes:
    (records,) = encode_rows(rows, LIMIT)
    return seal_batch(
        records, producer_id=7, producer_epoch=2, base_sequence=5, compression=compression
    )


@pytest.mark.parametrize("codec", Compression)
def test_a_batch_has_keys_values_and_headers(codec: Compression) -> None:
    rows = SinkRows([b"k", None], [None, b"v"], [None, [("h", b"x"), ("n", None)]])
    found = list(records_of(sealed(rows, codec)))
    assert [(each.offset, each.key, each.value, each.headers) for each in found] == [
        (0, b"k", None, ()),
        (1, None, b"v", (("h", b"x"), ("n", None))),
    ]
    header = parse_batch_header(sealed(rows, codec))
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (7, 2, 5)
    assert header.is_transactional


def test_long_values_and_many_records_have_longer_lengths() -> None:
    values: list[bytes | None] = [b"x" * 20_000, *([b"y"] * 20_000)]
    found = list(records_of(sealed(SinkRows(None, values, None))))
    assert [each.value for each in found] == values


def test_batches_end_before_the_limit() -> None:
    batches = encode_rows(SinkRows(None, [b"x" * 100] * 30, None), HEADER_BYTES + 1_165)
    assert [each.record_count for each in batches] == [10, 10, 10]
    assert all(len(each.payload) <= 1_165 for each in batches)


def test_a_record_above_the_limit_is_alone() -> None:
    batches = encode_rows(SinkRows(None, [b"x", b"y" * 500, b"z"], None), HEADER_BYTES + 100)
    assert [each.record_count for each in batches] == [1, 1, 1]


def test_rows_are_joined_in_order() -> None:
    parts = [SinkRows(None, [b"1"], None), SinkRows([b"k"], [b"2"], [[("h", None)]])]
    assert joined(parts) == SinkRows([None, b"k"], [b"1", b"2"], [None, [("h", None)]])
    assert joined([parts[0], parts[0]]) == SinkRows(None, [b"1", b"1"], None)
