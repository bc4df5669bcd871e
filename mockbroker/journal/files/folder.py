"""Folder of a journal: created for recording, written in one step, or read."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from mockbroker.journal.entry import Entry
from mockbroker.journal.files.disk_writer import Parts
from mockbroker.journal.files.jsonl import JsonlParts, read_jsonl
from mockbroker.journal.files.manifest import Manifest

ROWS_AT_ONCE: Final = 10_000


def create_journal(folder: Path, manifest: Manifest) -> Parts:
    """Create the folder of a journal, and return its writer.

    Raises:
        FileExistsError: there is something in it.
        ImportError: Parquet needs the extra `spark`.
        OSError: it cannot be made.

    """
    if manifest.format == "parquet":
        from mockbroker.journal.files.parquet import ParquetParts, require_pyarrow

        require_pyarrow()
        manifest.create(folder)
        return ParquetParts(folder, manifest)
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


def read_journal(folder: str | Path) -> Iterator[Entry]:
    """Read the entries of a journal in order, up to its end.

    Raises:
        ImportError: it is Parquet, which needs the extra `spark`.
        ValueError: it is of a schema that this version does not know.
        OSError: there is no journal.

    """
    path = Path(folder)
    if Manifest.read(path).format == "parquet":
        from mockbroker.journal.files.parquet import read_parquet

        return read_parquet(path)
    return read_jsonl(path)
