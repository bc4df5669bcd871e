"""Journal entries as they are shown."""

import msgspec
import pytest

from mockbroker import API, ERR
from mockbroker.http.documents.journal_view import EntryView, JournalSelection, entry_view
from mockbroker.journal.entry import COLUMNS, Entry


def test_a_row_shows_its_columns_and_names_apis_and_errors() -> None:
    entry = Entry(1, "answer", 2, 3, api=API.PRODUCE, error=ERR.NONE, partition=0)
    assert msgspec.to_builtins(entry_view(entry)) == {
        "seq": 1,
        "kind": "answer",
        "wall_time_us": 2,
        "virtual_time_ms": 3,
        "api": "Produce",
        "partition": 0,
        "error": "NONE",
    }


def test_every_column_has_its_field() -> None:
    assert EntryView.__struct_fields__ == tuple(column.name for column in COLUMNS)
    assert set(JournalSelection.__struct_fields__) <= set(EntryView.__struct_fields__)


def test_a_selection_becomes_python_arguments() -> None:
    selection = JournalSelection(api=["Produce", "EndTxn"], error="NOT_COORDINATOR", partition=0)
    assert selection.wanted() == {
        "api": [API.PRODUCE, API.END_TXN],
        "error": ERR.NOT_COORDINATOR,
        "partition": 0,
    }
    with pytest.raises(ValueError, match="did you mean 'Produce'"):
        JournalSelection(api="Prodce").wanted()
    with pytest.raises(ValueError, match="'OOPS' is not an error code"):
        JournalSelection(error="OOPS").wanted()
