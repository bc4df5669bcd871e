"""Work of one task: its rows go into a transaction that stays open for the driver."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final, NamedTuple

from pyspark import TaskContext

from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.batch_commit import TaskMessage
from mockbroker.spark.sink.control_log import ControlLog
from mockbroker.spark.sink.control_records import (
    BatchIdentity,
    DecidedBatch,
    Opened,
    TaskTransaction,
    Written,
)
from mockbroker.spark.sink.row_columns import RowRouter
from mockbroker.spark.sink.sink_options import SinkOptions
from mockbroker.spark.sink.takeover import Claim
from mockbroker.spark.sink.task_producer import TaskProducer
from mockbroker.spark.sink.transaction_requests import TransactionRequests
from mockbroker.spark.sink.worker_ids import worker_ids
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import WireCluster

_QUERY: Final = "sql.streaming.queryId"
_BATCH: Final = "streaming.sql.batchId"


class TaskCopy(NamedTuple):
    """One attempt of a task of a batch."""

    identity: BatchIdentity
    task: int
    attempt: int


def this_copy(identity: BatchIdentity | None) -> TaskCopy:
    """Return the running task; without an identity, its batch is the one that Spark names.

    Raises:
        KafkaEosError: Spark names none.

    """
    context: Any = TaskContext.get()
    if identity is None:
        query, batch = (context.getLocalProperty(name) for name in (_QUERY, _BATCH))
        if query is None or batch is None:
            raise KafkaEosError(f"Spark does not say which batch this is ({_QUERY}, {_BATCH})")
        identity = BatchIdentity(query, batch)
    return TaskCopy(identity, context.partitionId(), context.attemptNumber())


def write_rows(
    cluster: WireCluster,
    options: SinkOptions,
    claim: Claim,
    copy: TaskCopy,
    batches: Iterable[Any],
) -> TaskMessage:
    """Write the rows of Arrow batches, unless their batch is done.

    Raises:
        KafkaEosError: the task is late, its batch is out of order, or a row is invalid.
        WireError: records are refused, or no broker answers.

    """
    if claim.last is not None and _is_done(copy.identity, claim.last):
        return TaskMessage(claim=claim, identity=copy.identity)
    attempt = _Attempt(cluster, options, claim, copy)
    try:
        for batch in batches:
            attempt.write(batch)
        written = attempt.finish()
    except BaseException:
        attempt.abort()
        raise
    return TaskMessage(
        claim=claim, identity=copy.identity, registered=attempt.registered, written=written
    )


def _is_done(identity: BatchIdentity, last: BatchIdentity) -> bool:
    if identity == last:
        return True
    if identity.query and identity.query == last.query and int(identity.batch) < int(last.batch):
        raise KafkaEosError(
            f"{identity} is older than batch {last.batch}, which is written: the checkpoint is not "
            "the latest of this query. Start with a new checkpoint and a new transactionalIdPrefix"
        )
    return False


class _Attempt:
    """One attempt of a task; its transaction begins with its first row."""

    def __init__(
        self, cluster: WireCluster, options: SinkOptions, claim: Claim, copy: TaskCopy
    ) -> None:
        self._copy = copy
        self._cluster = cluster
        self._options = options
        self._claim = claim
        self._requests = TransactionRequests(cluster)
        self._router = RowRouter(
            options.topic, self._partition_count, has_headers=options.has_headers, start=copy.task
        )
        self._transaction: TaskTransaction | None = None
        self._producer: TaskProducer | None = None
        self.registered = -1

    def write(self, batch: Any) -> None:
        """Send the rows of an Arrow batch."""
        if not batch.num_rows:
            return
        records = self._router.routed(batch)
        if self._producer is None:
            self._producer = self._open()
        self._producer.send(records)

    def finish(self) -> Written | None:
        """Wait until all is stored, and return where."""
        if self._producer is None or self._transaction is None:
            return None
        self._producer.flush()
        return Written(transaction=self._transaction, ranges=self._producer.ranges)

    def abort(self) -> None:
        """Abort the transaction, by a new epoch, which requests under way do not have."""
        if self._transaction is not None:
            self._cluster.close()
            with suppress(OSError, WireError):
                self._requests.init(
                    self._transaction.transactional_id, self._options.transaction_timeout_ms
                )

    def _open(self) -> TaskProducer:
        options, claim = self._options, self._claim
        ids = worker_ids(options.bootstrap_servers, options.prefix)
        producer = self._requests.init(
            ids.take(claim), options.transaction_timeout_ms, is_two_phase=options.is_two_phase
        )
        ids.use(producer, claim)
        self._transaction = TaskTransaction(
            **producer._asdict(), task=self._copy.task, attempt=self._copy.attempt
        )
        self._register(self._transaction)
        return TaskProducer(
            self._cluster,
            self._requests,
            producer,
            target=self._router.target,
            batch_bytes_max=options.batch_bytes_max,
            compression=options.compression,
        )

    def _register(self, transaction: TaskTransaction) -> None:
        """Announce the transaction, so that a driver can abort it.

        Raises:
            KafkaEosError: a driver has decided the batch already.

        """
        log = ControlLog(self._cluster, self._options.control_topic)
        opened = Opened(prefix=self._options.prefix, transaction=transaction)
        self.registered = log.append(opened, transaction.producer)
        before = log.read(self._options.prefix, self._claim.since, self.registered)
        if any(isinstance(each.record, DecidedBatch) for each in before):
            raise KafkaEosError(
                f"attempt {self._copy.attempt} of task {self._copy.task} is late: a batch is "
                "decided since it was planned"
            )

    def _partition_count(self, topic: str) -> int:
        return len(self._cluster.topic(topic).leaders)
