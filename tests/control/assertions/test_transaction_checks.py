"""Findings about open and hanging transactions, and about their outcome."""

import pytest

from mockbroker.control.assertions.transaction_checks import (
    decision_findings,
    hanging_findings,
    open_findings,
)
from mockbroker.journal.compact.transaction_event import Decision
from mockbroker.state.open_transactions import OpenTransaction

HANGING = OpenTransaction("orders", 0, 1000, 0, 6, None, None)
OPEN = OpenTransaction("orders", 0, 1001, 3, 4, "billing", "Ongoing")


def test_open_and_hanging_transactions_are_distinguished() -> None:
    (hanging,) = hanging_findings([OPEN, HANGING])
    assert (hanging.rule, hanging.place, hanging.first_offset) == ("HANGING_TXN", "orders-0", 6)
    assert "producer 1000 epoch 0 has a transaction open since offset 6" in hanging.text
    opened, begun = open_findings([OPEN, HANGING, OPEN._replace(first_offset=-1)])
    assert (opened.rule, opened.place, opened.first_offset) == ("OPEN", "orders-0", 4)
    assert "'billing' (producer 1001 epoch 3) is Ongoing, with data" in opened.text
    assert (begun.first_offset, "without an open record" in begun.text) == (None, True)


@pytest.mark.parametrize("is_commit", [True, False])
def test_a_transaction_without_all_of_its_markers_is_not_complete(*, is_commit: bool) -> None:
    ended = [Decision(1, 0, "svc", 1000, 0, is_commit)]
    assert decision_findings(ended, [OPEN], "svc", is_commit=is_commit) == []
    (finding,) = decision_findings(ended, [OPEN, HANGING], "svc", is_commit=is_commit)
    assert finding.rule == "HANGING_TXN"
    of_another = HANGING._replace(producer_epoch=1), HANGING._replace(producer_id=7)
    assert decision_findings(ended, of_another, "svc", is_commit=is_commit) == []
    (finding,) = decision_findings(ended, [OPEN], "svc", is_commit=not is_commit)
    assert finding.rule == "OTHER_END"
