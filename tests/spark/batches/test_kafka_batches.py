"""The data source `kafka_batches`, in Spark: batch and stream, against the mock."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mockbroker import ClientAccess, Cluster
from mockbroker.spark import batch_rows, kafka_batches_error
from mockbroker.spark.batches.batch_headers import BatchRow
from tests.support.written_topics import write, write_transaction

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = [
    pytest.mark.spark,
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    # py4j leaves it to the garbage collector to close its sockets
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

STREAM_S = 120


def frame_of(spark: "SparkSession", servers: str, topics: str, **options: str) -> "DataFrame":
    source = spark.read.format("kafka_batches").option("kafka.bootstrap.servers", servers)
    return source.option("subscribe", topics).options(**options).load()


def rows_of(frame: "DataFrame") -> list[BatchRow]:
    return sorted(BatchRow(*row) for row in frame.collect())


def stream_into(
    spark: "SparkSession", servers: str, topic: str, folder: Path, **options: str
) -> "StreamingQuery":
    source = spark.readStream.format("kafka_batches").option("bootstrap.servers", servers)
    frame = source.option("topic", topic).options(**options).load()
    sink = frame.writeStream.format("parquet").option("path", str(folder / "rows"))
    sink = sink.option("checkpointLocation", str(folder / "checkpoint"))
    return sink.trigger(availableNow=True).start()


def streamed(spark: "SparkSession", folder: Path) -> list[BatchRow]:
    return rows_of(spark.read.parquet(str(folder / "rows")).select(*BatchRow._fields))


def test_a_frame_has_the_rows_of_every_partition(mockbroker_spark: "SparkSession") -> None:
    with Cluster(brokers=3, topics={"orders": 3, "others": 1, "empty": 1}) as cluster:
        for index in range(3):
            write(cluster, "orders", 4, 1, 2, index=index)
        write_transaction(cluster, "others", 2, is_commit=True)
        servers = cluster.bootstrap_servers
        frame = frame_of(mockbroker_spark, servers, "orders,others,empty")
        assert frame.columns == list(BatchRow._fields)
        expected = sorted(batch_rows(servers, ["orders", "others"]))
        assert len(expected) == 11
        assert rows_of(frame) == expected
        cut = frame_of(mockbroker_spark, servers, "orders,others", minPartitions="9")
        assert cut.rdd.getNumPartitions() >= 9
        assert rows_of(cut) == expected
        assert rows_of(frame_of(mockbroker_spark, servers, "empty")) == []


@pytest.mark.parametrize(
    ("topic", "why"),
    [("nowhere", "topic nowhere does not exist"), ("orders", "no broker answers at 127.0.0.1:")],
)
def test_the_reason_why_nothing_can_be_read_is_one_sentence(
    mockbroker_spark: "SparkSession", topic: str, why: str
) -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        servers = cluster.bootstrap_servers if topic == "nowhere" else "127.0.0.1:1"
        with pytest.raises(Exception, match="kafka_batches: ") as failed:
            frame_of(mockbroker_spark, servers, topic).collect()
    assert (kafka_batches_error(failed.value) or "").startswith(f"kafka_batches: {why}")


def test_a_recreated_topic_is_reported_from_a_task(
    mockbroker_spark: "SparkSession",
) -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        write(cluster, "orders", 3)
        frame = frame_of(mockbroker_spark, cluster.bootstrap_servers, "orders")
        plan: Any = getattr(frame, "_jdf")  # noqa: B009 - Java's frame: it plans, and runs nothing
        plan.queryExecution().toRdd().getNumPartitions()
        cluster.recreate_topic("orders")
        with pytest.raises(Exception, match="kafka_batches: ") as failed:
            frame.collect()
    told = kafka_batches_error(failed.value)
    assert told == "kafka_batches: topic orders was deleted and created again"


def test_a_stream_continues_from_its_checkpoint_without_duplicates(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    with Cluster(brokers=2, topics={"orders": 2}) as cluster:
        servers = cluster.bootstrap_servers
        for sizes in [(3, 2), (), (4,), (1, 1, 1)]:
            if sizes:
                write(cluster, "orders", *sizes, index=1)
                write_transaction(cluster, "orders", 2, is_commit=False)
            query = stream_into(mockbroker_spark, servers, "orders", tmp_path)
            assert query.awaitTermination(STREAM_S)
            assert query.exception() is None
            found = [row[:8] for row in streamed(mockbroker_spark, tmp_path)]
            assert found == [row[:8] for row in sorted(batch_rows(servers, ["orders"]))]
        assert len(found) == 12


def test_a_batch_that_was_not_committed_is_read_again_as_it_was(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    seen: list[list[Any]] = []

    def fail_once(frame: "DataFrame", number: int) -> None:
        seen.append([number, *sorted(row.base_offset for row in frame.collect())])
        if len(seen) == 1:
            raise RuntimeError("the driver died")

    def run(cluster: Cluster) -> "StreamingQuery":
        source = mockbroker_spark.readStream.format("kafka_batches")
        source = source.options(**{"bootstrap.servers": cluster.bootstrap_servers})
        sink = source.option("topic", "orders").load().writeStream.foreachBatch(fail_once)
        sink = sink.option("checkpointLocation", str(tmp_path / "checkpoint"))
        return sink.trigger(availableNow=True).start()

    with Cluster(topics={"orders": 1}) as cluster:
        write(cluster, "orders", 3, 2)
        with pytest.raises(Exception, match="the driver died"):
            run(cluster).awaitTermination(STREAM_S)
        write(cluster, "orders", 1)
        for _ in ("what was begun", "what came since"):  # with availableNow a run is one batch
            assert run(cluster).awaitTermination(STREAM_S)
    assert seen == [[0, 0, 3], [0, 0, 3], [1, 5]]


def test_a_checkpoint_of_a_recreated_topic_is_refused(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        write(cluster, "orders", 3)
        servers = cluster.bootstrap_servers
        assert stream_into(mockbroker_spark, servers, "orders", tmp_path).awaitTermination(STREAM_S)
        cluster.recreate_topic("orders")
        write(cluster, "orders", 3, 4)
        query = stream_into(mockbroker_spark, servers, "orders", tmp_path)
        with pytest.raises(Exception, match="kafka_batches: ") as failed:
            query.awaitTermination(STREAM_S)
    told = kafka_batches_error(failed.value)
    assert told is not None
    assert told.startswith("kafka_batches: topic orders was deleted and created again")


def test_a_frame_is_read_over_tls_and_sasl_without_secrets_in_the_plan(
    mockbroker_spark: "SparkSession", capsys: pytest.CaptureFixture[str]
) -> None:
    listeners = {
        "listeners": "PLAINTEXT://127.0.0.1:0,SASL_SSL://127.0.0.1:0",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512",
    }
    with Cluster(tls=True, config=listeners, topics={"orders": 2}) as cluster:
        cluster.users.add("alice", "top-secret", mechanism="SCRAM-SHA-512")
        write(cluster, "orders", 4, 1, 2)
        access = ClientAccess("alice", "top-secret", listener="SASL_SSL")
        options = cluster.client_config("spark", access)
        servers = options.pop("kafka.bootstrap.servers")
        frame = frame_of(mockbroker_spark, servers, "orders", **options)
        assert rows_of(frame) == sorted(batch_rows(cluster.bootstrap_servers, ["orders"]))
        frame.explain(extended=True)
        assert "kafka_batches" in (plan := capsys.readouterr().out)
        assert "top-secret" not in plan
