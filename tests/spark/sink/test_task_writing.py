"""One task of a batch."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from pyspark import TaskContext

from mockbroker import Cluster
from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.control_records import BatchIdentity
from mockbroker.spark.sink.task_writing import TaskCopy, this_copy
from tests.support.sinks import TOPIC, SinkWithoutSpark, seen
from tests.support.spark_marks import SPARK_MARKS

pytestmark = SPARK_MARKS


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={TOPIC: 2}) as cluster:
        yield cluster


def test_a_task_tells_where_its_records_are(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    message = sink.task(sink.begin(), [1, 2, 3], task=7, attempt=2)
    assert message.written is not None
    assert message.written.ranges == {"copy-0": (0, 2, 3)}
    assert (message.written.transaction.task, message.written.transaction.attempt) == (7, 2)


def test_a_task_without_rows_opens_nothing(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    assert sink.task(sink.begin(), []).written is None
    assert not cluster.open_transactions()
    sink.commit([sink.task(sink.begin(), [])])


def test_a_batch_that_is_done_is_not_written_again(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    sink.run([1], batch=3)
    sink.run([1], batch=3)
    assert seen(cluster) == {1: 1}


def test_an_older_batch_is_refused(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    sink.run([1], batch=3)
    with pytest.raises(KafkaEosError, match="batch 2 of query query-1 is older than batch 3"):
        sink.run([2], batch=2)


def test_another_query_may_take_the_name(cluster: Cluster) -> None:
    SinkWithoutSpark(cluster).run([1], batch=3)
    SinkWithoutSpark(cluster, query="query-2").run([2], batch=0)
    assert seen(cluster) == {1: 1, 2: 1}


def test_a_topic_that_does_not_exist_is_told(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster, topic="nowhere")
    with pytest.raises(KafkaEosError, match="kafka_eos: topic nowhere does not exist"):
        sink.run([1])


def context(**properties: str) -> SimpleNamespace:
    """Return a task context of Spark with some local properties."""
    return SimpleNamespace(
        getLocalProperty=properties.get, partitionId=lambda: 7, attemptNumber=lambda: 1
    )


def test_the_batch_is_the_one_that_spark_names(monkeypatch: pytest.MonkeyPatch) -> None:
    named = context(**{"sql.streaming.queryId": "q", "streaming.sql.batchId": "3"})
    monkeypatch.setattr(TaskContext, "get", lambda: named)
    assert this_copy(None) == TaskCopy(BatchIdentity("q", "3"), 7, 1)
    save = BatchIdentity("", "monday")
    assert this_copy(save) == TaskCopy(save, 7, 1)

    monkeypatch.setattr(TaskContext, "get", context)
    with pytest.raises(KafkaEosError, match="Spark does not say which batch this is"):
        this_copy(None)
