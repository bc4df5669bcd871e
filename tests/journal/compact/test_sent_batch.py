"""The ledger as a person reads it."""

from textwrap import dedent

import pytest

from mockbroker.events.produce_outcome import Appended, ResponseOutcome
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.row import Flag
from mockbroker.journal.compact.sent_batch import sent_batches, timeline
from mockbroker.journal.compact.transaction_event import Decision, EpochGiven
from mockbroker.protocol.types import TopicPartition
from tests.support.ledger_rows import row


def written() -> Ledger:
    ledger = Ledger()
    ledger.number_of(TopicPartition("orders", 0))
    ledger.clients[1] = "shop"
    idempotent = {"producer_id": 7, "producer_epoch": 0, "base_sequence": 0}
    ledger.epochs.append(EpochGiven(1, 1_000, "svc", 7, 0, -1, -1))
    ledger.add(
        *row(2, 0, now_ms=1_250, record_count=2, answer=ResponseOutcome.LOST, flags=1, **idempotent)
    )
    ledger.add(*row(3, 0, now_ms=1_500, record_count=2, appended=Appended.RETRY, **idempotent))
    ledger.decisions.append(Decision(4, 2_000, "svc", 7, 0, True))
    ledger.add(*row(5, -1, now_ms=3_601_000, appended=Appended.NO, error_code=6))
    ledger.add(*row(6, 9, now_ms=3_601_000, flags=Flag.REPEATED, connection=2))
    return ledger


def test_sent_batches_have_named_fields() -> None:
    first, retry, refused, _ = sent_batches(written())
    assert (first.topic, first.partition, first.client_id) == ("orders", 0, "shop")
    assert (first.appended, first.answer, first.is_transactional) == ("yes", "answer lost", True)
    assert (retry.appended, retry.answer) == ("retry", "acknowledged")
    assert (refused.appended, refused.answer) == ("no", "NOT_LEADER_OR_FOLLOWER")
    assert sent_batches(written(), "payments") == []


def test_a_timeline_lists_batches_and_decisions_in_order() -> None:
    assert timeline(written()) + "\n" == dedent(
        """\
           +0.000s  'svc' is given 7 e0
           +0.250s  orders-0 <- 7 e0 #0..1 in a transaction (2 records): appended at 0..1, answer lost; call 2 of 'shop' on connection 1
           +0.500s  orders-0 <- 7 e0 #0..1 (2 records): known already at 0..1, acknowledged; call 3 of 'shop' on connection 1
           +1.000s  'svc' commits (7 e0)
        +3600.000s  orders-0 <- (1 record): not appended, NOT_LEADER_OR_FOLLOWER; call 5 of 'shop' on connection 1
        +3600.000s  orders-0 <- (1 record): appended at 9, once more, acknowledged; call 6 of None on connection 2
        """  # noqa: E501
    )


def test_the_end_of_a_long_timeline_is_printed() -> None:
    lines = timeline(written(), lines_max=2).splitlines()
    assert (len(lines), lines[0]) == (3, "... 4 before ...")
    assert timeline(Ledger()) == "(no batch came)"


@pytest.mark.parametrize("rows_max", [0, 1])
def test_the_timeline_of_a_full_ledger_says_that_more_came(rows_max: int) -> None:
    ledger = Ledger(rows_max)
    while ledger.has_room():
        ledger.decisions.append(Decision(0, 0, "mine", 7, 0, True))
    *before, last = timeline(ledger).splitlines()
    assert len(before) == rows_max
    assert last == f"... the ledger is full ({rows_max} rows): nothing later is recorded ..."
