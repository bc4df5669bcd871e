"""Findings about open and hanging transactions."""

from mockbroker.control.assertions.transaction_checks import hanging_findings, open_findings
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
