"""Remarks about where the evidence of a journal ends."""

from mockbroker.spark.audit.journal_remarks import unended


def test_a_journal_that_ends_between_transactions_has_no_defect() -> None:
    assert unended("j", ()) == []


def test_the_transactions_at_the_end_are_named_and_the_rest_is_counted() -> None:
    (bad,) = unended("j", [f"t{number}" for number in range(7)])
    assert bad.where == "j"
    assert "7 transactions: t0, t1, t2, t3, t4, and 2 more." in bad.what
