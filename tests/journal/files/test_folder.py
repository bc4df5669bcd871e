"""A journal in a folder, whole."""

from pathlib import Path

import pytest

from mockbroker.journal.entry import Entry
from mockbroker.journal.files import folder
from mockbroker.journal.files.folder import create_journal, read_journal, write_journal
from mockbroker.journal.files.manifest import Manifest

ABOUT = Manifest(format="jsonl", cluster_id="abc", kafka="4.4", seed=7)
ENTRIES = [Entry(seq, "event", seq * 10, 0, topic="orders") for seq in range(1, 8)]


def test_entries_are_written_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "ROWS_AT_ONCE", 3)
    assert write_journal(tmp_path / "new", ABOUT, ENTRIES) == 7
    assert list(read_journal(tmp_path / "new")) == ENTRIES
    assert list(read_journal(str(tmp_path / "new"))) == ENTRIES


def test_a_folder_that_is_in_use_is_refused(tmp_path: Path) -> None:
    create_journal(tmp_path, ABOUT)
    with pytest.raises(FileExistsError):
        create_journal(tmp_path, ABOUT)


def test_a_folder_without_a_journal_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_journal(tmp_path)
