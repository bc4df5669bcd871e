"""The whole of an audit: sources in, one verdict out, and three files."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

pytest.importorskip("pyspark", reason="an audit with Spark needs the extra spark")

from mockbroker.report.audited import Audited, ExitCode
from mockbroker.spark.auditing.audit_job import audit
from mockbroker.spark.auditing.audit_request import AuditRequest
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.report.progress import Progress
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.support.written_journals import produced, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS
pq: Final[Any] = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def session(mockbroker_spark: "SparkSession") -> CommandSession:
    return CommandSession(mockbroker_spark, is_connect=False)


def audited(session: CommandSession, out: Path, *sources: object) -> Audited:
    out.mkdir()
    request = AuditRequest(sources=[str(each) for each in sources], out=out, identity="off")
    return audit(session, request, Progress())


def test_a_clean_journal_ends_with_0_and_three_files(
    session: CommandSession, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    result = audited(session, out, written(tmp_path / "j", list(produced(9))))
    assert result.exit_code() is ExitCode.CLEAN
    assert sorted(each.name for each in out.iterdir()) == [
        "findings.parquet",
        "report.html",
        "verdict.json",
    ]
    assert json.loads((out / "verdict.json").read_text())["verdict"] == "clean"
    assert pq.read_metadata(out / "findings.parquet").num_rows == 0


def test_a_spark_failure_is_reported_in_one_line(
    session: CommandSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.errors import PySparkException

    def fail(*_: object) -> None:
        raise PySparkException("[X] No worker is left.\n\tat org.apache")

    monkeypatch.setattr("mockbroker.spark.auditing.audit_job.audit_journal", fail)
    result = audited(session, tmp_path / "out", "j")
    assert result.exit_code() is ExitCode.BROKEN_INPUT
    assert result.bad[0].what == "Spark could not read it: No worker is left."


def test_other_sources_are_judged_despite_a_broken_one(
    session: CommandSession, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    journals = [
        written(tmp_path / name, list(produced(9)), format=name) for name in ("parquet", "jsonl")
    ]
    result = audited(session, out, *journals, tmp_path / "gone", "kafka://nowhere")
    assert result.exit_code() is ExitCode.BROKEN_INPUT
    assert [each.source for each in result.sources] == [str(each) for each in journals]
    assert [each.where for each in result.bad] == [str(tmp_path / "gone"), "kafka://nowhere"]
    assert "These are not topics." in (out / "report.html").read_text("utf-8")
