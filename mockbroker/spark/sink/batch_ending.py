"""End of a decided batch: its transactions are committed in a fixed order.

The first one decides what becomes of the batch. It is the oldest, so the first one to time out. If
it has ended before it was committed, nothing of the batch is visible, and the batch is to be
written again. Once it is committed, the others have to follow.
"""

import logging
from collections.abc import Callable
from typing import Final

from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.control_records import DecidedBatch, EndedBatch, TaskTransaction, Written
from mockbroker.spark.sink.transaction_requests import TransactionEndedError, TransactionRequests

_LOG: Final = logging.getLogger(__name__)


def end_batch(
    decided: DecidedBatch,
    requests: TransactionRequests,
    append: Callable[[EndedBatch], object],
    *,
    is_last: Callable[[DecidedBatch], bool],
    may_lose: bool,
) -> EndedBatch:
    """Commit the transactions of a batch, and append the result; a repetition does the same.

    `is_last` reads whether the decision is the last word on the batch.

    Raises:
        TransactionEndedError: another start has ended the batch.
        KafkaEosError: some are committed, and others have expired; with `may_lose` this is logged
            and recorded.
        WireError: a request is refused, or no broker answers.

    """
    committed: list[TaskTransaction] = []
    lost: list[Written] = []
    for each in decided.written:
        try:
            requests.end(each.transaction.producer, is_commit=True)
        except TransactionEndedError:
            if not committed:
                break
            lost.append(each)
        else:
            committed.append(each.transaction)
    # a start that was faster has ended the batch, and its transactional ids are used again
    if len(committed) < len(decided.written) and not is_last(decided):
        raise TransactionEndedError(f"{decided.identity} was ended meanwhile")
    if lost:
        why = _loss(decided, lost)
        if not may_lose:
            raise KafkaEosError(f"{why}. To go on without them, set failOnDataLoss=false")
        _LOG.error("kafka_eos: %s", why)
    ended = EndedBatch(
        prefix=decided.prefix,
        identity=decided.identity,
        since=decided.since,
        is_done=bool(committed),
        committed=tuple(committed),
        lost=tuple(lost),
    )
    append(ended)
    return ended


def _loss(decided: DecidedBatch, lost: list[Written]) -> str:
    count = sum(number for each in lost for _, _, number in each.ranges.values())
    places = [
        f"{partition} offsets {first} to {last}"
        for each in lost
        for partition, (first, last, _) in sorted(each.ranges.items())
    ]
    return (
        f"{decided.identity} is visible in part: {len(lost)} of {len(decided.written)} "
        f"transactions ended before they were committed (kafka.transaction.timeout.ms), and "
        f"{count} records are lost ({'; '.join(places)}): {lost[0].transaction}"
    )
