"""Records for partitions, from Arrow batches with the columns of Spark's own Kafka sink."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.byte_columns import Ints, bytes_of, is_valid
from mockbroker.spark.sink.key_hashes import murmur2_of
from mockbroker.spark.sink.row_encoding import record_contents

_PARTITION_BITS: Final = 32
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


class RoutedRecords(NamedTuple):
    """Records with their partitions."""

    contents: Any
    """What each record has after its offset (`record_contents`)."""
    places: Ints
    """Partition of each record, as a number that `RowRouter.target` knows."""


class RowRouter:
    """Assignment of rows to partitions, as Kafka's Java client does it.

    A row's own partition comes first, then the hash of its key. Rows of an Arrow batch without both
    go to one partition, those of the next one to the next partition.
    """

    def __init__(
        self, topic: str | None, partition_count: PartitionCount, *, has_headers: bool, start: int
    ) -> None:
        """Take the topic of all rows, and the partition (modulo their number) to begin with."""
        self._topic = topic
        self._partition_count = partition_count
        self._has_headers = has_headers
        self._next = start
        self._topics: list[str] = []
        self._numbers: dict[str, int] = {}
        self._counts: list[int] = []

    def routed(self, batch: Any) -> RoutedRecords:
        """Return the records of an Arrow batch.

        Raises:
            KafkaEosError: a row has no topic, or no such partition, or a header has no key.

        """
        self._next += 1
        columns = {name: batch.column(at) for at, name in enumerate(batch.schema.names)}
        keys = bytes_of(columns["key"]) if "key" in columns else None
        headers = columns.get("headers") if self._has_headers else None
        contents = record_contents(keys, bytes_of(columns["value"]), headers)
        topics = self._topic_of_each(columns.get("topic"), batch.num_rows)
        partitions = self._partition_of_each(topics, columns.get("partition"), keys)
        return RoutedRecords(contents, topics << _PARTITION_BITS | partitions)

    def target(self, place: int) -> RowTarget:
        """Return the partition of a place."""
        topic, partition = divmod(place, 1 << _PARTITION_BITS)
        return RowTarget(self._topics[topic], partition)

    def _topic_of_each(self, column: Any, row_count: int) -> Ints:
        """Return the number of each row's topic."""
        if self._topic is not None:
            return np.full(row_count, self._number(self._topic))
        if column.null_count:
            raise KafkaEosError("a row has no topic: set the option topic")
        encoded = column.dictionary_encode()
        known = [self._number(topic) for topic in encoded.dictionary.to_pylist()]
        return np.asarray(np.array(known, np.int64)[encoded.indices.to_numpy()])

    def _number(self, topic: str) -> int:
        if topic not in self._numbers:
            self._counts.append(self._partition_count(topic))
            self._numbers[topic] = len(self._topics)
            self._topics.append(topic)
        return self._numbers[topic]

    def _partition_of_each(self, topics: Ints, chosen: Any, keys: Any) -> Ints:
        counts = np.array(self._counts)[topics]
        partitions: Ints = self._next % counts
        if keys is not None:
            hashes = murmur2_of(keys).astype(np.int64) & _POSITIVE
            partitions = np.where(is_valid(keys), hashes % counts, partitions)
        if chosen is not None:
            is_chosen = is_valid(chosen)
            partitions = np.where(is_chosen, chosen.to_numpy(zero_copy_only=False), partitions)
            partitions = partitions.astype(np.int64)  # nulls have made them floats
            for row in np.flatnonzero((partitions < 0) | (partitions >= counts))[:1]:
                topic = self._topics[topics[row]]
                raise KafkaEosError(f"topic {topic} has no partition {partitions[row]}")
        return partitions
