"""Spark data source `kafka_batches`: one row per stored batch of a cluster's topics.

It needs pyspark, and is also imported by Spark's workers.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
)

from mockbroker.spark.batches.batch_options import BatchOptions
from mockbroker.spark.batches.batch_plan import (
    StreamOffset,
    end_of_stream,
    not_before,
    planned_ranges,
    start_of_stream,
    stream_ranges,
)
from mockbroker.spark.batches.range_reading import BatchRange, Reading, read_range
from mockbroker.spark.format_errors import KafkaBatchesError, cluster_of
from mockbroker.spark.worker_archives import forget_archives

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

_pa: Final[Any] = import_module("pyarrow")  # it has no type annotations

NAME: Final = "kafka_batches"
COLUMNS: Final[Mapping[str, str]] = {
    "topic": "string",
    "partition": "int",
    "base_offset": "bigint",
    "last_offset": "bigint",
    "leader_epoch": "int",
    "producer_id": "bigint",
    "producer_epoch": "smallint",
    "base_sequence": "int",
    "record_count": "int",
    "is_transactional": "boolean",
    "is_control": "boolean",
    "marker": "string",
    "coordinator_epoch": "int",
    "crc": "bigint",
    "max_timestamp_ms": "bigint",
    "size_bytes": "int",
    "high_watermark": "bigint",
    "last_stable_offset": "bigint",
    "log_start_offset": "bigint",
}
"""Columns of `BatchRow`, with their Spark types."""
_ARROW_TYPES: Final[Mapping[str, Any]] = {
    "string": _pa.string(),
    "smallint": _pa.int16(),
    "int": _pa.int32(),
    "bigint": _pa.int64(),
    "boolean": _pa.bool_(),
}
_SCHEMA: Final = _pa.schema([(name, _ARROW_TYPES[kind]) for name, kind in COLUMNS.items()])


class KafkaBatches(DataSource):
    """The data source, with the options of `BatchOptions`."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return NAME

    def schema(self) -> str:
        """Return the columns."""
        return ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())

    def reader(self, schema: "StructType") -> DataSourceReader:
        """Return a reader of the current batches."""
        return BatchRangeReader(BatchOptions.of(self.options))

    def streamReader(self, schema: "StructType") -> DataSourceStreamReader:  # noqa: N802 - Spark's
        """Return a reader of the current batches and of later ones."""
        return BatchStreamReader(BatchOptions.of(self.options))


class RangePartition(InputPartition):
    """The range that one task reads."""

    def __init__(self, wanted: BatchRange) -> None:
        """Set the range."""
        super().__init__(wanted)
        self.wanted = wanted


class BatchRangeReader(DataSourceReader):
    """Reader of the ranges that are fixed when the query is planned."""

    def __init__(self, options: BatchOptions) -> None:
        """Take the options; brokers are asked later."""
        self._options = options

    def partitions(self) -> Sequence[InputPartition]:
        """Return the ranges to read, by requests to the brokers."""
        with cluster_of(self._options, KafkaBatchesError) as cluster:
            return [RangePartition(each) for each in planned_ranges(cluster, self._options)]

    def read(self, partition: InputPartition | None) -> Iterator[Any]:
        """Read one range, in a worker; without a range there is nothing to read."""
        return _columns_of(self._options, partition)


class BatchStreamReader(DataSourceStreamReader):
    """Reader from the checkpoint's offset to the high watermark, repeatedly."""

    def __init__(self, options: BatchOptions) -> None:
        """Take the options; brokers are asked later."""
        self._options = options
        self._reached: StreamOffset = {}

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Return the start offset of a new query."""
        with cluster_of(self._options, KafkaBatchesError) as cluster:
            self._reached = start_of_stream(cluster, self._options)
            return self._reached

    def latestOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Return the current end of reading."""
        with cluster_of(self._options, KafkaBatchesError) as cluster:
            latest = end_of_stream(cluster, self._options)
        self._reached = not_before(latest, self._reached)
        return self._reached

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the ranges between two offsets."""
        self._reached = not_before(end, self._reached)
        with cluster_of(self._options, KafkaBatchesError) as cluster:
            ranges = stream_ranges(cluster, self._options, start, end)
        return [RangePartition(each) for each in ranges]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Read one range, in a worker."""
        return _columns_of(self._options, partition)


def _columns_of(options: BatchOptions, partition: InputPartition | None) -> Iterator[Any]:
    forget_archives()
    if not isinstance(partition, RangePartition):
        return
    with cluster_of(options, KafkaBatchesError) as cluster:
        for reading in read_range(cluster, partition.wanted, may_lose=options.may_lose):
            yield _record_batch(reading)


def _record_batch(reading: Reading) -> Any:
    """Convert the rows of one response to columns, in the form of Spark's Arrow reader."""
    count = len(reading.batches)
    state = (reading.high_watermark, reading.last_stable_offset, reading.log_start_offset)
    columns: list[list[Any]] = [
        *([reading.partition.topic] * count, [reading.partition.partition] * count),
        *map(list, zip(*reading.batches, strict=True)),
        *([offset] * count for offset in state),
    ]
    return _pa.RecordBatch.from_arrays(
        [
            _pa.array(column, type=field.type)
            for column, field in zip(columns, _SCHEMA, strict=True)
        ],
        schema=_SCHEMA,
    )
