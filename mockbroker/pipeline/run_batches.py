"""Rows to runs inside Spark's workers, a batch of Arrow at a time.

What is no entry comes back beside the runs, so that one reading tells both.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final

from mockbroker.audit.journal_runs import ANSWERS, KINDS, REQUESTS
from mockbroker.audit.run import COLUMNS, Lane, Run
from mockbroker.journal.entry import Entry
from mockbroker.pipeline.journal_rows import UNREAD_IN, UNREAD_TEXT

_SPARK_TYPES: Final = {"int64": "bigint", "bool": "boolean", "string": "string"}
SCHEMA: Final = ", ".join(
    [
        *(f"`{column.name}` {_SPARK_TYPES[column.kind]}" for column in COLUMNS),
        f"{UNREAD_IN} string",
        f"{UNREAD_TEXT} string",
    ]
)
"""The columns of runs, and those of what is none, in Spark's words."""

_RENAMED: Final = {
    "first_seq": "seq",
    "last_seq": "seq",
    "first_time_ms": "virtual_time_ms",
    "last_time_ms": "virtual_time_ms",
    "last_producer_epoch": "producer_epoch",
}
_CONSTANT: Final = {"lane": Lane.EVENT.value, "events": 1}

AUDIT_COLUMNS: Final = tuple(
    dict.fromkeys(
        name
        for column in COLUMNS
        if (name := _RENAMED.get(column.name, column.name)) in Entry._fields
    )
)
"""The journal's columns that runs are made of."""

Batches = Iterator[Any]
Fold = Callable[[Batches], Batches]


def is_needed_in_sql() -> str:
    """Return the condition for rows that a rule looks at, and for those that are no entry."""
    kinds, answers, requests = (
        ", ".join(sorted(f"'{name}'" for name in names))
        for names in (KINDS, {api.title for api in ANSWERS}, {api.title for api in REQUESTS})
    )
    return (
        f"kind IN ({kinds}) OR (kind = 'answer' AND api IN ({answers}))"
        f" OR (kind = 'request' AND api IN ({requests})) OR {UNREAD_IN} IS NOT NULL"
    )


def single_runs(batches: Batches) -> Batches:
    """Make a run of each row, as it is."""
    pa: Any = import_module("pyarrow")

    for batch in batches:
        arrays = [_column(pa, batch, column.name, _arrow(pa, column.kind)) for column in COLUMNS]
        yield pa.RecordBatch.from_arrays(arrays, names=list(Run._fields))


def _column(pa: Any, batch: Any, name: str, kind: Any) -> Any:
    if name in _CONSTANT:
        return pa.repeat(pa.scalar(_CONSTANT[name], kind), batch.num_rows)
    there = _RENAMED.get(name, name)
    if there not in batch.schema.names:
        return pa.nulls(batch.num_rows, kind)
    return batch.column(there).cast(kind)


def with_unread(fold: Fold) -> Fold:
    """Have a fold see only entries, and let what is none through."""

    def folded(batches: Batches) -> Batches:
        pa: Any = import_module("pyarrow")
        unread: list[Any] = []

        def entries() -> Batches:
            for batch in batches:
                sound = batch.column(UNREAD_IN).is_null()
                if sound.false_count:
                    unread.append(batch.filter(batch.column(UNREAD_IN).is_valid()))
                    yield batch.filter(sound).drop_columns([UNREAD_IN, UNREAD_TEXT])
                else:
                    yield batch.drop_columns([UNREAD_IN, UNREAD_TEXT])

        for runs in fold(entries()):
            none = pa.nulls(runs.num_rows, pa.string())
            yield _in_order(pa, [*runs.columns, none, none])
        for batch in unread:
            nothing = [pa.nulls(batch.num_rows, _arrow(pa, column.kind)) for column in COLUMNS]
            said = [batch.column(UNREAD_IN), batch.column(UNREAD_TEXT)]
            yield _in_order(pa, [*nothing, *said])

    return folded


def _in_order(pa: Any, arrays: list[Any]) -> Any:
    return pa.RecordBatch.from_arrays(arrays, names=[*Run._fields, UNREAD_IN, UNREAD_TEXT])


def _arrow(pa: Any, kind: str) -> Any:
    return {"int64": pa.int64(), "bool": pa.bool_(), "string": pa.string()}[kind]
