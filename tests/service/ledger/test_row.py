"""A row of the ledger."""

from mockbroker.ledger.row import COLUMNS, Answer, Flag, Row
from tests.service.support.ledger_rows import row


def test_a_row_is_packed_into_71_bytes_and_back() -> None:
    one = row(7, 12, producer_id=1 << 40, producer_epoch=3, base_sequence=9, flags=1)
    assert COLUMNS.size == 71
    assert Row._make(COLUMNS.unpack(COLUMNS.pack(*one))) == one


def test_a_row_tells_where_it_ends_and_what_comes_next() -> None:
    one = row(1, 10, record_count=3, base_sequence=(1 << 31) - 2)
    assert (one.last_offset, one.end_sequence) == (12, 1)
    assert not one.is_transactional
    assert one._replace(flags=Flag.TRANSACTIONAL).is_transactional


def test_only_an_answer_without_an_error_acknowledges() -> None:
    one = row(1, answered_at=5)
    assert one.is_acknowledged
    assert one.was_acknowledged_before(6)
    assert not one.was_acknowledged_before(5)
    for answer, code in ((Answer.GIVEN, 7), (Answer.LOST, 0), (Answer.UNWANTED, 0), (0, 0)):
        assert not one._replace(answer=answer, error_code=code).is_acknowledged
