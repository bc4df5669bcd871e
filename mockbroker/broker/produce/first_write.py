"""Fencing check at the first write of a producer that a log has no state of (KIP-360's draft).

In the draft, a broker sends DescribeTransactionState to the coordinator before it accepts a batch
from a producer without state. Otherwise, after DeleteRecords or at a new leader without state, a
fenced producer could write again, and open a transaction that never ends. Kafka never shipped it;
`first-write-fencing` turns it on.

The draft asks at sequence 0 only, since no other was accepted then. From 2.5 on any first sequence
is accepted, so that every producer without state is asked for. The producer may become known while
the response is on its way: then the log decides, and not the response.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Final

from mockbroker.broker.between_brokers.broker_call import call_coordinator
from mockbroker.broker.call import Answer, Call
from mockbroker.broker.produce.transaction_verification import FirstBatch, coordinator_of
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.describe_transaction_state import (
    DescribedTransactionState,
    DescribeTransactionStateRequest,
    DescribeTransactionStateResponse,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.topic.topic import Partition
from mockbroker.state.transaction.producer_epochs import NO_PRODUCER, ProducerIdAndEpoch

_SENDER: Final = "FirstWriteFencing"
"""The part of a broker that asks, in its client id; the draft does not name it."""
_VERSION: Final = 0


def fence_first_writes(
    call: Call,
    transactional_id: str,
    producer: ProducerIdAndEpoch,
    batches: Collection[FirstBatch],
    proceed: Callable[[Mapping[TopicPartition, ErrorCode]], Answer],
) -> Answer:
    """Find the partitions in which a producer must not start to write, and proceed with the errors.

    INVALID_PRODUCER_EPOCH: the transactional id has a newer epoch, or another producer id.
    INVALID_PRODUCER_ID_MAPPING: the transactional id is unknown, so that no coordinator ends the
    transaction. Otherwise the error of the coordinator; NETWORK_EXCEPTION without its response. If
    the response is on its way, the result is a delayed response.
    """
    first_in = _unknown(call, producer, batches)
    if not first_in:
        return proceed({})

    def judged(code: ErrorCode) -> Answer:
        if code is ErrorCode.NONE:
            return proceed({})
        still_first = {each.partition for each in _unknown(call, producer, first_in)}
        return proceed({each.topic_partition: code for each in still_first})

    return _ask(call, transactional_id, producer, judged)


def _unknown(
    call: Call, producer: ProducerIdAndEpoch, batches: Collection[FirstBatch]
) -> list[FirstBatch]:
    return [
        batch for batch in batches if not _is_known(call, batch.partition, producer.producer_id)
    ]


def _is_known(call: Call, partition: Partition, producer_id: int) -> bool:
    log = call.cluster.log_of(partition, call.now_ms)
    return log.producers.last_entry(producer_id) is not None


def _ask(
    call: Call,
    transactional_id: str,
    producer: ProducerIdAndEpoch,
    judged: Callable[[ErrorCode], Answer],
) -> Answer:
    try:
        coordinator = coordinator_of(call, transactional_id)
    except ApiError as refusal:
        return judged(refusal.code)

    def arrived(response: Message | None) -> Answer:
        if response is None:
            return judged(ErrorCode.NETWORK_EXCEPTION)
        assert isinstance(response, DescribeTransactionStateResponse), response
        return judged(_verdict(response.transaction_states[0], producer))

    request = DescribeTransactionStateRequest(transactional_ids=[transactional_id])
    return call_coordinator(
        call,
        coordinator,
        request,
        arrived,
        transactional_id=transactional_id,
        version=_VERSION,
        sender=_SENDER,
    )


def _verdict(described: DescribedTransactionState, producer: ProducerIdAndEpoch) -> ErrorCode:
    if described.error_code:
        return ErrorCode(described.error_code)
    newest = ProducerIdAndEpoch(described.producer_id, described.producer_epoch)
    if newest == NO_PRODUCER:
        return ErrorCode.INVALID_PRODUCER_ID_MAPPING
    return ErrorCode.NONE if newest == producer else ErrorCode.INVALID_PRODUCER_EPOCH
