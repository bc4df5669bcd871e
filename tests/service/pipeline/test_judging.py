"""From evidence to its verdict: the runs that workers make are judged as those made in process."""

from pathlib import Path
from typing import TYPE_CHECKING

from mockbroker.audit.journal_runs import journal_runs
from mockbroker.audit.judge import judge
from mockbroker.audit.verdict import Counts
from mockbroker.pipeline.journal_audit import audit_journal
from mockbroker.pipeline.judging import merged
from mockbroker.pipeline.pipeline_session import PipelineSession
from mockbroker.pipeline.progress import Progress
from tests.service.support.spark_marks import SPARK_MARKS  # pytest.mark.spark
from tests.service.support.verdicts import GAP, STUCK, verdict_of
from tests.service.support.written_journals import produced, without_call, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS


def test_the_verdict_is_that_of_the_process(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    entries = without_call(produced(40), 21)
    path = written(tmp_path / "j", entries, parts=3)
    session = PipelineSession(mockbroker_spark, is_connect=False)
    done = audit_journal(session, str(path), Progress())
    verdict = done.verdict.verdict
    assert verdict == judge(journal_runs(entries))
    assert verdict.counts.appends == 39


def test_pieces_are_put_together() -> None:
    one, other = verdict_of(STUCK), verdict_of(GAP)
    both = merged([one, other._replace(unknown=("Another.",))])
    assert both.findings == (GAP, STUCK)
    assert {rule.rule: rule.findings for rule in both.rules if rule.findings} == {
        "SEQUENCE_GAP": 1,
        "LSO_STUCK": 1,
    }
    assert both.counts == Counts(
        events=200,
        appends=66,
        producers=2,
        partitions=2,
        first_time_ms=1_900_000_000_000,
        last_time_ms=1_900_000_001_000,
    )
    assert both.unknown == ("A producer began.", "Another.")
    assert merged([one]) is one
