"""Judgement of a journal's tables in this process, in shards (extra `spark`).

Rows are divided to temporary files by partition, and those of producers and groups put aside, so
that the memory does not grow with the journal: a part of it has to fit, and its largest partition.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mockbroker.audit.judgement import judge
from mockbroker.audit.runs.journal_tables import JournalTables
from mockbroker.audit.runs.run_table import runs_of, runs_of_rows
from mockbroker.audit.shards.known import Known
from mockbroker.audit.shards.outcome import ShardOutcome
from mockbroker.audit.shards.partition_rows import ROWS_AT_ONCE
from mockbroker.audit.shards.scoped_rows import (
    BY_PARTITION,
    BY_SHARD,
    families_of,
    in_order_of,
    key_numbers,
    rows_of_others,
    rows_of_partitions,
    with_families,
)
from mockbroker.audit.shards.shard_judgement import judge_others, judge_partitions
from mockbroker.audit.shards.survey import Survey
from mockbroker.audit.source import A_JOURNAL, Source, Thresholds
from mockbroker.audit.storage.buckets import Buckets
from mockbroker.audit.verdict import Verdict
from mockbroker.events.progress_bar import Advance


def judge_folder(
    folder: str | Path,
    source: Source,
    thresholds: Thresholds,
    *,
    advance: Advance,
    parts: Sequence[Path] | None,
) -> Verdict:
    """Judge the journal in a folder, or some parts of it; say in the verdict what is unreadable.

    Raises:
        ValueError: it is of a schema that this version does not know.
        OSError: there is no journal.

    """
    tables = JournalTables(folder, advance=advance, parts=parts)
    outcome = judge_tables(tables, source, thresholds)
    return outcome.verdict(source._replace(broken=(*source.broken, *tables.broken)), tables.rows)


def judge_table(table: Any) -> Verdict:
    """Judge rows of a journal that are in memory."""
    return judge(runs_of(runs_of_rows(table)), A_JOURNAL._replace(events=table.num_rows))


def judge_tables(
    tables: Iterable[Any], source: Source, thresholds: Thresholds, buckets: int = 16
) -> ShardOutcome:
    """Judge the rows of a journal, in any order, divided into so many buckets."""
    survey, places, others = Survey(), Buckets(buckets), Buckets(buckets)
    for table in tables:
        runs = runs_of_rows(table)
        survey.see(runs)
        _divide(rows_of_partitions(runs), BY_PARTITION, places)
        _divide(rows_of_others(runs), BY_SHARD, others)
    known = Known(source, survey, thresholds)
    outcome = judge_partitions(_sorted(places, BY_PARTITION), known)
    known.learn(outcome)
    if families := families_of(survey.pairs):
        together = Buckets(buckets)
        for rows in others:
            _divide(with_families(rows, families), BY_SHARD, together)
        others = together
    outcome.add(judge_others(_sorted(others, BY_SHARD), known))
    outcome.add(survey.counts)
    return outcome


def _divide(rows: Any, keys: Sequence[str], buckets: Buckets) -> None:
    buckets.add(rows, key_numbers(rows, keys))


def _sorted(buckets: Buckets, keys: Sequence[str]) -> Iterator[Any]:
    for rows in buckets:
        yield from in_order_of(rows, keys, ROWS_AT_ONCE)
