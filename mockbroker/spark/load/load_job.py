"""A load as a Spark job: one partition per task; tasks of client `spark` use Spark's sink."""

import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pyspark import TaskContext

from mockbroker.spark.auditing.visible_records import read_visible, waiting_from
from mockbroker.spark.load.load_attempt import (
    LoadAttempt,
    LoadFailedError,
    LoadOptions,
    TaskFailedError,
)
from mockbroker.spark.load.load_ledger import RECORD_HEADER, LedgerManifest, LoadCounts
from mockbroker.spark.load.load_ledger_files import (
    read_ledger,
    settle,
    write_sent,
    write_visible,
)
from mockbroker.spark.load.load_moments import ask, make_rules, remove_rules
from mockbroker.spark.load.load_script import script_of
from mockbroker.spark.spark_errors import SPARK_ERRORS, reason_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SINK_CLIENT_ID: Final = "load-spark"
_TASKS: Final = "task int, attempt int, sent bigint"
_RECORDS: Final = (
    "topic string, partition int, key binary, value binary,"
    " headers array<struct<key: string, value: binary>>"
)
_KILLED: Final = 137
_US: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOutcome:
    """Result of a load."""

    manifest: LedgerManifest
    rules: Sequence[tuple[str, int]]
    """Faults created for the plan, and how often each fired."""


@contextmanager
def spark_failures() -> Generator[None]:
    """Raise `LoadFailedError`, with one line, for what Spark raises."""
    try:
        yield
    except SPARK_ERRORS as error:
        raise LoadFailedError(reason_of(error)) from None


def run_load(spark: "SparkSession", options: LoadOptions, manifest: LedgerManifest) -> LoadOutcome:
    """Send the records of a plan, and write the ledger into its folder.

    Raises:
        WireError: the cluster cannot be read when all is sent.
        AdminRequestError: the admin API is unreachable, or refuses a request of the plan.
        FileExistsError: there is something in the folder.
        OSError: it cannot be written.
        PySparkException: a task has failed as often as it may.

    """
    manifest.create(options.folder)
    ids = make_rules(
        options.admin, options.plan, topic=options.topic, client_ids=_client_ids(options)
    )
    _run_tasks(spark, options)
    rules = [(str(view["id"]), int(view["hits"])) for view in remove_rules(options.admin, ids)]
    for moment in options.plan.moments:
        if moment.after == "load":
            ask(options.admin, moment, topic=options.topic, partition=0)
    # before the records are read, so that all stored records below these offsets are read
    waiting = waiting_from(options.bootstrap_servers, [options.topic])
    visible = write_visible(options.folder, read_visible(options.bootstrap_servers, options.topic))
    counts = _counted(options, visible)
    return LoadOutcome(
        manifest=manifest.close(options.folder, counts, int(time.time() * _US), waiting),
        rules=rules,
    )


def _client_ids(options: LoadOptions) -> list[str]:
    tasks = range(options.shape.tasks)
    ids = {
        SINK_CLIENT_ID
        if options.client_of(task) == "spark"
        else options.settings_of(task, 0).client_id
        for task in tasks
    }
    return sorted(ids)


def _run_tasks(spark: "SparkSession", options: LoadOptions) -> None:
    of_sink = [t for t in range(options.shape.tasks) if options.client_of(t) == "spark"]
    others = [t for t in range(options.shape.tasks) if t not in of_sink]
    if others:
        _numbers(spark, others).mapInArrow(partial(_attempts, options, others), _TASKS).collect()
    if of_sink:
        records = partial(_sink_records, options, of_sink)
        _write(_numbers(spark, of_sink).mapInArrow(records, _RECORDS), options)
        settle(options.folder, of_sink)


def _numbers(spark: "SparkSession", tasks: Sequence[int]) -> Any:
    """Create a DataFrame with one partition per task."""
    return spark.range(0, len(tasks), 1, len(tasks))


def _write(records: "DataFrame", options: LoadOptions) -> None:
    sink = records.write.format("kafka")
    configs = {
        "kafka.bootstrap.servers": options.bootstrap_servers,
        "kafka.client.id": SINK_CLIENT_ID,
        "kafka.acks": "all",
        "kafka.enable.idempotence": str(options.delivery == "idempotent").lower(),
        "includeHeaders": "true",
    }
    for name, value in configs.items():
        sink = sink.option(name, value)
    sink.save()


def _counted(options: LoadOptions, visible: int) -> LoadCounts:
    rows = read_ledger(options.folder).rows
    outcomes = [row.outcome for row in rows]
    return LoadCounts(
        records=options.shape.tasks * options.shape.records,
        sent=len(rows),
        acked=outcomes.count("acked"),
        failed=outcomes.count("failed"),
        unknown=outcomes.count("unknown"),
        attempts=len({(row.task, row.attempt) for row in rows}),
        visible=visible,
    )


# In workers


def _attempts(options: LoadOptions, tasks: Sequence[int], batches: Iterator[Any]) -> Iterator[Any]:
    """Run an attempt of the tasks with the given numbers."""
    pa = import_module("pyarrow")
    for task in _numbered(tasks, batches):
        attempt = LoadAttempt(options=options, task=task, number=_attempt_number())
        attempt.run()
        arrays = [
            pa.array([attempt.task], pa.int32()),
            pa.array([attempt.number], pa.int32()),
            pa.array([len(attempt.rows)], pa.int64()),
        ]
        yield pa.RecordBatch.from_arrays(arrays, names=["task", "attempt", "sent"])


def _sink_records(
    options: LoadOptions, tasks: Sequence[int], batches: Iterator[Any]
) -> Iterator[Any]:
    """Yield the records of the tasks with the given numbers, in the form of Spark's sink."""
    for task in _numbered(tasks, batches):
        yield from sink_rounds(options, task, _attempt_number())


def sink_rounds(
    options: LoadOptions, task: int, number: int, die: Callable[[int], NoReturn] = os._exit
) -> Iterator[Any]:
    """Yield a batch for each round of a task; the sink does not report single records.

    Raises:
        TaskFailedError: the plan says so.

    """
    attempt = LoadAttempt(options=options, task=task, number=number)
    try:
        for each in script_of(options.plan, options.shape, task, number):
            is_over = each.turn in {"failed", "died"}
            half = (len(each.numbers) + 1) // 2
            yield _batch(attempt, each.numbers[:half] if is_over else each.numbers)
            if each.turn == "died":
                write_sent(options.folder, task, number, attempt.rows)
                die(_KILLED)
            if is_over:
                raise TaskFailedError(f"task {task} fails in attempt {number}, as planned")
    finally:
        write_sent(options.folder, task, number, attempt.rows)


def _batch(attempt: LoadAttempt, numbers: range) -> Any:
    pa = import_module("pyarrow")
    options = attempt.options
    records = list(options.shape.records_of(attempt.task, numbers))
    attempt.rows += map(attempt.row_of, records)
    header = pa.struct([("key", pa.string()), ("value", pa.binary())])
    headers = [[{"key": RECORD_HEADER, "value": each.record_id.encode()}] for each in records]
    arrays = [
        pa.array([options.topic] * len(records), pa.string()),
        pa.array([each.partition for each in records], pa.int32()),
        pa.array([each.key for each in records], pa.binary()),
        pa.array([each.value for each in records], pa.binary()),
        pa.array(headers, pa.list_(header)),
    ]
    names = ["topic", "partition", "key", "value", "headers"]
    return pa.RecordBatch.from_arrays(arrays, names=names)


def _numbered(tasks: Sequence[int], batches: Iterator[Any]) -> Iterator[int]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield tasks[number]


def _attempt_number() -> int:
    context = TaskContext.get()
    assert context is not None, "no worker of Spark runs this"
    return int(context.attemptNumber())
