"""Remarks about where the evidence of a journal ends."""

from mockbroker.journal.files.manifest import PartSpan
from mockbroker.spark.auditing.journal_remarks import (
    gaps_between,
    judged_identity,
    left_out,
    missing_rows,
    unended,
    unsound_parts,
)


def test_a_journal_that_ends_between_transactions_has_no_defect() -> None:
    assert unended("j", ()) == []


def test_the_transactions_at_the_end_are_named_and_the_rest_is_counted() -> None:
    (bad,) = unended("j", [f"t{number}" for number in range(7)])
    assert bad.where == "j"
    assert "7 transactions: t0, t1, t2, t3, t4, and 2 more." in bad.what


def test_parts_with_rows_that_are_no_entries_are_unsound() -> None:
    bad = [("b", "}{"), ("b", "x"), ("d", None)]
    assert unsound_parts("jsonl", ["a", "b", "c", "d"], bad) == {
        "b": "2 of its rows are not entries of a journal, the first: '}{'",
        "d": "1 of its rows are not entries of a journal",
    }
    assert unsound_parts("parquet", ["a", "b"], [("b", None)]) == {
        "b": "its rows are not entries of a journal"
    }
    assert unsound_parts("jsonl", ["a"], []) == {}


def test_what_a_part_that_is_left_out_costs() -> None:
    assert "before and after it are judged separately" in left_out("p", "why", 2).what
    assert "no other part can be judged" in left_out("p", "why", 1).what
    assert "missing anywhere" in left_out("p", "why", 2, is_ordered=False).what


def test_gaps_between_parts_are_told_unless_a_part_is_missing_there() -> None:
    spans = {1: PartSpan(1, 9), 2: PartSpan(15, 20), 4: PartSpan(30, 40)}
    names = {number: f"p{number}" for number in spans}
    (bad,) = gaps_between("j", names, [[1], [2], [4]], spans)
    assert bad.what.startswith("The entries 10 to 14 are missing, between p1 and p2: the parts")


def test_rows_that_are_missing_are_counted() -> None:
    assert missing_rows("j", 5, 5) == missing_rows("j", 5, None) == []
    (bad,) = missing_rows("j", 1_000, 3_500)
    assert bad.what == "2,500 of its 3,500 rows are missing, at its end or in a part."
    (bad,) = missing_rows("j", 0, None)
    assert bad.what == "It has no rows: nothing is judged."


def test_a_journal_is_judged_by_its_own_identity() -> None:
    assert judged_identity("j", "key", None) == ("key", [])
    assert judged_identity("j", "key", "key") == ("key", [])
    assert judged_identity("j", "key", "off") == ("off", [])
    assert judged_identity("j", None, None) == (None, [])
    identity, (bad,) = judged_identity("j", "key", "value")
    assert (identity, bad.what) == (None, "It has the identities by key.")
    _, (bad,) = judged_identity("j", None, "value")
    assert bad.what == "It was recorded without identities of records."
