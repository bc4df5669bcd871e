"""Rows to runs as a task of Spark does it, however rows are spread over tasks."""

import random
from typing import Any, Final

import pytest

pytest.importorskip("pyspark", reason="an audit with Spark needs the extra spark")

from mockbroker.spark.auditing.run_batches import ROWS, UNREAD_MAX, folding

from mockbroker.audit import journal_runs, judge
from mockbroker.audit.local import decided
from mockbroker.audit.runs.run import Run, StreamKey
from mockbroker.audit.source import A_JOURNAL, Source
from mockbroker.journal.entry import Entry
from mockbroker.spark.journal.journal_rows import UNREAD_IN, UNREAD_TEXT
from tests.audit.golden.scenarios import MADE
from tests.audit.golden.stored import TWINS, Twin, golden
from tests.support.written_journals import produced

pa: Final[Any] = pytest.importorskip("pyarrow")
pytest.importorskip("numpy")


def batches_of(entries: list[Entry], unread: str | None = None) -> list[Any]:
    from mockbroker.audit.runs.run_table import JOURNAL_COLUMNS
    from mockbroker.journal.files.parquet_tables import table_of

    table: Any = table_of(entries, []).select(list(JOURNAL_COLUMNS))
    said = pa.array([unread] * table.num_rows, pa.string())
    for name in (UNREAD_IN, UNREAD_TEXT):
        table = table.append_column(name, said)
    batches: list[Any] = table.combine_chunks().to_batches(max_chunksize=7)
    return batches


def tasks(entries: list[Entry], count: int, seed: str) -> list[list[Entry]]:
    """Spread rows over tasks, in no order."""
    shuffled = random.Random(seed).sample(entries, len(entries))
    return [shuffled[number::count] for number in range(count)]


def folded(parts: list[list[Entry]], unfolded: frozenset[StreamKey] = frozenset()) -> Any:
    task = folding(unfolded)
    batches = [batch for part in parts if part for batch in task(iter(batches_of(part)))]
    return pa.Table.from_batches(batches)


def runs_of_all(table: Any, unfolded: frozenset[StreamKey] = frozenset()) -> list[Run]:
    from mockbroker.audit.folding.folder import Folder
    from mockbroker.audit.runs.run_table import runs_of

    folder = Folder(unfolded)
    folder.add_runs(table.filter(table["stream"].is_valid()).select(list(Run._fields)))
    return runs_of(folder.runs())


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("rule", MADE)
@pytest.mark.parametrize("count", [1, 3])
def test_findings_are_those_of_the_process_however_rows_are_spread(
    rule: str, twin: Twin, count: int
) -> None:
    entries = golden(rule, twin)
    parts = tasks(entries, count, rule)

    def read(unfolded: frozenset[StreamKey]) -> tuple[list[Run], Source]:
        return runs_of_all(folded(parts, unfolded), unfolded), A_JOURNAL

    verdict, in_process = decided(read), judge(journal_runs(entries))
    assert verdict.findings == in_process.findings
    assert [each.rule for each in verdict.findings] == [rule] * (twin == "fires")


def test_a_task_reports_its_number_of_rows() -> None:
    table = folded([list(produced(9)), list(produced(2))])
    assert sorted(table[ROWS].drop_null().to_pylist()) == [6, 27]


def test_invalid_rows_are_returned_with_the_runs_up_to_a_limit() -> None:
    (sound,) = batches_of(list(produced(1)))
    torn = batches_of(list(produced(UNREAD_MAX)), "file:/x")
    table = pa.Table.from_batches(list(folding(frozenset())(iter([*torn, sound]))))
    assert table[UNREAD_IN].drop_null().to_pylist() == ["file:/x"] * UNREAD_MAX
    assert table[ROWS].drop_null().to_pylist() == [3 * UNREAD_MAX + 3]
    assert {run.topic for run in runs_of_all(table)} == {"orders"}
