"""Ledger of sent batches, their appends and their responses: one compact row per batch.

A ledger deletes nothing. When all its rows are used, it is written no more, and assertions that
depend on it fail.
"""

import struct
from collections.abc import Iterator
from typing import Final

from mockbroker.journal.compact.row import COLUMNS, Row
from mockbroker.journal.compact.transaction_event import Decision, EpochGiven, Fenced
from mockbroker.protocol.types import TopicPartition

ROWS_MAX: Final = 1_000_000
"""Default number of rows of a ledger: 67 MB when all of them are used."""

_PACK: Final = COLUMNS.pack


class Ledger:
    """The rows of one cluster, in the order in which the batches arrived.

    `RowRecorder` writes it on the cluster's loop, where it is read as well.
    """

    def __init__(self, rows_max: int = ROWS_MAX) -> None:
        """Start empty, with a maximum number of rows."""
        self.rows_max: Final = rows_max
        self.clear()

    def clear(self) -> None:
        """Delete everything, because the cluster was reset."""
        self._columns = bytearray()
        self._size = 0
        self.dropped = 0
        """Number of rows that were lost before the full ledger was written no more."""
        self.places: list[TopicPartition] = []
        """The partitions, by their numbers in rows."""
        self.gone: set[int] = set()
        """The numbers of partitions whose topic was deleted."""
        self.clients: dict[int, str | None] = {}
        """The client ids of connections."""
        self.truncations: dict[int, list[tuple[int, int]]] = {}
        """Truncations by the partition's number: the moment, and the log end offset after it."""
        self.decisions: list[Decision] = []
        self.epochs: list[EpochGiven] = []
        self.assigned: dict[str, tuple[int, int]] = {}
        """The last producer id and epoch that was recorded of each transactional id."""
        self.fenced: dict[Fenced, int] = {}
        """Producers that got the error of a fenced one, and how often."""
        self.hung_up: dict[tuple[str, str], int] = {}
        """Reasons of closed connections with a detail for people, and how often."""
        self._numbers: dict[TopicPartition, int] = {}

    # Writing

    def number_of(self, place: TopicPartition) -> int:
        """Return the number of a partition; a recreated topic gets new numbers."""
        number = self._numbers.get(place)
        if number is None:
            number = self._numbers[place] = len(self.places)
            self.places.append(place)
        return number

    def has_room(self) -> bool:
        """Return whether there is room for another row or event; if not, count it as lost."""
        if self._size + len(self.decisions) + len(self.epochs) < self.rows_max:
            return True
        self.dropped += 1
        return False

    def add(self, *columns: int) -> int:
        """Add a row, given in the order of `Row`, and return its index; -1 without room."""
        if not self.has_room():
            return -1
        self._columns += _PACK(*columns)
        self._size += 1
        return self._size - 1

    def row(self, index: int) -> Row:
        """Return one row."""
        return Row._make(COLUMNS.unpack_from(self._columns, index * COLUMNS.size))

    def change(self, index: int, **changes: int) -> None:
        """Replace some columns of a row."""
        row = self.row(index)._replace(**changes)
        COLUMNS.pack_into(self._columns, index * COLUMNS.size, *row)

    def truncated(self, place: TopicPartition, order: int, end_offset: int) -> None:
        """Record a truncation, with the number of its event."""
        self.truncations.setdefault(self.number_of(place), []).append((order, end_offset))

    def topic_deleted(self, topic: str) -> None:
        """Record a deleted topic; a later topic of the same name is another one."""
        for place in [place for place in self._numbers if place.topic == topic]:
            self.gone.add(self._numbers.pop(place))

    # Reading

    def __len__(self) -> int:
        """Count the rows."""
        return self._size

    @property
    def size_bytes(self) -> int:
        """The memory that the rows take."""
        return len(self._columns)

    def __iter__(self) -> Iterator[Row]:
        """Yield all rows."""
        return map(Row._make, self.columns(COLUMNS))

    def columns(self, layout: struct.Struct) -> Iterator[tuple[int, ...]]:
        """Yield the columns of all rows that a layout of the size of `COLUMNS` reads."""
        return layout.iter_unpack(bytes(self._columns))
