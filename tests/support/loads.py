"""Loads without Spark: their tasks run one after the other in the test process."""

import contextlib
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Final, NoReturn

from mockbroker.spark.auditing.visible_records import read_visible
from mockbroker.spark.load.load_attempt import LoadAttempt, LoadOptions, TaskFailedError
from mockbroker.spark.load.load_ledger import SENT_COLUMNS, SentRow
from mockbroker.spark.load.load_ledger_files import read_part
from mockbroker.spark.load.load_plan import PLANS, Delivery
from mockbroker.spark.load.load_producer import ClientName
from mockbroker.spark.load.load_script import LoadShape

TOPIC: Final = "orders"
PARTITIONS: Final = 2
SHAPE: Final = LoadShape(seed=7, tasks=2, records=40, partitions=PARTITIONS)
CLIENTS: Final[tuple[ClientName, ...]] = ("confluent", "kafka-python")
WANTED: Final = Counter(
    each.record_id
    for task in range(SHAPE.tasks)
    for each in SHAPE.records_of(task, range(SHAPE.records))
)
"""Every record once."""
ATTEMPTS_MAX: Final = 2


class DiedError(BaseException):
    """The task's process died."""


def die(code: int) -> NoReturn:
    """End the attempt as if its process died."""
    raise DiedError(code)


def options_for(
    bootstrap_servers: str,
    admin: str | None,
    folder: Path,
    plan: str,
    delivery: Delivery = "transactional",
) -> LoadOptions:
    """Return the options of the tasks of a small load."""
    return LoadOptions(
        bootstrap_servers=bootstrap_servers,
        topic=TOPIC,
        shape=SHAPE,
        plan=PLANS[plan],
        delivery=delivery,
        clients=CLIENTS,
        folder=folder,
        admin=admin,
    )


def do_tasks(options: LoadOptions) -> list[SentRow]:
    """Run all tasks, retry failed ones as Spark does, and return the rows of the ledger."""
    for task in range(options.shape.tasks):
        for number in range(ATTEMPTS_MAX):
            with contextlib.suppress(TaskFailedError, DiedError):
                LoadAttempt(options=options, task=task, number=number, die=die).run()
                break
    parts = sorted(options.folder.glob("part-*.parquet"))
    tables = [read_part(path, SENT_COLUMNS).to_pylist() for path in parts]
    return [SentRow(**said) for said in chain.from_iterable(tables)]


def copies(bootstrap_servers: str) -> Counter[str]:
    """Count each record that read_committed consumers get."""
    return Counter(each.record_id for each in read_visible(bootstrap_servers, TOPIC))
