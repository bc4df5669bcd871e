"""Judgement of a journal's tables in this process, in shards (extra `spark`).

Rows are divided to temporary files by partition, and those of producers and groups put aside, so
that the memory does not grow with the journal: a part of it has to fit, and its largest partition.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from mockbroker.audit.judgement import judge
from mockbroker.audit.runs.journal_tables import JournalTables
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.run_table import runs_of, runs_of_rows
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.shards.known import Known
from mockbroker.audit.shards.outcome import ShardOutcome
from mockbroker.audit.shards.partition_rows import ROWS_AT_ONCE
from mockbroker.audit.shards.scoped_rows import (
    BY_PARTITION,
    BY_SHARD,
    SHARD,
    Pair,
    families_of,
    in_order_of,
    key_numbers,
    last_time_ms,
    pairs_in,
    rows_of_others,
    rows_of_partitions,
    wide_rows,
    with_families,
)
from mockbroker.audit.shards.shard_judgement import (
    RUNS_AT_ONCE,
    judge_others,
    judge_partitions,
)
from mockbroker.audit.source import A_JOURNAL, Source, Thresholds
from mockbroker.audit.storage.buckets import Buckets
from mockbroker.audit.verdict import Verdict
from mockbroker.events.progress_bar import Advance

pa: Any = import_module("pyarrow")
pc: Any = import_module("pyarrow.compute")


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
    places, others = Buckets(buckets), Buckets(buckets)
    wide: list[Run] = []
    pairs: set[Pair] = set()
    end_ms = 0
    for table in tables:
        runs = runs_of_rows(table)
        end_ms = max(end_ms, last_time_ms(runs))
        wide += runs_of(wide_rows(runs))
        pairs |= pairs_in(runs)
        here = rows_of_partitions(runs)
        places.add(here, key_numbers(here, BY_PARTITION))
        there = rows_of_others(runs)
        others.add(there, key_numbers(there, BY_SHARD))
    known = Known(source, end_ms, wide, thresholds)
    outcome = judge_partitions(_sorted_partitions(places), known)
    known.learn(outcome)
    outcome.add(judge_others(_runs_of_shards(others, families_of(pairs), buckets), known))
    return outcome


def _sorted_partitions(buckets: Buckets) -> Iterator[Any]:
    for rows in buckets:
        yield from in_order_of(rows, BY_PARTITION, ROWS_AT_ONCE)


def _runs_of_shards(
    others: Buckets, families: Mapping[int, int], buckets: int
) -> Iterator[tuple[str, Run]]:
    """Yield the runs of producers and groups; those that shared a transactional id come last."""
    shared = Buckets(buckets)
    for rows in others:
        of_producer = pc.starts_with(rows[SHARD], str(ShardScope.PRODUCER))
        is_shared = pc.is_in(rows["producer_id"], value_set=pa.array(list(families), pa.int64()))
        theirs = pc.and_(of_producer, is_shared)
        together = with_families(rows.filter(theirs), families)
        shared.add(together, key_numbers(together, BY_SHARD))
        yield from _runs_by_shard(rows.filter(pc.invert(theirs)))
    for rows in shared:
        yield from _runs_by_shard(rows)


def _runs_by_shard(rows: Any) -> Iterator[tuple[str, Run]]:
    for piece in in_order_of(rows, BY_SHARD, RUNS_AT_ONCE):
        yield from zip(piece[SHARD].to_pylist(), runs_of(piece), strict=True)
