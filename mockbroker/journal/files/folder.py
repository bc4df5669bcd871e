"""Folder of a journal: created for recording, written in one step, or read."""

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mockbroker.errors import install_hint
from mockbroker.events.progress_bar import Advance, ignore_advance
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.disk_writer import Parts
from mockbroker.journal.files.jsonl import JsonlParts, read_jsonl
from mockbroker.journal.files.jsonl import span_of as span_of_lines
from mockbroker.journal.files.manifest import Manifest, PartSpan, parts_of

if TYPE_CHECKING:
    from mockbroker.journal.files.parquet import ParquetBackend

ROWS_AT_ONCE: Final = 10_000
_MISSING: Final = f"a journal as Parquet needs pyarrow: {install_hint('spark')}"


def create_journal(folder: Path, manifest: Manifest) -> Parts:
    """Create the folder of a journal, and return its writer.

    Raises:
        FileExistsError: there is something in it.
        ImportError: Parquet needs the extra `spark`.
        OSError: it cannot be made.

    """
    if manifest.format == "parquet":
        parquet = parquet_backend()
        manifest.create(folder)
        return parquet.parts(folder, manifest)
    manifest.create(folder)
    return JsonlParts(folder, manifest)


def write_journal(folder: Path, manifest: Manifest, entries: Sequence[Entry]) -> int:
    """Write entries to a new folder, and return the number of rows.

    Raises:
        FileExistsError, ImportError, OSError: as `create_journal`.

    """
    parts = create_journal(folder, manifest)
    for begin in range(0, len(entries), ROWS_AT_ONCE):
        parts.write_entries(list(entries[begin : begin + ROWS_AT_ONCE]))
    parts.close()
    return len(entries)


def read_journal(
    folder: str | Path,
    advance: Advance = ignore_advance,
    parts: Sequence[Path] | None = None,
    columns: Sequence[str] | None = None,
) -> Iterator[Entry]:
    """Read the entries of a journal in order, up to its end; `parts` are those that are read.

    If the journal is of lines, `advance` takes the number of bytes that were read. Of Parquet,
    `columns` are those that are read: `seq` and `kind`, and what the caller needs.

    Raises:
        ImportError: it is Parquet, which needs the extra `spark`.
        ValueError: it is of a schema that this version does not know.
        OSError: there is no journal.

    """
    path = Path(folder)
    kind = Manifest.read(path).format
    ordered = in_order(parts_of(path, kind) if parts is None else parts)
    if kind == "parquet":
        return parquet_backend().read(path, ordered, columns)
    return read_jsonl(path, advance, ordered)


def in_order(parts: Iterable[Path]) -> list[Path]:
    """Order parts by their rows: they may have been renamed when they were copied.

    Raises:
        ImportError: they are Parquet, which needs the extra `spark`.

    """
    return sorted(parts, key=span_of)


def span_of(part: Path) -> PartSpan:
    """Return the numbers of the first and the last row of a part.

    Raises:
        ImportError: it is Parquet, which needs the extra `spark`.

    """
    return parquet_backend().span(part) if part.suffix == ".parquet" else span_of_lines(part)


def parquet_backend() -> "ParquetBackend":
    """Return what writes and reads Parquet.

    Raises:
        ImportError: the extra is not installed; the text says which.

    """
    try:
        import_module("numpy")
        import_module("pyarrow.parquet")
    except ImportError as missing:
        raise ImportError(_MISSING) from missing
    # Imported late: it needs numpy and pyarrow (extra `spark`).
    from mockbroker.journal.files.parquet import PARQUET

    return PARQUET
