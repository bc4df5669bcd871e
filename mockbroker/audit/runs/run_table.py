"""Rows of a journal as Arrow tables, and their conversion to runs (extra `spark`)."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from itertools import repeat
from typing import Any, Final

import numpy as np

from mockbroker.audit.runs.column_arrays import TYPES, Bools, are, whole
from mockbroker.audit.runs.joined_calls import joined_calls
from mockbroker.audit.runs.journal_runs import ANSWERS, KINDS, REQUESTS
from mockbroker.audit.runs.run import COLUMNS, Run
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

pa: Any = import_module("pyarrow")

_JOINED: Final = frozenset({"came_seq", "came_ms", "answered_seq"})
"""Columns of runs that are of other rows of the same call."""
JOURNAL_COLUMNS: Final = tuple(
    sorted(column.name for column in COLUMNS if column.name not in _JOINED)
)
"""The columns of a journal that an audit reads; those that an older journal has not are null."""
_OF_CALLS: Final = (
    ("came_seq", "request", "seq"),
    ("came_ms", "request", "virtual_time_ms"),
    ("answered_seq", "answer", "seq"),
)
"""Columns of joined runs, and the rows and columns from which they come."""
_NEW_RUN: Final[Callable[[Iterable[Any]], Run]] = partial(tuple.__new__, Run)


def runs_of_rows(rows: Any) -> Any:
    """Return runs as a table, one for each row that a rule needs or for each regular call.

    `rows` is a table or a record batch with some of `JOURNAL_COLUMNS`, in any order.
    """
    table = pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows
    columns = {name: whole(table, name) for name in JOURNAL_COLUMNS}
    ordered = in_order(pa.table(columns))
    columns = {name: whole(ordered, name) for name in JOURNAL_COLUMNS}
    calls = joined_calls(columns)
    for name, of_call, column in _OF_CALLS:
        index = getattr(calls, of_call)
        columns[name] = columns[column].take(pa.array(index, mask=index < 0))
    table = pa.table({column.name: columns[column.name] for column in COLUMNS})
    return table.filter(pa.array(_needed(columns) & ~calls.is_gone))


def in_order(table: Any) -> Any:
    """Return rows in the order of their numbers."""
    seq = table["seq"].to_numpy()
    if bool(np.all(seq[1:] >= seq[:-1])):
        return table
    return table.take(pa.array(np.argsort(seq, kind="stable")))


def _needed(columns: Mapping[str, Any]) -> Bools:
    """Return the rows that a rule needs."""
    kind, api = columns["kind"], columns["api"]
    is_empty = are(columns["error"], ErrorCode.NONE.name)
    is_empty &= columns["last_offset"].is_null().to_numpy(zero_copy_only=False)
    answers = are(api, *_titles(ANSWERS)) | (are(api, ApiKey.FETCH.title) & ~is_empty)
    requests = are(kind, "request") & are(api, *_titles(REQUESTS))
    return are(kind, *KINDS) | (are(kind, "answer") & answers) | requests


def _titles(apis: Iterable[ApiKey]) -> list[str]:
    return [api.title for api in apis]


def runs_of(table: Any) -> list[Run]:
    """Convert a table to runs, kind by kind: each has values in a few columns only."""
    columns = {column.name: whole(table, column.name) for column in COLUMNS}
    found: list[Any] = [None] * table.num_rows
    kinds = columns["kind"]
    codes = kinds.indices.to_numpy()
    for code in range(len(kinds.dictionary)):
        index = np.flatnonzero(codes == code)
        rows = pa.array(index)
        lists = [_values(columns[column.name], rows) for column in COLUMNS] if len(index) else []
        for at, run in zip(index.tolist(), map(_NEW_RUN, zip(*lists, strict=False)), strict=True):
            found[at] = run
    return found


def _values(column: Any, rows: Any) -> Iterable[Any]:
    """Return a column's values in some rows; numpy converts them many times faster than Arrow."""
    if column.null_count == len(column):
        return repeat(None)
    taken = column.take(rows)
    if taken.null_count == len(rows):
        return repeat(None)
    if pa.types.is_dictionary(taken.type):
        texts = [*taken.dictionary.to_pylist(), None]
        indices = taken.indices.fill_null(len(texts) - 1)
        return map(texts.__getitem__, indices.to_numpy().tolist())
    if not taken.null_count:
        return list(taken.to_numpy(zero_copy_only=False).tolist())
    values = (
        taken.fill_null(pa.scalar(0).cast(taken.type)).to_numpy(zero_copy_only=False).astype(object)
    )
    values[taken.is_null().to_numpy(zero_copy_only=False)] = None
    return list(values.tolist())


def table_of(runs: Iterable[Run]) -> Any:
    """Convert runs to a table."""
    fields = [(column.name, TYPES[column.name]) for column in COLUMNS]
    return pa.Table.from_pylist([run._asdict() for run in runs], pa.schema(fields))
