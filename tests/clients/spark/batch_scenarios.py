"""Scenarios for Spark's batch source and sink."""

import json
from typing import TYPE_CHECKING, Final

from tests.clients.spark.causes import causes_of
from tests.clients.spark.stage import FIRST_TIMESTAMP_MS, Outcome, Scenario, Stage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader

_ROWS: Final = 100
_BROKERS_LIMIT_BYTES: Final = 1_048_588  # message.max.bytes


def keyed_rows(stage: Stage, count: int = _ROWS, begin: int = 0) -> "DataFrame":
    """Rows whose keys choose their partitions, in one task so that their order is one."""
    number = "cast(id as string)"
    columns = [f"concat('key-', {number}) as key", f"concat('value-', {number}) as value"]
    return stage.spark.range(begin, begin + count, 1, 1).selectExpr(*columns)


def written(stage: Stage, topic: str) -> Outcome:
    return [str(record) for record in stage.stored(topic)]


def batch_write(stage: Stage) -> Outcome:
    topic = stage.topic("batch-write")
    stage.begin()
    stage.write(keyed_rows(stage), topic, client="batch-write")
    return written(stage, topic)


def second_write(stage: Stage) -> Outcome:
    """The producer is the first one's, which Spark has kept."""
    topic = stage.topic("second-write")
    stage.write(keyed_rows(stage, 10), topic, client="second-write")
    stage.begin()
    columns = [
        "cast(int(substr(value, 7)) % 2 as int) as partition",
        "array(struct('step' as key, cast(key as binary) as value)) as headers",
    ]
    second = keyed_rows(stage, 20, 10).selectExpr("key", "value", *columns)
    stage.write(second, topic, client="second-write", includeHeaders="true")
    return written(stage, topic)


def record_over_the_limit(stage: Stage) -> Outcome:
    topic = stage.topic("record-over-the-limit", 1)
    stage.begin()
    frame = stage.spark.range(1).selectExpr(f"repeat('x', {_BROKERS_LIMIT_BYTES}) as value")
    size = {"kafka.max.request.size": str(4 * _BROKERS_LIMIT_BYTES)}
    causes = causes_of(lambda: stage.write(frame, topic, client="over-the-limit", **size))
    return {"causes": causes, "stored": written(stage, topic)}


def write_to_absent(stage: Stage) -> Outcome:
    """Brokers create the topic."""
    topic = stage.named("write-to-absent")
    stage.write(keyed_rows(stage, 10), topic, client="write-to-absent")
    return written(stage, topic)


def topic_absent(stage: Stage) -> Outcome:
    source = stage.batch_source.option("assign", json.dumps({stage.named("absent"): [0]}))
    return {"causes": causes_of(lambda: source.load().collect())}


def rows(source: "DataFrameReader") -> Outcome:
    """Read, and write each row on a line."""
    frame = source.load()
    fields = [
        "partition",
        "offset",
        "unix_millis(timestamp) as timestamp_ms",
        "timestampType",
        "cast(key as string) as key",
        "cast(value as string) as value",
        *(["headers"] if "headers" in frame.columns else []),
        "topic",
    ]
    lines: list[str] = []
    for row in frame.selectExpr(*fields).orderBy("topic", "partition", "offset").collect():
        headers = "".join(
            f" {each['key']}:{each['value'].decode()}"
            for each in (row.asDict().get("headers") or ())
        )
        where = f"{row['topic']} {row['partition']}@{row['offset']}"
        when = f"{row['timestamp_ms']} type {row['timestampType']}"
        lines.append(f"{where} {when} {row['key']}={row['value']}{headers}")
    return lines


def read_subscribe(stage: Stage) -> Outcome:
    return rows(stage.batch_source.option("subscribe", stage.orders))


def read_assign(stage: Stage) -> Outcome:
    return rows(stage.batch_source.option("assign", json.dumps({stage.orders: [1]})))


def read_pattern(stage: Stage) -> Outcome:
    either = f"(orders|transfers)-{stage.token}"
    assert (stage.orders, stage.transfers) == (stage.named("orders"), stage.named("transfers"))
    stage.begin()
    return rows(stage.batch_source.option("subscribePattern", either))


def read_offsets(stage: Stage) -> Outcome:
    begin = {stage.orders: {"0": 5, "1": -2}}
    end = {stage.orders: {"0": -1, "1": 15}}
    source = stage.batch_source.option("subscribe", stage.orders)
    source = source.option("startingOffsets", json.dumps(begin))
    return rows(source.option("endingOffsets", json.dumps(end)))


def read_timestamps(stage: Stage) -> Outcome:
    source = stage.batch_source.option("subscribe", stage.orders)
    source = source.option("startingTimestamp", str(FIRST_TIMESTAMP_MS + 10_000))
    return rows(source.option("endingTimestamp", str(FIRST_TIMESTAMP_MS + 25_500)))


def read_timestamps_of_partitions(stage: Stage) -> Outcome:
    begin = {stage.orders: {"0": FIRST_TIMESTAMP_MS + 20_000, "1": FIRST_TIMESTAMP_MS}}
    end = {stage.orders: {"0": FIRST_TIMESTAMP_MS + 10**6, "1": FIRST_TIMESTAMP_MS + 7_000}}
    source = stage.batch_source.option("subscribe", stage.orders)
    source = source.option("startingOffsetsByTimestamp", json.dumps(begin))
    return rows(source.option("endingOffsetsByTimestamp", json.dumps(end)))


def read_timestamps_after_the_end(stage: Stage) -> Outcome:
    """Nothing is as late as that."""
    source = stage.batch_source.option("assign", json.dumps({stage.orders: [1]}))
    source = source.option("startingTimestamp", str(FIRST_TIMESTAMP_MS + 10**6))
    latest = source.option("startingOffsetsByTimestampStrategy", "latest")
    found = rows(latest)
    error = source.option("startingOffsetsByTimestampStrategy", "error")
    return {"latest": found, "error": causes_of(lambda: error.load().collect())}


def read_min_partitions(stage: Stage) -> Outcome:
    source = stage.batch_source.option("subscribe", stage.orders).option("minPartitions", "8")
    tasks = source.load().rdd.getNumPartitions()
    return {"tasks": tasks, "rows": rows(source)}


def read_headers(stage: Stage) -> Outcome:
    source = stage.batch_source.option("subscribe", stage.orders)
    return rows(source.option("includeHeaders", "true"))


def read_group_id(stage: Stage) -> Outcome:
    source = stage.batch_source.option("subscribe", stage.orders)
    return rows(source.option("kafka.group.id", stage.named("group")))


def read_committed(stage: Stage) -> Outcome:
    return _isolated(stage, "read_committed")


def read_uncommitted(stage: Stage) -> Outcome:
    return _isolated(stage, "read_uncommitted")


def _isolated(stage: Stage, isolation_level: str) -> Outcome:
    source = stage.batch_source.option("subscribe", stage.transfers)
    return rows(source.option("kafka.isolation.level", isolation_level))


def read_committed_in_pieces(stage: Stage) -> Outcome:
    """Some tasks get nothing but what is aborted, or markers."""
    source = stage.batch_source.option("subscribe", stage.transfers).option("minPartitions", "11")
    source = source.option("kafka.isolation.level", "read_committed")
    return {"tasks": source.load().rdd.getNumPartitions(), "rows": rows(source)}


BATCH_SCENARIOS: Final[tuple[Scenario, ...]] = (
    batch_write,
    second_write,
    record_over_the_limit,
    write_to_absent,
    topic_absent,
    read_subscribe,
    read_assign,
    read_pattern,
    read_offsets,
    read_timestamps,
    read_timestamps_of_partitions,
    read_timestamps_after_the_end,
    read_min_partitions,
    read_headers,
    read_group_id,
    read_committed,
    read_uncommitted,
    read_committed_in_pieces,
)
