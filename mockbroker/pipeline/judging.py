"""From evidence to its verdict: runs are made by Spark's workers, and judged here by all rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from mockbroker.audit.finding import sort_key
from mockbroker.audit.judge import judge
from mockbroker.audit.run import Run
from mockbroker.audit.verdict import Counts, RuleVerdict, Verdict
from mockbroker.pipeline.evidence import Evidence
from mockbroker.pipeline.journal_rows import UNREAD_IN, UNREAD_TEXT
from mockbroker.pipeline.pipeline_session import PipelineSession
from mockbroker.pipeline.progress import Progress
from mockbroker.pipeline.run_batches import (
    AUDIT_COLUMNS,
    SCHEMA,
    Fold,
    is_needed_in_sql,
    single_runs,
    with_unread,
)
from mockbroker.pipeline.spark_progress import tasks_done

UNREAD_MAX: Final = 1_000
"""So many rows that are no entries are looked at; a part has more only if it is none of ours."""


class Unread(NamedTuple):
    """A row that is no entry."""

    path: str
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A verdict, and what was no entry among the rows."""

    verdict: Verdict
    unread: tuple[Unread, ...]
    runs: int


def judged(session: PipelineSession, evidence: Evidence, progress: Progress) -> Judged:
    """Read evidence, and judge it.

    Raises:
        PySparkException, Py4JError: Spark cannot read it.

    """
    with progress.stage("reading and folding"):
        table, unread = _runs(session, evidence, single_runs, progress)
    with progress.stage(f"judging {table.num_rows:,} runs"):
        runs = [Run(*values) for values in zip(*(each.to_pylist() for each in table), strict=True)]
        verdict = judge(runs, evidence.source)
    return Judged(verdict=verdict, unread=unread, runs=table.num_rows)


def _runs(
    session: PipelineSession, evidence: Evidence, fold: Fold, progress: Progress
) -> tuple[Any, tuple[Unread, ...]]:
    frame: Any = evidence.rows(AUDIT_COLUMNS).where(is_needed_in_sql())
    with progress.watching(tasks_done(session)):
        table = frame.mapInArrow(with_unread(fold), SCHEMA).toArrow()
    is_run = table[UNREAD_IN].is_null()
    said = table.select([UNREAD_IN, UNREAD_TEXT]).filter(table[UNREAD_IN].is_valid())
    rows = said.slice(0, UNREAD_MAX).to_pylist()
    unread = tuple(Unread(row[UNREAD_IN], row[UNREAD_TEXT]) for row in rows)
    return table.filter(is_run).drop_columns([UNREAD_IN, UNREAD_TEXT]), unread


def merged(verdicts: Sequence[Verdict]) -> Verdict:
    """Make one verdict of those on pieces of one journal."""
    if len(verdicts) == 1:
        return verdicts[0]
    return Verdict(
        findings=tuple(sorted((each for one in verdicts for each in one.findings), key=sort_key)),
        rules=tuple(map(_ruled, zip(*(each.rules for each in verdicts), strict=True))),
        counts=_counts([each.counts for each in verdicts]),
        unknown=tuple(dict.fromkeys(each for one in verdicts for each in one.unknown)),
    )


def _ruled(pieces: Sequence[RuleVerdict]) -> RuleVerdict:
    return pieces[0]._replace(findings=sum(each.findings for each in pieces))


def _counts(pieces: Sequence[Counts]) -> Counts:
    """Add up; what goes on from piece to piece is counted in the piece that has most of it."""
    firsts = [each.first_time_ms for each in pieces if each.first_time_ms is not None]
    lasts = [each.last_time_ms for each in pieces if each.last_time_ms is not None]
    return Counts(
        events=sum(each.events for each in pieces),
        appends=sum(each.appends for each in pieces),
        producers=max(each.producers for each in pieces),
        partitions=max(each.partitions for each in pieces),
        transactional_ids=max(each.transactional_ids for each in pieces),
        first_time_ms=min(firsts, default=None),
        last_time_ms=max(lasts, default=None),
    )
