"""AddPartitionsToTxn: add partitions to a transaction (KIP-98, KIP-890).

Up to v3, a client sends one transaction. From v4 on, brokers send several, optionally only to
verify that the partitions are in them.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from mockbroker.broker.authorization.topic_rights import topic_refusal
from mockbroker.broker.call import Call
from mockbroker.broker.transaction_requests import (
    ADD_PARTITIONS_WITH_EPOCH_BUMP,
    NO_EPOCH_BUMP_VERSION,
    as_client_knows,
    client_transaction_version,
    coordinator_of,
)
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
    AddPartitionsToTxnTransaction,
)
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.topic.topic import INTERNAL_TOPICS
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch

FIRST_FROM_BROKERS: Final = 4
FIRST_WITH_FENCED: Final = 2


def add_partitions_to_txn(
    request: AddPartitionsToTxnRequest, call: Call
) -> AddPartitionsToTxnResponse:
    """Add the partitions of each transaction, all of them or none."""
    if call.api_version >= FIRST_FROM_BROKERS:
        return AddPartitionsToTxnResponse(
            results_by_transaction=[
                AddPartitionsToTxnResult(
                    transactional_id=transaction.transactional_id,
                    topic_results=_results(transaction, call),
                )
                for transaction in call.paced(request.transactions)
            ]
        )
    transaction = AddPartitionsToTxnTransaction(
        transactional_id=request.v3_and_below_transactional_id,
        producer_id=request.v3_and_below_producer_id,
        producer_epoch=request.v3_and_below_producer_epoch,
        topics=request.v3_and_below_topics,
    )
    return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_results(transaction, call))


def _results(
    transaction: AddPartitionsToTxnTransaction, call: Call
) -> list[AddPartitionsToTxnTopicResult]:
    partitions = [
        TopicPartition(topic.name, index)
        for topic in call.paced(transaction.topics)
        for index in topic.partitions
    ]
    transactions = call.cluster.options.transactions
    if transactions.adds_repeated_partitions_once:
        partitions = list(dict.fromkeys(partitions))
    refused = {
        partition: code
        for partition in call.paced(partitions)
        if (code := _refusal(partition, call))
    }
    if refused:
        # If one partition cannot be added, none is.
        others = dict.fromkeys(partitions, ErrorCode.OPERATION_NOT_ATTEMPTED)
        return _by_topic(call.paced(others), others | refused)
    try:
        codes = _add_or_verify(transaction, frozenset(partitions), call)
    except ApiError as failure:
        if failure.code is ErrorCode.UNSUPPORTED_VERSION:
            raise  # the log of this transaction.version cannot store it: the request fails
        refusal = as_client_knows(failure, call, first_with_fenced=FIRST_WITH_FENCED)
        call.service.refusals.note(
            "add_partitions_to_txn_refused", refusal, transactional_id=transaction.transactional_id
        )
        codes = dict.fromkeys(partitions, refusal.code)
    return _by_topic(call.paced(partitions), codes)


def _refusal(partition: TopicPartition, call: Call) -> ErrorCode | None:
    """Return the error for a partition that cannot be added, such as an internal topic's."""
    if call.api_version < FIRST_FROM_BROKERS and partition.topic in INTERNAL_TOPICS:
        return call.cluster.options.transactions.internal_topic_refusal
    if call.api_version < FIRST_FROM_BROKERS and not call.allows(
        AclOperation.WRITE, AclResource.TOPIC, partition.topic
    ):
        return topic_refusal(call, partition.topic)
    takes_any = call.cluster.options.transactions.adds_missing_partitions
    is_known = takes_any and partition.topic in call.cluster.topics
    if not is_known and call.cluster.partition(*partition) is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return None


def _add_or_verify(
    transaction: AddPartitionsToTxnTransaction, partitions: frozenset[TopicPartition], call: Call
) -> Mapping[TopicPartition, ErrorCode]:
    coordinator = coordinator_of(call)
    transactional_id = transaction.transactional_id
    producer = ProducerIdAndEpoch(transaction.producer_id, transaction.producer_epoch)
    if transaction.verify_only:
        return coordinator.verify_partitions_in_transaction(transactional_id, producer, partitions)
    coordinator.add_partitions_to_transaction(
        transactional_id,
        producer,
        partitions,
        call.now_ms,
        client_transaction_version=_client_transaction_version(call),
    )
    return dict.fromkeys(partitions, ErrorCode.NONE)


def _client_transaction_version(call: Call) -> int:
    if not call.cluster.options.transactions.adding_bumps_epochs:
        return NO_EPOCH_BUMP_VERSION
    return client_transaction_version(
        call.api_version, first_with_epoch_bump=ADD_PARTITIONS_WITH_EPOCH_BUMP
    )


def _by_topic(
    partitions: Iterable[TopicPartition], codes: Mapping[TopicPartition, ErrorCode]
) -> list[AddPartitionsToTxnTopicResult]:
    results: dict[str, AddPartitionsToTxnTopicResult] = {}
    for partition in partitions:
        topic = results.setdefault(
            partition.topic, AddPartitionsToTxnTopicResult(name=partition.topic)
        )
        topic.results_by_partition.append(
            AddPartitionsToTxnPartitionResult(
                partition_index=partition.partition, partition_error_code=codes[partition]
            )
        )
    return list(results.values())
