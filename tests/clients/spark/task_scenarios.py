"""Scenarios in which tasks of PySpark write with their own producers, not with Spark's sink.

The functions of tasks are closures, so that they are pickled by value for the workers.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from tests.clients.spark.stage import PARTITIONS, Outcome, Scenario, Stage
from tests.clients.support.stored_batches import stored_batches

if TYPE_CHECKING:
    from pyspark.sql import Row

_ROWS: Final = 20

Write: TypeAlias = Callable[[Iterator[int]], int]
"""Writes numbers, all of one partition, and returns how many."""
Kind: TypeAlias = Literal["idempotent", "transactional"]


def confluent_write(bootstrap_servers: str, topic: str, client: str, kind: Kind) -> Write:
    """Write with confluent-kafka."""

    def write(numbers: Iterator[int]) -> int:
        from confluent_kafka import Producer
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        name = f"{client}-{context.partitionId()}"
        settings: dict[str, Any] = {
            "bootstrap.servers": bootstrap_servers,
            "client.id": name,
            "enable.idempotence": True,
        }
        if kind == "transactional":
            settings["transactional.id"] = name
        producer = Producer(settings)
        if kind == "transactional":
            producer.init_transactions()
            producer.begin_transaction()
        count = 0
        for number in numbers:
            partition = context.partitionId()
            producer.produce(topic, key=f"key-{number}", value="value", partition=partition)
            count += 1
        assert producer.flush(30) == 0
        if kind == "transactional":
            producer.commit_transaction()
        return count

    return write


def kafka_python_write(bootstrap_servers: str, topic: str, client: str, kind: Kind) -> Write:
    """Write with kafka-python."""

    def write(numbers: Iterator[int]) -> int:
        from kafka import KafkaProducer
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        name = f"{client}-{context.partitionId()}"
        settings: dict[str, Any] = {
            "bootstrap_servers": bootstrap_servers,
            "client_id": name,
            "enable_idempotence": True,
        }
        if kind == "transactional":
            settings["transactional_id"] = name
        producer = KafkaProducer(**settings)
        if kind == "transactional":
            producer.init_transactions()
            producer.begin_transaction()
        sent = [
            producer.send(
                topic, key=b"key-%d" % number, value=b"value", partition=context.partitionId()
            )
            for number in numbers
        ]
        producer.flush()
        for each in sent:
            each.get(30)
        if kind == "transactional":
            producer.commit_transaction()
        producer.close()
        return len(sent)

    return write


def in_foreach_partition(stage: Stage, write: Write) -> None:
    """Have each of two tasks write its rows."""

    def task(rows: "Iterator[Row]") -> None:
        write(row["id"] for row in rows)

    stage.spark.range(0, _ROWS, 1, PARTITIONS).foreachPartition(task)


def in_map_in_pandas(stage: Stage, write: Write) -> None:
    """Have each of two tasks write its frames, and give how many rows it has written."""

    def task(frames: Iterable[Any]) -> Iterable[Any]:
        import pandas as pd

        written = write(int(number) for frame in frames for number in frame["id"])
        yield pd.DataFrame({"written": [written]})

    frame = stage.spark.range(0, _ROWS, 1, PARTITIONS).mapInPandas(task, "written long")
    assert sum(row["written"] for row in frame.collect()) == _ROWS


def tasks(
    stage: Stage,
    *,
    name: str,
    run: Callable[[Stage, Write], None],
    client: Callable[[str, str, str, Kind], Write],
    kind: Kind,
) -> Outcome:
    """Have tasks write, and look at what there is."""
    topic = stage.topic(name)
    stage.begin()
    run(stage, client(stage.bootstrap_servers, topic, stage.named(f"task-{name}"), kind))
    batches = [
        batch
        for partition in range(PARTITIONS)
        for batch in stored_batches(stage.bootstrap_servers, topic, partition)
    ]
    return {
        "committed": [str(record) for record in stage.stored(topic, "read_committed")],
        "markers": [batch.base_offset for batch in batches if batch.is_control],
        "transactional": sorted({batch.is_transactional for batch in batches}),
        "producers": len({batch.producer_id for batch in batches}),
    }


def _scenarios() -> Iterator[Scenario]:
    runs = {"foreach_partition": in_foreach_partition, "map_in_pandas": in_map_in_pandas}
    clients = {"confluent": confluent_write, "kafka_python": kafka_python_write}
    kinds: tuple[Kind, ...] = ("idempotent", "transactional")
    for run_name, run in runs.items():
        for client_name, client in clients.items():
            for kind in kinds:
                name = f"{run_name}_{client_name}_{kind}"
                yield _named(name, partial(tasks, name=name, run=run, client=client, kind=kind))


def _named(name: str, scenario: Scenario) -> Scenario:
    def named(stage: Stage) -> Outcome:
        return scenario(stage)

    named.__name__ = name
    return named


TASK_SCENARIOS: Final[tuple[Scenario, ...]] = tuple(_scenarios())
