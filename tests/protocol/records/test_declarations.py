"""The declared layouts of records, against the code that runs."""

import struct

from mockbroker.protocol.records.batch import HEADER_BYTES, build_batch, parse_batch_header
from mockbroker.protocol.records.declarations import RECORD_BATCH, batch_header_layout
from mockbroker.protocol.records.record import Record


def test_the_layout_names_every_field_of_a_header_in_its_order() -> None:
    batch = build_batch([Record(timestamp=5, value=b"v")], producer_id=7, producer_epoch=3)
    header = parse_batch_header(batch)
    values = struct.unpack_from(
        ">" + "".join(field.letter for field in batch_header_layout()), batch
    )
    for field, value in zip(batch_header_layout(), values, strict=True):
        assert getattr(header, field.name) == value, field.name


def test_the_header_is_as_long_as_its_fields() -> None:
    assert sum(field.size_bytes for field in batch_header_layout()) == HEADER_BYTES


def test_a_declared_batch_is_written_as_it_was_read() -> None:
    batch = build_batch([Record(timestamp=5, value=b"v")])
    parsed = RECORD_BATCH.parse(batch)
    assert parsed.records == batch[HEADER_BYTES:]
    assert RECORD_BATCH.build(parsed) == batch
