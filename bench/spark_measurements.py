"""Spark's throughput with a broker: rows per second, from one session for all brokers.

The first reads of a session compile its code, so a few of each kind are discarded; otherwise
the first broker would be slower. Then brokers alternate.
"""

import time
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from bench.arena import Arena
from bench.competitors import Competitor, Server
from bench.errors import CannotMeasureError
from bench.measurement import Measurement, Sample

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ROWS: Final = 1_000_000
_VALUE: Final = bytes(100)
_PARTITIONS: Final = 4
_CORES: Final = 2
_TIMES: Final = 3
_TIMEOUT_S: Final = 60.0
_STREAM_S: Final = 300.0
_POLL_S: Final = 0.1
_PRODUCER: Final[Mapping[str, str | int]] = {
    "linger.ms": 5,
    "queue.buffering.max.messages": 2 * _ROWS,
    "queue.buffering.max.kbytes": 1 << 20,
    "log_level": 2,
}
_SETTINGS: Final = {"spark.driver.extraJavaOptions": "-XX:+UseParallelGC"}
"""The session's own options are for short test runs: its compiler stops early."""


def measure_spark(arena: Arena, competitor: Competitor) -> Sample:
    """Read a million rows with Spark's source and their batches with ours, and write by both."""
    spark, server = _session(), arena.server(competitor)
    topic, written = _filled(server)
    values = {
        "spark_read_per_s": _rate(lambda: _read(spark, server.address, topic)),
        "spark_read_5000_per_s": _rate(
            lambda: _read(spark, server.address, topic, **{"kafka.max.poll.records": "5000"})
        ),
        "spark_batches_per_s": _rate(
            lambda: _read_batches(spark, server.address, topic, written), 2 * _ROWS
        ),
        "spark_write_per_s": _rate(lambda: _write(spark, server.address)),
        "spark_eos_per_s": _streamed_per_s(spark, server.address, "kafka_eos"),
    }
    own = _streamed_per_s(spark, server.address, "kafka")
    values["spark_eos_share"] = values["spark_eos_per_s"] / own
    saved = _saved_per_s(spark, server.address, "kafka_eos")
    values["spark_eos_save_share"] = saved / _saved_per_s(spark, server.address, "kafka")
    return Sample(values)


@cache
def _session() -> "SparkSession":
    """Start the session of this process.

    Raises: CannotMeasureError when Spark is not available.
    """
    from mockbroker.spark import SparkUnavailableError, session

    try:
        return session(master=f"local[{_CORES}]", settings=_SETTINGS)
    except SparkUnavailableError as missing:
        raise CannotMeasureError(str(missing)) from None


@cache
def _filled(server: Server) -> tuple[str, str]:
    """Fill two topics, by librdkafka and by Spark, and run each kind of read once."""
    address = server.address
    topic = _new_topic(address)
    producer = Producer({"bootstrap.servers": address, **_PRODUCER})
    for number in range(_ROWS):
        producer.produce(topic, _VALUE, partition=number % _PARTITIONS)
    if producer.flush(_TIMEOUT_S):
        raise CannotMeasureError(f"{address} did not take {_ROWS} records in {_TIMEOUT_S:.0f} s")
    spark = _session()
    written = _write(spark, address)
    for _ in range(_TIMES):
        _read(spark, address, topic)
        _read_batches(spark, address, topic, written)
    return topic, written


def _new_topic(address: str) -> str:
    topic = f"bench-spark-{uuid.uuid4()}"
    admin = AdminClient({"bootstrap.servers": address})
    created = admin.create_topics([NewTopic(topic, num_partitions=_PARTITIONS)])  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    created[topic].result(_TIMEOUT_S)
    return topic


@contextmanager
def _short_topic(address: str) -> Generator[str]:
    """Yield a topic that is deleted afterwards, because a broker keeps only so many bytes."""
    topic = _new_topic(address)
    try:
        yield topic
    finally:
        admin = AdminClient({"bootstrap.servers": address})
        admin.delete_topics([topic])[topic].result(_TIMEOUT_S)  # pyright: ignore[reportUnknownMemberType]


def _rate(work: Callable[[], object], rows: int = _ROWS) -> float:
    """Return the best of several runs, because one short run depends on other load."""
    seconds: list[float] = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return rows / min(seconds)


def _read(spark: "SparkSession", address: str, topic: str, **options: str) -> None:
    """Read every column of every row, and discard them."""
    source = spark.read.format("kafka").option("kafka.bootstrap.servers", address)
    frame = source.option("subscribe", topic).options(**options).load()
    frame.write.format("noop").mode("overwrite").save()


def _read_batches(spark: "SparkSession", address: str, *topics: str) -> None:
    source = spark.read.format("kafka_batches").option("kafka.bootstrap.servers", address)
    frame = source.option("subscribe", ",".join(topics)).load()
    (total,) = frame.selectExpr("sum(record_count)").collect()
    if total[0] != _ROWS * len(topics):
        raise CannotMeasureError(f"{address}: the batches of {len(topics)} M have {total[0]}")


def _write(spark: "SparkSession", address: str) -> str:
    topic = _new_topic(address)
    rows: DataFrame = spark.range(_ROWS).selectExpr(f"repeat('x', {len(_VALUE)}) as value")
    sink = rows.write.format("kafka").option("kafka.bootstrap.servers", address)
    sink.option("topic", topic).save()
    return topic


def _saved_per_s(spark: "SparkSession", address: str, sink: str) -> float:
    """Save rows with keys, and values of many lengths."""
    rows = spark.range(_ROWS).selectExpr(
        "concat('key-', cast(id % 5000 as string)) as key",
        "repeat('x', 60 + cast(id % 81 as int)) as value",
    )
    with _short_topic(address) as topic:
        writer = rows.write.format(sink).option("kafka.bootstrap.servers", address)
        return _rate(writer.option("topic", topic).mode("append").save)


def _streamed_per_s(spark: "SparkSession", address: str, sink: str) -> float:
    """Write batches of a million rows by a stream, and return the rate of the best one."""
    rows = spark.readStream.format("rate-micro-batch").option("numPartitions", _CORES)
    values = rows.option("rowsPerBatch", _ROWS).load()
    values = values.selectExpr(f"repeat('x', {len(_VALUE)}) as value")
    with TemporaryDirectory() as checkpoint, _short_topic(address) as topic:
        writer = values.writeStream.format(sink).option("checkpointLocation", checkpoint)
        writer = writer.option("kafka.bootstrap.servers", address)
        query = writer.option("topic", topic).start()
        deadline = time.monotonic() + _STREAM_S
        while len(query.recentProgress) <= _TIMES and query.isActive:
            if time.monotonic() > deadline:
                raise CannotMeasureError(f"{sink} did not write {_TIMES} batches in {_STREAM_S} s")
            time.sleep(_POLL_S)
        took_ms: list[int] = [each["durationMs"]["addBatch"] for each in query.recentProgress]
        query.stop()
    return _ROWS / min(took_ms) * 1000


MEASUREMENTS: Final[Sequence[Measurement]] = (
    Measurement(
        key="spark",
        measure=measure_spark,
        not_for={
            "rdkafka-mock": "it has no CreateTopics, and keeps too little",
            "kfake": "Spark's source fails with it: null where the Java client wants a list",
        },
        note="the client is what bounds it; one session of two tasks for all brokers, warm",
    ),
)
