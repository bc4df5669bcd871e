"""Selection of the rows around findings from Parquet files, in Spark's workers.

Row groups without wanted numbers are skipped by their statistics.
"""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

from mockbroker.journal.entry import COLUMNS

Batches = Iterator[Any]


class Window(NamedTuple):
    """Filter for rows near a finding: all columns that are not None have to match."""

    first_seq: int
    last_seq: int
    kinds: tuple[str, ...]
    topic: str | None = None
    partition: int | None = None
    producer_id: int | None = None
    transactional_id: str | None = None


_SAID: Final = ("topic", "partition", "producer_id", "transactional_id")


def picking(proof: Sequence[int], windows: Sequence[Window]) -> Callable[[Batches], Batches]:
    """Return a function for `mapInArrow` that selects the wanted rows of `path` and `content`."""

    def picked(batches: Batches) -> Batches:
        for batch in batches:
            for content in batch.column("content"):
                yield from picked_rows(content.as_buffer(), proof, windows)

    return picked


def picked_rows(content: Any, proof: Sequence[int], windows: Sequence[Window]) -> Batches:
    """Yield the rows of a file whose number is in `proof`, or which are in a window."""
    pa: Any = import_module("pyarrow")
    pq: Any = import_module("pyarrow.parquet")

    with pq.ParquetFile(pa.BufferReader(content)) as file:
        there = set(file.schema_arrow.names)
        names = [column.name for column in COLUMNS if column.name in there]
        for group in range(file.num_row_groups):
            low, high = _numbers(file, group)
            seqs = [seq for seq in proof if low <= seq <= high]
            near = [each for each in windows if each.first_seq <= high and each.last_seq >= low]
            if seqs or near:
                table = file.read_row_group(group, columns=names)
                yield from _as_rows(pa, table.filter(_wanted(seqs, near)))


def _numbers(file: Any, group: int) -> tuple[int, int]:
    about = file.metadata.row_group(group).column(file.schema_arrow.get_field_index("seq"))
    said = about.statistics
    if said is None or not said.has_min_max:
        return 0, 1 << 62
    return said.min, said.max


def _wanted(seqs: Sequence[int], near: Sequence[Window]) -> Any:
    pc: Any = import_module("pyarrow.compute")

    seq, kind = pc.field("seq"), pc.field("kind")
    wanted: Any = seq.isin(list(seqs))
    for each in near:
        inside = (seq >= each.first_seq) & (seq <= each.last_seq) & kind.isin(list(each.kinds))
        for name in _SAID:
            value = getattr(each, name)
            if value is not None:
                inside &= pc.field(name) == value
        wanted |= inside
    return wanted


def _as_rows(pa: Any, table: Any) -> Batches:
    kinds = {"int64": pa.int64(), "int32": pa.int32(), "int16": pa.int16(), "bool": pa.bool_()}
    fields = [pa.field(column.name, kinds.get(column.kind, pa.string())) for column in COLUMNS]
    arrays = [
        table[field.name].cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in fields
    ]
    rows = pa.table(arrays, schema=pa.schema(fields)).combine_chunks()
    yield from rows.to_batches()
