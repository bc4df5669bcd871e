"""Rows of whole partitions as arrays: what columns can tell of them (extra `spark`)."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np

from mockbroker.audit.runs.column_arrays import Bools, Ints, are, codes, numbers, truths, whole

pa: Any = import_module("pyarrow")

ROWS_AT_ONCE: Final = 50_000
"""Maximum number of rows of a table in which partitions are looked at together."""
PARTITION_MAX: Final = 250_000
"""Maximum number of rows of a partition that is looked at as a whole; it has to be in memory."""


class PartitionPiece(NamedTuple):
    """Rows of some partitions, or a part of the rows of a large one."""

    number: int
    """The same for all parts of a partition."""
    is_part: bool
    table: Any


def changes(*keys: Ints) -> Bools:
    """Return for sorted rows which one begins a new group of equal keys."""
    begins = np.zeros(len(keys[0]), bool)
    begins[:1] = True
    for each in keys:
        begins[1:] |= each[1:] != each[:-1]
    return begins


class PartitionRows:
    """Rows of partitions, sorted by partition and number."""

    def __init__(self, table: Any) -> None:
        """Take a table of runs."""
        self.table: Final = table
        self._whole: Final[dict[str, Any]] = {}
        begins = changes(codes(self.column("topic")), self.numbers("partition"))
        self.starts: Final[Ints] = np.flatnonzero(begins)
        """The first row of each partition."""
        self.place: Final[Ints] = np.cumsum(begins) - 1
        """Of each row: the number of its partition."""

    def column(self, name: str) -> Any:
        """Return a column as one array of Arrow."""
        if name not in self._whole:
            self._whole[name] = whole(self.table, name)
        return self._whole[name]

    def numbers(self, name: str) -> Ints:
        """Return a column of numbers, and -1 for null."""
        return numbers(self.column(name))

    def are(self, name: str, *texts: str) -> Bools:
        """Return which rows have one of some texts in a column."""
        return are(self.column(name), *texts)

    def answers(self, api: str) -> Bools:
        """Return which rows are responses, given or lost."""
        return self.are("kind", "answer", "lost") & self.are("api", api)

    @property
    def count(self) -> int:
        """Number of partitions."""
        return len(self.starts)

    def partitions_of(self, rows: Any) -> Bools:
        """Return which partitions have any of some rows; rows are indices, or a mask."""
        return self.among(self.place[rows])

    def among(self, places: Ints) -> Bools:
        """Return which partitions are among some numbers of partitions."""
        return np.bincount(places, minlength=self.count) > 0

    def with_many(self, mask: Bools, keys: Sequence[Ints], count: int) -> Bools:
        """Return which partitions have so many rows of a mask with equal keys."""
        index = np.flatnonzero(mask)
        index = index[np.lexsort((*(each[index] for each in keys), self.place[index]))]
        starts = np.flatnonzero(changes(self.place[index], *(each[index] for each in keys)))
        sizes = np.diff(np.append(starts, len(index)))
        return self.partitions_of(index[starts[sizes >= count]])

    @cached_property
    def is_repeated(self) -> Bools:
        """Rows with a batch that the leader recognised as a retry."""
        return self.are("kind", "append", "marker") & truths(self.column("is_duplicate"))

    @cached_property
    def stored(self) -> "StoredRows":
        """The rows of batches and markers that were appended."""
        return StoredRows(self)


class StoredRows:
    """Batches and markers that were appended, as arrays in the order of the rows.

    It does not know the rows: a cycle would stay in memory while the garbage collector pauses.
    """

    def __init__(self, rows: PartitionRows) -> None:
        """Choose them among the rows of partitions."""
        is_stored = rows.are("kind", "append", "marker") & ~rows.is_repeated
        self.rows: Final[Ints] = np.flatnonzero(is_stored)
        """Their indices."""
        self.place: Final[Ints] = rows.place[self.rows]
        self.begins: Final = changes(self.place)
        """The first one of each partition."""
        self.is_marker: Final[Bools] = rows.are("kind", "marker")[self.rows]
        self.producer_id: Final[Ints] = rows.numbers("producer_id")[self.rows]
        self.base_offset: Final[Ints] = rows.numbers("base_offset")[self.rows]
        self.last_offset: Final[Ints] = rows.numbers("last_offset")[self.rows]
        self.last_stable_offset: Final[Ints] = rows.numbers("last_stable_offset")[self.rows]


def in_pieces(tables: Iterable[Any]) -> Iterator[PartitionPiece]:
    """Cut tables of sorted rows where partitions begin."""
    number, is_part, rest = 0, False, None
    for table in tables:
        rows = table if rest is None else pa.concat_tables([rest, table])
        starts = PartitionRows(rows).starts
        if is_part and len(starts) > 1:
            yield PartitionPiece(number, is_part, rows.slice(0, starts[1]))
            number, is_part = number + 1, False
            rows, starts = rows.slice(starts[1]), starts[1:] - starts[1]
        if len(starts) > 1:
            yield PartitionPiece(number, is_part, rows.slice(0, starts[-1]))
            number, rows = number + 1, rows.slice(starts[-1])
        is_part = is_part or rows.num_rows > PARTITION_MAX
        if is_part:
            yield PartitionPiece(number, is_part, rows.slice(0, rows.num_rows - 1))
        # One row of a large partition is left, to which the next table's are compared.
        rest = rows.slice(rows.num_rows - 1) if is_part else rows
    if rest is not None:
        yield PartitionPiece(number, is_part, rest)
