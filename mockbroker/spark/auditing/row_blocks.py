"""Rows in blocks of bytes, as they travel between workers.

Spark converts and sorts rows one by one, which takes longer than to judge them. So workers divide
their rows by the task that is to judge them, and Spark moves one block of bytes for each. A block
has some thousand rows of one task in Arrow's format, compressed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import groupby, pairwise
from typing import Any, Final

import numpy as np

from mockbroker.audit.runs.column_arrays import Ints, whole
from mockbroker.audit.runs.run import COLUMNS
from mockbroker.audit.shards.partition_rows import changes
from mockbroker.audit.shards.scoped_rows import BY_PARTITION, SHARD, in_order_of, key_numbers
from mockbroker.audit.shards.survey import Key

pa: Any = import_module("pyarrow")
pc: Any = import_module("pyarrow.compute")
ipc: Any = import_module("pyarrow.ipc")

BLOCKS: Final = "`task` bigint, `slice` bigint, `rows` binary"
"""Spark schema of blocks."""
LARGE: Final = 500_000
"""From how many rows on those with the same keys are too many to be sorted at once."""
_ROWS_AT_ONCE: Final = 200_000
"""Number of rows that are divided together: more make larger blocks."""
_FEW: Final = ("kind", "api", "error", "marker", "state_before", "state_after")
"""Columns of few texts, which keep their dictionaries."""
_OPTIONS: Final = ipc.IpcWriteOptions(compression="lz4")


@dataclass(frozen=True, slots=True)
class Division:
    """Which task gets a row: one for all rows with the same keys."""

    keys: Sequence[str]
    """`BY_PARTITION` or `BY_SHARD`."""
    tasks: Sequence[int]
    """Numbers that Spark distributes to different tasks."""
    large: Mapping[Key, int] = field(default_factory=dict[Key, int])
    """The numbers of tasks for keys with many rows: they have no other rows, and are in slices."""
    entries_a_slice: int = 1_000_000
    """Entries of the journal of which the rows with such a key are sorted at once."""

    def of(self, runs: Any) -> tuple[Ints, Ints]:
        """Return the task and the slice of each row."""
        tasks = np.asarray(self.tasks, np.int64)[key_numbers(runs, self.keys) % len(self.tasks)]
        slices = np.zeros(len(tasks), np.int64)
        for key, number in self.large.items():
            is_its = pc.equal(runs[self.keys[0]].cast(pa.string()), key[0])
            if self.keys == BY_PARTITION:
                is_its = pc.and_(is_its, pc.equal(runs["partition"], key[1]))
            index = np.flatnonzero(pc.fill_null(is_its, False).to_numpy(zero_copy_only=False))
            tasks[index] = number
            slices[index] = runs["seq"].to_numpy()[index] // self.entries_a_slice
        return tasks, slices


def in_blocks(tables: Iterable[Any], division: Division) -> Iterator[Any]:
    """Divide tables of runs; yield record batches of `BLOCKS`."""
    waiting: list[Any] = []
    for table in tables:
        waiting.append(table)
        if sum(each.num_rows for each in waiting) >= _ROWS_AT_ONCE:
            yield _blocks(waiting, division)
    if waiting:
        yield _blocks(waiting, division)


def _blocks(waiting: list[Any], division: Division) -> Any:
    """Divide what waits, and forget it."""
    runs = pa.concat_tables(waiting).unify_dictionaries().combine_chunks()
    waiting.clear()
    tasks, slices = division.of(runs)
    order = np.lexsort((slices, tasks))
    runs, tasks, slices = runs.take(pa.array(order)), tasks[order], slices[order]
    bounds = [*np.flatnonzero(changes(tasks, slices)).tolist(), runs.num_rows]
    blocks = [_bytes_of(runs.slice(one, two - one)) for one, two in pairwise(bounds)]
    return pa.RecordBatch.from_pydict(
        {
            "task": pa.array(tasks[bounds[:-1]]),
            "slice": pa.array(slices[bounds[:-1]]),
            "rows": pa.array(blocks, pa.binary()),
        }
    )


def _bytes_of(runs: Any) -> bytes:
    """Return rows in Arrow's format, without the columns and the dictionaries of other rows."""
    columns = {}
    for name, column in zip(runs.column_names, runs.columns, strict=True):
        if column.null_count < runs.num_rows:
            is_one_of_many = pa.types.is_dictionary(column.type) and name not in _FEW
            columns[name] = column.cast(pa.string()) if is_one_of_many else column
    there = pa.table(columns)
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, there.schema, options=_OPTIONS) as writer:
        writer.write_table(there)
    return bytes(sink.getvalue())


def from_blocks(batches: Iterable[Any], keys: Sequence[str]) -> Iterator[Any]:
    """Yield tables of runs, sorted by keys and number; blocks are in the order of their tasks."""
    blocks = (block for batch in batches for block in zip(*batch.columns, strict=True))
    for _, of_slice in groupby(blocks, key=lambda block: (block[0].as_py(), block[1].as_py())):
        tables = [ipc.open_stream(block[2].as_buffer()).read_all() for block in of_slice]
        rows = _together(tables)
        yield from in_order_of(rows, keys, rows.num_rows)


def _together(tables: list[Any]) -> Any:
    """Return tables as one, with all columns of runs, and forget them."""
    rows = pa.concat_tables(tables, promote_options="default")
    tables.clear()
    columns = {column.name: whole(rows, column.name) for column in COLUMNS}
    return pa.table({**columns, **({SHARD: rows[SHARD]} if SHARD in rows.column_names else {})})
