"""Runs of a journal, folded from its tables (extra `spark`)."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mockbroker.audit.folding.folder import Folder
from mockbroker.audit.reading import Reading, size_of, unseen
from mockbroker.audit.runs.journal_tables import JournalTables
from mockbroker.audit.runs.run import Run, StreamKey
from mockbroker.audit.runs.run_table import runs_of
from mockbroker.audit.source import Source


def folded_reader(
    journal: str | Path | Sequence[Any],
    source: Source,
    reading: Reading = unseen,
    parts: Sequence[Path] | None = None,
) -> Callable[[frozenset[StreamKey]], tuple[list[Run], Source]]:
    """Return what reads a journal's folder, or Arrow tables of its rows, for `local.decided`.

    With `parts`, only these are read of a folder.
    """
    is_folder = isinstance(journal, str | Path)
    read_tables = partial(_of_folder, reading, parts) if is_folder else _of_tables

    def read(unfolded: frozenset[StreamKey]) -> tuple[list[Run], Source]:
        folded = Folder(unfolded)
        rows, broken = read_tables(journal, folded)
        found = runs_of(folded.runs())
        return found, source._replace(events=rows, broken=(*source.broken, *broken))

    return read


def _of_folder(
    reading: Reading, parts: Sequence[Path] | None, folder: Any, folded: Folder
) -> tuple[int, Sequence[str]]:
    """Fold a folder; return the number of its rows, and what of it cannot be read."""
    with reading(size_of(folder)) as advance:
        tables = JournalTables(folder, advance=advance, parts=parts)
        for table in tables:
            folded.add(table)
    return tables.rows, tables.broken


def _of_tables(tables: Any, folded: Folder) -> tuple[int, Sequence[str]]:
    for table in tables:
        folded.add(table)
    return sum(table.num_rows for table in tables), ()
