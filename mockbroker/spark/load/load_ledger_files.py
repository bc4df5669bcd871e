"""Parquet files of a load's ledger (extra `spark`): written by tasks, read by the audit.

A file is written under another name, and renamed when it is complete. Each attempt has its own
file, because a task that dies has first written the rows of the records it had sent.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from mockbroker.errors import install_hint
from mockbroker.spark.load.load_ledger import (
    SENT_COLUMNS,
    VISIBLE_COLUMNS,
    LedgerColumn,
    LedgerError,
    LedgerManifest,
    SentRow,
    VisibleRecord,
)

_ROWS_AT_ONCE: Final = 10_000
_MISSING: Final = f"the ledger of a load needs pyarrow: {install_hint('spark')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadLedger:
    """A ledger in memory."""

    manifest: LedgerManifest
    rows: Sequence[SentRow]
    """Rows by task, attempt and order of sending."""
    visible: Sequence[VisibleRecord] | None
    """Visible records by topic, partition and offset; None if they were not read."""
    waiting: Mapping[tuple[str, int], int]
    """By topic and partition: the offset from which open transactions blocked readers then, so that
    the visible records there are unknown."""
    broken: Sequence[str]
    """Defects, one sentence each; rows of these files are missing."""


def require_pyarrow() -> None:
    """Check that pyarrow is installed.

    Raises:
        ImportError: it is not; the text names the extra.

    """
    try:
        import_module("pyarrow.parquet")
    except ImportError as missing:
        raise ImportError(_MISSING) from missing


def write_sent(folder: Path, task: int, attempt: int, rows: Sequence[SentRow]) -> Path:
    """Write the rows of a task's attempt; replace an existing file of that attempt."""
    columns = [[row[at] for row in map(_SENT, rows)] for at in range(len(SENT_COLUMNS))]
    path = folder / f"part-{task:05}-{attempt:02}.parquet"
    _write(path, SENT_COLUMNS, columns)
    return path


_SENT: Final = attrgetter(*(column.name for column in SENT_COLUMNS))


def settle(folder: Path, tasks: Sequence[int]) -> None:
    """Mark the last attempts of some tasks as complete, because the whole job succeeded."""
    for task in tasks:
        path = max(folder.glob(f"part-{task:05}-*.parquet"))
        rows = [SentRow(**said) for said in read_part(path).to_pylist()]
        for row in rows:
            row.outcome = "acked"
        write_sent(folder, task, rows[0].attempt, rows)


def write_visible(folder: Path, records: Iterable[VisibleRecord]) -> int:
    """Write the records that a read_committed consumer found, and return their number."""
    found = sorted(records)
    columns: list[list[Any]] = [list(column) for column in zip(*found, strict=True)]
    _write(
        folder / "visible-00001.parquet",
        VISIBLE_COLUMNS,
        columns or [[] for _ in VISIBLE_COLUMNS],
    )
    return len(found)


def _write(path: Path, declared: Sequence[LedgerColumn], columns: list[list[Any]]) -> None:
    pa, pq = _module("pyarrow"), _module("pyarrow.parquet")
    kinds = [getattr(pa, column.kind)() for column in declared]
    arrays = [pa.array(values, kind) for values, kind in zip(columns, kinds, strict=True)]
    table = pa.Table.from_arrays(arrays, names=[column.name for column in declared])
    unfinished = path.with_name(f".{path.name}")
    pq.write_table(table, unfinished, compression="zstd")
    unfinished.rename(path)


def read_ledger(folder: str | Path) -> LoadLedger:
    """Read a ledger; broken files are reported and left out.

    Raises:
        ImportError: the extra is not installed.
        LedgerError: there is no ledger that this version can read.

    """
    path = Path(folder)
    manifest = LedgerManifest.read(path)
    require_pyarrow()
    broken: list[str] = []
    rows = [SentRow(**said) for said in _read(path, "part-*", SENT_COLUMNS, broken)]
    looked = any(path.glob("visible-*.parquet"))
    visible = [VisibleRecord(**said) for said in _read(path, "visible-*", VISIBLE_COLUMNS, broken)]
    if not manifest.is_closed:
        broken.append(f"the load that wrote {path} did not come to its end: rows may be missing")
    elif len(rows) < manifest.counts.sent:
        broken.append(f"{path} has {len(rows)} of the {manifest.counts.sent} rows of its load")
    return LoadLedger(
        manifest=manifest,
        rows=rows,
        visible=sorted(visible) if looked else None,
        waiting={(manifest.topic, int(each)): at for each, at in manifest.waiting.items()},
        broken=tuple(broken),
    )


def _read(
    folder: Path, name: str, declared: Sequence[LedgerColumn], broken: list[str]
) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob(f"{name}.parquet")):
        try:
            table = read_part(path, declared)
        except LedgerError as error:
            broken.append(str(error))
            continue
        for batch in table.to_batches(_ROWS_AT_ONCE):
            yield from batch.to_pylist()


def read_part(path: Path, declared: Sequence[LedgerColumn] = SENT_COLUMNS) -> Any:
    """Read the declared columns of one file as a `pyarrow.Table`.

    Raises:
        LedgerError: it is truncated, or another kind of file.

    """
    pa, pq = _module("pyarrow"), _module("pyarrow.parquet")
    schema = pa.schema([(column.name, getattr(pa, column.kind)()) for column in declared])
    try:
        with pq.ParquetFile(path) as file:
            return file.read(columns=schema.names).select(schema.names).cast(schema)
    except (OSError, ValueError, LookupError, pa.ArrowException) as error:
        first_line = str(error).partition("\n")[0]
        raise LedgerError(f"{path} cannot be read: {first_line}") from None


def _module(name: str) -> Any:
    """Import a module without type annotations, when it is needed."""
    return import_module(name)
