"""Whole transactions among the rows of producers."""

import pytest

pytest.importorskip("pyarrow", reason="folding needs the extra spark")

import numpy as np

from mockbroker.audit.folding.folding_calls import settled_calls
from mockbroker.audit.folding.folding_rows import Rows
from mockbroker.audit.folding.folding_transactions import folded_transactions, whole_transactions
from mockbroker.journal.entry import Entry
from tests.support.audit_script import ABORT, Script
from tests.support.folds import run_rows


def clean(entries: list[Entry]) -> list[bool]:
    rows = Rows(run_rows(entries))
    found = whole_transactions(rows, settled_calls(rows), np.ones(rows.count, bool))
    return [bool(each) for each in found.is_clean]


def five() -> Script:
    script = Script()
    state = "Empty"
    for number in range(5):
        state = script.transaction(0, 1, before=state, marker=ABORT if number == 1 else "COMMIT")
    return script


def test_whole_transactions_are_clean() -> None:
    assert clean(five().entries) == [True] * 5


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("append", {"producer_epoch": 1}),
        ("append", {"partition": 2}),
        ("append", {"is_duplicate": True}),
        ("marker", {"producer_epoch": 1}),
        ("marker", {"marker": ABORT}),
        ("marker", {"partition": 2}),
        ("marker", {"coordinator_epoch": 2}),
        ("transaction", {"transactional_id": "other"}),
        ("transaction", {"state_before": "Dead"}),
        ("transaction", {"detail": None}),
    ],
)
def test_a_wrong_row_makes_its_transaction_and_adjacent_ones_irregular(
    kind: str, change: dict[str, object]
) -> None:
    entries = five().entries
    of_kind = [at for at, each in enumerate(entries) if each.kind == kind]
    at = of_kind[1] if kind == "transaction" else of_kind[0]
    entries[at] = entries[at]._replace(**change)  # type: ignore[arg-type]
    found = clean(entries)
    assert found[-2:] == [True, True]
    assert not any(found[:2]), "what is beside it stays as well"


@pytest.mark.parametrize("kind", ["marker", "transaction"])
def test_a_missing_row_makes_its_transaction_irregular(kind: str) -> None:
    entries = five().entries
    last = max(at for at, each in enumerate(entries) if each.kind == kind)
    assert clean([*entries[:last], *entries[last + 1 :]])[-1] is False


def test_irregular_rows_make_their_transactions_irregular() -> None:
    rows = Rows(run_rows(five().entries))
    is_regular = np.ones(rows.count, bool)
    is_regular[np.flatnonzero(rows.of_kind("append"))[2]] = False
    found = whole_transactions(rows, settled_calls(rows), is_regular)
    assert found.is_clean.tolist() == [False, False, False, True, True]


def test_a_transaction_that_an_earlier_call_ended_is_irregular() -> None:
    entries = five().entries
    calls = [each.call for each in entries if each.state_after == "Ongoing"]
    last = max(at for at, each in enumerate(entries) if each.state_after == "PrepareCommit")
    ends = [at for at, each in enumerate(entries) if each.call == entries[last].call]
    for at in ends:
        entries[at] = entries[at]._replace(call=calls[-2])
    assert clean(entries) == [True, True, True, False, False]


def test_runs_end_where_a_transaction_is_not_clean_and_where_states_do_not_join() -> None:
    entries = five().entries
    rows = Rows(run_rows(entries))
    found = whole_transactions(rows, settled_calls(rows), np.ones(rows.count, bool))
    assert folded_transactions(rows, found)["events"].tolist() == [5 * 7]
    at = [i for i, each in enumerate(entries) if each.state_after == "Ongoing"][1]
    entries[at] = entries[at]._replace(state_before="CompleteAbort")
    rows = Rows(run_rows(entries))
    found = whole_transactions(rows, settled_calls(rows), np.ones(rows.count, bool))
    assert folded_transactions(rows, found)["events"].tolist() == [7, 28]


def test_rows_without_a_transaction_make_no_run() -> None:
    script = Script()
    script.produce()
    assert clean(script.entries) == []
