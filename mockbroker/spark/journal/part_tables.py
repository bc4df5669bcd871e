"""Tables from the bytes of a journal's Parquet file, as read by a worker."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Final

from mockbroker.audit.runs.run_table import JOURNAL_COLUMNS
from mockbroker.journal.entry import COLUMNS

_KINDS: Final = {column.name: column.kind for column in COLUMNS}
_NEEDED: Final = ("seq", "kind", "virtual_time_ms")


def part_tables(content: Any, columns: Sequence[str] = JOURNAL_COLUMNS) -> Iterator[Any]:
    """Yield the row groups of a file, with those of some columns that it has.

    Raises:
        ArrowException, OSError: it is not a Parquet file, or it is damaged.
        ValueError: its rows are not journal entries.

    """
    pa: Any = import_module("pyarrow")
    pq: Any = import_module("pyarrow.parquet")

    there = {field.name: field.type for field in pq.read_schema(pa.BufferReader(content))}
    names = [name for name in JOURNAL_COLUMNS if name in there]
    if not set(_NEEDED) <= set(names):
        raise ValueError("its rows are not entries of a journal")
    for name in names:
        if not _fits(pa, there[name], _KINDS[name]):
            raise ValueError(
                f"its column {name} has the type {there[name]} instead of {_KINDS[name]}"
            )
    texts = [name for name in names if _KINDS[name] == "string"]
    wanted = [name for name in names if name in columns]
    with pq.ParquetFile(pa.BufferReader(content), read_dictionary=texts) as file:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, columns=wanted)
            if any(table[name].null_count for name in _NEEDED):
                raise ValueError("some of its rows are not entries of a journal")
            yield table


def _fits(pa: Any, there: Any, kind: str) -> bool:
    if pa.types.is_dictionary(there):
        there = there.value_type
    if kind == "string":
        return bool(pa.types.is_string(there) or pa.types.is_large_string(there))
    return bool(pa.types.is_boolean(there) if kind == "bool" else pa.types.is_integer(there))
