"""Fencing check at the first write of a producer that a log has no state of (KIP-360's draft).

In the draft, a broker sends DescribeTransactionState to the coordinator before it accepts sequence
0 from a producer without state. Otherwise, after DeleteRecords or at a new leader without state, a
fenced producer could write again, and open a transaction that never ends. Kafka never shipped it;
`first-write-fencing` turns it on. Here the check is synchronous, so the producer cannot become
known in between.
"""

from collections.abc import Iterable

from mockbroker.broker.call import Call
from mockbroker.broker.produce.transaction_verification import FirstBatch, coordinator_of
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.topic.topic import Partition
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch


def fenced_first_writes(
    call: Call, transactional_id: str, producer: ProducerIdAndEpoch, batches: Iterable[FirstBatch]
) -> dict[TopicPartition, ErrorCode]:
    """Return the partitions in which a producer must not start to write, with the errors.

    INVALID_PRODUCER_EPOCH: the transactional id has a newer epoch, or another producer id.
    INVALID_PRODUCER_ID_MAPPING: the transactional id is unknown, so that no coordinator ends the
    transaction. Otherwise the error of the coordinator.
    """
    first_in = [
        batch.partition.topic_partition
        for batch in batches
        if batch.base_sequence == 0 and not _is_known(call, batch.partition, producer.producer_id)
    ]
    code = _verdict(call, transactional_id, producer) if first_in else ErrorCode.NONE
    return {} if code is ErrorCode.NONE else dict.fromkeys(first_in, code)


def _is_known(call: Call, partition: Partition, producer_id: int) -> bool:
    log = call.cluster.log_of(partition, call.now_ms)
    return log.producers.last_entry(producer_id) is not None


def _verdict(call: Call, transactional_id: str, producer: ProducerIdAndEpoch) -> ErrorCode:
    try:
        metadata = coordinator_of(call, transactional_id).transaction_state_of(transactional_id)
    except ApiError as refusal:
        return refusal.code
    if metadata is None:
        return ErrorCode.INVALID_PRODUCER_ID_MAPPING
    is_newest = (metadata.producer_id, metadata.producer_epoch) == producer
    return ErrorCode.NONE if is_newest else ErrorCode.INVALID_PRODUCER_EPOCH
