"""The first write of a producer that a log knows nothing of: was it fenced meanwhile (KIP-360)?

KIP-360's draft had a broker ask the coordinator, by DescribeTransactionState, before it accepted
sequence 0 from a producer without state: after DeleteRecords, or at a leader that was a replica
without state, a fenced producer could write again, and open a transaction that nobody knows of and
nobody ends. Kafka never shipped it; it is on with `first-write-fencing`. Here the answer needs no
waiting, so that the producer cannot become known in between.
"""

from collections.abc import Iterable

from mockbroker.broker.call import Call
from mockbroker.broker.produce.transaction_verification import Batch, coordinator_of
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.topic.topic import Partition
from mockbroker.state.transaction.producer_id_and_epoch import ProducerIdAndEpoch


def fenced_first_writes(
    call: Call, transactional_id: str, producer: ProducerIdAndEpoch, batches: Iterable[Batch]
) -> dict[TopicPartition, ErrorCode]:
    """Return the partitions where a producer would begin although it may not, and why not.

    INVALID_PRODUCER_EPOCH: the transactional id has a newer epoch, or another producer id.
    INVALID_PRODUCER_ID_MAPPING: nothing is known of the transactional id, so that nobody would end
    the transaction. Else what the coordinator says, when it cannot tell.
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
