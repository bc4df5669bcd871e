"""A journal's rows by Spark, and finding out which part is broken."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark", reason="reading journals with Spark needs the extra spark")

from mockbroker.journal.options import JournalFormat
from mockbroker.spark.journal.journal_folder import open_journal
from mockbroker.spark.journal.journal_rows import (
    UNREAD_IN,
    UNREAD_TEXT,
    broken_parts,
    rows_of,
    spans_of,
)
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.support.written_journals import produced, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS


def read(spark: "SparkSession", path: Path) -> list[Any]:
    folder = open_journal(spark, str(path))
    frame = rows_of(spark, folder, folder.parts, ["seq", "kind", "api", "is_duplicate"])
    rows: list[Any] = [tuple(row) for row in frame.orderBy("seq").collect()]
    return rows


def test_both_formats_have_the_same_rows(mockbroker_spark: "SparkSession", tmp_path: Path) -> None:
    entries = list(produced(5))
    said = [(e.seq, e.kind, "Produce", e.is_duplicate, None, None) for e in entries]
    for name in ("parquet", "jsonl"):
        path = written(tmp_path / name, entries, format=name, parts=2)
        assert read(mockbroker_spark, path) == said


def test_an_invalid_line_is_reported_with_its_file(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    path = written(tmp_path / "j", list(produced(1)), format="jsonl")
    with (path / "part-00001.jsonl").open("a") as part:
        part.write('{"seq":4,"kind":"app')
    torn = read(mockbroker_spark, path)[0]
    assert torn[:2] == (None, None)
    assert torn[4].endswith("/j/part-00001.jsonl")
    assert torn[5] == '{"seq":4,"kind":"app'
    assert (UNREAD_IN, UNREAD_TEXT) == ("unread_in", "unread_text")


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
def test_the_first_and_the_last_entry_of_each_part_are_read(
    mockbroker_spark: "SparkSession", tmp_path: Path, kind: JournalFormat
) -> None:
    path = written(tmp_path / "a j", list(produced(4)), format=kind, parts=2)
    folder = open_journal(mockbroker_spark, str(path))
    spans = spans_of(mockbroker_spark, folder)
    assert [spans[part.path] for part in folder.parts] == [(1, 6), (7, 12)]


def test_the_broken_parts_are_found_among_all(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    path = written(tmp_path / "j", list(produced(10)), parts=5)
    for number in (2, 5):
        part = path / f"part-{number:05}.parquet"
        part.write_bytes(part.read_bytes()[:-100])
    folder = open_journal(mockbroker_spark, str(path))
    told: list[str] = []
    broken = broken_parts(mockbroker_spark, folder, folder.parts, told.append)
    assert [Path(each).name for each in broken] == ["part-00002.parquet", "part-00005.parquet"]
    assert all("is not a Parquet file" in reason for reason in broken.values())
    assert told[0] == "looking for broken ones among 5 parts"
