"""Rows for partitions, from Arrow batches with the columns of Spark's own Kafka sink."""

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final, NamedTuple

from mockbroker.protocol.records.murmur2 import murmur2
from mockbroker.spark.sink.row_encoding import Headers, SinkRows
from mockbroker.spark.sink.sink_error import KafkaEosError

_pa: Final[Any] = import_module("pyarrow")  # it has no type annotations

_POSITIVE: Final = 0x7FFFFFFF
_TYPES: Final = {
    "key": "string or binary",
    "value": "string or binary",
    "topic": "string",
    "partition": "int",
    "headers": "array<struct<key: string, value: binary>>",
}

PartitionCount = Callable[[str], int]
"""Number of partitions of a topic."""


class RowTarget(NamedTuple):
    """A partition to write to."""

    topic: str
    partition: int


def check_columns(schema: Any, topic: str | None, *, has_headers: bool) -> None:
    """Check the columns of a query, given its Spark schema.

    Raises:
        KafkaEosError: a column is missing, unknown, or of another type.

    """
    found = {field.name: field.dataType.simpleString() for field in schema.fields}
    allowed = {
        **dict.fromkeys(("key", "value"), ("string", "binary")),
        "topic": ("string",),
        "partition": ("int",),
        "headers": ("array<struct<key:string,value:binary>>",),
    }
    for name, kind in found.items():
        if name not in allowed:
            raise KafkaEosError(f"unknown column {name}: the columns are {', '.join(_TYPES)}")
        if kind not in allowed[name]:
            raise KafkaEosError(f"the column {name} is {kind}: it has to be {_TYPES[name]}")
    if "value" not in found:
        raise KafkaEosError("the column value is missing")
    if topic is None and "topic" not in found:
        raise KafkaEosError("no topic: set the option topic, or add a column topic")
    if has_headers and "headers" not in found:
        raise KafkaEosError("includeHeaders=true, and the column headers is missing")


class RowRouter:
    """Assignment of rows to partitions, as Kafka's Java client does it.

    A row's own partition comes first, then the hash of its key. Rows without both go to one
    partition until a request is full, then to the next one.
    """

    def __init__(
        self, topic: str | None, partition_count: PartitionCount, *, has_headers: bool, start: int
    ) -> None:
        """Take the topic of all rows, and the partition (modulo their number) to begin with."""
        self._topic = topic
        self._partition_count = partition_count
        self._has_headers = has_headers
        self._next = start

    def routed(self, batch: Any) -> Iterator[tuple[RowTarget, SinkRows]]:
        """Yield the rows of an Arrow batch, by partition.

        Raises:
            KafkaEosError: a row has no topic, or no such partition.

        """
        if not batch.num_rows:
            return
        self._next += 1
        columns = {name: batch.column(at) for at, name in enumerate(batch.schema.names)}
        rows = SinkRows(
            _bytes_of(columns.get("key")),
            _bytes_of(columns["value"]) or [None] * batch.num_rows,
            _headers_of(columns.get("headers")) if self._has_headers else None,
        )
        topics = _values_of(columns.get("topic")) if self._topic is None else None
        partitions = _values_of(columns.get("partition"))
        if self._topic is not None and rows.keys is None and partitions is None:
            yield self._without_key(self._topic), rows
            return
        yield from self._split(rows, topics, partitions)

    def _split(
        self, rows: SinkRows, topics: list[str | None] | None, partitions: list[int | None] | None
    ) -> Iterator[tuple[RowTarget, SinkRows]]:
        places: dict[RowTarget, list[int]] = {}
        for at in range(len(rows.values)):
            topic = self._topic if topics is None else topics[at]
            if topic is None:
                raise KafkaEosError("a row has no topic: set the option topic")
            partition = None if partitions is None else partitions[at]
            key = None if rows.keys is None else rows.keys[at]
            target = self._target(topic, partition, key)
            places.setdefault(target, []).append(at)
        for target, chosen in places.items():
            yield (
                target,
                SinkRows(
                    None if rows.keys is None else [rows.keys[at] for at in chosen],
                    [rows.values[at] for at in chosen],
                    None if rows.headers is None else [rows.headers[at] for at in chosen],
                ),
            )

    def _target(self, topic: str, partition: int | None, key: bytes | None) -> RowTarget:
        if partition is not None:
            if not 0 <= partition < self._partition_count(topic):
                raise KafkaEosError(f"topic {topic} has no partition {partition}")
            return RowTarget(topic, partition)
        if key is not None:
            return RowTarget(topic, (murmur2(key) & _POSITIVE) % self._partition_count(topic))
        return self._without_key(topic)

    def _without_key(self, topic: str) -> RowTarget:
        return RowTarget(topic, self._next % self._partition_count(topic))


def _bytes_of(column: Any) -> list[bytes | None] | None:
    if column is None or column.null_count == len(column):
        return None
    kind = column.type
    is_text = _pa.types.is_string(kind) or _pa.types.is_large_string(kind)
    values: list[bytes | None] = (column.cast(_pa.binary()) if is_text else column).to_pylist()
    return values


def _values_of(column: Any) -> list[Any] | None:
    return None if column is None or column.null_count == len(column) else column.to_pylist()


def _headers_of(column: Any) -> list[Headers | None] | None:
    rows = _values_of(column)
    if rows is None:
        return None
    return [row and [(header["key"], header["value"]) for header in row] for row in rows]
