"""Commit of a batch by the driver, from the messages of its tasks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql.datasource import WriterCommitMessage

from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.batch_ending import end_batch
from mockbroker.spark.sink.control_log import ControlLog
from mockbroker.spark.sink.control_records import BatchIdentity, DecidedBatch, Written
from mockbroker.spark.sink.sink_options import SinkOptions
from mockbroker.spark.sink.takeover import Claim, fence, last_state
from mockbroker.spark.sink.transaction_requests import (
    TransactionEndedError,
    TransactionRequests,
)
from mockbroker.wire.cluster import TopicIdPartition, WireCluster


@dataclass(frozen=True, kw_only=True)
class TaskMessage(WriterCommitMessage):
    """Report of a task: its open transaction, if it had rows to write."""

    claim: Claim
    identity: BatchIdentity
    registered: int = -1
    """Offset of its registration in the control topic."""
    written: Written | None = None


def claim_of(messages: Iterable[Any]) -> Claim | None:
    """Return the claim under which tasks have written; None if none has reported."""
    return next((each.claim for each in messages if isinstance(each, TaskMessage)), None)


def commit_batch(cluster: WireCluster, options: SinkOptions, messages: Sequence[Any]) -> None:
    """Make the records of a batch visible.

    Raises:
        KafkaEosError: they are not, or not all of them; the text has the reason.
        WireError: a request is refused, or no broker answers.

    """
    told = [each for each in messages if isinstance(each, TaskMessage) and each.written]
    if not told:
        return  # no task had rows, or the batch was done before
    told.sort(key=lambda each: each.registered)
    claim, identity = told[0].claim, told[0].identity
    written = tuple(each.written for each in told if each.written)
    requests = TransactionRequests(cluster)
    _require_open(requests, identity, written)
    decided = DecidedBatch(
        prefix=options.prefix, identity=identity, since=claim.since, written=written
    )
    log = ControlLog(cluster, options.control_topic)
    try:
        offset = log.append_decision(decided, claim.producer, requests, claim.appended)
        ended = end_batch(
            decided,
            requests,
            lambda result: log.append(result, claim.producer, claim.appended + 1),
            is_last=lambda batch: last_state(log.tail(options.prefix)) == batch,
            may_lose=options.may_lose,
        )
    except TransactionEndedError as error:
        raise KafkaEosError(
            f"another start of the sink {options.prefix} has taken over, and ends or repeats "
            f"{identity}: {error}"
        ) from None
    if not ended.is_done:
        raise _not_open(identity, written[0])
    opened = log.read(options.prefix, claim.since, offset)
    fence(requests, opened, [each.producer for each in ended.committed], options)


def _require_open(
    requests: TransactionRequests, identity: BatchIdentity, written: Sequence[Written]
) -> None:
    """Check that no transaction has expired: before the decision, nothing is lost by that."""
    for each in written:
        try:
            requests.add(each.transaction.producer, map(_partition, each.ranges))
        except TransactionEndedError:
            raise _not_open(identity, each) from None


def _not_open(identity: BatchIdentity, written: Written) -> KafkaEosError:
    return KafkaEosError(
        f"the transaction of {written.transaction} ended before it was committed "
        f"(kafka.transaction.timeout.ms): nothing of {identity} is visible, and it is to be "
        "written again"
    )


def _partition(name: str) -> TopicIdPartition:
    topic, _, partition = name.rpartition("-")
    return TopicIdPartition(topic, int(partition))
