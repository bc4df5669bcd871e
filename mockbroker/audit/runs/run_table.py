"""Runs as Arrow tables, from rows of a journal and for the rules' input (extra `spark`)."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import repeat
from typing import Any, Final

from mockbroker.audit.runs.journal_runs import ANSWERS, KINDS, REQUESTS
from mockbroker.audit.runs.run import COLUMNS, Run, Stream
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

pa: Any = import_module("pyarrow")
pc: Any = import_module("pyarrow.compute")

_RENAMED: Final[Mapping[str, str]] = {
    "first_seq": "seq",
    "last_seq": "seq",
    "first_time_ms": "virtual_time_ms",
    "last_time_ms": "virtual_time_ms",
    "last_producer_epoch": "producer_epoch",
}
"""Columns of runs that are other columns of a journal."""
_MADE: Final = frozenset({"stream", "events"})
_FOLDED_ONLY: Final = frozenset(
    {"base_stable_offset", "stuck_since_seq", "stuck_since_ms", "longest_ms", "next_sequence"}
)
JOURNAL_COLUMNS: Final = tuple(
    sorted(
        {
            _RENAMED.get(column.name, column.name)
            for column in COLUMNS
            if column.name not in _MADE | _FOLDED_ONLY
        }
    )
)
"""The columns of a journal that an audit reads; those that an older journal has not are null."""


@cache
def run_schema(*, is_plain: bool = False) -> Any:
    """Return the columns of runs as an Arrow schema; with `is_plain`, without dictionaries."""
    text = pa.string() if is_plain else pa.dictionary(pa.int32(), pa.string())
    kinds = {"int64": pa.int64(), "bool": pa.bool_(), "string": text}
    return pa.schema([(column.name, kinds[column.kind]) for column in COLUMNS])


def runs_of_rows(rows: Any) -> Any:
    """Return a run for each row of a journal that a rule needs, as `journal_runs` does.

    `rows` is a table or a record batch with some of `JOURNAL_COLUMNS`.
    """
    table = rows if isinstance(rows, pa.Table) else pa.Table.from_batches([rows])
    table = table.filter(_needed(table))
    count = table.num_rows
    fields = run_schema()
    arrays: list[Any] = []
    for field in fields:
        name = _RENAMED.get(field.name, field.name)
        if field.name == "stream":
            arrays.append(_same(Stream.EVENT.value, count))
        elif field.name == "events":
            arrays.append(pa.repeat(pa.scalar(1, pa.int64()), count))
        elif name in table.column_names and field.name not in _FOLDED_ONLY:
            arrays.append(_converted(table[name], field.type))
        else:
            arrays.append(pa.nulls(count, field.type))
    return pa.table(arrays, schema=fields)


def _converted(column: Any, kind: Any) -> Any:
    if pa.types.is_dictionary(kind) and not pa.types.is_dictionary(column.type):
        return column.cast(pa.string()).dictionary_encode()
    return column if column.type == kind else column.cast(kind)


def _same(text: str, count: int) -> Any:
    return pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), count), [text])


def _needed(table: Any) -> Any:
    """Return the rows that a rule needs."""
    kind = table["kind"]
    answers = pc.and_(_is_any(kind, {"answer"}), _of_apis(table, ANSWERS))
    fetched = pc.and_(_is_any(kind, {"answer"}), _of_apis(table, {ApiKey.FETCH}))
    is_empty = _is_any(table["error"], {ErrorCode.NONE.name})
    if "last_offset" in table.column_names:
        is_empty = pc.and_(is_empty, pc.is_null(table["last_offset"]))
    fetched = pc.and_not(fetched, is_empty)
    requests = pc.and_(_is_any(kind, {"request"}), _of_apis(table, REQUESTS))
    return pc.or_(pc.or_(_is_any(kind, KINDS), fetched), pc.or_(answers, requests))


def _of_apis(table: Any, apis: Iterable[ApiKey]) -> Any:
    return _is_any(table["api"], {api.title for api in apis})


def _is_any(column: Any, texts: Iterable[str]) -> Any:
    wanted = pa.array(sorted(texts), pa.string())
    if pa.types.is_dictionary(column.type):
        found = [
            pc.is_in(chunk.dictionary, value_set=wanted).take(chunk.indices)
            for chunk in column.chunks
        ]
        return pc.fill_null(pa.chunked_array(found, pa.bool_()), False)
    return pc.fill_null(pc.is_in(column, value_set=wanted), False)


def joined(tables: Sequence[Any]) -> Any:
    """Join tables of runs to one, with or without dictionaries."""
    fields = run_schema()
    whole = pa.concat_tables([_as_runs(table, fields) for table in tables])
    return whole.unify_dictionaries().combine_chunks() if whole.num_rows else whole


def _as_runs(table: Any, fields: Any) -> Any:
    if isinstance(table, pa.RecordBatch):
        table = pa.Table.from_batches([table])
    if table.schema.equals(fields):
        return table
    arrays = [_converted(table[field.name], field.type) for field in fields]
    return pa.table(arrays, schema=fields)


def without_dictionaries(table: Any) -> Any:
    """Return a table of runs without dictionaries, in the form for other programs."""
    return table.cast(run_schema(is_plain=True))


def runs_of(table: Any) -> list[Run]:
    """Convert a table to runs."""
    lists = [_values(table[column.name]) for column in COLUMNS]
    return list(map(Run._make, zip(*lists, strict=True)))


def _values(column: Any) -> Any:
    """Return a column's values, five times as fast as `to_pylist`.

    Most columns of runs are empty in most rows; numpy converts the numbers of a whole column at
    once.
    """
    count = len(column)
    if column.null_count == count:
        return repeat(None, count)
    if pa.types.is_dictionary(column.type):
        whole = column.unify_dictionaries().combine_chunks()
        if isinstance(whole, pa.ChunkedArray):
            whole = whole.chunk(0)
        texts = [*whole.dictionary.to_pylist(), None]
        nothing = pa.scalar(len(texts) - 1, whole.indices.type)
        return map(texts.__getitem__, whole.indices.fill_null(nothing).to_numpy().tolist())
    if not pa.types.is_integer(column.type):
        return column.to_pylist()
    numbers = pc.fill_null(column, 0).to_numpy().tolist()
    for place in pc.indices_nonzero(column.is_null()).to_pylist() if column.null_count else ():
        numbers[place] = None
    return numbers


def table_of(runs: Iterable[Run]) -> Any:
    """Convert runs to a table."""
    fields = run_schema()
    lists = list(zip(*runs, strict=True)) or [()] * len(fields)
    arrays = [
        pa.array(values, pa.string()).dictionary_encode()
        if pa.types.is_dictionary(field.type)
        else pa.array(values, field.type)
        for values, field in zip(lists, fields, strict=True)
    ]
    return pa.table(arrays, schema=fields)
