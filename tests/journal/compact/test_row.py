"""A row of the ledger."""

from mockbroker.journal.compact.row import COLUMNS, Flag, Row
from tests.support.ledger_rows import row


def test_a_row_is_packed_into_71_bytes_and_back() -> None:
    one = row(7, 12, producer_id=1 << 40, producer_epoch=3, base_sequence=9, flags=1)
    assert COLUMNS.size == 67
    assert Row._make(COLUMNS.unpack(COLUMNS.pack(*one))) == one


def test_a_row_has_its_last_offset() -> None:
    one = row(1, 10, record_count=3)
    assert one.last_offset == 12
    assert not one.is_transactional
    assert one._replace(flags=Flag.TRANSACTIONAL).is_transactional
