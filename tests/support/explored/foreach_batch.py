"""Spark's recipe `foreachBatch`, which writes each batch of a stream in a transaction of Kafka."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from confluent_kafka import Consumer, Producer, TopicPartition
from pyspark.errors import StreamingQueryException

from mockbroker.control.cluster_handle import ClusterHandle

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

TOPICS: Final = {"bills": 1}
BATCHES: Final = (("order-0", "order-1"), ("order-2", "order-3"))
STARTS: Final = 2
CALL_TIMEOUT_S: Final = 2.0
QUERY_TIMEOUT_S: Final = 60


class ForeachBatch:
    """A query that bills orders; its supervisor starts it again once, from its checkpoint.

    When a commit took effect and its answer was lost, the batch function raises, the checkpoint
    lacks the batch, and the query writes it again.
    """

    def __init__(self, spark: "SparkSession") -> None:
        """Take the session, which all runs share."""
        self._spark: Final = spark

    def __call__(self, cluster: ClusterHandle) -> None:
        """Bill all orders."""
        with tempfile.TemporaryDirectory() as folder:
            orders = Path(folder, "orders")
            orders.mkdir()
            for number, batch in enumerate(BATCHES):
                (orders / f"{number}.txt").write_text("\n".join(batch))
            self._supervise(cluster, Path(folder))

    def _supervise(self, cluster: ClusterHandle, folder: Path) -> None:
        failure = ""
        for _ in range(STARTS):
            try:
                return self._run(cluster, folder)
            except StreamingQueryException as error:
                failure = cause_of(error)
        raise AssertionError(failure)

    def _run(self, cluster: ClusterHandle, folder: Path) -> None:
        source = self._spark.readStream.option("maxFilesPerTrigger", 1).text(str(folder / "orders"))
        sink: DataStreamWriter = source.writeStream.foreachBatch(self.writer(cluster).write)
        sink = sink.option("checkpointLocation", str(folder / "checkpoint"))
        query = sink.trigger(availableNow=True).start()
        try:
            assert query.awaitTermination(QUERY_TIMEOUT_S)
        finally:
            query.stop()

    def writer(self, cluster: ClusterHandle) -> "BatchWriter":
        """Return what a start of the query writes its batches with."""
        return BatchWriter(cluster)


def cause_of(failure: Exception) -> str:
    """Return the line that tells why the batch failed; Spark adds a page."""
    lines = str(failure).splitlines()
    return next((each.strip() for each in lines if "KafkaException" in each), lines[0])


class BatchWriter:
    """The driver's producer."""

    def __init__(self, cluster: ClusterHandle) -> None:
        """Make it; the transaction that the last start left has ended at the first batch."""
        settings = {"transactional.id": "billing", "linger.ms": 0, "log_level": 0}
        self.producer: Final = Producer(cluster.client_config("confluent", **settings))
        self._is_ready = False

    def write(self, frame: "DataFrame", number: int) -> None:
        """Write a batch."""
        rows = [row.value for row in frame.collect()]
        if not self._is_ready:
            self.producer.init_transactions(CALL_TIMEOUT_S)
            self._is_ready = True
        self.write_once(rows, number)

    def write_once(self, rows: Sequence[str], number: int) -> None:
        """Write the rows in a transaction."""
        self.producer.begin_transaction()
        for row in rows:
            self.producer.produce("bills", row)
        self.add_number(number)
        self.producer.commit_transaction(CALL_TIMEOUT_S)

    def add_number(self, number: int) -> None:
        """Keep the batch's number in the transaction: this recipe does not."""


class RepairedForeachBatch(ForeachBatch):
    """The transaction has the number of the next batch, as an offset: what it has is skipped."""

    def writer(self, cluster: ClusterHandle) -> "NumberedBatchWriter":
        """Return what a start of the query writes its batches with."""
        return NumberedBatchWriter(cluster)


class NumberedBatchWriter(BatchWriter):
    """The driver's producer, and a consumer that reads the number of the next batch."""

    def __init__(self, cluster: ClusterHandle) -> None:
        """Make both."""
        super().__init__(cluster)
        named = {"group.id": "billing-batches", "enable.auto.commit": False, "log_level": 0}
        self._consumer: Final = Consumer(cluster.client_config("confluent", **named))

    def write_once(self, rows: Sequence[str], number: int) -> None:
        """Write the rows, unless a transaction that was committed has them."""
        (found,) = self._consumer.committed([TopicPartition("bills", 0)], CALL_TIMEOUT_S)
        if number >= found.offset:
            super().write_once(rows, number)

    def add_number(self, number: int) -> None:
        """Commit the number of the next batch in the transaction."""
        following = TopicPartition("bills", 0, number + 1)
        metadata = self._consumer.consumer_group_metadata()
        self.producer.send_offsets_to_transaction([following], metadata, CALL_TIMEOUT_S)
