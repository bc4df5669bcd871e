"""Rows to runs, a batch of Arrow at a time: the same runs as row by row."""

from typing import Any, Final

import pytest

from mockbroker.audit.journal_runs import journal_runs
from mockbroker.audit.run import COLUMNS, Run
from mockbroker.journal.entry import Entry
from mockbroker.journal.parquet_tables import table_of
from mockbroker.pipeline.journal_rows import UNREAD_IN, UNREAD_TEXT
from mockbroker.pipeline.run_batches import (
    AUDIT_COLUMNS,
    is_needed_in_sql,
    single_runs,
    with_unread,
)
from tests.service.support.written_journals import produced

pa: Final[Any] = pytest.importorskip("pyarrow")


def batches_of(entries: list[Entry]) -> list[Any]:
    table: Any = table_of(entries, []).select(list(AUDIT_COLUMNS))
    batches: list[Any] = table.to_batches(max_chunksize=7)
    return batches


def rows_of(batches: list[Any]) -> list[Run]:
    return [
        Run(**{name: value for name, value in row.items() if name in Run._fields})
        for batch in batches
        for row in batch.to_pylist()
    ]


def test_a_row_is_the_run_that_it_is_in_process() -> None:
    entries = [entry for entry in produced(9) if entry.kind != "request"]
    assert rows_of(list(single_runs(iter(batches_of(entries))))) == list(journal_runs(entries))


def test_an_audit_reads_all_that_runs_say() -> None:
    derived = {"lane", "events", "first_seq", "last_seq", "first_time_ms", "last_time_ms"}
    of_folds = {"stuck_since_seq", "stuck_since_ms", "longest_ms", "base_stable_offset"}
    said = {column.name for column in COLUMNS} - derived - of_folds - {"last_producer_epoch"}
    assert said | {"seq", "virtual_time_ms"} == set(AUDIT_COLUMNS)


def test_what_is_no_entry_comes_back_beside_the_runs() -> None:
    (batch,) = batches_of([next(iter(produced(1)))])
    none = pa.array([None], pa.string())
    sound = batch.append_column(UNREAD_IN, none).append_column(UNREAD_TEXT, none)
    torn = batch.append_column(UNREAD_IN, pa.array(["file:/x"])).append_column(
        UNREAD_TEXT, pa.array(['{"seq'])
    )
    made: list[Any] = list(with_unread(single_runs)(iter([torn, sound])))
    told = [(row["first_seq"], row[UNREAD_IN], row[UNREAD_TEXT]) for each in made
            for row in each.to_pylist()]  # fmt: skip
    assert sorted(told, key=str) == [(1, None, None), (None, "file:/x", '{"seq')]


def test_only_rows_that_a_rule_looks_at_are_asked_for() -> None:
    condition = is_needed_in_sql()
    assert "kind IN ('append', 'event'" in condition
    assert "(kind = 'answer' AND api IN (" in condition
    assert condition.endswith(f"OR {UNREAD_IN} IS NOT NULL")
