"""An audit in the caller's session; `test_deployments.py` has one over Spark Connect."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark", reason="an audit with Spark needs the extra spark")

from mockbroker.spark import audit
from mockbroker.spark.report.findings_table import COLUMNS
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.support.written_journals import produced, without_call, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS


def test_findings_are_a_data_frame_of_the_session(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    journal = written(tmp_path / "j", without_call(produced(9), 5))
    done = audit(mockbroker_spark, str(journal), identity="off", out=tmp_path / "new" / "out")
    frame: Any = done.findings
    assert frame.sparkSession is mockbroker_spark
    (gap,) = frame.where("rule = 'SEQUENCE_GAP'").select("topic", "severity", "evidence").collect()
    assert (gap.topic, gap.severity) == ("orders", "ERROR")
    assert gap.evidence
    assert done.verdict["verdict"] == "findings"
    assert done.verdict["findings"]["total"] == frame.count()
    assert str(done).startswith("2 findings: 2 ERROR\n")
    assert (tmp_path / "new" / "out" / "report.html").is_file()


def test_without_findings_the_data_frame_is_empty(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    done = audit(mockbroker_spark, str(written(tmp_path / "j", list(produced(9)))))
    assert done.findings.columns == [column.name for column in COLUMNS]
    assert done.findings.collect() == []
    assert done.verdict["verdict"] == "no findings"


def test_broken_input_is_in_the_verdict(mockbroker_spark: "SparkSession", tmp_path: Path) -> None:
    done = audit(mockbroker_spark, str(tmp_path / "gone"))
    assert done.verdict["verdict"] == "broken input"
    assert [each["where"] for each in done.verdict["broken"]] == [str(tmp_path / "gone")]


def test_wrong_arguments_are_refused(mockbroker_spark: "SparkSession") -> None:
    with pytest.raises(ValueError, match="name a source: a journal's folder, or kafka://"):
        audit(mockbroker_spark)
    with pytest.raises(ValueError, match="'id' is no identity of records"):
        audit(mockbroker_spark, "j", identity="id")
