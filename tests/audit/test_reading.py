"""Reports of how much of a journal was read."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mockbroker.audit import local
from mockbroker.audit.reading import size_of
from mockbroker.events.progress_bar import Advance
from mockbroker.journal.options import JournalFormat
from tests.support.written_journals import produced, written


class Reports:
    """The sizes that were begun, and the bytes that were reported of each."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.read: list[int] = []

    @contextmanager
    def reading(self, size_bytes: int) -> Generator[Advance]:
        self.sizes.append(size_bytes)
        self.read.append(0)

        def advance(count: int) -> None:
            self.read[-1] += count

        yield advance


@pytest.mark.parametrize(
    ("format", "has_arrow"), [("jsonl", True), ("jsonl", False), ("parquet", True)]
)
def test_all_bytes_of_a_journal_are_reported(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    format: JournalFormat,  # noqa: A002
    *,
    has_arrow: bool,
) -> None:
    if has_arrow:
        pytest.importorskip("pyarrow", reason="tables need pyarrow")
    monkeypatch.setattr(local, "has_arrow", lambda: has_arrow)
    folder = written(tmp_path / "j", list(produced(30)), format=format, parts=3)
    reports = Reports()
    assert local.audit_folder(folder, reading=reports.reading).findings == ()
    assert reports.read[0] == reports.sizes[0] == size_of(folder) > 0
