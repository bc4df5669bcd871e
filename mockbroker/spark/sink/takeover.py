"""Start of a batch: the driver fences earlier ones, and ends what they have left."""

from collections.abc import Collection
from typing import Final, NamedTuple

from mockbroker.spark.sink.batch_ending import end_batch
from mockbroker.spark.sink.control_log import ControlLog, LoggedRecord
from mockbroker.spark.sink.control_records import (
    BatchIdentity,
    DecidedBatch,
    EndedBatch,
    Opened,
)
from mockbroker.spark.sink.sink_options import SinkOptions
from mockbroker.spark.sink.transaction_requests import ProducerEpoch, TransactionRequests
from mockbroker.wire.cluster import WireCluster

DECISION_TIMEOUT_MS: Final = 60_000
"""Timeout of the transaction that has a decision: a driver writes it and commits at once."""


class Claim(NamedTuple):
    """The right to decide one batch, which the next claim of the same sink takes away."""

    producer: ProducerEpoch
    """The driver's transactional id with the epoch of this claim."""
    since: int
    """Offset of the control topic at which it began."""
    appended: int
    """Number of records that it has appended to the control topic."""
    last: BatchIdentity | None
    """The last batch that is done."""
    committed: frozenset[ProducerEpoch]
    """Its transactions."""


def take_over(cluster: WireCluster, options: SinkOptions) -> Claim:
    """Fence earlier drivers and tasks of a sink, and finish the batch that was decided last.

    Raises:
        KafkaEosError: a decided batch cannot be finished, because transactions of it have expired.
        WireError: a request is refused, or no broker answers.

    """
    requests = TransactionRequests(cluster)
    log = ControlLog(cluster, options.control_topic)
    log.prepare()
    producer = requests.init(options.prefix, DECISION_TIMEOUT_MS)
    since = log.end()
    records = log.tail(options.prefix)
    last = last_state(records)
    appended = 0
    if isinstance(last, DecidedBatch):
        last = end_batch(
            last,
            requests,
            lambda result: log.append(result, producer),
            is_last=lambda batch: last_state(log.tail(options.prefix)) == batch,
            may_lose=options.may_lose,
        )
        appended = 1
    kept = frozenset(each.producer for each in (last.committed if last else ()))
    fence(requests, records, kept, options)
    done = last.identity if last and last.is_done else None
    return Claim(producer, since, appended, done, kept)


def give_up(cluster: WireCluster, options: SinkOptions, claim: Claim | None) -> None:
    """Abort what tasks have opened; the transactions of a decided batch are left as they are.

    Nothing is done if the claim of the batch is known, and has been taken away: that start has
    aborted its tasks, and must not lose its own.

    Raises:
        WireError: a request is refused, or no broker answers.

    """
    requests = TransactionRequests(cluster)
    if claim is not None and requests.is_fenced(claim.producer):
        return
    log = ControlLog(cluster, options.control_topic)
    log.prepare()
    requests.init(options.prefix, DECISION_TIMEOUT_MS)  # no decision can be made any more
    records = log.tail(options.prefix)
    last = last_state(records)
    if isinstance(last, DecidedBatch):
        transactions = [each.transaction for each in last.written]
    else:
        transactions = list(last.committed) if last else []
    kept = [each.producer for each in transactions]
    fence(requests, records, kept, options)


def last_state(records: Collection[LoggedRecord]) -> DecidedBatch | EndedBatch | None:
    """Return the last decision, or the result of the batch if there is one."""
    last: DecidedBatch | EndedBatch | None = None
    for _, record, is_settled in records:
        if is_settled and not isinstance(record, Opened):
            last = record
    return last


def fence(
    requests: TransactionRequests,
    records: Collection[LoggedRecord],
    kept: Collection[ProducerEpoch],
    options: SinkOptions,
) -> None:
    """Abort and fence the registered transactions that are not kept.

    An id is registered again only after its transaction was kept and has ended, so that its last
    registration counts. One that is fenced here is never used again.

    Raises:
        WireError: a request is refused, or no broker answers.

    """
    last = {
        record.transaction.transactional_id: record.transaction.producer
        for _, record, _ in records
        if isinstance(record, Opened)
    }
    for transactional_id in sorted(last):
        if last[transactional_id] not in kept:
            requests.init(transactional_id, options.transaction_timeout_ms)
