"""Transactional batches of a Produce request, and the verification of their transaction."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from mockbroker.broker.call import Answer, Call
from mockbroker.broker.handlers.default_messages import DEFAULT_MESSAGES
from mockbroker.broker.partitions import topic_of
from mockbroker.broker.produce.first_write import fence_first_writes
from mockbroker.broker.produce.transaction_verification import (
    FirstBatch,
    Question,
    TransactionSupportedOperation,
    Verified,
    verify,
)
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.produce import ProduceRequest, TopicProduceData
from mockbroker.protocol.records.batch import is_transactional, parse_batch_header
from mockbroker.protocol.records.validation.refusal import RecordsRefused
from mockbroker.protocol.types import NO_PRODUCER_ID, Buffer, TopicPartition
from mockbroker.state.release.produce_options import ProduceOptions
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import TRANSACTION_STATE, Partition, Topic
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch

FIRST_WITH_ABORTABLE: Final = 11
FIRST_WITH_ADDED_PARTITIONS: Final = 12
FIRST_WITH_TOPIC_IDS: Final = 13

RETRY_BACKOFF_MAX_MS: Final = 100
"""Longest retry to add partitions (`add.partitions.to.txn.retry.backoff.max.ms`)."""

_NOT_ADDED: Final = "Partition was not added to the transaction"
_UNVERIFIED: Final = "Unable to verify the partition has been added to the transaction. "
_COORDINATOR_ERRORS: Final = frozenset(
    {
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.NOT_COORDINATOR,
    }
)


class TransactionalBatches(NamedTuple):
    """Batches of one transaction in a request."""

    transactional_id: str
    producer: ProducerIdAndEpoch
    batches: list[FirstBatch]


def transactional_batches(request: ProduceRequest, call: Call) -> TransactionalBatches | None:
    """Find the transactional batches of a request; return None if nothing is to be verified.

    Nothing is verified without such batches, without a transactional id, and in releases before
    KIP-890, unless first writes are fenced.

    Raises:
        ApiError: INVALID_PRODUCER_ID_MAPPING if they have more than one producer id or epoch.

    """
    if request.transactional_id is None or not _is_asked(call):
        return None
    found: list[FirstBatch] = []
    producers: set[ProducerIdAndEpoch] = set()
    for partition, records in _partitions(request.topic_data, call):
        header = parse_batch_header(records)
        if header.producer_id > NO_PRODUCER_ID:
            producers.add(ProducerIdAndEpoch(header.producer_id, header.producer_epoch))
            found.append(FirstBatch(partition, header.base_sequence))
    if len(producers) > 1:
        raise ApiError(
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            "Transactional records contained more than one producer ID",
        )
    if not producers:
        return None
    return TransactionalBatches(request.transactional_id, producers.pop(), found)


def _is_asked(call: Call) -> bool:
    options = call.cluster.options
    return options.producer_state.verifies_transactions or options.fences_first_write


def _partitions(data: Iterable[TopicProduceData], call: Call) -> Iterator[tuple[Partition, Buffer]]:
    for topic_data in call.paced(data):
        topic = _topic(topic_data, call)
        for partition_data in call.paced(topic_data.partition_data):
            partition = None if topic is None else topic.partition(partition_data.index)
            records = partition_data.records
            if partition is not None and records is not None and is_transactional(records):
                yield partition, records


def _topic(data: TopicProduceData, call: Call) -> Topic | None:
    try:
        return topic_of(call, data, by_id=call.api_version >= FIRST_WITH_TOPIC_IDS)
    except ApiError:
        return None


def watched_partitions(found: TransactionalBatches, call: Call) -> list[Partition]:
    """Return the transaction log partition that changes when the previous transaction ends."""
    cluster = call.cluster
    index = coordinator_partition(TRANSACTION_STATE, found.transactional_id, cluster.configs)
    partition = cluster.partition(TRANSACTION_STATE, index)
    return [] if partition is None else [partition]


def operation_of(api_version: int) -> TransactionSupportedOperation:
    """Return the transaction capability of a Produce version."""
    if api_version >= FIRST_WITH_ADDED_PARTITIONS:
        return TransactionSupportedOperation.ADD_PARTITION
    if api_version >= FIRST_WITH_ABORTABLE:
        return TransactionSupportedOperation.GENERIC_ERROR_SUPPORTED
    return TransactionSupportedOperation.DEFAULT_ERROR


def verify_batches(
    found: TransactionalBatches, call: Call, proceed: Callable[[Verified], Answer]
) -> Answer:
    """Verify the transactional batches with the coordinator, and proceed (`verify`)."""
    operation = operation_of(call.api_version)
    question = Question(operation, found.transactional_id, found.producer)
    if not call.cluster.options.fences_first_write:
        return verify(call, question, found.batches, proceed)

    def verified(checked: Verified) -> Answer:
        refused = checked.errors
        batches = [each for each in found.batches if each.partition.topic_partition not in refused]

        def fenced(errors: Mapping[TopicPartition, ErrorCode]) -> Answer:
            return proceed(checked._replace(errors={**errors, **refused}))

        return fence_first_writes(call, found.transactional_id, found.producer, batches, fenced)

    return verify(call, question, found.batches, verified)


def unverified(code: ErrorCode, api_version: int, options: ProduceOptions) -> RecordsRefused:
    """Build the error of a batch from the coordinator's error.

    Codes that older clients would not retry become NOT_ENOUGH_REPLICAS, which they retry.
    """
    message: str | None = None
    is_busy = code is ErrorCode.CONCURRENT_TRANSACTIONS
    knows_busy = operation_of(api_version) is TransactionSupportedOperation.ADD_PARTITION
    if code is ErrorCode.INVALID_TXN_STATE:
        message = _NOT_ADDED
    elif code is ErrorCode.NETWORK_EXCEPTION and not options.lost_verification_is_retriable:
        message = DEFAULT_MESSAGES[code]
    elif code in _COORDINATOR_ERRORS or (is_busy and not knows_busy):
        message = f"{_UNVERIFIED}Underlying error: {code.name}"
        code = ErrorCode.NOT_ENOUGH_REPLICAS
    elif options.unverified_has_message and code is not ErrorCode.NOT_LEADER_OR_FOLLOWER:
        message = DEFAULT_MESSAGES.get(code)  # the coordinator's error, not one of the log
    return RecordsRefused(
        code, message or code.name, error_message=message, knows_log_start_offset=False
    )
