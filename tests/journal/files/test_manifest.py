"""The manifest of a journal's folder."""

import json
from pathlib import Path

import pytest

from mockbroker import __version__
from mockbroker.journal.files.manifest import (
    MANIFEST,
    UNKNOWN_SPAN,
    FolderWatch,
    Manifest,
    PartSpan,
    consecutive,
    missing_numbers,
    part_number,
    part_path,
    parts_of,
)

ABOUT = Manifest(format="jsonl", cluster_id="abc", kafka="4.4", seed=7)


def test_a_manifest_is_written_closed_and_read(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "journal"
    ABOUT.create(folder)
    assert Manifest.read(folder) == ABOUT
    ABOUT.close(folder, 0)
    assert Manifest.read(folder).is_closed
    assert json.loads((folder / MANIFEST).read_text()) == {
        "format": "jsonl",
        "cluster_id": "abc",
        "kafka": "4.4",
        "seed": 7,
        "identity": None,
        "is_closed": True,
        "part_count": 0,
        "row_count": 0,
        "dropped_count": 0,
        "schema_version": 1,
        "mockbroker": __version__,
    }
    assert [each.name for each in folder.iterdir()] == [MANIFEST]


def test_a_folder_is_watched_until_it_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    ABOUT.create(folder)
    watch = FolderWatch(folder)
    (folder / "part-00001.jsonl").touch()
    watch.check()
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="removed or replaced"):
        watch.check()
    ABOUT.create(folder)
    with pytest.raises(OSError, match="removed or replaced"):
        watch.check()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(FileExistsError, match="not empty"):
        ABOUT.create(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]


def test_a_schema_that_is_not_known_is_refused(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text('{"schema_version": 99}')
    with pytest.raises(ValueError, match="schema 99"):
        Manifest.read(tmp_path)
    with pytest.raises(FileNotFoundError):
        Manifest.read(tmp_path / "nothing")


def test_parts_that_are_missing_divide_a_journal() -> None:
    assert missing_numbers([2, 5]) == [1, 3, 4]
    assert missing_numbers([1, 2], 4) == [3, 4]
    assert missing_numbers([]) == []
    assert consecutive([5, 1, 2, 4]) == [[1, 2], [4, 5]]
    assert consecutive([]) == []


def test_entries_that_are_missing_divide_a_journal() -> None:
    spans = {1: PartSpan(1, 9), 2: PartSpan(10, 12), 3: PartSpan(15, 20), 4: PartSpan(20, 24)}
    assert consecutive(spans, spans) == [[1, 2], [3, 4]]
    assert consecutive([1, 2, 4], spans) == [[1, 2], [4]]
    assert consecutive(spans, spans | {4: UNKNOWN_SPAN}) == [[1, 2, 3, 4]]


def test_the_entries_tell_the_order_of_parts() -> None:
    spans = {1: PartSpan(8, 9), 2: PartSpan(5, 7), 3: PartSpan(1, 4)}
    assert consecutive(spans, spans) == [[3, 2, 1]]
    assert consecutive([1, 3], spans) == [[3], [1]]


def test_parts_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (12, 3, 100, 100_000, 99_999):
        part_path(tmp_path, number, "jsonl").write_bytes(b"row\n")
    part_path(tmp_path, 4, "jsonl").touch()
    (tmp_path / "part-00001.parquet").touch()
    numbers = [part_number(each.name) for each in parts_of(tmp_path, "jsonl")]
    assert numbers == [3, 12, 100, 99_999, 100_000]


def test_a_part_with_another_name_has_no_number() -> None:
    assert part_number("part-00000.parquet") == 0
    assert part_number("part-00000-3f0c2c1e-c000.snappy.parquet") is None
