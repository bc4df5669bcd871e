"""A Spark driver as a program: each line of its input is a query, each of its output an outcome.

python -m tests.support.sink_driver local[2,3]
"""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from mockbroker.spark import session
from mockbroker.spark.sink.kafka_eos import KafkaEos
from mockbroker.spark.spark_errors import reason_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DONE: Final = "outcome: done"
FAILED: Final = "outcome: failed: "
STRIKES: Final = ("raise", "exit", "executor", "slow")
"""What may happen to the first copy of a task: its code raises, its Python or its executor dies, or
it is so slow that another copy starts."""
_SLOW_S: Final = 20.0
_PATIENCE_S: Final = 240
_SETTINGS: Final = {
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.speculation": "true",
    "spark.speculation.interval": "200ms",
    "spark.speculation.multiplier": "1.5",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.minTaskRuntime": "1s",
}
Batches = Iterator[Any]


def struck(strikes: Mapping[str, str]) -> Callable[[Batches], Batches]:
    """Return a function for `mapInArrow` that strikes `batch/task` after half of its rows."""

    def rows(batches: Batches) -> Batches:
        from pyspark import TaskContext

        context: Any = TaskContext.get()
        batch = context.getLocalProperty("streaming.sql.batchId")
        strike = strikes.get(f"{batch}/{context.partitionId()}")
        for each in batches:
            if strike is None or context.attemptNumber():
                yield each
                continue
            middle = each.num_rows // 2
            yield each.slice(0, middle)
            strike_now(strike)
            yield each.slice(middle)

    return rows


def strike_now(strike: str) -> None:
    """Do what strikes a task, in its Python process."""
    if strike == "raise":
        raise ConnectionError("the task's own code fails")
    if strike == "exit":
        os._exit(1)
    if strike == "executor":
        daemon = os.getppid()
        status = Path(f"/proc/{daemon}/status").read_text("utf-8")
        (jvm,) = [line.split()[1] for line in status.splitlines() if line.startswith("PPid:")]
        os.kill(int(jvm), signal.SIGKILL)
    Event().wait(_SLOW_S)


def run_query(spark: "SparkSession", plan: Mapping[str, Any]) -> None:
    """Copy the lines of files to a topic, a batch for each file, until all are copied.

    The plan has the folder, the number of tasks, what strikes, and the options of the sink.
    """
    folder = Path(plan["folder"])
    lines: Any = spark.readStream.format("text").option("maxFilesPerTrigger", 1)
    rows = lines.load(str(folder / "in")).repartition(plan["tasks"])
    rows = rows.mapInArrow(struck(plan["strikes"]), "value string")
    sink = rows.writeStream.format("kafka_eos").options(**plan["options"])
    sink = sink.option("checkpointLocation", str(folder / "checkpoint"))
    assert sink.trigger(availableNow=True).start().awaitTermination(_PATIENCE_S)


def main() -> None:
    """Run the queries of the input."""
    spark = session(master=sys.argv[1], has_connector=False, settings=_SETTINGS)
    spark.dataSource.register(KafkaEos)
    for line in sys.stdin:
        try:
            run_query(spark, json.loads(line))
        except Exception as error:  # noqa: BLE001 - the other program judges it
            outcome = FAILED + reason_of(error).replace("\n", " ")
        else:
            outcome = DONE
        sys.stdout.write(f"{outcome}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
