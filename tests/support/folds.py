"""Folds of journals written by tests."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from mockbroker.audit.folding.folding import fold
from mockbroker.audit.runs.run import Run, Stream, sort_key
from mockbroker.audit.runs.run_table import (
    joined,
    run_schema,
    runs_of,
    runs_of_rows,
)
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.parquet_tables import table_of


def run_rows(entries: Sequence[Entry]) -> Any:
    """Return the runs of entries, each of one event, as a table."""
    return runs_of_rows(table_of(list(entries), [])) if entries else run_schema().empty_table()


def folded(entries: Sequence[Entry]) -> list[Run]:
    """Fold all entries in one call."""
    return sorted(runs_of(fold(run_rows(entries))), key=sort_key)


def folded_in_parts(parts: Iterable[Sequence[Entry]]) -> list[Run]:
    """Fold each part of a journal separately, and then the results together."""
    tables = [fold(run_rows(part)) for part in parts if part]
    return sorted(runs_of(fold(joined(tables))), key=sort_key) if tables else []


def streams_of(runs: Iterable[Run]) -> dict[str, int]:
    """Count runs by stream."""
    return dict(Counter(run.stream for run in runs))


def singles(runs: Iterable[Run]) -> list[Run]:
    """Return the runs of one event."""
    return [run for run in runs if run.stream == Stream.EVENT]
