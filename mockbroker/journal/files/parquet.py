"""Journal as Parquet (extra `spark`), the format for audits of a hundred million rows.

A file is written under another name, and renamed when it is complete. Within a file, rows are
ordered by kind and not by `seq`; readers sort them.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from mockbroker.events.event_types import BatchProduced
from mockbroker.journal.entry import COLUMNS, Entry
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.files.manifest import (
    PART_S,
    ROWS_A_PART,
    UNKNOWN_SPAN,
    Manifest,
    PartSpan,
    part_path,
    parts_of,
)
from mockbroker.journal.files.parquet_tables import Produced, table_of, table_of_recorded
from mockbroker.journal.recorded import Recorded
from mockbroker.journal.recorder import entries_of
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

SUFFIX: Final = "parquet"
_ROWS_AT_ONCE: Final = 10_000
_ROWS_ENCODED_AT_ONCE: Final = 65_536

_SEARCHED: Final = ["seq", "kind", "virtual_time_ms", "topic", "partition", "producer_id"]
"""The columns by whose statistics readers skip files."""


def _module(name: str) -> Any:
    """Import a module without type annotations, when it is needed."""
    return import_module(name)


class ParquetParts:
    """The files of a journal that is being written."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        """Start without files."""
        self._folder: Final = folder
        self._manifest: Final = manifest
        self._number = 0
        self._begun_s = 0.0
        self._rows = 0
        self._rows_written = 0
        self._entries: list[Entry] = []
        self._produced: list[Produced] = []

    def write(self, recorded: Recorded, expansion: Expansion) -> None:
        """Buffer the entries of an event for the next file."""
        event = recorded.event
        if isinstance(event, BatchProduced):
            self._produced.append((recorded, event))
            self._added(entries_of(event))
        else:
            self.write_entries(expansion.entries(recorded))

    def write_entries(self, entries: list[Entry]) -> None:
        """Buffer entries for the next file."""
        self._entries += entries
        self._added(len(entries))

    def _added(self, rows: int) -> None:
        if not self._rows:
            self._begun_s = time.monotonic()
        self._rows += rows
        if self._rows >= ROWS_A_PART:
            self._next_part()

    def flush(self) -> None:
        """Complete a file if rows have waited for long."""
        if self._rows and time.monotonic() - self._begun_s > PART_S:
            self._next_part()

    def close(self) -> None:
        """Complete the last file."""
        if self._rows:
            self._next_part()
        self._manifest.close(self._folder, self._rows_written)

    def abandon(self) -> None:
        """Do nothing: a file is open only while it is written."""

    def _next_part(self) -> None:
        table = table_of(self._entries, self._produced)
        self._entries, self._produced, self._rows = [], [], 0
        self._number += 1
        path = part_path(self._folder, self._number, SUFFIX)
        unfinished = path.with_name(f".{path.name}")
        write_part(unfinished, table)
        self._rows_written += table.num_rows
        unfinished.rename(path)


def write_part(path: Path, table: Any) -> None:
    """Write a table of a journal's columns to a file.

    Most numbers increase, so they are small as differences, and fast to write. Arrow's own schema
    is left out, so that readers get plain strings and not dictionaries. For data this small, zstd
    saves nothing over snappy, and takes twice the time.
    """
    _module("pyarrow.parquet").write_table(
        table,
        path,
        compression="snappy",
        use_dictionary=_named_with("string"),
        column_encoding=dict.fromkeys(_named_with("int"), "DELTA_BINARY_PACKED"),
        write_statistics=_SEARCHED,
        store_schema=False,
        write_batch_size=_ROWS_ENCODED_AT_ONCE,
    )


def _named_with(kind: str) -> list[str]:
    return [column.name for column in COLUMNS if column.kind.startswith(kind)]


def read_parquet(
    folder: Path, parts: Sequence[Path] | None = None, columns: Sequence[str] | None = None
) -> Iterator[Entry]:
    """Read all entries of the files that are finished, or those of some, or some columns."""
    pc = _module("pyarrow.compute")
    pq = _module("pyarrow.parquet")

    names = [column.name for column in COLUMNS] if columns is None else list(columns)
    for path in parts_of(folder, SUFFIX) if parts is None else parts:
        with pq.ParquetFile(path) as file:
            table = file.read(columns=names)
        # Stable: the rows of one entry stay as they are.
        order = pc.array_sort_indices(table["seq"].combine_chunks())
        for batch in table.take(order).to_batches(_ROWS_AT_ONCE):
            yield from map(entry_of, batch.to_pylist())


def span_of(path: Path) -> PartSpan:
    """Return the least and the greatest number in a part by its footer, if that is there."""
    pa, pq = _module("pyarrow"), _module("pyarrow.parquet")
    try:
        metadata = pq.read_metadata(path)
        place = metadata.schema.to_arrow_schema().get_field_index("seq")
    except (pa.ArrowException, OSError):
        return UNKNOWN_SPAN
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    known = [group.column(place).statistics for group in groups if place >= 0]
    if not known or any(each is None or not each.has_min_max for each in known):
        return UNKNOWN_SPAN
    return PartSpan(min(each.min for each in known), max(each.max for each in known))


_APIS: Final = {api.title: api for api in ApiKey}


def entry_of(row: dict[str, Any]) -> Entry:
    """Convert a row of a table to an entry, with names for APIs and errors."""
    api, error = row.get("api"), row.get("error")
    row["api"] = None if api is None else _APIS[api]
    row["error"] = None if error is None else ErrorCode[error]
    times: dict[str, Any] = {"wall_time_us": 0, "virtual_time_ms": 0}
    return Entry(**(times | row))


class ParquetBackend(NamedTuple):
    """What a journal needs of this module, which is imported only where the extra is installed."""

    parts: Callable[[Path, Manifest], ParquetParts]
    read: Callable[[Path, Sequence[Path] | None, Sequence[str] | None], Iterator[Entry]]
    span: Callable[[Path], PartSpan]
    table: Callable[[Iterable[Recorded], Expansion], Any]


PARQUET: Final = ParquetBackend(ParquetParts, read_parquet, span_of, table_of_recorded)
