"""Folding of rows to runs inside Spark's workers: each task folds the rows that it reads.

The number of rows and the invalid rows are returned with the runs, so that one pass is enough.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final

from mockbroker.audit.folding.folder import fold_batches
from mockbroker.audit.runs.run import COLUMNS, Run, StreamKey
from mockbroker.spark.journal.journal_rows import UNREAD_IN, UNREAD_TEXT
from mockbroker.spark.journal.part_tables import part_tables

pa: Any = import_module("pyarrow")

ROWS: Final = "rows"
"""Column with the number of rows that a task has read, in a row that is not a run."""
_SPARK_TYPES: Final = {"int64": "bigint", "bool": "boolean", "string": "string"}
SCHEMA: Final = ", ".join(
    [
        *(f"`{column.name}` {_SPARK_TYPES[column.kind]}" for column in COLUMNS),
        *(f"{UNREAD_IN} string", f"{UNREAD_TEXT} string", f"`{ROWS}` bigint"),
    ]
)
"""Spark schema of runs, with the columns of invalid rows and of the row count."""
UNREAD_MAX: Final = 1_000
"""Maximum number of invalid rows that a task reports; more mean a file of another origin."""

Batches = Iterator[Any]


def folding(unfolded: frozenset[StreamKey]) -> Callable[[Batches], Batches]:
    """Return the function for `mapInArrow` that folds a task's rows, except for some streams.

    The rows have the journal columns that an audit reads, `UNREAD_IN` and `UNREAD_TEXT`.
    """

    def folded(batches: Batches) -> Batches:
        task = _Task(batches)
        for runs in fold_batches(task.entries(), unfolded):
            yield _beside(dict(zip(Run._fields, runs.columns, strict=True)), runs.num_rows)
        yield from task.unread_and_count()

    return folded


def folding_parts(unfolded: frozenset[StreamKey]) -> Callable[[Batches], Batches]:
    """Return the same for rows of `path` and `content`, which are files of Parquet.

    Arrow reads a journal's columns several times faster than Spark passes them as rows.
    """

    def folded(batches: Batches) -> Batches:
        task = _Task(batches)
        for runs in fold_batches(task.tables(), unfolded):
            yield _beside(dict(zip(Run._fields, runs.columns, strict=True)), runs.num_rows)
        yield from task.unread_and_count()

    return folded


class _Task:
    """The rows of a task."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._rows = 0
        self._unread: list[Any] = []

    def tables(self) -> Batches:
        """Yield the rows of files by row group, and store the reason if a file is unreadable."""
        for batch in self._batches:
            for path, content in zip(batch.column("path"), batch.column("content"), strict=True):
                yield from self._part(path.as_py(), content.as_buffer())

    def _part(self, path: str, content: Any) -> Batches:
        try:
            for table in part_tables(content):
                self._rows += table.num_rows
                yield table
        except (pa.ArrowException, OSError, ValueError) as broken:
            said = {UNREAD_IN: [path], UNREAD_TEXT: [first_line(broken)]}
            self._unread.append(pa.RecordBatch.from_pydict(said))

    def entries(self) -> Batches:
        """Yield the valid entries, and store the invalid rows."""
        for batch in self._batches:
            self._rows += batch.num_rows
            is_none = batch.column(UNREAD_IN).is_valid()
            sound = batch
            if batch.column(UNREAD_IN).null_count < batch.num_rows:
                self._unread.append(batch.filter(is_none).select([UNREAD_IN, UNREAD_TEXT]))
                sound = batch.filter(batch.column(UNREAD_IN).is_null())
            yield sound.drop_columns([UNREAD_IN, UNREAD_TEXT])

    def unread_and_count(self) -> Batches:
        """Yield the invalid rows, and the number of all rows."""
        left = UNREAD_MAX
        for batch in self._unread:
            first = batch.slice(0, left)
            left -= first.num_rows
            if first.num_rows:
                said = {name: first.column(name) for name in (UNREAD_IN, UNREAD_TEXT)}
                yield _beside(said, first.num_rows)
        yield _beside({ROWS: pa.array([self._rows], pa.int64())}, 1)


def first_line(broken: Exception) -> str:
    """Return the first line of an exception's text."""
    return str(broken).strip().partition("\n")[0].rstrip(".")


def _beside(columns: dict[str, Any], count: int) -> Any:
    """Build a batch with all columns of `SCHEMA`; missing ones are null."""
    kinds = {"int64": pa.int64(), "bool": pa.bool_(), "string": pa.string()}
    fields = [
        *((column.name, kinds[column.kind]) for column in COLUMNS),
        *((UNREAD_IN, pa.string()), (UNREAD_TEXT, pa.string()), (ROWS, pa.int64())),
    ]
    arrays = [columns.get(name, pa.nulls(count, kind)) for name, kind in fields]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
