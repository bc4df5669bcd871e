"""Judgement of evidence where it is: workers judge shards, and their outcomes are added up here.

Spark distributes and sorts the runs, first those of partitions, then those of producers and groups.
Findings and summaries are all that comes here.
"""

import pickle
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockbroker.audit.runs.run_table import JOURNAL_COLUMNS, table_of
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.shards.known import Known
from mockbroker.audit.shards.outcome import ShardOutcome
from mockbroker.audit.shards.scoped_rows import (
    BY_PARTITION,
    BY_SHARD,
    families_of,
    pairs_in,
    rows_of_others,
    rows_of_partitions,
    with_families,
)
from mockbroker.audit.shards.survey import SURVEYED, Key, Survey, counts_of
from mockbroker.audit.verdict import Verdict
from mockbroker.spark.auditing.evidence import Evidence
from mockbroker.spark.auditing.row_blocks import (
    BLOCKS,
    LARGE,
    Division,
    in_blocks,
)
from mockbroker.spark.auditing.shard_tasks import (
    RESULT,
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

pa: Any = import_module("pyarrow")

ROWS_A_TASK: Final = 500_000
"""Approximate number of rows that one task judges."""
_TASKS_MIN: Final = 2
_BATCH_BYTES: Final = "spark.sql.execution.arrow.maxBytesPerBatch"
_BATCH_BYTES_MAX: Final = 16 << 20
_NUMBERS_A_TASK: Final = 32
"""So many that Spark's hash leaves no task out."""
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
    with _small_batches(session.spark):
        return _judged(session, evidence, progress)


@contextmanager
def _small_batches(spark: "SparkSession") -> Generator[None]:
    """Limit the bytes that a worker gets at once: rows are whole files, or blocks."""
    before = spark.conf.get(_BATCH_BYTES)
    spark.conf.set(_BATCH_BYTES, _BATCH_BYTES_MAX)
    try:
        yield
    finally:
        spark.conf.set(_BATCH_BYTES, str(before))


def _judged(session: CommandSession, evidence: Evidence, progress: Progress) -> Judged:
    tasks_seen = tasks_done(session)
    with progress.stage("looking through the rows"), progress.watching(tasks_seen):
        survey = _survey(session.spark, evidence)
    unread = tuple(Unread(path, text) for path, text in survey.unread)
    if unread and evidence.parts:
        # The caller leaves these files out, and asks again.
        return Judged(verdict=ShardOutcome().verdict(evidence.source, survey.rows), unread=unread)
    known = Known(evidence.source, survey, beside=evidence.runs)
    rows, tables = _rows(session.spark, evidence)
    count = min(max(_TASKS_MIN, -(-survey.rows // ROWS_A_TASK)), TASKS_MAX)

    beside, numbers = table_of(evidence.runs), _numbers(session.spark, count)
    with progress.stage("judging partitions"), progress.watching(tasks_seen):
        division = Division(BY_PARTITION, numbers, _large(survey.places, numbers))
        blocks = rows.mapInArrow(runs_of_partitions(tables, division), BLOCKS)
        blocks = _with(session.spark, blocks, rows_of_partitions(beside), division)
        outcome = _outcome(blocks, count, judging_partitions(known))
    known.learn(outcome)
    with progress.stage("judging producers and groups"), progress.watching(tasks_seen):
        families = families_of(survey.pairs | pairs_in(beside))
        division = Division(BY_SHARD, numbers, _large(_of_families(survey, families), numbers))
        task = runs_of_others(tables, division, families, evidence.order)
        blocks = rows.mapInArrow(task, BLOCKS)
        others_beside = with_families(rows_of_others(beside), families)
        blocks = _with(session.spark, blocks, others_beside, division)
        others = _outcome(blocks, count, judging_others(known))
        if evidence.order is not None:
            others.findings = [evidence.order.restored(each) for each in others.findings]
        outcome.add(others)
    outcome.add(survey.counts)
    outcome.add(counts_of(beside))
    verdict = outcome.verdict(evidence.source, survey.rows)
    progress.write_line(f"{survey.rows:,} rows, {verdict.counts.partitions:,} partitions")
    return Judged(verdict=verdict, unread=unread)


def _numbers(spark: Any, count: int) -> list[int]:
    """Return as many numbers, which Spark distributes to as many tasks."""
    task = f"pmod(hash(id), {count}) AS task"
    numbered = spark.range(_NUMBERS_A_TASK * count).selectExpr(task, "id").groupBy("task")
    return sorted(row[1] for row in numbered.agg({"id": "min"}).collect())


def _large(sizes: Mapping[Key, int], numbers: Sequence[int]) -> dict[Key, int]:
    """Return a number of its own for each key with too many rows to be sorted at once."""
    large = sorted(key for key, size in sizes.items() if size > LARGE)
    return {key: max(numbers) + each for each, key in enumerate(large, 1)}


def _of_families(survey: Survey, families: Mapping[int, int]) -> dict[Key, int]:
    sizes: Counter[Key] = Counter()
    for producer_id, size in survey.producers.items():
        sizes[(f"{ShardScope.PRODUCER} {families.get(producer_id, producer_id)}",)] += size
    return sizes


def _with(spark: Any, blocks: Any, beside: Any, division: Division) -> Any:
    """Add runs of no row; Spark Connect refuses an empty table."""
    if not beside.num_rows:
        return blocks
    table = pa.Table.from_batches(in_blocks([beside], division))
    return blocks.unionAll(spark.createDataFrame(table))


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


def _outcome(blocks: Any, count: int, judge: Task) -> ShardOutcome:
    """Judge blocks, each in its task."""
    divided = blocks.repartition(count, "task").sortWithinPartitions("task", "slice")
    outcome = ShardOutcome()
    for each in results_of(divided.mapInArrow(judge, RESULT)):
        outcome.add(each)
    return outcome


def results_of(frame: Any) -> Iterator[Any]:
    """Yield what tasks have found, one after the other: together they are many times larger."""
    for row in frame.collect():
        yield pickle.loads(row[0])  # our workers wrote it


def contents_of(spark: "SparkSession", parts: Sequence[Part]) -> Any:
    """Read files as they are."""
    files: Any = spark.read.format("binaryFile").load([part.path for part in parts])
    return files.select("path", "content")
