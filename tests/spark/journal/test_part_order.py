"""The order of a journal's files: that of their rows."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark", reason="reading journals with Spark needs the extra spark")

from mockbroker.spark.auditing.journal_audit import audit_journal

from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.journal.journal_folder import Part, open_journal
from mockbroker.spark.journal.part_order import (
    PartOrder,
    part_order,
    spans_of_ends,
    spans_of_rows,
)
from mockbroker.spark.report.progress import Progress
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.support.written_journals import produced, without_call, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS

ENTRIES = without_call(produced(40), 21)
"""With a gap."""


def turned(folder: Path) -> Path:
    """Give the first of three files the last one's name, and the last one the first one's."""
    first, last = folder / "part-00001.parquet", folder / "part-00003.parquet"
    first.rename(folder / "waiting")
    last.rename(first)
    (folder / "waiting").rename(last)
    return folder


def parts_of(spark: "SparkSession", folder: Path) -> Sequence[Part]:
    return open_journal(spark, str(folder)).parts


def names_of(order: PartOrder) -> list[str]:
    return [Path(part.path).name[5:10] for part in order.parts]


def test_files_with_swapped_names_are_put_in_order(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    parts = parts_of(mockbroker_spark, turned(written(tmp_path / "j", ENTRIES, parts=3)))
    order = part_order(mockbroker_spark, parts)
    assert (names_of(order), order.scattered_rows) == (["00003", "00002", "00001"], 0)


def test_file_footers_match_their_rows(mockbroker_spark: "SparkSession", tmp_path: Path) -> None:
    parts = parts_of(mockbroker_spark, written(tmp_path / "a journal", ENTRIES, parts=3))
    ends = spans_of_ends(parts)
    assert ends is not None
    assert ends == spans_of_rows(mockbroker_spark, parts)
    assert sum(span.rows for span in ends.values()) == len(ENTRIES)
    assert spans_of_ends([*parts, Part(path="hdfs://h/j/p", size_bytes=1, number=4)]) is None


def test_a_file_that_is_broken_leaves_the_order_to_names(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    folder = turned(written(tmp_path / "j", ENTRIES, parts=3))
    parts = parts_of(mockbroker_spark, folder)
    (folder / "part-00002.parquet").write_bytes(b"PAR1 and no more")
    assert part_order(mockbroker_spark, parts) == PartOrder(tuple(parts))


def test_rows_in_no_order_get_the_same_verdict(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    folder = written(tmp_path / "j", ENTRIES, parts=3)
    scattered = tmp_path / "scattered"
    rows = mockbroker_spark.read.parquet(str(folder / "part-*.parquet"))
    rows.repartition(4).write.parquet(str(scattered))
    shutil.copy(folder / "journal.json", scattered / "journal.json")
    order = part_order(mockbroker_spark, parts_of(mockbroker_spark, scattered))
    assert order.scattered_rows == len(ENTRIES)

    session = CommandSession(mockbroker_spark, is_connect=False)
    expected, found = (
        audit_journal(session, str(each), Progress()).verdict.verdict
        for each in (folder, scattered)
    )
    assert {each.rule for each in found.findings} == {"SEQUENCE_GAP", "OFFSET_GAP_UNEXPLAINED"}
    assert (found.findings, found.counts) == (expected.findings, expected.counts)


@pytest.mark.parametrize("parts", [1, 3])
def test_files_in_order_stay_as_they_are(
    mockbroker_spark: "SparkSession", tmp_path: Path, parts: int
) -> None:
    there = parts_of(mockbroker_spark, written(tmp_path / "j", ENTRIES, parts=parts))
    assert part_order(mockbroker_spark, there) == PartOrder(tuple(there))
