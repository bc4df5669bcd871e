"""PySpark's own Kafka source and sink, batch and streaming.

Spark creates topics only by naming one that the broker then creates, and its producer's clock sets
the timestamps.
"""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tests.clients.support.deadline import QUERY_TIMEOUT_S, TIMEOUT_S
from tests.clients.support.records import (
    COMPRESSIONS,
    PARTITION_COUNT,
    RECORD_COUNT,
    Partitions,
    Record,
    first_difference,
    sample_partitions,
    without_timestamps,
)
from tests.clients.support.stored_batches import stored_compressions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

pytestmark = [
    pytest.mark.spark,
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    # py4j leaves it to the garbage collector to close its sockets
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

SCHEMA: Final = (
    "partition int, key binary, value binary, headers array<struct<key: string, value: binary>>"
)


def create_topic(bootstrap_servers: str, topic: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    created = admin.create_topics([NewTopic(topic, num_partitions=PARTITION_COUNT)])
    created[topic].result(TIMEOUT_S)


def rows(spark: "SparkSession", partitions: Partitions) -> "DataFrame":
    """One Spark partition, so that the order within a Kafka partition is the order of the rows."""
    data = [
        (partition, record.key, record.value, list(record.headers))
        for partition, records in partitions.items()
        for record in records
    ]
    frame: DataFrame = spark.createDataFrame(data, SCHEMA)
    return frame.coalesce(1)


def write(frame: "DataFrame", bootstrap_servers: str, topic: str, compression: str) -> None:
    sink = frame.write.format("kafka").option("kafka.bootstrap.servers", bootstrap_servers)
    sink.option("topic", topic).option("kafka.compression.type", compression).save()


def read(
    spark: "SparkSession", bootstrap_servers: str, topic: str, partition_count: int
) -> dict[int, list[Record]]:
    """Read to the end; also see that offsets have no gaps."""
    source = spark.read.format("kafka").option("kafka.bootstrap.servers", bootstrap_servers)
    source = source.option("assign", json.dumps({topic: list(range(partition_count))}))
    received: dict[int, list[Record]] = {}
    frame = source.option("includeHeaders", value=True).load()
    for row in sorted(frame.collect(), key=lambda row: (row["partition"], row["offset"])):
        records = received.setdefault(row["partition"], [])
        assert row["offset"] == len(records)
        records.append(received_record(row))
    return received


def received_record(row: "Row") -> Record:
    return Record(
        key=None if row["key"] is None else bytes(row["key"]),
        value=None if row["value"] is None else bytes(row["value"]),
        timestamp_ms=int(row["timestamp"].timestamp() * 1000),
        headers=tuple((name, bytes(value)) for name, value in row["headers"] or ()),
    )


def assert_came_back_equal(sent: Partitions, received: Partitions, since_ms: float) -> None:
    assert first_difference(without_timestamps(sent), without_timestamps(received)) is None
    timestamps_ms = [record.timestamp_ms for records in received.values() for record in records]
    assert since_ms <= min(timestamps_ms)
    assert max(timestamps_ms) <= now_ms()


def now_ms() -> int:
    return int(time.time() * 1000)


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_ten_thousand_rows_come_back_equal_from_batch_and_stream(
    spark: "SparkSession", bootstrap_servers: str, topic: str, compression: str, tmp_path: Path
) -> None:
    since_ms = now_ms()
    sent = sample_partitions()
    copy = f"{topic}-copy"
    create_topic(bootstrap_servers, topic)
    create_topic(bootstrap_servers, copy)

    write(rows(spark, sent), bootstrap_servers, topic, compression)
    received = read(spark, bootstrap_servers, topic, PARTITION_COUNT)
    assert_came_back_equal(sent, received, since_ms)

    source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", bootstrap_servers)
    source = source.option("assign", json.dumps({topic: list(range(PARTITION_COUNT))}))
    source = source.option("startingOffsets", "earliest").option("includeHeaders", value=True)
    stream = source.load().select("partition", "key", "value", "headers")
    sink = stream.writeStream.format("kafka").option("kafka.bootstrap.servers", bootstrap_servers)
    sink = sink.option("topic", copy).option("kafka.compression.type", compression)
    sink = sink.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True)
    query = sink.start()
    assert query.awaitTermination(QUERY_TIMEOUT_S)
    assert query.exception() is None
    received = read(spark, bootstrap_servers, copy, PARTITION_COUNT)
    assert_came_back_equal(sent, received, since_ms)

    for name in (topic, copy):
        assert stored_compressions(bootstrap_servers, name) == {compression: RECORD_COUNT}


def test_the_sink_writes_to_a_topic_that_the_broker_creates(
    spark: "SparkSession", bootstrap_servers: str, topic: str
) -> None:
    since_ms = now_ms()
    sent = sample_partitions(partition_count=1)
    write(rows(spark, sent).drop("partition"), bootstrap_servers, topic, "none")
    assert_came_back_equal(sent, read(spark, bootstrap_servers, topic, 1), since_ms)
