"""Batches as a producer would make them."""

from mockbroker.protocol.records.batch import parse_batch_header, records_of
from mockbroker.wire import record_batch


def test_a_batch_has_a_record_for_each_value() -> None:
    data = record_batch(b"a", b"b", timestamp_ms=5)
    assert [(r.offset, r.value, r.timestamp) for r in records_of(data)] == [
        (0, b"a", 5),
        (1, b"b", 5),
    ]
    header = parse_batch_header(data)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (-1, -1, -1)
    assert not header.is_transactional


def test_a_batch_has_the_given_producer() -> None:
    data = record_batch(
        b"a", producer_id=7, producer_epoch=3, base_sequence=12, is_transactional=True
    )
    header = parse_batch_header(data)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (7, 3, 12)
    assert header.is_transactional
    assert header.max_timestamp > 1_600_000_000_000
