"""Failures without broker faults: topics that change after a checkpoint, and failures of Spark."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from confluent_kafka import Producer

from tests.clients.spark.batch_scenarios import keyed_rows
from tests.clients.spark.causes import causes_of
from tests.clients.spark.stage import Outcome, Scenario, Stage, ended, sample
from tests.clients.spark.stored import number_of, send
from tests.clients.support.deadline import TIMEOUT_S


class _Reader:
    """A query that is run repeatedly, each time to the end of the topic."""

    def __init__(self, stage: Stage, topic: str, **options: str) -> None:
        self._stage = stage
        self._topic = topic
        self._options = options
        self._copy = stage.topic(f"copy-of-{stage.plain(topic)}", 1)
        self._copied = 0
        self._checkpoint = stage.checkpoint()

    def read(self, **options: str) -> Outcome:
        """Return the number of new records, and their lowest and highest numbers."""
        source = self._stage.stream_source.option("subscribe", self._topic)
        frame = source.options(**self._options, **options).load().select("key", "value")
        client = self._stage.plain(self._topic)
        sink = self._stage.stream_sink(frame.coalesce(1), self._copy, client=client)
        sink = sink.option("checkpointLocation", str(self._checkpoint))
        ended(sink.trigger(availableNow=True).start())
        numbers = [number_of(each) for each in self._stage.stored(self._copy)][self._copied :]
        self._copied += len(numbers)
        return {
            "rows": len(numbers),
            "from": min(numbers, default=-1),
            "to": max(numbers, default=-1),
        }

    def fail(self) -> Outcome:
        """Return the reason of the failure."""
        return causes_of(self.read)


def _send(stage: Stage, topic: str, count: int, *, partitions: int = 1, begin: int = 0) -> None:
    records = sample(count, partitions=partitions, begin=begin)
    send(stage.bootstrap_servers, topic, records)


def recreated_lower(stage: Stage) -> Outcome:
    """It has fewer records than the checkpoint has seen."""
    topic = stage.topic("recreated-lower", 1)
    _send(stage, topic, 500)
    reader = _Reader(stage, topic)
    before = reader.read()
    stage.damage.recreate_topic(topic, 1)
    _send(stage, topic, 300)
    return {
        "before": before,
        "after": reader.fail(),
        "without failOnDataLoss": reader.read(failOnDataLoss="false"),
    }


def recreated_higher(stage: Stage) -> Outcome:
    """It has more: the checkpoint's offset exists, and nobody notices."""
    topic = stage.topic("recreated-higher", 1)
    _send(stage, topic, 500)
    reader = _Reader(stage, topic)
    before = reader.read()
    stage.damage.recreate_topic(topic, 1)
    _send(stage, topic, 700)
    return {"before": before, "after": reader.read()}


def records_deleted(stage: Stage) -> Outcome:
    """The log starts after the checkpoint."""
    topic = stage.topic("records-deleted", 1)
    _send(stage, topic, 500)
    reader = _Reader(stage, topic)
    before = reader.read()
    _send(stage, topic, 500, begin=500)
    stage.damage.delete_records(topic, 800)
    return {
        "before": before,
        "after": reader.fail(),
        "without failOnDataLoss": reader.read(failOnDataLoss="false"),
    }


def partition_gone(stage: Stage) -> Outcome:
    """The topic is recreated with fewer partitions."""
    topic = stage.topic("partition-gone", 2)
    _send(stage, topic, 100, partitions=2)
    reader = _Reader(stage, topic)
    before = reader.read()
    stage.damage.recreate_topic(topic, 1)
    _send(stage, topic, 60)
    return {
        "before": before,
        "after": reader.fail(),
        "without failOnDataLoss": reader.read(failOnDataLoss="false"),
    }


def open_transaction(stage: Stage) -> Outcome:
    """An open transaction blocks read_committed consumers, without an error."""
    topic = stage.topic("open-transaction", 1)
    _send(stage, topic, 50)
    producer = Producer(
        {
            "bootstrap.servers": stage.bootstrap_servers,
            "transactional.id": stage.named("open-transaction"),
            "log_level": 0,
        }
    )
    producer.init_transactions(TIMEOUT_S)
    producer.begin_transaction()
    producer.produce(topic, key="key-100", value="aborted", partition=0)
    assert producer.flush(TIMEOUT_S) == 0
    _send(stage, topic, 20, begin=50)
    reader = _Reader(stage, topic, **{"kafka.isolation.level": "read_committed"})
    while_open = reader.read()
    producer.abort_transaction(TIMEOUT_S)
    return {"while it is open": while_open, "after the abort": reader.read()}


def task_fails(stage: Stage) -> Outcome:
    """It has sent half of its rows; the next attempt sends all of them."""
    topic = stage.topic("task-fails", 1)
    stage.begin()

    def rows(frames: Iterable[Any]) -> Iterable[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        for frame in frames:
            if context.attemptNumber() == 0:
                yield frame[: len(frame) // 2]
                raise RuntimeError("half of it is sent")
            yield frame

    frame = keyed_rows(stage, 300).mapInPandas(rows, "key string, value string")
    stage.write(frame, topic, client="task-fails")
    return _times_there(stage, topic)


def driver_dies(stage: Stage) -> Outcome:
    """The sink has all rows of the last batch, and Spark has not noted that it is done."""
    topic, copy = stage.topic("driver-dies", 1), stage.topic("copy-of-driver-dies", 1)
    _send(stage, topic, 900)
    stage.begin()
    source = stage.stream_source.option("subscribe", topic).option("maxOffsetsPerTrigger", "300")
    checkpoint = stage.checkpoint()
    sink = stage.stream_sink(source.load().select("key", "value"), copy, client="driver-dies")
    sink = sink.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
    ended(sink.start())
    commits = checkpoint / "commits"
    last = max(int(each.name) for each in commits.glob("[0-9]*"))
    for each in (commits / f"{last}", commits / f".{last}.crc"):
        each.unlink()
    ended(sink.start())
    return _times_there(stage, copy)


def _times_there(stage: Stage, topic: str) -> Outcome:
    copies = Counter(number_of(each) for each in stage.stored(topic))
    return {f"{times} times": count for times, count in sorted(Counter(copies.values()).items())}


LOSS_SCENARIOS: Final[tuple[Scenario, ...]] = (
    recreated_lower,
    recreated_higher,
    records_deleted,
    partition_gone,
    open_transaction,
    task_fails,
    driver_dies,
)
