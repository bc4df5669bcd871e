"""Rows of a journal on disk as Arrow tables of some hundred thousand rows (extra `spark`).

Unreadable input is reported and left out: a damaged Parquet part, or an invalid line.
"""

import io
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from mockbroker.audit.runs.run_table import JOURNAL_COLUMNS
from mockbroker.events.progress_bar import Advance, ignore_advance
from mockbroker.journal.entry import COLUMNS
from mockbroker.journal.files.folder import in_order
from mockbroker.journal.files.manifest import (
    Manifest,
    missing_numbers,
    part_number,
    part_path,
    parts_of,
)

pa: Any = import_module("pyarrow")
pq: Any = import_module("pyarrow.parquet")
pj: Any = import_module("pyarrow.json")

ROWS_AT_ONCE: Final = 100_000
"""Approximate number of rows in memory at once; twice as many take 60 MiB more."""
_BYTES_AT_ONCE: Final = 16 << 20
_BLOCK_BYTES: Final = 8 << 20
_SHOWN: Final = 80
_TOLD: Final = 10
_KINDS: Final = {column.name: column.kind for column in COLUMNS}
_TEXTS: Final = [name for name in JOURNAL_COLUMNS if _KINDS.get(name) == "string"]


class JournalTables:
    """Rows of a journal; iterable once, after which `broken` describes the unreadable input."""

    def __init__(
        self,
        folder: str | Path,
        rows_at_once: int = ROWS_AT_ONCE,
        advance: Advance = ignore_advance,
        parts: Sequence[Path] | None = None,
    ) -> None:
        """Read the manifest of a folder; `advance` takes the number of bytes that were read.

        With `parts`, only these are read, and no others are missed.

        Raises:
            ValueError: it is of a schema that this version does not know.
            OSError: there is no journal.

        """
        self.folder: Final = Path(folder)
        self.manifest: Final = Manifest.read(self.folder)
        self.broken: Final[list[str]] = []
        self.rows = 0
        """Number of rows read, of any kind."""
        self._rows_at_once: Final = rows_at_once
        self._advance: Final = advance
        self._given: Final = parts

    def __iter__(self) -> Iterator[Any]:
        """Yield tables with the columns of `JOURNAL_COLUMNS` that the journal has."""
        read = self._parquet if self.manifest.format == "parquet" else self._jsonl
        waiting: list[Any] = []
        for path in in_order(self._parts()):
            for table in read(path):
                self.rows += table.num_rows
                waiting.append(table)
                if sum(each.num_rows for each in waiting) >= self._rows_at_once:
                    yield _together(waiting)
                    waiting = []
        if waiting:
            yield _together(waiting)

    def _parquet(self, path: Path) -> Iterator[Any]:
        with self._telling(path):
            yield from _groups(path)
            self._advance(path.stat().st_size)

    def _jsonl(self, path: Path) -> Iterator[Any]:
        with self._telling(path):
            for block in _blocks(path):
                yield from self._of_lines(path, block.splitlines(keepends=True), block)
                self._advance(len(block))

    @contextmanager
    def _telling(self, path: Path) -> Generator[None]:
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            self.broken.append(f"{path.name} cannot be read: {_first_line(error)}")

    def _parts(self) -> Iterator[Path]:
        """Yield the parts, and report missing ones if all have numbers."""
        if self._given is not None:
            yield from self._given
            return
        paths = parts_of(self.folder, self.manifest.format)
        numbers = [part_number(path.name) for path in paths]
        known = [number for number in numbers if number is not None]
        missing = missing_numbers(known) if len(known) == len(numbers) else []
        names = [part_path(self.folder, number, self.manifest.format).name for number in missing]
        self.broken.extend(f"{name} is missing" for name in names[:_TOLD])
        if len(names) > _TOLD:
            self.broken.append(f"{len(names) - _TOLD} more parts are missing")
        yield from paths

    def _of_lines(self, path: Path, lines: list[bytes], block: bytes) -> Iterator[Any]:
        """Yield the rows of lines; find invalid lines by repeated halving."""
        try:
            yield _parsed(block, max(map(len, lines)))
        except pa.ArrowException as error:
            if len(lines) == 1:
                line = lines[0][:_SHOWN].decode(errors="replace").rstrip()
                why = _first_line(error)
                self.broken.append(f"{path.name} has a line that is no row: {line} ({why})")
                return
            for half in (lines[: len(lines) // 2], lines[len(lines) // 2 :]):
                yield from self._of_lines(path, half, b"".join(half))


def _groups(path: Path) -> Iterator[Any]:
    with pq.ParquetFile(path, read_dictionary=_TEXTS) as file:
        names = [name for name in JOURNAL_COLUMNS if name in file.schema_arrow.names]
        for group in range(file.num_row_groups):
            yield file.read_row_group(group, columns=names)


def _blocks(path: Path) -> Iterator[bytes]:
    """Yield complete lines; a last line without an end was cut off when the process was killed."""
    with path.open("rb") as file:
        left = b""
        while block := file.read(_BYTES_AT_ONCE):
            whole, newline, left = (left + block).rpartition(b"\n")
            if newline:
                yield whole + newline


def _arrow(kind: str) -> Any:
    return pa.string() if kind == "string" else pa.bool_() if kind == "bool" else pa.int64()


_SCHEMA: Final = pa.schema([(name, _arrow(_KINDS[name])) for name in JOURNAL_COLUMNS])


def _parsed(lines: bytes, longest: int) -> Any:
    """Parse lines; the longest one, with the identities of a batch, has to fit into a block."""
    options = pj.ParseOptions(explicit_schema=_SCHEMA, unexpected_field_behavior="ignore")
    reading = pj.ReadOptions(block_size=max(_BLOCK_BYTES, longest))
    table = pj.read_json(io.BytesIO(lines), read_options=reading, parse_options=options)
    if table["seq"].null_count or table["kind"].null_count:
        raise pa.ArrowInvalid("it has no seq or no kind")
    return table


def _together(tables: list[Any]) -> Any:
    return tables[0] if len(tables) == 1 else pa.concat_tables(tables, promote_options="default")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
