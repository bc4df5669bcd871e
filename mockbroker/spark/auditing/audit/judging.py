"""Judgement of evidence: Spark's workers fold rows to runs, and all rules judge these here."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockbroker.spark.auditing.evidence import Evidence
from mockbroker.spark.auditing.run_batches import (
    ROWS,
    SCHEMA,
    folding,
    folding_parts,
)
from pyspark.sql import functions

from mockbroker.audit.folding.folder import Folder
from mockbroker.audit.local import decided
from mockbroker.audit.runs.run import Run, StreamKey
from mockbroker.audit.runs.run_table import JOURNAL_COLUMNS, runs_of
from mockbroker.audit.source import Source
from mockbroker.audit.verdict import Verdict
from mockbroker.spark.command_session import CommandSession
from mockbroker.spark.journal.journal_folder import Part
from mockbroker.spark.journal.journal_rows import UNREAD_IN, UNREAD_TEXT
from mockbroker.spark.report.progress import Progress
from mockbroker.spark.spark_progress import tasks_done

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
    """Read evidence, and judge it; streams that folds leave undecided are read once more.

    Raises:
        PySparkException, Py4JError: Spark cannot read it.

    """
    unread: tuple[Unread, ...] = ()

    def read(unfolded: frozenset[StreamKey]) -> tuple[list[Run], Source]:
        nonlocal unread
        again = f", {len(unfolded):,} streams event by event" if unfolded else ""
        with progress.stage(f"reading and folding{again}"):
            table = _read(session, evidence, unfolded, progress)
        unread, rows = _unread_and_count(table)
        is_run = table["stream"].is_valid()
        with progress.stage("merging"):
            folder = Folder(unfolded)
            run_table = table.filter(is_run).select(list(Run._fields))
            # Runs that span several tasks are merged here.
            middle = run_table.num_rows // 2
            folder.add_runs(run_table.slice(0, middle))
            folder.add_runs(run_table.slice(middle))
            runs = [*evidence.runs, *runs_of(folder.runs())]
        progress.write_line(f"{rows:,} rows, {len(runs):,} runs")
        return runs, evidence.source._replace(events=rows)

    return Judged(verdict=decided(read), unread=unread)


def _read(
    session: CommandSession,
    evidence: Evidence,
    unfolded: frozenset[StreamKey],
    progress: Progress,
) -> Any:
    with progress.watching(tasks_done(session)):
        if evidence.parts:
            contents = contents_of(session.spark, evidence.parts)
            return contents.mapInArrow(folding_parts(unfolded), SCHEMA).toArrow()
        frame: Any = evidence.rows(JOURNAL_COLUMNS)
        if evidence.scattered_rows:
            tasks = max(TASKS, -(-evidence.scattered_rows // ROWS_A_TASK))
            frame = frame.repartitionByRange(tasks, "seq").sortWithinPartitions("seq")
        return frame.mapInArrow(folding(unfolded), SCHEMA).toArrow()


def contents_of(spark: "SparkSession", parts: Sequence[Part]) -> Any:
    """Read files, with consecutive ones in the same task, which can fold across them."""
    tasks = [_files(spark, chunk) for chunk in chunks(parts)]
    return reduce(lambda one, other: one.unionAll(other), tasks)


def _files(spark: "SparkSession", parts: Sequence[Part]) -> Any:
    paths = [part.path for part in parts]
    files: Any = spark.read.format("binaryFile").load(paths)
    # Spark reads large files first, but consecutive files fold best.
    place = functions.array_position(functions.array(*map(functions.lit, paths)), files["path"])
    return files.select("path", "content").coalesce(1).sortWithinPartitions(place)


TASKS: Final = 8
"""Minimum number of tasks for a journal that has so many parts."""
PARTS_A_TASK: Final = 25
"""Maximum number of parts per task: five million rows."""
ROWS_A_TASK: Final = 1_000_000
"""Approximate number of rows that one task sorts and folds."""
BYTES_A_TASK: Final = 256 << 20
"""Maximum number of bytes in the memory of one task; a larger file has its own task."""


def chunks(parts: Sequence[Part]) -> list[list[Part]]:
    """Distribute parts to tasks, in order; the number of tasks grows with the parts."""
    count_max = min(max(-(-len(parts) // TASKS), 1), PARTS_A_TASK)
    shared: list[list[Part]] = []
    size_bytes = 0
    for part in parts:
        size_bytes += part.size_bytes
        if not shared or len(shared[-1]) == count_max or size_bytes > BYTES_A_TASK:
            shared.append([])
            size_bytes = part.size_bytes
        shared[-1].append(part)
    return shared


def _unread_and_count(table: Any) -> tuple[tuple[Unread, ...], int]:
    """Return the invalid rows, and the number of all rows."""
    said = table.filter(table[UNREAD_IN].is_valid()).select([UNREAD_IN, UNREAD_TEXT]).to_pylist()
    rows = sum(table[ROWS].drop_null().to_pylist())
    return tuple(Unread(each[UNREAD_IN], each[UNREAD_TEXT]) for each in said), rows
