"""Reproducible failures of PySpark with Kafka, and their symptoms.

The outcomes of task retries and of a driver's death are those that were measured with real Kafka;
`test_spark_scenarios.py` has the failures that need no faults.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from confluent_kafka import Producer

from mockbroker import API, ERR, Cluster, Release
from mockbroker.audit.judgement import judge
from mockbroker.audit.runs.journal_runs import journal_runs
from tests.clients.spark.batch_scenarios import keyed_rows
from tests.clients.spark.causes import causes_of
from tests.clients.spark.mock_stage import stage_of
from tests.clients.spark.stage import Stage, ended, sample
from tests.clients.spark.stored import number_of, send
from tests.clients.support.deadline import TIMEOUT_S

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

pytestmark = [
    pytest.mark.spark,
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    # py4j leaves it to the garbage collector to close its sockets
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

ROWS: Final = 900
ROWS_OF_A_BATCH: Final = 300
IN_ONE_REQUEST: Final = {"kafka.linger.ms": "10000"}
"""What a task writes goes out when it flushes, in one request to a broker."""


@pytest.fixture(autouse=True)
def no_query_is_left(spark: "SparkSession") -> Iterator[None]:
    """End what a failed test has left running."""
    yield
    for query in spark.streams.active:
        query.stop()


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(journal=True) as cluster:
        yield cluster


@pytest.fixture
def stage(spark: "SparkSession", cluster: Cluster, tmp_path: Path) -> Stage:
    return stage_of(spark, cluster, tmp_path)


class Copying:
    """A query that copies 900 records in three batches, each of them one task."""

    def __init__(
        self, stage: Stage, partitions: int = 1, topics: tuple[str, str] | None = None
    ) -> None:
        """Copy from one topic, which has one partition, to another; make them if need be."""
        self.source, self.copy = topics or (
            stage.topic("source", 1),
            stage.topic("copy", partitions),
        )
        send(stage.bootstrap_servers, self.source, sample(ROWS, partitions=1))
        self._stage = stage
        self._partitions = partitions
        self._checkpoint = stage.checkpoint()

    def query(self, **options: str) -> "DataStreamWriter":
        """Return the query, to be started; it goes on where it has been stopped."""
        source = self._stage.stream_source.option("subscribe", self.source).options(**options)
        frame = source.option("maxOffsetsPerTrigger", str(ROWS_OF_A_BATCH)).load()
        rows = frame.selectExpr(
            "key", "value", f"cast(offset % {self._partitions} as int) as partition"
        )
        sink = self._stage.stream_sink(rows, self.copy, client="copy").options(**IN_ONE_REQUEST)
        sink = sink.option("checkpointLocation", str(self._checkpoint))
        return sink.trigger(availableNow=True)

    def run(self, **options: str) -> None:
        """Run it to its end."""
        ended(self.query(**options).start())

    def times_there(self) -> Counter[int]:
        """Count how many of the 900 are in the copy how often."""
        copies = Counter(number_of(each) for each in self._stage.stored(self.copy))
        return Counter(copies[number] for number in range(ROWS))


def values(count: int, begin: int = 0) -> list[str]:
    return [f"value-{number}" for number in range(begin, begin + count)]


def refused(cluster: Cluster, topic: str, expected: Iterable[str] | None = None) -> str:
    """Return, on one line, why something is not there exactly once."""
    with pytest.raises(AssertionError) as failure:
        cluster.assert_exactly_once(topic, expected=expected)
    return " ".join(str(failure.value).split())


def findings(cluster: Cluster) -> list[str]:
    """Return which rules of the audit find something in what has happened."""
    return [each.rule for each in judge(journal_runs(cluster.journal.entries())).findings]


def assert_seen_to_be_doubled(cluster: Cluster, topic: str) -> None:
    """To a broker they are new records of an application: only what they are tells."""
    cluster.assert_exactly_once(topic)
    assert "ONCE TOO MANY" in refused(cluster, topic, values(ROWS))
    with pytest.raises(AssertionError, match="records are stored twice"):
        cluster.assert_no_duplicates(topic, key="key")


# Twice


def test_a_retried_task_writes_stored_records_again(stage: Stage, cluster: Cluster) -> None:
    """Half of a task's rows is stored, the other half refused: all of them are sent again."""
    copying = Copying(stage, partitions=2)
    fault = cluster.fault(API.PRODUCE, topic=copying.copy, partition=1)
    fault.answer(ERR.UNKNOWN_SERVER_ERROR).once()
    copying.run()
    assert fault.hits == 1
    assert copying.times_there() == {1: 750, 2: 150}
    cluster.assert_no_loss(copying.copy, expected=values(ROWS))
    assert_seen_to_be_doubled(cluster, copying.copy)


def test_a_driver_that_dies_before_its_commit_writes_the_batch_again(
    stage: Stage, cluster: Cluster
) -> None:
    copying = Copying(stage)
    fault = cluster.fault(API.PRODUCE, topic=copying.copy).hold_response().on_call(2)
    query = copying.query().start()
    fault.wait_held(timeout=f"{TIMEOUT_S}s")  # stored, and Spark does not know
    query.stop()
    fault.release()
    copying.run()
    assert copying.times_there() == {1: 600, 2: 300}
    assert_seen_to_be_doubled(cluster, copying.copy)


def test_a_lost_response_causes_no_duplicate(stage: Stage, cluster: Cluster) -> None:
    """The sink's producer is idempotent: what it sends again is recognised."""
    copying = Copying(stage)
    fault = cluster.fault(API.PRODUCE, topic=copying.copy).lose_response().once()
    copying.run()
    assert fault.hits == 1
    assert copying.times_there() == {1: 900}
    cluster.assert_exactly_once(copying.copy, expected=values(ROWS))


# Lost


@pytest.mark.parametrize(
    ("kafka", "answered"),
    [
        ("0.11", {ERR.OUT_OF_ORDER_SEQUENCE_NUMBER}),
        ("2.3", {ERR.UNKNOWN_PRODUCER_ID}),
        ("4.4", set[ERR]()),
    ],
)
def test_the_first_write_is_lost_and_spark_does_not_notice(
    spark: "SparkSession", tmp_path: Path, kafka: Release, answered: set[ERR]
) -> None:
    """Brokers that say so are no help: the sink's producer takes a new epoch, and goes on."""
    with Cluster(kafka=kafka, journal=True) as cluster:
        stage = stage_of(spark, cluster, tmp_path)
        topic = stage.topic("payments", 1)
        stage.write(keyed_rows(stage, 10), topic, client="payments", **IN_ONE_REQUEST)
        cluster.assert_exactly_once(topic, expected=values(10))
        assert cluster.partition(topic, 0).lose_tail(10) == 0

        stage.write(keyed_rows(stage, 10, 10), topic, client="payments", **IN_ONE_REQUEST)
        assert cluster.journal.errors(API.PRODUCE) == answered
        assert [number_of(each) for each in stage.stored(topic)] == list(range(10, 20))
        why = refused(cluster, topic)
        assert f"offsets 0..9 (producer 0 epoch 0 #0..9): acknowledged to 'sink-{topic}'" in why
        assert "and lost: the log was truncated to offset 0" in why
        with pytest.raises(AssertionError, match="acknowledged records are lost"):
            cluster.assert_no_loss(topic)
        assert findings(cluster) == ["ACKED_NOT_DURABLE"]


def test_a_topic_is_recreated_during_a_query(stage: Stage, cluster: Cluster) -> None:
    """It goes on from its offset, and never reads what the new topic has before that."""
    source, copy = stage.topic("source", 1), stage.topic("copy", 1)
    send(stage.bootstrap_servers, source, sample(ROWS, partitions=1))
    rows = stage.stream_source.option("subscribe", source).load().select("key", "value")
    query = stage.stream_sink(rows, copy, client="copy").start()
    query.processAllAvailable()
    asking = cluster.fault(API.LIST_OFFSETS, topic=source, client_id="adminclient-*").hold().once()
    asking.wait_held(timeout=f"{TIMEOUT_S}s")  # so that it sees the new topic when all is in it
    cluster.recreate_topic(source)
    send(stage.bootstrap_servers, source, sample(1000, partitions=1, begin=1000))
    asking.release()
    query.processAllAvailable()
    query.stop()
    assert Counter(number_of(each) // 1000 for each in stage.stored(copy)) == {0: 900, 1: 100}

    assert findings(cluster) == ["TOPIC_ID_CHANGED_UNDER_READER"]
    assert ERR.INCONSISTENT_TOPIC_ID in cluster.journal.errors(API.FETCH)


def test_records_expire_between_plan_and_fetch(stage: Stage, cluster: Cluster) -> None:
    copying = Copying(stage)
    fault = cluster.fault(API.FETCH, topic=copying.source, client_id="*-executor-*").hold().once()
    query = copying.query().start()
    fault.wait_held(timeout=f"{TIMEOUT_S}s")
    cluster.partition(copying.source, 0).move_log_start(100)
    fault.release()
    (*_, reason) = causes_of(lambda: ended(query))
    assert reason.startswith("OffsetOutOfRangeException: Fetch position FetchPosition{offset=0,")
    assert stage.stored(copying.copy) == []


# Late


def test_an_open_transaction_blocks_consumers_until_its_timeout(
    stage: Stage, cluster: Cluster
) -> None:
    topic, copy = stage.topic("transfers", 1), stage.topic("copy", 1)
    send(stage.bootstrap_servers, topic, sample(50, partitions=1))
    settings = {"transactional.id": "transfers-svc", "transaction.timeout.ms": 60_000}
    producer = Producer(cluster.client_config("confluent", **settings, log_level=0))
    producer.init_transactions(TIMEOUT_S)
    producer.begin_transaction()
    producer.produce(topic, key="key-0", value="never committed")
    assert producer.flush(TIMEOUT_S) == 0
    send(stage.bootstrap_servers, topic, sample(20, partitions=1, begin=50))

    source = stage.stream_source.option("subscribe", topic)
    source = source.option("kafka.isolation.level", "read_committed")
    sink = stage.stream_sink(source.load().select("key", "value"), copy, client="copy")
    ended(sink.trigger(availableNow=True).start())
    assert [number_of(each) for each in stage.stored(copy)] == list(range(50))
    assert "offset 50" in refused(cluster, topic)
    with pytest.raises(AssertionError, match="a transaction has not ended"):
        cluster.assert_no_open_transactions()

    cluster.clock.advance("2m")
    ended(sink.trigger(availableNow=True).start())
    assert [number_of(each) for each in stage.stored(copy)] == list(range(70))
    for each in (topic, copy):
        cluster.assert_exactly_once(each, expected=values(70))


def test_a_high_watermark_that_steps_back_is_waited_for(stage: Stage, cluster: Cluster) -> None:
    """Since Kafka 2.2 a new leader says that it does not know yet (KIP-207)."""
    copying = Copying(stage)
    copying.run()
    source = cluster.partition(copying.source, 0)
    source.elect(high_watermark=500)
    asked = cluster.fault(API.LIST_OFFSETS, topic=copying.source).observe().every_time()
    query = copying.query().start()
    asked.wait(2, timeout=f"{TIMEOUT_S}s")
    assert cluster.journal.errors(API.LIST_OFFSETS) == {ERR.OFFSET_NOT_AVAILABLE}
    source.catch_up()
    ended(query)
    assert copying.times_there() == {1: 900}


def test_before_kip_207_a_high_watermark_that_steps_back_looks_like_a_loss(
    spark: "SparkSession", tmp_path: Path
) -> None:
    with Cluster(kafka="1.1") as cluster:
        copying = Copying(stage_of(spark, cluster, tmp_path))
        copying.run()
        source = cluster.partition(copying.source, 0)
        source.elect(high_watermark=500)
        (*_, reason) = causes_of(copying.run)
        assert reason.endswith("-0 offset was changed from 900 to 500.")
        source.catch_up()
        (*_, again) = causes_of(copying.run)  # the batch up to 500 is planned, for good
        assert again == reason

        copying.run(failOnDataLoss="false")
        assert copying.times_there() == {1: 500, 2: 400}


def test_killed_leaders_cause_no_losses_and_no_duplicates(
    spark: "SparkSession", tmp_path: Path
) -> None:
    topics = {"source": 1, "copy": 1}
    with Cluster(brokers=3, topics=topics, config={"default.replication.factor": "3"}) as cluster:
        copying = Copying(stage_of(spark, cluster, tmp_path), topics=("source", "copy"))
        fault = cluster.fault(API.PRODUCE, topic="copy").hold_response().on_call(2)
        query = copying.query().start()
        fault.wait_held(timeout=f"{TIMEOUT_S}s")
        for leader in {cluster.partition(topic, 0).leader for topic in topics}:
            cluster.kill(leader)
            cluster.start(leader)
        ended(query)
        assert copying.times_there() == {1: 900}
        cluster.assert_exactly_once("copy", expected=values(ROWS))
