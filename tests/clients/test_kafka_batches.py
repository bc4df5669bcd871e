"""`kafka_batches` reads the same batches from real Kafka and from mockbroker."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from mockbroker import Cluster, Release
from mockbroker.protocol.errors import ErrorCode
from mockbroker.spark import BatchRow, batch_rows, kafka_batches_error
from mockbroker.wire import WireProducer
from tests.clients.support.deadline import QUERY_TIMEOUT_S, TIMEOUT_S
from tests.clients.support.kafka_port import kafka_port
from tools import real_kafka

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.timeout(600),  # the jars are fetched on first use
    # py4j leaves it to the garbage collector to close its sockets
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

PAUSE_S: Final = 0.05
PAUSES_MAX: Final = 600
WRITTEN_MS: Final = 1_700_000_000_000


@pytest.fixture(scope="module", params=["4.4.0", "2.4.1"])
def kafka(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The bootstrap servers of one real broker."""
    folder: Path = tmp_path_factory.mktemp(f"kafka-{request.param}")
    with (
        kafka_port() as port,
        real_kafka.start(folder, port, version=request.param, jvm=real_kafka.JVM_SMALL) as running,
    ):
        yield running.bootstrap_servers


def eventually(attempt: Callable[[], bool]) -> None:
    """Real Kafka loads coordinators and writes markers a moment after it has answered."""
    for _ in range(PAUSES_MAX):
        if attempt():
            return
        threading.Event().wait(PAUSE_S)
    raise AssertionError(f"not in {PAUSES_MAX * PAUSE_S:.0f} s")


def _write(
    producer: WireProducer, topic: str, *values: bytes, base_sequence: int, index: int = 0
) -> None:
    """Write a batch; the leader of a new topic may not know of it yet, and refuse it."""

    def is_written() -> bool:
        return not producer.produce(
            topic, *values, base_sequence=base_sequence, index=index, timestamp_ms=WRITTEN_MS
        ).error

    eventually(is_written)


def write_all(servers: str, topic: str) -> list[BatchRow]:
    """Write batches of every kind, delete the first records of one log, and read what is left."""
    admin = AdminClient({"bootstrap.servers": servers})
    created = admin.create_topics([NewTopic(topic, num_partitions=2)])
    created[topic].result(TIMEOUT_S)
    with WireProducer(servers) as plain:
        eventually(lambda: plain.init_producer_id() is ErrorCode.NONE)
        for base_sequence, size in ((0, 2), (2, 3), (5, 1)):
            _write(plain, topic, *[b"value"] * size, base_sequence=base_sequence, index=1)
    with WireProducer(servers, f"{topic}-svc") as producer:
        eventually(lambda: producer.init_producer_id() is ErrorCode.NONE)
        for number, is_commit in enumerate((True, False)):
            eventually(lambda: producer.add_partition(topic) is ErrorCode.NONE)
            _write(producer, topic, b"value", base_sequence=number)
            ended = producer.commit() if is_commit else producer.abort()
            assert ended is ErrorCode.NONE
            eventually(lambda: len(rows_of(servers, topic)) == 3 + 2 * (number + 1))  # noqa: B023
        eventually(lambda: producer.add_partition(topic) is ErrorCode.NONE)
        _write(producer, topic, b"value", base_sequence=2)
    deleted = admin.delete_records([TopicPartition(topic, 1, 3)])
    for each in deleted.values():
        each.result(TIMEOUT_S)
    return rows_of(servers, topic)


def rows_of(servers: str, topic: str) -> list[BatchRow]:
    return list(batch_rows(servers, [topic]))


def comparable(rows: list[BatchRow]) -> list[BatchRow]:
    """Leave out what no two runs have in common, but for which producers are the same."""
    producers = list(dict.fromkeys(row.producer_id for row in rows))
    return [
        row._replace(
            producer_id=producers.index(row.producer_id),
            crc=0,
            max_timestamp_ms=0 if row.is_control else row.max_timestamp_ms,
        )
        for row in rows
    ]


def test_real_kafka_and_mockbroker_have_the_same_batches(kafka: str, topic: str) -> None:
    release: Release = "2.4" if "2-4-1" in topic else "4.4"
    with Cluster(kafka=release) as cluster:
        ours = write_all(cluster.bootstrap_servers, topic)
    theirs = write_all(kafka, topic)
    assert comparable(theirs) == comparable(ours)
    assert [row.marker for row in ours if row.is_control] == ["COMMIT", "ABORT"]
    assert {(row.log_start_offset, row.high_watermark) for row in ours} == {(0, 5), (3, 6)}
    assert {row.last_stable_offset for row in ours if row.partition == 0} == {4}


@pytest.mark.spark
@pytest.mark.parametrize("kafka", ["4.4.0"], indirect=True, scope="module")
def test_spark_reads_the_batches_of_real_kafka(
    kafka: str, topic: str, mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    expected = write_all(kafka, topic)
    source = mockbroker_spark.read.format("kafka_batches").option("bootstrap.servers", kafka)
    frame = source.option("subscribe", topic).load()
    assert sorted(BatchRow(*row) for row in frame.collect()) == expected

    stream = mockbroker_spark.readStream.format("kafka_batches").option("bootstrap.servers", kafka)
    sink = stream.option("subscribe", topic).load().writeStream.format("parquet")
    sink = sink.option("path", str(tmp_path / "rows")).trigger(availableNow=True)
    query = sink.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    assert query.awaitTermination(QUERY_TIMEOUT_S)
    streamed = mockbroker_spark.read.parquet(str(tmp_path / "rows")).select(*BatchRow._fields)
    assert sorted(BatchRow(*row) for row in streamed.collect()) == expected

    with pytest.raises(Exception, match="kafka_batches: ") as failed:
        source.option("subscribe", f"{topic}-gone").load().collect()
    assert kafka_batches_error(failed.value) == f"kafka_batches: topic {topic}-gone does not exist"
