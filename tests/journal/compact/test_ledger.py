"""Rows of the ledger: stored, changed, and counted when dropped."""

from mockbroker.events.produce_outcome import ResponseOutcome
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.row import COLUMNS
from mockbroker.protocol.types import TopicPartition
from tests.support.ledger_rows import row

ORDERS = TopicPartition("orders", 0)


def test_rows_are_stored_in_order_and_can_be_changed() -> None:
    ledger = Ledger()
    first, second = row(1, 0), row(2, 1)
    assert [ledger.add(*first), ledger.add(*second)] == [0, 1]
    ledger.change(0, answer=ResponseOutcome.LOST, answered_at=9)
    assert list(ledger) == [first._replace(answer=ResponseOutcome.LOST, answered_at=9), second]
    assert ledger.row(1) == second
    assert (len(ledger), ledger.size_bytes) == (2, 2 * COLUMNS.size)


def test_rows_beyond_the_limit_are_dropped_and_counted() -> None:
    ledger = Ledger(rows_max=2)
    assert [ledger.add(*row(number)) for number in (1, 2, 3, 4)] == [0, 1, -1, -1]
    assert (len(ledger), ledger.dropped) == (2, 2)


def test_a_recreated_topic_gets_a_new_number() -> None:
    ledger = Ledger()
    old = ledger.number_of(ORDERS)
    assert ledger.number_of(ORDERS) == old
    ledger.topic_deleted("orders")
    new = ledger.number_of(ORDERS)
    assert new != old
    assert ledger.gone == {old}
    assert ledger.places == [ORDERS, ORDERS]


def test_truncations_have_the_number_of_their_event() -> None:
    ledger = Ledger()
    ledger.truncated(ORDERS, 2, 5)
    assert ledger.truncations == {0: [(2, 5)]}


def test_a_cleared_ledger_is_empty() -> None:
    ledger = Ledger(rows_max=1)
    ledger.number_of(ORDERS)
    ledger.add(*row(1))
    ledger.add(*row(2))
    ledger.clear()
    assert (len(ledger), ledger.dropped, ledger.places) == (0, 0, [])
