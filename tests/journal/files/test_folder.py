"""A journal in a folder, whole."""

from dataclasses import replace
from pathlib import Path

import pytest

from mockbroker.journal.entry import Entry
from mockbroker.journal.files import folder
from mockbroker.journal.files.folder import create_journal, read_journal, span_of, write_journal
from mockbroker.journal.files.manifest import UNKNOWN_SPAN, Manifest, part_path
from mockbroker.journal.options import JournalFormat

ABOUT = Manifest(format="jsonl", cluster_id="abc", kafka="4.4", seed=7)
ENTRIES = [Entry(seq, "event", seq * 10, 0, topic="orders") for seq in range(1, 8)]


def test_entries_are_written_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "ROWS_AT_ONCE", 3)
    assert write_journal(tmp_path / "new", ABOUT, ENTRIES) == 7
    assert list(read_journal(tmp_path / "new")) == ENTRIES
    assert list(read_journal(str(tmp_path / "new"))) == ENTRIES


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_parts_are_read_in_the_order_of_their_rows(tmp_path: Path, kind: JournalFormat) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow", reason="Parquet needs the extra spark")
    about = replace(ABOUT, format=kind)
    about.create(tmp_path / "new")
    for number, entries in enumerate((ENTRIES[4:], ENTRIES[2:4], ENTRIES[:2]), 1):
        write_journal(tmp_path / str(number), about, entries)
        part = part_path(tmp_path / "new", number, kind)
        part_path(tmp_path / str(number), 1, kind).rename(part)
        assert span_of(part) == (entries[0].seq, entries[-1].seq)
    assert [entry.seq for entry in read_journal(tmp_path / "new")] == list(range(1, 8))


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_part_that_cannot_be_read_has_no_span(tmp_path: Path, kind: str) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow", reason="Parquet needs the extra spark")
    assert span_of(tmp_path / f"gone.{kind}") == UNKNOWN_SPAN
    (tmp_path / f"strange.{kind}").write_bytes(b"no entry")
    assert span_of(tmp_path / f"strange.{kind}") == UNKNOWN_SPAN


def test_a_folder_that_is_in_use_is_refused(tmp_path: Path) -> None:
    create_journal(tmp_path, ABOUT)
    with pytest.raises(FileExistsError):
        create_journal(tmp_path, ABOUT)


def test_a_folder_without_a_journal_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_journal(tmp_path)
