"""Dead letters: what they copy, and how many fit into a batch."""

import pytest

from mockbroker.broker.internal_records.dead_letter_record import (
    SourceRecords,
    build_dead_letters,
    read_sources,
)
from mockbroker.protocol.records.batch import build_batch, records_of
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import Compression
from mockbroker.state.share.dead_letters.dead_letter import DeadLetterCause, DeadLetters
from tests.state.share.coordinator_clusters import coordinating

PLENTY = 1 << 20


def letters(first_offset: int, last_offset: int) -> DeadLetters:
    source = coordinating().partition("t", 1)
    assert source is not None
    return DeadLetters("g", source, first_offset, last_offset, 3, DeadLetterCause.CLIENT_REJECT)


def stored(*sizes: int, base_offset: int = 0, compression: Compression = Compression.NONE) -> bytes:
    """Return a batch of records with values of these sizes."""
    records = [
        Record(offset=base_offset + index, timestamp=1, key=b"k", value=b"v" * size)
        for index, size in enumerate(sizes)
    ]
    return build_batch(records, compression=compression)


def test_a_dead_letter_has_headers_and_a_time_of_its_own() -> None:
    sources = SourceRecords({}, 7)
    batch, last_offset = build_dead_letters(
        letters(7, 7), sources, timestamp_ms=99, bytes_max=PLENTY
    )
    assert last_offset == 7
    (record,) = records_of(batch)
    assert (record.key, record.value, record.timestamp) == (None, None, 99)
    assert record.headers == (
        ("__dlq.errors.topic", b"t"),
        ("__dlq.errors.partition", b"1"),
        ("__dlq.errors.offset", b"7"),
        ("__dlq.errors.group", b"g"),
        ("__dlq.errors.delivery.count", b"3"),
        ("__dlq.errors.message", b"Offset rejected by client."),
    )


def test_it_copies_key_and_value_only() -> None:
    source = Record(offset=4, timestamp=5, key=b"k", value=b"v", headers=[("h", b"x")])
    sources = SourceRecords({4: source}, 5)
    batch, _ = build_dead_letters(letters(4, 5), sources, timestamp_ms=99, bytes_max=PLENTY)
    copied, missing = records_of(batch)
    assert (copied.key, copied.value, copied.timestamp) == (b"k", b"v", 99)
    assert "h" not in dict(copied.headers)
    assert (missing.key, missing.value) == (None, None)


@pytest.mark.parametrize(("bytes_max", "last_offset"), [(1, 0), (400, 0), (500, 1), (PLENTY, 4)])
def test_as_many_are_built_as_fit_but_at_least_one(bytes_max: int, last_offset: int) -> None:
    batch, built = build_dead_letters(
        letters(0, 4), SourceRecords({}, 4), timestamp_ms=0, bytes_max=bytes_max
    )
    assert built == last_offset
    assert len(list(records_of(batch))) == last_offset + 1
    assert len(batch) <= bytes_max or last_offset == 0


def test_none_is_built_that_was_not_read_yet() -> None:
    _, built = build_dead_letters(
        letters(0, 4), SourceRecords({}, 2), timestamp_ms=0, bytes_max=PLENTY
    )
    assert built == 2


def test_only_the_wanted_records_are_read() -> None:
    batches = [stored(1, 1), stored(1, 1, 1, base_offset=2), stored(1, base_offset=5)]
    sources = read_sources(letters(1, 3), batches, bytes_max=PLENTY)
    assert sorted(sources.records) == [1, 2, 3]
    assert sources.last_offset == 3


def test_reading_stops_at_what_does_not_fit_beside_the_others() -> None:
    sources = read_sources(letters(0, 3), [stored(30, 30, 30, 30)], bytes_max=100)
    assert (sorted(sources.records), sources.last_offset) == ([0, 1], 1)
    packed = [
        stored(30, 30, 30, 30, compression=Compression.GZIP),
        stored(30, base_offset=4, compression=Compression.GZIP),
    ]
    sources = read_sources(letters(0, 4), packed, bytes_max=160)
    assert (sorted(sources.records), sources.last_offset) == ([0, 1, 2, 3], 3)


def test_what_never_fits_is_left_out() -> None:
    sources = read_sources(letters(0, 2), [stored(5, 500, 5)], bytes_max=100)
    assert (sorted(sources.records), sources.last_offset) == ([0, 2], 2)
    packed = [stored(5, 500, compression=Compression.GZIP), stored(5, base_offset=2)]
    sources = read_sources(letters(0, 2), packed, bytes_max=100)
    assert (sorted(sources.records), sources.last_offset) == ([2], 2)


def test_records_that_are_gone_are_left_out() -> None:
    sources = read_sources(letters(0, 9), [stored(5, base_offset=4)], bytes_max=PLENTY)
    assert (sorted(sources.records), sources.last_offset) == ([4], 9)
    assert read_sources(letters(0, 9), [], bytes_max=PLENTY).last_offset == 9
