"""Functions for `mapInArrow`: the part of an audit that runs in Spark's workers.

Spark moves and sorts the rows between them, so that a worker sees one shard after the other, in
order, and stores a few numbers of one shard at a time.
"""

import pickle
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from itertools import groupby
from typing import Any, Final

from mockbroker.audit.runs.run_table import runs_of_rows
from mockbroker.audit.shards.known import Known
from mockbroker.audit.shards.outcome import ShardOutcome
from mockbroker.audit.shards.scoped_rows import (
    BY_PARTITION,
    BY_SHARD,
    rows_of_others,
    rows_of_partitions,
    with_families,
)
from mockbroker.audit.shards.shard_judgement import judge_others, judge_partitions
from mockbroker.audit.shards.survey import SURVEYED, UNREAD_MAX, Survey
from mockbroker.journal.entry import Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.spark.auditing.row_blocks import Division, from_blocks, in_blocks
from mockbroker.spark.journal.journal_rows import UNREAD_IN, UNREAD_TEXT
from mockbroker.spark.journal.part_tables import part_tables
from mockbroker.spark.topics.history_order import HistoryOrder
from mockbroker.spark.topics.log_outline import outlined
from mockbroker.spark.worker_archives import forget_archives

pa: Any = import_module("pyarrow")
pc: Any = import_module("pyarrow.compute")

Batches = Iterator[Any]
Task = Callable[[Batches], Batches]
RESULT: Final = "result binary"
"""Schema of what a task found: one object for all of its rows."""
ROWS_AT_ONCE: Final = 200_000
"""Number of rows of which regular calls are joined: a part as the journal writes it."""


def surveying_rows(batches: Batches) -> Batches:
    """Survey rows of the columns `SURVEYED`, `UNREAD_IN` and `UNREAD_TEXT`."""
    _prepare_worker()
    survey = Survey()
    for batch in batches:
        is_sound = batch.column(UNREAD_IN).is_null()
        unread = batch.filter(pc.invert(is_sound)).slice(0, UNREAD_MAX - len(survey.unread))
        survey.rows += batch.num_rows - (pc.sum(is_sound).as_py() or 0)
        said = (unread.column(name).to_pylist() for name in (UNREAD_IN, UNREAD_TEXT))
        survey.unread += list(zip(*said, strict=True))
        rows = pa.Table.from_batches([batch.filter(is_sound)])
        survey.see(rows)
        survey.weigh(rows)
    yield _result(survey)


def surveying_files(batches: Batches) -> Batches:
    """Survey Parquet files, which are rows of `path` and `content`; note the unreadable ones."""
    _prepare_worker()
    survey = Survey()
    files = ((batch.column("path"), batch.column("content")) for batch in batches)
    for path, content in (each for columns in files for each in zip(*columns, strict=True)):
        try:
            for table in part_tables(content.as_buffer(), SURVEYED):
                survey.see(table)
                survey.weigh(table)
        except (pa.ArrowException, OSError, ValueError) as broken:
            reason = str(broken).strip().partition("\n")[0].rstrip(".")
            survey.unread.append((path.as_py(), reason))
    yield _result(survey)


def runs_of_partitions(tables: Callable[[Batches], Batches], division: Division) -> Task:
    """Return what makes the runs of partitions from rows, in blocks."""
    return partial(_selected, tables, rows_of_partitions, division)


def runs_of_others(
    tables: Callable[[Batches], Batches],
    division: Division,
    families: Mapping[int, int],
    order: HistoryOrder | None = None,
) -> Task:
    """Return what makes the runs of producers, groups and the cluster, with their shards.

    With an order, they get their numbers in it.
    """

    def select(runs: Any) -> Any:
        others = rows_of_others(runs)
        return with_families(others if order is None else _in_order(others, order), families)

    return partial(_selected, tables, select, division)


def _selected(
    tables: Callable[[Batches], Batches],
    select: Callable[[Any], Any],
    division: Division,
    batches: Batches,
) -> Batches:
    _prepare_worker()
    return in_blocks((select(runs_of_rows(table)) for table in tables(batches)), division)


def _in_order(runs: Any, order: HistoryOrder) -> Any:
    """Number the rows of topics in an order with the changes of transactional ids."""
    keys = ("topic", "partition", "producer_id", "base_offset")
    rows = list(zip(*(runs[name].to_pylist() for name in keys), strict=True))
    numbers = pa.array([order.number(*row) for row in rows], pa.int64())
    hand = ApiKey.WRITE_TXN_MARKERS.title
    apis = pa.array([hand if (*row[:2], row[3]) in order.by_hand else None for row in rows])
    for name, column in (("seq", numbers), ("api", apis.cast(pa.string()).dictionary_encode())):
        at = runs.schema.get_field_index(name)
        runs = runs.set_column(at, name, column)
    return runs


def outlining(wanted: Mapping[int, int], ends: Mapping[tuple[str, int], int]) -> Task:
    """Return what outlines logs up to their ends; rows are sorted by partition and offset."""

    def outline(batches: Batches) -> Batches:
        rows = (Entry(seq=0, wall_time_us=0, **row) for each in batches for row in each.to_pylist())
        known = (row for row in rows if (row.base_offset or 0) < ends.get(_place_of(row), 0))
        by_log = groupby(known, key=_place_of)
        yield _result([row for _, of_log in by_log for row in outlined(of_log, wanted)])

    return outline


def _place_of(row: Entry) -> tuple[str, int]:
    """Return the partition of a topic's row."""
    return row.topic or "", row.partition or 0


def of_rows(batches: Batches) -> Batches:
    """Yield tables of consecutive rows."""
    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(each.num_rows for each in waiting) >= ROWS_AT_ONCE:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)


def of_files(batches: Batches) -> Batches:
    """Yield tables of the row groups of Parquet files, which are rows of `content`.

    Arrow reads a journal's columns several times faster than Spark passes them as rows.
    """
    for batch in batches:
        for content in batch.column("content"):
            yield from part_tables(content.as_buffer())


def judging_partitions(known: Known) -> Task:
    """Return what judges blocks with the runs of partitions."""

    def judged(batches: Batches) -> Batches:
        _prepare_worker()
        yield _result(judge_partitions(from_blocks(batches, BY_PARTITION), known))

    return judged


def judging_others(known: Known) -> Task:
    """Return what judges blocks with other runs."""

    def judged(batches: Batches) -> Batches:
        _prepare_worker()
        yield _result(judge_others(from_blocks(batches, BY_SHARD), known))

    return judged


def _prepare_worker() -> None:
    """Let this process give back what Arrow frees, and let its next task start sooner.

    Arrow's own allocator keeps much of what is freed.
    """
    pa.set_memory_pool(pa.system_memory_pool())
    forget_archives()


def _result(found: Survey | ShardOutcome | list[Entry]) -> Any:
    return pa.RecordBatch.from_pydict({"result": pa.array([pickle.dumps(found)], pa.binary())})
