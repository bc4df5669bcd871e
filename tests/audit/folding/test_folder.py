"""Folding of any amount of rows, piece by piece."""

import pytest

pytest.importorskip("pyarrow", reason="folding needs the extra spark")

from mockbroker.audit.folding import folder
from mockbroker.audit.folding.folder import Folder, fold_batches
from mockbroker.audit.runs.run import Stream, StreamKey, sort_key
from mockbroker.audit.runs.run_table import joined, run_schema, runs_of
from mockbroker.journal.files.parquet_tables import table_of
from tests.support.audit_script import Script
from tests.support.folds import folded


def script() -> Script:
    script = Script()
    state = "Empty"
    for _ in range(20):
        script.produce(0)
        state = script.transaction(0, 1, before=state)
    return script


@pytest.mark.parametrize("at_once", [1, 50, 10_000])
def test_pieces_fold_to_the_same_runs_as_the_whole(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "ROWS_AT_ONCE", at_once)
    entries = script().entries
    pieces = Folder()
    for begin in range(0, len(entries), 37):
        pieces.add(table_of(entries[begin : begin + 37], []))
    assert sorted(runs_of(pieces.runs()), key=sort_key) == folded(entries)


def test_runs_that_were_folded_elsewhere_are_joined() -> None:
    entries = script().entries
    here, there = Folder(), Folder()
    for half, part in ((here, entries[:200]), (there, entries[200:])):
        half.add(table_of(part, []))
    whole = Folder()
    whole.add_runs(there.runs())
    whole.add_runs(here.runs())
    assert sorted(runs_of(whole.runs()), key=sort_key) == folded(entries)


def test_a_folder_without_rows_has_no_runs() -> None:
    assert Folder().runs().num_rows == 0


def test_record_batches_are_folded_without_dictionaries() -> None:
    entries = script().entries
    rows = table_of(entries, []).combine_chunks().to_batches(100)
    batches = list(fold_batches(rows))
    assert all(batch.schema == run_schema(is_plain=True) for batch in batches)
    assert sorted(runs_of(joined(batches)), key=sort_key) == folded(entries)
    events = list(fold_batches(rows, {StreamKey(Stream.EVENT)}))
    assert sum(batch.num_rows for batch in events) == len(entries)
