"""Picking the rows around findings out of a file."""

from pathlib import Path
from typing import Any, Final

import pytest

from mockbroker.journal.entry import COLUMNS
from mockbroker.spark.journal.picked_rows import Window, picked_rows
from tests.support.written_journals import produced, written

pa: Final[Any] = pytest.importorskip("pyarrow")


def picked(folder: Path, proof: list[int], *windows: Window) -> list[tuple[int, str]]:
    (part,) = written(folder / "j", list(produced(20))).glob("part-*")
    rows = [
        row
        for batch in picked_rows(pa.py_buffer(part.read_bytes()), proof, windows)
        for row in batch.to_pylist()
    ]
    assert all(list(row) == [column.name for column in COLUMNS] for row in rows)
    return sorted((row["seq"], row["kind"]) for row in rows)


def test_evidence_is_picked_without_a_window(tmp_path: Path) -> None:
    assert picked(tmp_path, [1, 6]) == [(1, "request"), (6, "answer")]


def test_a_window_yields_each_row_once(tmp_path: Path) -> None:
    window = Window(1, 14, ("append",), topic="orders", partition=1)
    assert picked(tmp_path, [5], window, window) == [(5, "append"), (11, "append")]


def test_row_groups_outside_are_not_read(tmp_path: Path) -> None:
    assert picked(tmp_path, [1000], Window(500, 600, ("append",))) == []
