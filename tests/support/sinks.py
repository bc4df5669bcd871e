"""A sink without Spark: its driver and its tasks, called in the order of Spark."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from importlib import import_module
from typing import Any, Final

from mockbroker import Cluster
from mockbroker.spark.format_errors import KafkaEosError, cluster_of
from mockbroker.spark.sink.batch_commit import TaskMessage, claim_of, commit_batch
from mockbroker.spark.sink.control_records import BatchIdentity
from mockbroker.spark.sink.sink_options import SinkOptions
from mockbroker.spark.sink.takeover import Claim, give_up, take_over
from mockbroker.spark.sink.task_writing import TaskCopy, write_rows

_pa: Final[Any] = import_module("pyarrow")  # it has no type annotations

PREFIX: Final = "copier"
DRIVER: Final = PREFIX
TASKS: Final = f"{PREFIX}-*"
QUERY: Final = "query-1"
TOPIC: Final = "copy"


class TaskFailedInTheMiddleError(Exception):
    """The failure of a task's own code."""


def rows(ids: Sequence[int]) -> Any:
    """Return an Arrow batch whose values have ids."""
    values = [f'{{"id": {number}}}'.encode() for number in ids]
    return _pa.record_batch([values], names=["value"])


def failing_rows(ids: Sequence[int]) -> Iterator[Any]:
    """Yield a batch that fills a request, and fail."""
    yield rows(ids)
    raise TaskFailedInTheMiddleError


class SinkWithoutSpark:
    """One start of a query that writes to the topic `copy`."""

    def __init__(self, cluster: Cluster, query: str = QUERY, **options: str) -> None:
        """Set the options of the sink."""
        given = {
            "kafka.bootstrap.servers": cluster.bootstrap_servers,
            "topic": TOPIC,
            "transactionalIdPrefix": PREFIX,
            "timeoutMs": "5000",
        }
        self.options: Final = SinkOptions.of(given | options, is_stream=True)
        self._query = query

    def begin(self) -> Claim:
        """Plan a batch, as the driver does."""
        with cluster_of(self.options, KafkaEosError) as cluster:
            return take_over(cluster, self.options)

    def task(
        self,
        claim: Claim,
        ids: Sequence[int],
        *,
        batch: int = 0,
        task: int = 0,
        attempt: int = 0,
        fails: bool = False,
    ) -> TaskMessage:
        """Run a copy of a task, and return its message."""
        copy = TaskCopy(BatchIdentity(self._query, str(batch)), task, attempt)
        batches = failing_rows(ids) if fails else [rows(ids)]
        with cluster_of(self.options, KafkaEosError) as cluster:
            return write_rows(cluster, self.options, claim, copy, batches)

    def tasks(self, claim: Claim, *parts: Sequence[int], batch: int = 0) -> list[TaskMessage]:
        """Run a task for each part of a batch."""
        return [self.task(claim, ids, batch=batch, task=number) for number, ids in enumerate(parts)]

    def commit(self, messages: Sequence[TaskMessage]) -> None:
        """Commit a batch, as the driver does."""
        with cluster_of(self.options, KafkaEosError) as cluster:
            commit_batch(cluster, self.options, messages)

    def abort(self, messages: Sequence[TaskMessage] = ()) -> None:
        """Abort a batch, as Spark does after a commit that raised."""
        with cluster_of(self.options, KafkaEosError) as cluster:
            give_up(cluster, self.options, claim_of(messages))

    def run(self, *parts: Sequence[int], batch: int = 0) -> None:
        """Plan, write and commit a batch."""
        self.commit(self.tasks(self.begin(), *parts, batch=batch))


def seen(cluster: Cluster) -> Counter[int]:
    """Count the visible records by id."""
    found = cluster.records(TOPIC, isolation="read_committed")
    return Counter(json.loads(record.value or b"")["id"] for record in found)


def assert_each_once(
    cluster: Cluster, ids: Sequence[int], *, but_for: Collection[str] = ()
) -> None:
    """Check that every id is visible once, and that the audit finds only what is named."""
    assert seen(cluster) == Counter(ids)
    cluster.assert_no_open_transactions()
    cluster.assert_no_hanging_transactions()
    verdict = cluster.audit(identity="json:id")
    assert {each.rule for each in verdict.findings} <= set(but_for), verdict.findings
