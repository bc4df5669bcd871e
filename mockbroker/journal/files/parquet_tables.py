"""The tables of a Parquet journal: entries as columns, and produced batches as columns.

Produced batches go from numbers to columns as they are, and are never rows in between.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import chain
from typing import Any, Final

from mockbroker.events.event_types import BatchProduced, RunProduced
from mockbroker.journal.entry import COLUMNS, Entry, plain
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.files.arrow_arrays import (
    arrow_type,
    column,
    nulls,
    numbers,
    same,
    texts,
)
from mockbroker.journal.files.produced import ProducedRun, produced_run
from mockbroker.journal.heard import Heard
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

Produced = tuple[Heard, ProducedRun]

_API: Final = ApiKey.PRODUCE.title
_ERROR: Final = ErrorCode.NONE.name
_KINDS: Final[Mapping[str, str]] = {each.name: each.kind for each in COLUMNS}
"""The kinds of columns by their names."""


@cache
def schema() -> Any:
    """Return the columns as Arrow has them."""
    return import_module("pyarrow").schema(
        [(name, arrow_type(kind)) for name, kind in _KINDS.items()]
    )


def table_of(entries: Sequence[Entry], produced: Sequence[Produced]) -> Any:
    """Make one table of entries and of produced batches: kind by kind, to be ordered by `seq`."""
    tables = [_of_entries(entries)] if entries else []
    if produced:
        tables += _of_produced(produced)
    return import_module("pyarrow").concat_tables(tables).unify_dictionaries()


def table_of_heard(heard: Iterable[Heard], expansion: Expansion) -> Any:
    """Make one table of what was heard, likewise."""
    entries: list[Entry] = []
    produced: list[Produced] = []
    for each in heard:
        if isinstance(each.happening, RunProduced | BatchProduced):
            produced.append((each, produced_run(each.happening)))
        else:
            entries += expansion.entries(each)
    return table_of(entries, produced)


def _table(arrays: list[Any]) -> Any:
    return import_module("pyarrow").Table.from_arrays(arrays, schema=schema())


def _of_entries(entries: Sequence[Entry]) -> Any:
    values = ([plain(value) for value in each] for each in zip(*entries, strict=True))
    return _table([column(v, kind) for v, kind in zip(values, _KINDS.values(), strict=True)])


def _of_produced(produced: Sequence[Produced]) -> list[Any]:
    """Make a table of the requests, one of the appends, and one of the answers."""
    columns = _ProducedColumns(produced)
    answered = [each for each in produced if each[1].sender.acks]
    tables = [columns.table("request", 0), columns.table("append", 1)]
    if len(answered) == len(produced):
        return [*tables, columns.table("answer", 2)]
    return [*tables, *([_ProducedColumns(answered).table("answer", 2)] if answered else [])]


class _ProducedColumns:
    """The columns of produced batches: one value a run, or one a batch."""

    def __init__(self, produced: Sequence[Produced]) -> None:
        """Lay out all batches of all runs behind one another."""
        import numpy as np

        self._produced = produced
        self._runs = [run for _, run in produced]
        counts = np.array([len(run.correlation_ids) for run in self._runs])
        self._run_of = np.repeat(np.arange(len(counts)), counts)
        starts = np.repeat(np.cumsum(counts) - counts, counts)
        self._index = np.arange(len(starts)) - starts
        self._seq = self._heard("seq") + self._index * self._each(lambda run: len(run.kinds))
        sizes = self._each(lambda run: run.record_count)
        self._first: Any = self._each(lambda run: run.base_offset) + self._index * sizes
        self._end: Any = self._first + sizes
        self._shared = self._arrays(self._of_all(sizes))
        self._asked = self._arrays(
            {
                "transactional_id": self._texts(lambda run: run.sender.transactional_id),
                "acks": self._each(lambda run: run.sender.acks),
            }
        )
        self._log_start = self._each(lambda run: run.log.log_start_offset)
        self._nulls = {kind: nulls(kind, len(self._index)) for kind in set(_KINDS.values())}

    def _of_all(self, sizes: Any) -> dict[str, Any]:
        """Return what requests, appends and answers say."""
        import numpy as np

        has_producer = self._each(lambda run: int(run.producer_id >= 0))
        ids = chain.from_iterable(run.correlation_ids for run in self._runs)
        return {
            "wall_time_us": self._heard("wall_time_us"),
            "virtual_time_ms": self._heard("virtual_time_ms"),
            "api": same(_API, len(self._index)),
            "call": self._each(lambda run: run.first_number) + self._index,
            "correlation_id": np.fromiter(ids, np.int32, len(self._index)),
            "base_sequence": self._each(lambda run: run.base_sequence) + self._index * has_producer,
            "record_count": sizes,
            "broker": self._each(lambda run: run.sender.broker),
            "connection": self._each(lambda run: run.sender.connection),
            "client_id": self._texts(lambda run: run.sender.client_id),
            "version": self._each(lambda run: run.sender.version),
            "producer_id": self._each(lambda run: run.producer_id),
            "producer_epoch": self._each(lambda run: run.producer_epoch),
            "is_transactional": self._each(lambda run: int(run.is_transactional)).astype(bool),
            "topic": self._texts(lambda run: run.log.topic),
            "partition": self._each(lambda run: run.log.partition),
        }

    def _each(self, value: Callable[[ProducedRun], int]) -> Any:
        """Give every batch what its run has."""
        import numpy as np

        return np.array([value(run) for run in self._runs], dtype=np.int64)[self._run_of]

    def _heard(self, name: str) -> Any:
        import numpy as np

        return np.array([getattr(heard, name) for heard, _ in self._produced])[self._run_of]

    def _texts(self, value: Callable[[ProducedRun], str | None]) -> Any:
        return texts([value(run) for run in self._runs], self._run_of)

    @staticmethod
    def _arrays(values: Mapping[str, Any]) -> dict[str, Any]:
        """Make Arrow's arrays of what is not one yet, once for all tables."""
        pa = import_module("pyarrow")
        return {
            name: each if isinstance(each, pa.Array) else numbers(each, _KINDS[name])
            for name, each in values.items()
        }

    def table(self, kind: str, number: int) -> Any:
        """Make the rows of a kind, of each batch one; `number` is their place in a batch."""
        said = self._arrays(
            {
                "seq": self._seq + number,
                "kind": same(kind, len(self._index)),
                **_MORE[kind](self),
            }
        )
        arrays = {**self._shared, **said}
        return _table([arrays.get(name, self._nulls[of]) for name, of in _KINDS.items()])

    def asked(self) -> Mapping[str, Any]:
        """Return what only requests and answers say."""
        return self._asked

    def appended(self) -> Mapping[str, Any]:
        """Return what only appends say."""
        import numpy as np

        crcs = chain.from_iterable(run.crcs for run in self._runs)
        return {
            "base_offset": self._first,
            "last_offset": self._end - 1,
            "last_stable_offset": self._follows(0, "last_stable_offset"),
            "high_watermark": self._follows(1, "high_watermark"),
            "log_end_offset": self._end,
            "crc": np.fromiter(crcs, np.int64, len(self._index)),
            "broker": self._each(lambda run: run.log.leader_id),
            "leader_epoch": self._each(lambda run: run.log.leader_epoch),
            "log_start_offset": self._log_start,
            "is_duplicate": np.zeros(len(self._index), dtype=bool),
        }

    def _follows(self, which: int, name: str) -> Any:
        """Return an offset that follows the log's end in some runs, and stands still in others."""
        import numpy as np

        stands = np.array([not run.follows[which] for run in self._runs])[self._run_of]
        offsets = self._end.copy()
        offsets[stands] = self._each(lambda run: getattr(run.log, name))[stands]
        return offsets

    def answered(self) -> Mapping[str, Any]:
        """Return what answers say."""
        return {
            **self._asked,
            "base_offset": self._first,
            "log_start_offset": self._log_start,
            "error": same(_ERROR, len(self._index)),
        }


_MORE: Final[Mapping[str, Callable[[_ProducedColumns], Mapping[str, Any]]]] = {
    "request": _ProducedColumns.asked,
    "append": _ProducedColumns.appended,
    "answer": _ProducedColumns.answered,
}
