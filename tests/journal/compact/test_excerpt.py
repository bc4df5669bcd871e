"""From a row of the ledger to what rules are given."""

from mockbroker.events.produce_outcome import Answer, Appended
from mockbroker.journal.compact.excerpt import attempt_of
from mockbroker.journal.compact.row import Flag
from tests.support.ledger_rows import row


def test_an_attempt_says_what_its_row_says() -> None:
    one = row(
        4, 7, producer_id=3, record_count=2, appended=Appended.RETRY, answer=Answer.LOST,
        error_code=7, flags=Flag.TRANSACTIONAL | Flag.REPEATED,
    )  # fmt: skip
    attempt = attempt_of(one, {1: "shop"})
    assert (attempt.call, attempt.connection, attempt.client_id) == (4, 1, "shop")
    assert (attempt.producer_id, attempt.base_offset, attempt.last_offset) == (3, 7, 8)
    assert (attempt.appended, attempt.answer) == (Appended.RETRY, Answer.LOST)
    assert (attempt.error, attempt.is_transactional) == ("REQUEST_TIMED_OUT", True)
    assert attempt.is_repeated
    plain = attempt_of(row(4), {})
    assert (plain.error, plain.client_id, plain.is_transactional) == (None, None, False)
