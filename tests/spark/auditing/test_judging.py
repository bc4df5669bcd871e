"""Judging evidence: shards in workers get the verdict of one loop in this process."""

import io
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark", reason="an audit with Spark needs the extra spark")

from mockbroker.audit.judgement import judge
from mockbroker.audit.local import audit_folder
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.source import A_JOURNAL
from mockbroker.spark.auditing import judging
from mockbroker.spark.auditing.evidence import Evidence
from mockbroker.spark.auditing.journal_audit import audit_journal
from mockbroker.spark.auditing.judging import judged
from mockbroker.spark.auditing.row_blocks import Division
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.journal.journal_rows import UNREAD_IN, UNREAD_TEXT
from mockbroker.spark.report.progress import Progress
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.support.written_journals import produced, without_call, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS
pytest.importorskip("pyarrow")


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


def test_every_rule_has_the_findings_of_the_process_in_rows_of_any_order(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    from tools.synthetic_journal.journal import Plan, write_journal

    folder = tmp_path / "journal"
    written_journal = write_journal(folder, Plan(rows=4_000, seed=3, each=1))
    session = CommandSession(mockbroker_spark, is_connect=False)
    spark: Any = mockbroker_spark
    frame = spark.read.parquet(f"{folder}/part-*.parquet")
    shuffled = frame.repartition(2, "seq").selectExpr(
        "*", *(f"CAST(NULL AS string) AS {name}" for name in (UNREAD_IN, UNREAD_TEXT))
    )
    of_rows = Evidence(rows=partial(selected, shuffled), source=A_JOURNAL)
    verdict = judged(session, of_rows, Progress(io.StringIO())).verdict
    assert verdict == audit_folder(folder)
    assert verdict.counts.events == written_journal.rows
    assert {each.rule for each in verdict.findings} == set(RULES)
    of_files = audit_journal(session, str(folder), Progress(io.StringIO())).verdict.verdict
    assert of_files == verdict


def test_large_partitions_and_producers_are_judged_in_slices(
    mockbroker_spark: "SparkSession", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "j", without_call(produced(40), 21), parts=3)
    session = CommandSession(mockbroker_spark, is_connect=False)
    whole = audit_journal(session, str(path), Progress(io.StringIO())).verdict.verdict
    large: list[object] = []

    def noted(keys: Any, tasks: Any, given: Any) -> Division:
        large.extend(given)
        return Division(keys, tasks, given, entries_a_slice=25)

    monkeypatch.setattr(judging, "LARGE", 10)
    monkeypatch.setattr(judging, "Division", noted)
    assert audit_journal(session, str(path), Progress(io.StringIO())).verdict.verdict == whole
    assert len(large) == 4, "two partitions, and two producers"
    assert whole.findings


def test_the_session_keeps_its_settings(mockbroker_spark: "SparkSession", tmp_path: Path) -> None:
    name = "spark.sql.execution.arrow.maxBytesPerBatch"
    before = mockbroker_spark.conf.get(name)
    path = written(tmp_path / "j", list(produced(4)), parts=1)
    audit_journal(CommandSession(mockbroker_spark, is_connect=False), str(path), Progress())
    assert mockbroker_spark.conf.get(name) == before
