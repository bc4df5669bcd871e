"""The data source `kafka_eos` in Spark: streams, saves, and tasks that are retried."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from pyspark import TaskContext

from mockbroker import Cluster
from tests.support.sinks import TOPIC, assert_each_once, seen
from tests.support.spark_marks import SPARK_MARKS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = SPARK_MARKS

PATIENCE_S = 120


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=3, topics={"orders": 2, TOPIC: 3}, journal=True) as cluster:
        yield cluster


def copy_orders(spark: "SparkSession", cluster: Cluster, folder: Path) -> None:
    """Copy new orders to the topic `copy`, as a stream with a checkpoint."""
    kafka = cluster.client_config("spark")
    source = spark.readStream.format("kafka").options(**kafka, startingOffsets="earliest")
    orders = source.option("subscribe", "orders").load()
    rows: DataFrame = cast("Any", orders).mapInArrow(failing_once, "value string")
    sink = rows.writeStream.format("kafka_eos").options(**kafka, topic=TOPIC)
    sink = sink.option("checkpointLocation", str(folder)).trigger(availableNow=True)
    assert sink.start().awaitTermination(PATIENCE_S)


def failing_once(batches: Iterable[Any]) -> Iterator[Any]:
    """Pass the ids on, and let the first attempt of each task fail after its rows."""
    pa: Any = import_module("pyarrow")  # in a worker
    for batch in batches:
        numbers = [json.loads(value)["order"] for value in batch.column("value").to_pylist()]
        yield pa.record_batch([[json.dumps({"id": each}) for each in numbers]], names=["value"])
    context = TaskContext.get()
    assert context is not None
    if context.attemptNumber() == 0:
        raise ConnectionError("the tax office does not answer")


def test_a_stream_is_copied_once_though_its_tasks_fail(
    mockbroker_spark: "SparkSession", cluster: Cluster, tmp_path: Path
) -> None:
    for number in range(20):
        cluster.append("orders", json.dumps({"order": number}), partition=number % 2)
    copy_orders(mockbroker_spark, cluster, tmp_path)
    assert_each_once(cluster, range(20))


def save(frame: "DataFrame", cluster: Cluster, **options: str) -> None:
    kafka = cluster.client_config("spark")
    frame.write.format("kafka_eos").mode("append").options(**kafka, **options).save()


def test_a_save_is_visible_as_a_whole_and_recognised_by_its_batch_id(
    mockbroker_spark: "SparkSession", cluster: Cluster
) -> None:
    frame = mockbroker_spark.range(10).selectExpr(
        "concat('{\"id\": ', id, '}') as value",
        "cast(id as string) as key",
        "cast(id % 3 as int) as partition",
        f"'{TOPIC}' as topic",
        "array(named_struct('key', 'h', 'value', cast('v' as binary))) as headers",
    )
    named = {"transactionalIdPrefix": "saves", "batchId": "monday", "includeHeaders": "true"}
    for _ in range(2):
        save(frame, cluster, **named)
    assert_each_once(cluster, range(10))
    (found,) = [each for each in cluster.records(TOPIC) if each.key == b"7"]
    assert (found.partition, found.headers) == (1, (("h", b"v"),))

    save(frame, cluster)
    assert seen(cluster) == Counter(dict.fromkeys(range(10), 2))


def test_mistakes_are_told_before_anything_is_written(
    mockbroker_spark: "SparkSession", cluster: Cluster
) -> None:
    frame = mockbroker_spark.range(1).selectExpr("cast(id as string) as value")
    with pytest.raises(Exception, match="kafka_eos: tpic: unknown option; did you mean 'topic'"):
        save(frame, cluster, tpic=TOPIC)
    with pytest.raises(Exception, match="kafka_eos: the column key is bigint"):
        save(frame.selectExpr("value", "1L as key"), cluster, topic=TOPIC)
