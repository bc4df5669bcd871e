"""A journal as Parquet (extra `spark`): what an audit reads a hundred million rows of.

A file counts when it is finished: it is written under another name, and then named. Produced
batches go from numbers to columns as they are, and are never rows in between. Within a file rows
are in the order of their kinds, not of their `seq`: sorting is for who reads.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Final

from mockbroker.happenings import BatchProduced, RunProduced
from mockbroker.journal.entry import COLUMNS, Entry
from mockbroker.journal.expansion import Expansion
from mockbroker.journal.heard import Heard
from mockbroker.journal.manifest import Manifest, part_path, parts_of
from mockbroker.journal.produced import ProducedRun, produced_run
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

SUFFIX: Final = "parquet"
ROWS_A_PART: Final = 200_000
PART_S: Final = 10.0
"""For how long rows wait for others, before they are a file of their own."""
_ROWS_AT_ONCE: Final = 10_000
_MISSING: Final = "a journal as Parquet needs pyarrow: pip install 'mockbroker[spark]'"
_API: Final = ApiKey.PRODUCE.title
_ERROR: Final = ErrorCode.NONE.name

_SEARCHED: Final = ["seq", "kind", "virtual_time_ms", "topic", "partition", "producer_id"]
"""The columns by which readers leave files out."""

Produced = tuple[Heard, ProducedRun]


def require_pyarrow() -> None:
    """Check that Parquet can be written.

    Raises:
        ImportError: the extra is not installed; the text says which.

    """
    try:
        import_module("numpy")
        import_module("pyarrow.parquet")
    except ImportError as missing:
        raise ImportError(_MISSING) from missing


def _module(name: str) -> Any:
    """Import what carries no types, when it is needed."""
    return import_module(name)


class ParquetParts:
    """The files of a journal that is being written."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        """Begin with nothing."""
        self._folder: Final = folder
        self._manifest: Final = manifest
        self._number = 0
        self._begun_s = 0.0
        self._rows = 0
        self._entries: list[Entry] = []
        self._produced: list[Produced] = []

    def write(self, heard: Heard, expansion: Expansion) -> None:
        """Remember the entries of something, for the next file."""
        happening = heard.happening
        if isinstance(happening, RunProduced | BatchProduced):
            run = produced_run(happening)
            self._produced.append((heard, run))
            self._added(len(run.correlation_ids) * len(run.kinds))
        else:
            self.write_entries(expansion.entries(heard))

    def write_entries(self, entries: list[Entry]) -> None:
        """Remember entries, for the next file."""
        self._entries += entries
        self._added(len(entries))

    def _added(self, rows: int) -> None:
        if not self._rows:
            self._begun_s = time.monotonic()
        self._rows += rows
        if self._rows >= ROWS_A_PART:
            self._next_part()

    def flush(self) -> None:
        """Finish a file where rows have waited for long."""
        if self._rows and time.monotonic() - self._begun_s > PART_S:
            self._next_part()

    def close(self) -> None:
        """Finish the last file."""
        if self._rows:
            self._next_part()
        self._manifest.close(self._folder)

    def _next_part(self) -> None:
        pq = _module("pyarrow.parquet")

        table = table_of(self._entries, self._produced)
        self._entries, self._produced, self._rows = [], [], 0
        self._number += 1
        path = part_path(self._folder, self._number, SUFFIX)
        unfinished = path.with_name(f".{path.name}")
        # Numbers here mostly count on: as differences they are small, and quick to write. Without
        # Arrow's own schema a reader finds plain strings, and not our dictionaries.
        pq.write_table(
            table,
            unfinished,
            compression="zstd",
            use_dictionary=_named_with("string"),
            column_encoding=dict.fromkeys(_named_with("int"), "DELTA_BINARY_PACKED"),
            write_statistics=_SEARCHED,
            store_schema=False,
        )
        unfinished.rename(path)


def _named_with(kind: str) -> list[str]:
    return [column.name for column in COLUMNS if column.kind.startswith(kind)]


def read_parquet(folder: Path) -> Iterator[Entry]:
    """Read all entries of the files that are finished.

    Raises:
        ImportError: the extra is not installed.

    """
    require_pyarrow()
    return _read(folder)


def _read(folder: Path) -> Iterator[Entry]:
    pc = _module("pyarrow.compute")
    pq = _module("pyarrow.parquet")

    names = [column.name for column in COLUMNS]
    for path in parts_of(folder, SUFFIX):
        with pq.ParquetFile(path) as file:
            table = file.read(columns=names)
        # Stable: the rows of one entry stay as they are.
        order = pc.array_sort_indices(table["seq"].combine_chunks())
        for batch in table.take(order).to_batches(_ROWS_AT_ONCE):
            yield from map(_entry, batch.to_pylist())


_APIS: Final = {api.title: api for api in ApiKey}


def _entry(said: dict[str, Any]) -> Entry:
    api, error = said["api"], said["error"]
    said["api"] = None if api is None else _APIS[api]
    said["error"] = None if error is None else ErrorCode[error]
    return Entry(**said)


# Tables


def schema() -> Any:
    """Return the columns as Arrow has them."""
    pa = _module("pyarrow")

    kinds = {name: getattr(pa, arrow)() for name, arrow in _ARROW.items()}
    kinds["string"] = pa.dictionary(pa.int32(), pa.string())  # few texts, many times
    return pa.schema([(column.name, kinds[column.kind]) for column in COLUMNS])


_ARROW: Final = {
    "int64": "int64",
    "int32": "int32",
    "int16": "int16",
    "bool": "bool_",
}


def table_of(entries: Sequence[Entry], produced: Sequence[Produced]) -> Any:
    """Make one table of entries and of produced batches: kind by kind, to be ordered by `seq`."""
    pa = _module("pyarrow")

    tables = [_of_entries(entries)] if entries else []
    if produced:
        tables += _of_produced(produced)
    return pa.concat_tables(tables).unify_dictionaries()


def _of_entries(entries: Sequence[Entry]) -> Any:
    pa = _module("pyarrow")

    plain = ([_plain(value) for value in column] for column in zip(*entries, strict=True))
    fields = schema()
    arrays = [pa.array(column, field.type) for column, field in zip(plain, fields, strict=True)]
    return pa.table(arrays, schema=fields)


def _plain(value: object) -> object:
    if isinstance(value, ApiKey):
        return value.title
    return value.name if isinstance(value, Enum) else value


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
        sizes = self._each(lambda run: run.record_count)
        first = self._each(lambda run: run.base_offset) + self._index * sizes
        end = first + sizes
        has_producer = self._each(lambda run: int(run.producer_id >= 0))
        self._correlation_ids = np.array(
            list(chain.from_iterable(run.correlation_ids for run in self._runs))
        )
        steps = self._each(lambda run: len(run.kinds))
        self._seq = self._heard("seq") + self._index * steps
        self._shared: dict[str, Any] = {
            "wall_time_us": self._heard("wall_time_us"),
            "virtual_time_ms": self._heard("virtual_time_ms"),
            "api": _same(_API, len(self._index)),
            "call": self._each(lambda run: run.first_number) + self._index,
            "correlation_id": self._correlation_ids,
            "base_sequence": self._each(lambda run: run.base_sequence) + self._index * has_producer,
            "record_count": sizes,
            **self._of_sender(),
            **self._of_log(),
        }
        self._asked: dict[str, Any] = {
            "transactional_id": self._texts(lambda run: run.sender.transactional_id),
            "acks": self._each(lambda run: run.sender.acks),
        }
        self._log_start = self._each(lambda run: run.log.log_start_offset)
        self._offsets = {"base_offset": first, "last_offset": end - 1, "log_end_offset": end}
        stable, watermark = zip(*(run.follows for run in self._runs), strict=True)
        for name, follows in (("last_stable_offset", stable), ("high_watermark", watermark)):
            fixed = np.array([getattr(run.log, name) for run in self._runs])
            self._offsets[name] = np.where(
                np.array(follows)[self._run_of], end, fixed[self._run_of]
            )

    def _each(self, value: Callable[[ProducedRun], int]) -> Any:
        """Give every batch what its run has."""
        import numpy as np

        return np.array([value(run) for run in self._runs], dtype=np.int64)[self._run_of]

    def _texts(self, value: Callable[[ProducedRun], str | None]) -> Any:
        pa = _module("pyarrow")

        texts = pa.array([value(run) for run in self._runs], pa.string()).dictionary_encode()
        indices = texts.indices.take(pa.array(self._run_of))
        return pa.DictionaryArray.from_arrays(indices, texts.dictionary)

    def table(self, kind: str, number: int) -> Any:
        """Make the rows of a kind, of each batch one; `number` is their place in a batch."""
        pa = _module("pyarrow")

        count = len(self._index)
        values: dict[str, Any] = {
            **self._shared,
            "seq": self._seq + number,
            "kind": _same(kind, count),
            **_MORE[kind](self, count),
        }
        fields = schema()
        arrays = [_array(values.get(field.name), field.type, count) for field in fields]
        return pa.table(arrays, schema=fields)

    def _heard(self, name: str) -> Any:
        import numpy as np

        return np.array([getattr(heard, name) for heard, _ in self._produced])[self._run_of]

    def _of_sender(self) -> dict[str, Any]:
        return {
            "broker": self._each(lambda run: run.sender.broker),
            "connection": self._each(lambda run: run.sender.connection),
            "client_id": self._texts(lambda run: run.sender.client_id),
            "version": self._each(lambda run: run.sender.version),
            "producer_id": self._each(lambda run: run.producer_id),
            "producer_epoch": self._each(lambda run: run.producer_epoch),
            "is_transactional": self._each(lambda run: int(run.is_transactional)).astype(bool),
        }

    def _of_log(self) -> dict[str, Any]:
        return {
            "topic": self._texts(lambda run: run.log.topic),
            "partition": self._each(lambda run: run.log.partition),
        }

    def asked(self, _count: int) -> dict[str, Any]:
        """Return what only requests and answers say."""
        return self._asked

    def appended(self, count: int) -> dict[str, Any]:
        """Return what only appends say."""
        import numpy as np

        return {
            **self._offsets,
            "crc": np.fromiter(chain.from_iterable(run.crcs for run in self._runs), np.int64),
            "broker": self._each(lambda run: run.log.leader_id),
            "leader_epoch": self._each(lambda run: run.log.leader_epoch),
            "log_start_offset": self._log_start,
            "is_duplicate": np.zeros(count, dtype=bool),
        }

    def answered(self, count: int) -> dict[str, Any]:
        """Return what answers say."""
        return {
            **self.asked(count),
            "base_offset": self._offsets["base_offset"],
            "log_start_offset": self._log_start,
            "error": _same(_ERROR, count),
        }


_MORE: Final[dict[str, Callable[[_ProducedColumns, int], dict[str, Any]]]] = {
    "request": _ProducedColumns.asked,
    "append": _ProducedColumns.appended,
    "answer": _ProducedColumns.answered,
}


def _same(text: str, count: int) -> Any:
    pa = _module("pyarrow")

    return pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), count), [text])


def _array(values: Any, kind: Any, count: int) -> Any:
    pa = _module("pyarrow")

    if values is None:
        return pa.nulls(count, kind)
    return values if isinstance(values, pa.Array) else pa.array(values, kind)
