"""Runs as tables."""

from importlib import import_module
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="tables need the extra spark")

from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.runs.run_table import (
    JOURNAL_COLUMNS,
    runs_of,
    runs_of_rows,
)
from mockbroker.journal.entry import COLUMNS
from mockbroker.journal.files.parquet_tables import table_of as rows_of
from mockbroker.protocol.api_keys import ApiKey
from tests.support.audit_script import Script


def script() -> Script:
    script = Script()
    script.transaction(0, 1)
    script.row("connected", connection=1)
    script.row("request", api=ApiKey.METADATA, topic="t")
    script.row("answer", api=ApiKey.METADATA, topic="t")
    script.produce(3, producer_id=-1)
    return script


def test_rows_that_no_rule_uses_are_left_out() -> None:
    entries = script().entries
    runs = runs_of(runs_of_rows(rows_of(entries, [])))
    gone = {seq for run in runs for seq in (run.came_seq, run.answered_seq)} - {None}
    assert len(gone) == 4, "those of calls that are joined"
    plain = [run for run in journal_runs(entries) if run.seq not in gone]
    assert [run._replace(came_seq=None, came_ms=None, answered_seq=None) for run in runs] == plain
    assert len(list(journal_runs(entries))) == len(entries) - 3


def test_rows_of_any_order_become_runs_in_order() -> None:
    table = rows_of(script().entries, [])
    backwards = table.take(list(range(table.num_rows))[::-1])
    assert runs_of(runs_of_rows(backwards)) == runs_of(runs_of_rows(table))


def test_columns_that_an_older_journal_lacks_are_null() -> None:
    whole = rows_of(script().entries, [])
    older = runs_of(runs_of_rows(whole.drop_columns(["crc", "rule"])))
    assert older == [run._replace(crc=None, rule=None) for run in runs_of(runs_of_rows(whole))]


def test_rows_may_have_texts_without_dictionaries() -> None:
    table = rows_of(script().entries, [])
    pa: Any = import_module("pyarrow")
    columns = {
        name: table[name].cast(pa.string()) if pa.types.is_dictionary(kind) else table[name]
        for name, kind in zip(table.schema.names, table.schema.types, strict=True)
    }
    assert runs_of(runs_of_rows(pa.table(columns))) == runs_of(runs_of_rows(table))


def test_an_audit_reads_only_columns_of_the_journal() -> None:
    assert {"seq", "kind", "crc", "virtual_time_ms"} < set(JOURNAL_COLUMNS)
    assert set(JOURNAL_COLUMNS) < {column.name for column in COLUMNS}
