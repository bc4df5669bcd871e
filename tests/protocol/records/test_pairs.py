"""Batches of keys and values: they are what the general builder makes of the same records."""

import pytest

from mockbroker.protocol.records.batch import attributes_of, build_batch, parse_batch_header
from mockbroker.protocol.records.pairs import build_pair, build_pairs
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import BatchHeader, TimestampType

PAIRS = [(b"key", b"value"), (b"", None), (b"k" * 200, b"v" * 9_000)]


def fields_of(header: BatchHeader) -> list[int]:
    return [getattr(header, name) for name in BatchHeader.__slots__]


@pytest.mark.parametrize("pairs", [PAIRS, *([pair] for pair in PAIRS)])
@pytest.mark.parametrize("is_transactional", [True, False])
def test_a_batch_is_that_of_the_general_builder(
    pairs: list[tuple[bytes, bytes | None]], is_transactional: bool
) -> None:
    records = [
        Record(offset=40 + n, timestamp=1_000, key=key, value=value)
        for n, (key, value) in enumerate(pairs)
    ]
    expected = build_batch(
        records,
        producer_id=7,
        producer_epoch=2,
        partition_leader_epoch=3,
        timestamp_type=TimestampType.LOG_APPEND_TIME,
        is_transactional=is_transactional,
    )
    attributes = attributes_of(TimestampType.LOG_APPEND_TIME, is_transactional=is_transactional)
    stamps = (40, 3, 1_000)
    built = [build_pairs(pairs, stamps=stamps, attributes=attributes, writer=(7, 2, -1))]
    if len(pairs) == 1:
        built.append(build_pair(*pairs[0], stamps=stamps, attributes=attributes, producer=(7, 2)))
    for header, batch in built:
        assert batch == expected
        assert fields_of(header) == fields_of(parse_batch_header(batch))
