"""A journal's folder: its manifest, missing parts, and stretches."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="reading journals with Spark needs the extra spark")

from mockbroker.journal.files.manifest import PartSpan
from mockbroker.report.bad_input import BadInputError
from mockbroker.spark.journal.journal_folder import (
    JournalFolder,
    Part,
    name_of,
    open_journal,
)
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.support.written_journals import produced, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS


def folder_of(*numbers: int | None) -> JournalFolder:
    parts = tuple(
        Part(path=f"p{place}", size_bytes=1, number=number) for place, number in enumerate(numbers)
    )
    return JournalFolder(path="j", format="parquet", is_closed=True, parts=parts)


def numbers_of(stretches: list[tuple[Part, ...]]) -> list[list[int | None]]:
    return [[part.number for part in stretch] for stretch in stretches]


def test_a_complete_journal_is_one_stretch() -> None:
    assert numbers_of(folder_of(1, 2, 3).stretches()) == [[1, 2, 3]]


def test_missing_and_broken_parts_divide_a_journal_into_stretches() -> None:
    assert numbers_of(folder_of(1, 2, 4, 7).stretches()) == [[1, 2], [4], [7]]
    assert numbers_of(folder_of(1, 2, 3).stretches({"p1"})) == [[1], [3]]
    assert numbers_of(folder_of(1, 2, 3).stretches({"p0", "p2"})) == [[2]]


def test_files_with_other_names_are_judged_together_or_not_at_all() -> None:
    assert numbers_of(folder_of(None, None).stretches()) == [[None, None]]
    assert folder_of(None, None).stretches({"p0"}) == []


@pytest.mark.parametrize("numbers", [(1, 2, 3), (None, None, None)])
def test_entries_that_are_missing_divide_a_journal_into_stretches(
    numbers: tuple[int | None, ...],
) -> None:
    folder = folder_of(*numbers)
    spans = {"p0": PartSpan(6, 9), "p1": PartSpan(1, 3), "p2": PartSpan(10, 12)}
    stretches = folder.stretches(spans=spans)
    assert [[part.path for part in stretch] for stretch in stretches] == [["p1"], ["p0", "p2"]]
    (bad,) = folder.gaps(spans)
    assert bad.what.startswith("The entries 4 to 5 are missing, between p1 and p0")


def test_a_file_has_one_name_however_spark_writes_its_path() -> None:
    assert name_of("file:/a b/part-1 x.parquet") == name_of("file:///a%20b/part-1%20x.parquet")


def refusal(spark: "SparkSession", path: object) -> str:
    with pytest.raises(BadInputError) as refused:
        open_journal(spark, str(path))
    return str(refused.value)


def test_a_journal_has_format_parts_and_closed_flag(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    path = written(tmp_path / "j", list(produced(6)), parts=2, is_closed=False)
    folder = open_journal(mockbroker_spark, str(path))
    assert (folder.format, folder.is_closed, folder.missing) == ("parquet", False, ())
    assert [part.number for part in folder.parts] == [1, 2]
    assert folder.size_bytes == sum(part.stat().st_size for part in path.glob("part-*"))


@pytest.mark.parametrize(("gone", "names"), [(2, "part-00002"), (3, "part-00003")])
def test_a_missing_part_is_named(
    mockbroker_spark: "SparkSession", tmp_path: Path, gone: int, names: str
) -> None:
    path = written(tmp_path / "j", list(produced(9)), parts=3)
    (path / f"part-{gone:05}.parquet").unlink()
    folder = open_journal(mockbroker_spark, str(path))
    assert folder.missing == (gone,)
    assert f"{names}.parquet is missing" in str(folder.bad[0])
    assert "Bring the files back" in str(folder.bad[0])


def test_a_missing_folder_or_one_without_a_journal_is_refused(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    gone, empty = tmp_path / "gone", tmp_path / "empty"
    empty.mkdir()
    (empty / "readme.txt").write_text("nothing")
    assert refusal(mockbroker_spark, gone).startswith(f"{gone}: It cannot be read: Path does not")
    assert "There is no journal.json in it, so that it is no journal." in refusal(
        mockbroker_spark, empty
    )
    (empty / "journal.json").write_text("{}")
    assert "It is no journal's manifest." in refusal(mockbroker_spark, empty)


def test_another_schema_is_refused_with_the_version_that_can_read_it(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    path = written(tmp_path / "j", list(produced(3)))
    said = json.loads((path / "journal.json").read_text())
    (path / "journal.json").write_text(
        json.dumps(said | {"schema_version": 99, "mockbroker": "7.0"})
    )
    line = refusal(mockbroker_spark, path)
    assert "It is a journal of schema 99 (parquet)" in line
    assert "Audit it with the mockbroker that has written it (7.0)." in line


def test_a_folder_with_a_manifest_alone_is_refused(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    path = written(tmp_path / "j", list(produced(3)))
    (path / "part-00001.parquet").unlink()
    assert "It has no part-*.parquet." in refusal(mockbroker_spark, path)
