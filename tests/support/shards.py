"""Journals of tests, divided for the judgement in shards."""

import json
import random
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from mockbroker.audit.judgement import judge
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS
from mockbroker.audit.verdict import Verdict
from mockbroker.journal.entry import COLUMNS, Entry
from mockbroker.journal.files.parquet_tables import table_of

BUCKETS = 3


def cut(entries: Sequence[Entry], draw: random.Random) -> list[list[Entry]]:
    """Cut a journal into parts, or deal its rows out to them; parts and rows are in no order."""
    count = draw.choice([1, 2, 3, 6])
    parts: list[list[Entry]] = [[] for _ in range(count)]
    if draw.random() < 0.3:
        for entry in entries:
            draw.choice(parts).append(entry)
    else:
        cuts = sorted(draw.choices(range(len(entries) + 1), k=count - 1))
        bounds = zip([0, *cuts], [*cuts, len(entries)], strict=True)
        parts = [list(entries[begin:end]) for begin, end in bounds]
        draw.shuffle(parts)
    for part in parts:
        draw.shuffle(part)
    return [part for part in parts if part]


def lived_twice(entries: Sequence[Entry]) -> list[Entry]:
    """Return a journal whose cluster is reset at its end, and then does the same again."""
    end = max(each.seq for each in entries) + 1
    ended_ms = max(each.virtual_time_ms for each in entries)
    detail = json.dumps({"event": "reset", "ended_ms": ended_ms})
    again = [each._replace(seq=each.seq + end) for each in entries]
    return [*entries, Entry(end, "event", 0, 0, detail=detail), *again]


def sharded(tables: Sequence[Any], events: int) -> Verdict:
    """Judge tables in shards."""
    # Imported late: it needs the extra `spark`.
    judge_tables = import_module("mockbroker.audit.shards.local_shards").judge_tables
    verdict: Verdict = judge_tables(tables, A_JOURNAL, THRESHOLDS, BUCKETS).verdict(
        A_JOURNAL, events
    )
    return verdict


def assert_same(entries: Sequence[Entry], draw: random.Random) -> Verdict:
    """Judge a journal event by event, and again in shards, with joined calls and in no order."""
    plain = judge(journal_runs(entries))
    tables = [table_of(part, []) for part in cut(entries, draw)]
    assert sharded(tables, plain.counts.events) == plain
    return plain


def rows_of_runs(runs: Sequence[Run]) -> Any:
    """Return runs of single events as rows of a journal."""
    pa: Any = import_module("pyarrow")
    kinds = {"bool": pa.bool_(), "string": pa.string()}
    columns = {
        column.name: pa.array(
            [getattr(run, column.name) for run in runs], kinds.get(column.kind, pa.int64())
        )
        for column in COLUMNS
        if column.name in Run._fields
    }
    return pa.table(columns)
