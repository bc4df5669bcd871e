"""Judgement of evidence where it is: workers judge shards, and their outcomes are added up here.

Spark distributes and sorts the runs, first those of partitions, then those of producers and groups.
Findings and summaries are all that comes here.
"""

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockbroker.audit.runs.run_table import JOURNAL_COLUMNS, table_of
from mockbroker.audit.shards.known import Known
from mockbroker.audit.shards.outcome import ShardOutcome
from mockbroker.audit.shards.scoped_rows import (
    SHARD,
    families_of,
    pairs_in,
    plain,
    rows_of_others,
    rows_of_partitions,
    with_families,
)
from mockbroker.audit.verdict import Verdict
from mockbroker.spark.auditing.evidence import Evidence
from mockbroker.spark.auditing.shard_tasks import (
    RESULT,
    RUNS,
    SHARDED_RUNS,
    SURVEYED,
    Survey,
    Task,
    judging_others,
    judging_partitions,
    of_files,
    of_rows,
    runs_of_others,
    runs_of_partitions,
    surveying_files,
    surveying_rows,
)
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.journal.journal_folder import Part
from mockbroker.spark.journal.journal_rows import UNREAD_IN, UNREAD_TEXT
from mockbroker.spark.report.progress import Progress
from mockbroker.spark.spark_progress import tasks_done

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS_A_TASK: Final = 250_000
"""Approximate number of rows that one task judges."""
_TASKS_MIN: Final = 2
TASKS_MAX: Final = 2_000


class Unread(NamedTuple):
    """A row that is not a journal entry."""

    path: str
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A verdict, and the invalid rows."""

    verdict: Verdict
    unread: tuple[Unread, ...]


def judged(session: CommandSession, evidence: Evidence, progress: Progress) -> Judged:
    """Judge evidence.

    Raises:
        PySparkException, Py4JError: Spark cannot read it.

    """
    tasks_seen = tasks_done(session)
    with progress.stage("looking through the rows"), progress.watching(tasks_seen):
        survey = _survey(session.spark, evidence)
    unread = tuple(Unread(path, text) for path, text in survey.unread)
    if unread and evidence.parts:
        # The caller leaves these files out, and asks again.
        return Judged(verdict=ShardOutcome().verdict(evidence.source, survey.rows), unread=unread)
    known = Known(evidence.source, survey.last_time_ms, survey.wide, beside=evidence.runs)
    rows, tables = _rows(session.spark, evidence)
    count = min(max(_TASKS_MIN, -(-survey.rows // ROWS_A_TASK)), TASKS_MAX)

    beside = table_of(evidence.runs)
    with progress.stage("judging partitions"), progress.watching(tasks_seen):
        runs = rows.mapInArrow(runs_of_partitions(tables), RUNS)
        runs = _with(session.spark, runs, rows_of_partitions(beside))
        outcome = _outcome(runs, ("topic", "partition"), count, judging_partitions(known))
    known.learn(outcome)
    with progress.stage("judging producers and groups"), progress.watching(tasks_seen):
        families = families_of(survey.pairs | pairs_in(beside))
        runs = rows.mapInArrow(runs_of_others(tables, families, evidence.order), SHARDED_RUNS)
        runs = _with(session.spark, runs, with_families(rows_of_others(beside), families))
        others = _outcome(runs, (SHARD,), count, judging_others(known))
        if evidence.order is not None:
            others.findings = [evidence.order.restored(each) for each in others.findings]
        outcome.add(others)
    verdict = outcome.verdict(evidence.source, survey.rows)
    progress.write_line(f"{survey.rows:,} rows, {verdict.counts.partitions:,} partitions")
    return Judged(verdict=verdict, unread=unread)


def _with(spark: Any, runs: Any, beside: Any) -> Any:
    """Add runs of no row; Spark Connect refuses an empty table."""
    return runs.unionAll(spark.createDataFrame(plain(beside))) if beside.num_rows else runs


def _survey(spark: "SparkSession", evidence: Evidence) -> Survey:
    survey = Survey()
    frame: Any = (
        evidence.rows(SURVEYED) if not evidence.parts else contents_of(spark, evidence.parts)
    )
    look = surveying_files if evidence.parts else surveying_rows
    for each in results_of(frame.mapInArrow(look, RESULT)):
        survey.add(each)
    return survey


def _rows(spark: "SparkSession", evidence: Evidence) -> tuple[Any, Callable[[Any], Any]]:
    """Return rows, and what makes tables of a journal's rows of them."""
    if evidence.parts:
        return contents_of(spark, evidence.parts), of_files
    frame: Any = evidence.rows(JOURNAL_COLUMNS)
    return frame.where(f"{UNREAD_IN} IS NULL").drop(UNREAD_IN, UNREAD_TEXT), of_rows


def _outcome(runs: Any, keys: Sequence[str], count: int, judge: Task) -> ShardOutcome:
    """Judge runs, those with the same keys in one task."""
    divided = runs.repartition(count, *keys).sortWithinPartitions(*keys, "seq")
    outcome = ShardOutcome()
    for each in results_of(divided.mapInArrow(judge, RESULT)):
        outcome.add(each)
    return outcome


def results_of(frame: Any) -> list[Any]:
    """Return what tasks have found."""
    return [pickle.loads(row[0]) for row in frame.collect()]  # our workers wrote it


def contents_of(spark: "SparkSession", parts: Sequence[Part]) -> Any:
    """Read files as they are."""
    files: Any = spark.read.format("binaryFile").load([part.path for part in parts])
    return files.select("path", "content")
