"""Judging evidence: runs from workers get the same verdict as runs made in process."""

import io
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

pytest.importorskip("pyspark", reason="an audit with Spark needs the extra spark")

from mockbroker.spark.auditing.evidence import Evidence
from mockbroker.spark.auditing.journal_audit import audit_journal
from mockbroker.spark.auditing.judging import (
    BYTES_A_TASK,
    PARTS_A_TASK,
    chunks,
    judged,
)

from mockbroker.audit.judgement import judge
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.source import A_JOURNAL
from mockbroker.journal.entry import COLUMNS
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.journal.journal_folder import Part
from mockbroker.spark.journal.journal_rows import UNREAD_IN, UNREAD_TEXT
from mockbroker.spark.report.progress import Progress
from tests.audit.golden.scenarios import MADE
from tests.audit.golden.stored import golden
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.support.written_journals import produced, without_call, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS
pa: Final[Any] = pytest.importorskip("pyarrow")
ARROW: Final = {"int64": pa.int64(), "int32": pa.int32(), "int16": pa.int16(), "bool": pa.bool_()}
PLAIN: Final = pa.schema([(column.name, ARROW.get(column.kind, pa.string())) for column in COLUMNS])


def selected(frame: Any, columns: Sequence[str]) -> Any:
    return frame.select(*columns, UNREAD_IN, UNREAD_TEXT)


def test_the_verdict_is_that_of_the_process(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    entries = without_call(produced(40), 21)
    path = written(tmp_path / "j", entries, parts=3)
    session = CommandSession(mockbroker_spark, is_connect=False)
    done = audit_journal(session, str(path), Progress())
    verdict, in_process = done.verdict.verdict, judge(journal_runs(entries))
    assert verdict.findings == in_process.findings
    assert verdict.rules == in_process.rules
    assert verdict.counts == in_process.counts._replace(events=len(entries))
    assert verdict.counts.appends == 39
    assert [each.rule for each in verdict.findings] == ["OFFSET_GAP_UNEXPLAINED", "SEQUENCE_GAP"]


def test_golden_journals_have_the_findings_of_the_process_however_rows_are_shuffled(
    mockbroker_spark: "SparkSession",
) -> None:
    from mockbroker.journal.files.parquet_tables import table_of

    session = CommandSession(mockbroker_spark, is_connect=False)
    spark: Any = mockbroker_spark
    for rule in MADE:
        entries = golden(rule, "fires")
        frame = spark.createDataFrame(table_of(entries, []).cast(PLAIN))
        shuffled = frame.repartition(2, "seq").selectExpr(
            "*", *(f"CAST(NULL AS string) AS {name}" for name in (UNREAD_IN, UNREAD_TEXT))
        )
        evidence = Evidence(rows=partial(selected, shuffled), source=A_JOURNAL)
        verdict = judged(session, evidence, Progress(io.StringIO())).verdict
        assert verdict.findings == judge(journal_runs(entries)).findings, rule


def shared(count: int, size_bytes: int = 1) -> list[int]:
    parts = [
        Part(path=str(number), size_bytes=size_bytes, number=number) for number in range(count)
    ]
    found = chunks(parts)
    assert [part for chunk in found for part in chunk] == parts
    return [len(chunk) for chunk in found]


def test_consecutive_parts_share_a_task() -> None:
    assert shared(3) == [1, 1, 1]
    assert shared(20) == [3, 3, 3, 3, 3, 3, 2]
    assert shared(500) == [PARTS_A_TASK] * 20
    assert shared(40, BYTES_A_TASK // 2) == [2] * 20
    assert shared(40, 2 * BYTES_A_TASK) == [1] * 40
