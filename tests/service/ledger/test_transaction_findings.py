"""What is wrong with transactions."""

from mockbroker.ledger.partition_view import LoggedBatch, PartitionView
from mockbroker.ledger.transaction_findings import (
    hanging_findings,
    open_findings,
    visibility_findings,
)
from mockbroker.state.open_transactions import OpenTransaction

HANGING = OpenTransaction("orders", 0, 1000, 0, 6, None, None)
OPEN = OpenTransaction("orders", 0, 1001, 3, 4, "billing", "Ongoing")


def test_open_and_hanging_transactions_are_told_apart() -> None:
    (hanging,) = hanging_findings([OPEN, HANGING])
    assert hanging.place == ("orders", 0, 6)
    assert "producer 1000 epoch 0 has a transaction open since offset 6" in hanging.text
    opened, begun = open_findings([OPEN, HANGING, OPEN._replace(first_offset=-1)])
    assert (opened.place, opened.note) == (("orders", 0, 4), "OPEN")
    assert "'billing' (producer 1001 epoch 3) is Ongoing, with data" in opened.text
    assert (begun.note, "without an open record" in begun.text) == ("", True)


def test_readers_are_to_see_nothing_aborted_and_nothing_undecided() -> None:
    committed = LoggedBatch(0, 0, 1, 0, 0, "committed", False, True)
    aborted = LoggedBatch(1, 2, 1, 0, 1, "aborted", False, True)
    undecided = LoggedBatch(3, 3, 1, 0, 3, "open", False, True)
    hidden = [
        batch._replace(is_committed_for_readers=False) for batch in (committed, aborted, undecided)
    ]
    view = PartitionView("orders", 0, 1, 0, 0, 4, 4, 4, (committed, aborted, undecided), ())
    first, second = visibility_findings([view])
    assert (first.place, first.note) == (("orders", 0, 1), "ABORTED, VISIBLE")
    assert "offsets 1 to 2 of producer 1 epoch 0, whose transaction was aborted" in first.text
    assert (second.note, "is not decided" in second.text) == ("OPEN, VISIBLE", True)
    assert visibility_findings([view._replace(batches=tuple(hidden))]) == []
