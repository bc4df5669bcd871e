"""Journals on disk, as tables."""

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="tables need the extra spark")

from mockbroker.audit.runs import journal_tables
from mockbroker.audit.runs.journal_tables import JournalTables
from mockbroker.audit.runs.run import Run, sort_key
from mockbroker.audit.runs.run_table import runs_of, runs_of_rows
from mockbroker.journal.files.folder import write_journal
from mockbroker.journal.files.manifest import Manifest, part_path
from mockbroker.journal.files.parquet_tables import table_of
from mockbroker.journal.options import JournalFormat
from tests.support.audit_script import Script

BOTH: list[JournalFormat] = ["jsonl", "parquet"]


def written(folder: Path, format_: JournalFormat) -> list[Run]:
    """Write a journal, and return its runs."""
    script = Script()
    script.transaction(0, 1)
    script.produce(2, producer_id=-1)
    write_journal(
        folder, Manifest(format=format_, cluster_id="c", kafka="4.4", seed=1), script.entries
    )
    return runs_of(runs_of_rows(table_of(script.entries, [])))


def read(tables: JournalTables) -> list[Run]:
    return sorted((run for table in tables for run in runs_of(runs_of_rows(table))), key=sort_key)


@pytest.mark.parametrize("format_", BOTH)
def test_a_journal_is_read_as_it_was_written(tmp_path: Path, format_: JournalFormat) -> None:
    runs = written(tmp_path, format_)
    tables = JournalTables(tmp_path)
    assert read(tables) == runs
    assert not tables.broken
    assert tables.rows == sum(1 if run.answered_seq is None else 3 for run in runs)


@pytest.mark.parametrize("format_", BOTH)
def test_rows_are_read_a_few_at_a_time(tmp_path: Path, format_: JournalFormat) -> None:
    written(tmp_path, format_)
    part = part_path(tmp_path, 1, format_)
    part_path(tmp_path, 2, format_).write_bytes(part.read_bytes())
    assert len(list(JournalTables(tmp_path, rows_at_once=1))) == 2
    assert len(list(JournalTables(tmp_path))) == 1


@pytest.mark.parametrize("format_", BOTH)
def test_parts_are_read_in_the_order_of_their_rows_and_not_of_their_names(
    tmp_path: Path, format_: JournalFormat
) -> None:
    script = Script()
    for _ in range(6):
        script.produce()
    manifest = Manifest(format=format_, cluster_id="c", kafka="4.4", seed=1)
    thirds = [script.entries[place : place + 6] for place in (6, 12, 0)]
    together = tmp_path / "together"
    manifest.create(together)
    for number, entries in enumerate(thirds, 1):
        write_journal(tmp_path / str(number), manifest, entries)
        part = part_path(tmp_path / str(number), 1, format_)
        part.rename(part_path(together, number, format_))
    tables = JournalTables(together, rows_at_once=1)
    assert [table["seq"].to_pylist() for table in tables] == [
        [entry.seq for entry in entries] for entries in (thirds[2], thirds[0], thirds[1])
    ]


def test_a_journal_ends_at_a_truncated_line(tmp_path: Path) -> None:
    runs = written(tmp_path, "jsonl")
    part = part_path(tmp_path, 1, "jsonl")
    part.write_bytes(part.read_bytes()[:-10])
    tables = JournalTables(tmp_path)
    assert read(tables) == runs[:-1]
    assert not tables.broken


@pytest.mark.parametrize("line", [b"{oops}\n", b'{"seq":"a","kind":"append"}\n', b"\xff\xff\n"])
def test_an_invalid_line_is_reported_and_left_out(tmp_path: Path, line: bytes) -> None:
    runs = written(tmp_path, "jsonl")
    part = part_path(tmp_path, 1, "jsonl")
    lines = part.read_bytes().splitlines(keepends=True)
    part.write_bytes(b"".join([*lines[:5], line, *lines[5:]]))
    tables = JournalTables(tmp_path)
    assert read(tables) == runs
    assert len(tables.broken) == 1
    assert tables.broken[0].startswith("part-00001.jsonl has a line that is no row: ")


def test_lines_are_whole_wherever_a_block_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = written(tmp_path, "jsonl")
    monkeypatch.setattr(journal_tables, "_BYTES_AT_ONCE", 700)
    assert read(JournalTables(tmp_path)) == runs


def test_a_line_may_be_longer_than_a_block_of_the_parser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = written(tmp_path, "jsonl")
    part = part_path(tmp_path, 1, "jsonl")
    first, *lines = part.read_bytes().splitlines(keepends=True)
    first = first.replace(b"}\n", b',"record_ids":"%s"}\n' % (b"x" * 9_000))
    part.write_bytes(b"".join([first, *lines]))
    monkeypatch.setattr(journal_tables, "_BLOCK_BYTES", 1_000)
    tables = JournalTables(tmp_path)
    assert read(tables) == runs
    assert not tables.broken


def test_a_damaged_part_is_reported_and_left_out(tmp_path: Path) -> None:
    runs = written(tmp_path, "parquet")
    part = part_path(tmp_path, 1, "parquet")
    part_path(tmp_path, 2, "parquet").write_bytes(part.read_bytes()[:-50])
    tables = JournalTables(tmp_path)
    assert read(tables) == runs
    assert [each.partition(":")[0] for each in tables.broken] == [
        "part-00002.parquet cannot be read"
    ]


def test_a_missing_part_is_reported(tmp_path: Path) -> None:
    runs = written(tmp_path, "parquet")
    part_path(tmp_path, 1, "parquet").rename(part_path(tmp_path, 3, "parquet"))
    tables = JournalTables(tmp_path)
    assert read(tables) == runs
    assert tables.broken == ["part-00001.parquet is missing", "part-00002.parquet is missing"]


def test_parts_with_other_names_are_read_and_none_is_missed(tmp_path: Path) -> None:
    runs = written(tmp_path, "parquet")
    part_path(tmp_path, 1, "parquet").rename(tmp_path / "part-00004-c000.snappy.parquet")
    tables = JournalTables(tmp_path)
    assert read(tables) == runs
    assert not tables.broken


def test_a_journal_of_another_schema_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "jsonl")
    manifest = tmp_path / "journal.json"
    said: dict[str, Any] = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**said, "schema_version": 99}))
    with pytest.raises(ValueError, match="schema 99"):
        JournalTables(tmp_path)
