"""The columns of a table of runs as arrays, and the order of rows in their streams."""

from collections.abc import Collection
from functools import cached_property
from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mockbroker.audit.runs.run import Stream

pa: Any = import_module("pyarrow")
pc: Any = import_module("pyarrow.compute")

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NULL: Final = int(np.iinfo(np.int64).min)
"""The value in an array for null in its column."""
_SMALL: Final = 1 << 16


class Texts(NamedTuple):
    """A column of texts as codes; -1 for rows without a text."""

    codes: NDArray[np.int32]
    texts: list[str]

    def code(self, text: str) -> int:
        """Return the code of a text; if no row has it, a code that no row has."""
        return self.texts.index(text) if text in self.texts else -2

    def are(self, *texts: str) -> Bools:
        """Return the rows that have one of the given texts."""
        wanted = [code for code, text in enumerate(self.texts) if text in texts]
        found: Bools = self.codes == wanted[0] if len(wanted) == 1 else np.isin(self.codes, wanted)
        return found

    def mapped(self, numbers: dict[str, int], otherwise: int = -1) -> Ints:
        """Return a number for each row, by its text."""
        table = np.array([*(numbers.get(text, otherwise) for text in self.texts), otherwise])
        return np.asarray(table[self.codes], np.int64)


class Rows:
    """A table of runs as arrays, in the table's order; each array is built at its first use."""

    def __init__(self, table: Any) -> None:
        """Take a table without chunks and with one dictionary per column, as from `joined`."""
        self.table: Final = table
        self.count: Final[int] = table.num_rows
        self._ints: dict[str, Ints] = {}
        self._texts: dict[str, Texts] = {}

    def ints(self, name: str) -> Ints:
        """Return a column of numbers or Booleans, with `NULL` for null."""
        if name not in self._ints:
            column = self.table[name]
            if pa.types.is_boolean(column.type):
                column = column.cast(pa.int8())
            self._ints[name] = np.asarray(
                pc.fill_null(column.cast(pa.int64()), NULL).to_numpy(), np.int64
            )
        return self._ints[name]

    def texts(self, name: str) -> Texts:
        """Return a column of texts."""
        if name not in self._texts:
            self._texts[name] = _texts(self.table[name])
        return self._texts[name]

    @cached_property
    def is_event(self) -> Bools:
        """Rows that are runs of one event."""
        return self.texts("stream").are(Stream.EVENT)

    def of_kind(self, kind: str) -> Bools:
        """Return the rows that are events of a kind."""
        return self.is_event & self.texts("kind").are(kind)

    def of_stream(self, stream: Stream) -> Bools:
        """Return the rows that are folded runs of a stream."""
        return self.texts("stream").are(stream)

    @cached_property
    def order(self) -> Ints:
        """The rows in order of their first event."""
        first = self.ints("first_seq")
        if bool(np.all(first[1:] >= first[:-1])):
            return np.arange(self.count)
        return np.argsort(first, kind="stable")

    @cached_property
    def places(self) -> "Codes":
        """A number for each partition."""
        topic, partition = self.texts("topic").codes, self.ints("partition")
        has_place = (topic >= 0) & (partition != NULL)
        width = int(partition.max(initial=0)) + 1
        keys = np.where(has_place, topic * np.int64(width) + partition, -1)
        return _dense(keys, width * max(len(self.texts("topic").texts), 1), width)

    @cached_property
    def producers(self) -> Ints:
        """A number for each producer id; -1 for rows without one."""
        ids = self.ints("producer_id")
        indices = pa.array(ids).dictionary_encode().indices.to_numpy().astype(np.int64)
        return np.where(ids >= 0, indices, -1)

    @cached_property
    def producer_count(self) -> int:
        """How many different numbers `producers` has."""
        return int(self.producers.max(initial=-1)) + 1


class Codes(NamedTuple):
    """Numbers from 0 on for keys; -1 for the key -1."""

    codes: Ints
    keys: Ints
    """The key of each number."""
    width: int
    """A key is the topic's code times this number, plus the partition."""


def _dense(keys: Ints, size: int, width: int) -> Codes:
    if size > 8_000_000:
        known, codes = np.unique(keys, return_inverse=True)
        missing = int(len(known) > 0 and known[0] < 0)
        return Codes(np.asarray(codes, np.int64) - missing, known[missing:], width)
    present = np.zeros(size + 1, bool)
    present[keys] = True  # -1 is the last one
    present[size] = False
    number = np.full(size + 1, -1, np.int64)
    known = np.flatnonzero(present)
    number[known] = np.arange(len(known))
    return Codes(number[keys], known, width)


def _texts(column: Any) -> Texts:
    if column.num_chunks == 1:
        array = column.chunk(0)
    elif column.num_chunks:
        array = column.combine_chunks()
    else:
        return Texts(np.empty(0, np.int32), [])
    codes = pc.fill_null(array.indices, -1).to_numpy(zero_copy_only=False)
    return Texts(np.asarray(codes, np.int32), array.dictionary.to_pylist())


def in_streams(rows: Rows, members: Bools, streams: Ints) -> Ints:
    """Return the indices of members, stream by stream, and in order within each stream."""
    index = rows.order[members[rows.order]]
    keys = streams[index]
    if not len(keys):
        return index
    small = int(keys.max()) < _SMALL and int(keys.min()) >= 0
    return index[np.argsort(keys.astype(np.uint16) if small else keys, kind="stable")]


def begins(keys: Ints) -> Bools:
    """Return which of the sorted keys differ from the previous one."""
    return np.concatenate([[True], keys[1:] != keys[:-1]]) if len(keys) else np.zeros(0, bool)


def before(values: NDArray[Any], otherwise: Any) -> NDArray[Any]:
    """Return the value of the previous row."""
    return np.concatenate([[otherwise], values[:-1]]) if len(values) else values


def are_any(values: Ints, wanted: Collection[int]) -> Bools:
    """Return which values are among the given ones."""
    return np.isin(values, np.fromiter(wanted, np.int64, len(wanted)))
