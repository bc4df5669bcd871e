"""Spark data source `kafka_eos`: a sink that writes each batch once.

It needs pyspark, and is also imported by Spark's workers. Decision 39 has the protocol.
"""

import uuid
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceStreamWriter,
    WriterCommitMessage,
)

from mockbroker.spark.format_errors import KafkaEosError, cluster_of
from mockbroker.spark.sink.batch_commit import claim_of, commit_batch
from mockbroker.spark.sink.control_records import BatchIdentity
from mockbroker.spark.sink.row_columns import check_columns
from mockbroker.spark.sink.sink_options import SinkOptions
from mockbroker.spark.sink.takeover import Claim, give_up, take_over
from mockbroker.spark.sink.task_writing import this_copy, write_rows
from mockbroker.spark.worker_archives import forget_archives
from mockbroker.wire.cluster import WireCluster

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

NAME: Final = "kafka_eos"


class KafkaEos(DataSource):
    """The data source, with the options of `SinkOptions`."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return NAME

    def writer(self, schema: "StructType", overwrite: bool) -> "EosBatchWriter":
        """Return a writer of one save."""
        options = SinkOptions.of(self.options, is_stream=False)
        check_columns(schema, options.topic, has_headers=options.has_headers)
        return EosBatchWriter(options)

    def streamWriter(  # noqa: N802 - Spark's name
        self,
        schema: "StructType",
        overwrite: bool,
    ) -> "EosStreamWriter":
        """Return a writer of the batches of a stream."""
        options = SinkOptions.of(self.options, is_stream=True)
        check_columns(schema, options.topic, has_headers=options.has_headers)
        return EosStreamWriter(options)


class _EosWriter:
    """What both writers do.

    Spark makes a writer twice for a batch: it sends one to the tasks, and lets another one commit.
    Only the first is pickled, and this is where a batch begins on the driver.
    """

    def __init__(self, options: SinkOptions) -> None:
        self._options = options
        self._claim: Claim | None = None

    def __getstate__(self) -> Mapping[str, Any]:
        if self._claim is None:
            with self._cluster() as cluster:
                self._claim = take_over(cluster, self._options)
        return self.__dict__

    @contextmanager
    def _cluster(self) -> Generator[WireCluster]:
        with cluster_of(self._options, KafkaEosError) as cluster:
            yield cluster
        forget_archives()

    def _write(self, batches: Iterator[Any], identity: BatchIdentity | None) -> WriterCommitMessage:
        assert self._claim is not None, self._options
        with self._cluster() as cluster:
            return write_rows(cluster, self._options, self._claim, this_copy(identity), batches)

    def _commit(self, messages: list[WriterCommitMessage | None]) -> None:
        with self._cluster() as cluster:
            commit_batch(cluster, self._options, messages)

    def _abort(self, messages: list[WriterCommitMessage | None]) -> None:
        with self._cluster() as cluster:
            give_up(cluster, self._options, claim_of(messages))


# Spark passes Arrow batches instead of rows to a writer that is also of this class.
class EosStreamWriter(_EosWriter, DataSourceStreamWriter, DataSourceArrowWriter):
    """Writer of the batches of a stream."""

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        """Write the rows of a task."""
        return self._write(iterator, None)

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int = -1) -> None:  # noqa: N803 - Spark's
        """Make the records of a batch visible."""
        self._commit(messages)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int = -1) -> None:  # noqa: N803 - Spark's
        """Abort a batch, unless it is decided."""
        self._abort(messages)


class EosBatchWriter(_EosWriter, DataSourceArrowWriter):
    """Writer of one save, which has a name if it is to be recognised."""

    def __init__(self, options: SinkOptions) -> None:
        """Name the save."""
        super().__init__(options)
        self._identity = BatchIdentity("", options.batch_id or uuid.uuid4().hex)

    def write(self, iterator: Iterator[Any]) -> WriterCommitMessage:
        """Write the rows of a task."""
        return self._write(iterator, self._identity)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Make the records of the save visible."""
        self._commit(messages)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Abort the save, unless it is decided."""
        self._abort(messages)
