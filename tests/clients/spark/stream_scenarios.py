"""Scenarios for Spark's streaming source and sink."""

import json
from typing import TYPE_CHECKING, Any, Final

from tests.clients.spark.stage import Outcome, Scenario, Stage, ended, sample
from tests.clients.spark.stored import number_of, send
from tests.clients.support.deadline import wait_until
from tests.clients.support.topics import add_partition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

_DEPRECATED_OFFSETS: Final = "spark.sql.streaming.kafka.useDeprecatedOffsetFetching"


def available_now(stage: Stage) -> Outcome:
    """From Kafka to Kafka, what is committed only."""
    topic = stage.topic("available-now", 1)
    assert stage.transfers
    stage.begin()
    source = stage.stream_source.option("subscribe", stage.transfers)
    source = source.option("kafka.isolation.level", "read_committed")
    sink = stage.stream_sink(_values(source.load()), topic, client="available-now")
    query = ended(sink.trigger(availableNow=True).start())
    return {"batches": _batches(query), "stored": [str(each) for each in stage.stored(topic)]}


def available_now_in_batches(stage: Stage) -> Outcome:
    source = stage.stream_source.option("subscribe", stage.orders)
    source = source.option("maxOffsetsPerTrigger", "10")
    sink = source.load().writeStream.format("noop")
    sink = sink.option("checkpointLocation", str(stage.checkpoint()))
    query = ended(sink.trigger(availableNow=True).start())
    return {"batches": _batches(query)}


def micro_batches(stage: Stage) -> Outcome:
    """One query sees what is written while it runs, a batch for each time."""
    topic = stage.topic("micro-batches-in")
    copy = stage.topic("micro-batches-out", 1)
    stage.begin()
    frame = _values(stage.stream_source.option("subscribe", topic).load())
    sink = stage.stream_sink(frame.coalesce(1), copy, client="micro-batches")
    query = sink.trigger(processingTime="0 seconds").start()
    try:
        for begin in range(0, 30, 10):
            send(stage.bootstrap_servers, topic, sample(10, partitions=1, begin=begin))
            query.processAllAvailable()
    finally:
        query.stop()
    return {"batches": _batches(query), "stored": [str(each) for each in stage.stored(copy)]}


def partitions_added(stage: Stage) -> Outcome:
    """A query that goes on reads the new partition from its start."""
    topic, copy = stage.topic("partitions-added", 1), stage.topic("partitions-added-copy", 1)
    send(stage.bootstrap_servers, topic, sample(10, partitions=1))
    stage.begin()
    frame = _values(stage.stream_source.option("subscribe", topic).load()).coalesce(1)
    sink = stage.stream_sink(frame, copy, client="partitions-added").trigger(availableNow=True)
    ended(sink.start())
    add_partition(stage.bootstrap_servers, topic)
    send(stage.bootstrap_servers, topic, sample(10, partitions=2, begin=10))
    query = ended(sink.start())
    numbers = sorted(number_of(record) for record in stage.stored(copy))
    return {"batches": _batches(query), "stored": numbers}


def continuous(stage: Stage) -> Outcome:
    topic = stage.topic("continuous", 1)
    assert stage.transfers
    stage.begin()
    source = stage.stream_source.option("subscribe", stage.transfers)
    source = source.option("kafka.isolation.level", "read_committed")
    sink = stage.stream_sink(_values(source.load()), topic, client="continuous")
    query = sink.trigger(continuous="1 second").start()
    try:
        wait_until(lambda: len(stage.stored(topic)) >= 30 or query.exception() is not None)
    finally:
        query.stop()
    return {"stored": [str(each) for each in stage.stored(topic)]}


def deprecated_offset_fetching(stage: Stage) -> Outcome:
    """The driver asks for offsets as a member of a consumer group."""
    assert stage.orders
    stage.begin()
    stage.spark.conf.set(_DEPRECATED_OFFSETS, "true")
    try:
        sink = stage.stream_source.option("subscribe", stage.orders).load().writeStream
        sink = sink.format("noop").option("checkpointLocation", str(stage.checkpoint()))
        query = ended(sink.trigger(availableNow=True).start())
    finally:
        stage.spark.conf.unset(_DEPRECATED_OFFSETS)
    return {"batches": _batches(query)}


def _values(frame: "DataFrame") -> "DataFrame":
    return frame.select("key", "value")


def _batches(query: "StreamingQuery") -> Outcome:
    """Return what each batch with rows read: how many, and the offsets before which it ended."""
    return [
        {
            "rows": progress["numInputRows"],
            "ends": {
                topic: dict(sorted(ends.items()))
                for source in progress["sources"]
                for topic, ends in _parsed(source["endOffset"]).items()
            },
        }
        for progress in (json.loads(each.json) for each in query.recentProgress)
        if progress["numInputRows"]
    ]


def _parsed(offsets: Any) -> dict[str, dict[str, int]]:
    """Read offsets, which progress has as JSON within JSON, or not, as Spark's writer decides."""
    parsed: dict[str, dict[str, int]] = json.loads(offsets) if isinstance(offsets, str) else offsets
    return parsed


STREAM_SCENARIOS: Final[tuple[Scenario, ...]] = (
    available_now,
    available_now_in_batches,
    micro_batches,
    partitions_added,
    continuous,
    deprecated_offset_fetching,
)
