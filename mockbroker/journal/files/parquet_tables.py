"""Tables of a Parquet journal: entries as columns, and produced batches as columns.

Produced batches are converted from arrays to columns, without rows in between.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import chain
from typing import Any, Final

import numpy as np

from mockbroker.events.event_types import BatchProduced
from mockbroker.journal.entry import COLUMNS, Entry, authenticated, stored_value
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.files.arrow_arrays import (
    arrow_type,
    column,
    nulls,
    numbers,
    same,
)
from mockbroker.journal.recorded import Recorded
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.records.header_fields import HEADER_FIELDS
from mockbroker.protocol.types import TRANSACTIONAL
from mockbroker.state.events import LogPosition

Produced = tuple[Recorded, BatchProduced]

_API: Final = ApiKey.PRODUCE.title
_ERROR: Final = ErrorCode.NONE.name
_KINDS: Final[Mapping[str, str]] = {each.name: each.kind for each in COLUMNS}
"""The kinds of columns by their names."""


@cache
def schema() -> Any:
    """Return the columns as an Arrow schema."""
    return import_module("pyarrow").schema(
        [(name, arrow_type(kind)) for name, kind in _KINDS.items()]
    )


def table_of(entries: Sequence[Entry], produced: Sequence[Produced]) -> Any:
    """Build one table of entries and produced batches, by kind; readers order it by `seq`."""
    tables = [_of_entries(entries)] if entries else []
    if produced:
        tables += _of_produced(produced)
    return import_module("pyarrow").concat_tables(tables).unify_dictionaries()


def table_of_recorded(recorded: Iterable[Recorded], expansion: Expansion) -> Any:
    """Build one table of recorded events, by kind."""
    entries: list[Entry] = []
    produced: list[Produced] = []
    for each in recorded:
        if isinstance(each.event, BatchProduced):
            produced.append((each, each.event))
        else:
            entries += expansion.entries(each)
    return table_of(entries, produced)


def _table(arrays: list[Any]) -> Any:
    return import_module("pyarrow").Table.from_arrays(arrays, schema=schema())


def _of_entries(entries: Sequence[Entry]) -> Any:
    values = ([stored_value(value) for value in each] for each in zip(*entries, strict=True))
    return _table([column(v, kind) for v, kind in zip(values, _KINDS.values(), strict=True)])


def _of_produced(produced: Sequence[Produced]) -> list[Any]:
    """Build a table of the requests, one of the appends, and one of the responses."""
    columns = _ProducedColumns(produced)
    answered = [each for each in produced if each[1].sender.acks]
    tables = [columns.table("request", 0), columns.table("append", 1)]
    if len(answered) == len(produced):
        return [*tables, columns.table("answer", 2)]
    return [*tables, *([_ProducedColumns(answered).table("answer", 2)] if answered else [])]


class _ProducedColumns:
    """Columns of produced batches."""

    def __init__(self, produced: Sequence[Produced]) -> None:
        """Lay out what requests, appends and answers share."""
        self._batches = batches = [batch for _, batch in produced]
        self._count = len(batches)
        self._headers = self._rows(HEADER_FIELDS, (batch.fields for batch in batches))
        self._positions = self._rows(LogPosition._fields[1:], (batch.log[1:] for batch in batches))
        self._seq = self._numbers(recorded.seq for recorded, _ in produced)
        self._base_offset: Any = self._numbers(batch.base_offset for batch in batches)
        senders = [batch.sender for batch in batches]
        self._shared = self._arrays(
            {
                "wall_time_us": self._numbers(recorded.wall_time_us for recorded, _ in produced),
                "virtual_time_ms": self._numbers(
                    recorded.virtual_time_ms for recorded, _ in produced
                ),
                "api": same(_API, self._count),
                "call": self._numbers(batch.number for batch in batches),
                "correlation_id": self._numbers(batch.correlation_id for batch in batches),
                "record_count": self._headers["record_count"],
                "producer_id": self._headers["producer_id"],
                "producer_epoch": self._headers["producer_epoch"],
                "base_sequence": self._headers["base_sequence"],
                "is_transactional": self._headers["attributes"] & TRANSACTIONAL != 0,
                "broker": self._numbers(sender.broker for sender in senders),
                "connection": self._numbers(sender.connection for sender in senders),
                "client_id": self._texts(sender.client_id for sender in senders),
                "principal": self._texts(authenticated(sender.principal) for sender in senders),
                "version": self._numbers(sender.version for sender in senders),
                "topic": self._texts(batch.log.topic for batch in batches),
                "partition": self._positions["partition"],
            }
        )
        self._asked = self._arrays(
            {
                "transactional_id": self._texts(sender.transactional_id for sender in senders),
                "acks": self._numbers(sender.acks for sender in senders),
            }
        )
        self._nulls = {kind: nulls(kind, self._count) for kind in set(_KINDS.values())}
        self._no = np.zeros(self._count, dtype=bool)

    def _numbers(self, values: Iterable[int]) -> Any:
        return np.fromiter(values, np.int64, self._count)

    def _rows(self, names: Sequence[str], rows: Iterable[Sequence[int]]) -> Mapping[str, Any]:
        """Make columns of values that lie side by side, by their names."""
        values = chain.from_iterable(rows)
        table = np.fromiter(values, np.int64, self._count * len(names))
        return dict(zip(names, table.reshape(self._count, len(names)).T.copy(), strict=True))

    @staticmethod
    def _texts(values: Iterable[str | None]) -> Any:
        return column(list(values), "string")

    @staticmethod
    def _arrays(values: Mapping[str, Any]) -> dict[str, Any]:
        """Convert the columns to Arrow arrays, once for all tables."""
        pa = import_module("pyarrow")
        return {
            name: each if isinstance(each, pa.Array) else numbers(each, _KINDS[name])
            for name, each in values.items()
        }

    def table(self, kind: str, number: int) -> Any:
        """Build the rows of a kind, one per batch; `number` is their position in a batch."""
        columns = self._arrays(
            {"seq": self._seq + number, "kind": same(kind, self._count), **_MORE[kind](self)}
        )
        arrays = {**self._shared, **columns}
        return _table([arrays.get(name, self._nulls[of]) for name, of in _KINDS.items()])

    def asked(self) -> Mapping[str, Any]:
        """Return the columns of requests, which responses share."""
        return self._asked

    def appended(self) -> Mapping[str, Any]:
        """Return the columns of appends."""
        positions = self._positions
        return {
            "base_offset": self._base_offset,
            "last_offset": self._base_offset + self._headers["last_offset_delta"],
            "crc": self._headers["crc"],
            "is_duplicate": self._no,
            "broker": positions["leader_id"],
            "leader_epoch": positions["leader_epoch"],
            "log_start_offset": positions["log_start_offset"],
            "last_stable_offset": positions["last_stable_offset"],
            "high_watermark": positions["high_watermark"],
            "log_end_offset": positions["log_end_offset"],
        }

    def answered(self) -> Mapping[str, Any]:
        """Return the columns of responses."""
        return {
            **self._asked,
            "base_offset": self._base_offset,
            "log_start_offset": self._positions["log_start_offset"],
            "error": same(_ERROR, self._count),
        }


_MORE: Final[Mapping[str, Callable[[_ProducedColumns], Mapping[str, Any]]]] = {
    "request": _ProducedColumns.asked,
    "append": _ProducedColumns.appended,
    "answer": _ProducedColumns.answered,
}
