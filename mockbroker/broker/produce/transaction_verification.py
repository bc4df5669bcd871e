"""Verification of a transaction with its coordinator before its records are appended (KIP-890).

In Kafka this is `AddPartitionsToTxnManager`: the broker asks the coordinator whether a partition is
in the transaction or, for clients of transaction.version 2, to add it. Each verification has a
guard from the log, which the append needs: it is revoked if the transaction ends while the response
is on its way.

The question is an AddPartitionsToTxn from broker to broker. While nothing can delay or observe it,
the coordinator's state is read directly, with the same result.
"""

from collections.abc import Callable, Collection, Mapping
from enum import Enum
from typing import Final, NamedTuple

from mockbroker.broker.between_brokers.broker_call import call_coordinator, versions_between_brokers
from mockbroker.broker.call import Answer, Call
from mockbroker.broker.transaction_requests import EPOCH_BUMP_VERSION
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import NO_LEADER, TRANSACTION_STATE, Partition
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch
from mockbroker.state.transaction.transaction_coordinator import TransactionCoordinator

VERIFICATION_ENABLED: Final = "transaction.partition.verification.enable"


class TransactionSupportedOperation(Enum):
    """Capability of a Produce or TxnOffsetCommit version (Kafka's enum of the same name)."""

    DEFAULT_ERROR = "knows INVALID_TXN_STATE only"
    GENERIC_ERROR_SUPPORTED = "knows TRANSACTION_ABORTABLE"
    ADD_PARTITION = "leaves adding partitions to the broker"


class FirstBatch(NamedTuple):
    """First batch of a request for a partition."""

    partition: Partition
    base_sequence: int


class Verified(NamedTuple):
    """Result of a verification: errors by partition, and guards for the appends."""

    errors: Mapping[TopicPartition, ErrorCode]
    guards: Mapping[TopicPartition, VerificationGuard]

    @property
    def is_busy(self) -> bool:
        """True if the previous transaction is still ending, so that a retry can succeed."""
        return ErrorCode.CONCURRENT_TRANSACTIONS in self.errors.values()


NOTHING_TO_VERIFY: Final = Verified({}, {})
_SENDER: Final = "AddPartitionsManager"
"""The part of a broker that asks, in its client id (Kafka's `NetworkUtils`)."""


class Question(NamedTuple):
    """The question of a leader about a producer's transaction."""

    operation: TransactionSupportedOperation
    transactional_id: str
    producer: ProducerIdAndEpoch

    @property
    def adds(self) -> bool:
        """True if the coordinator is to add the partitions, and not only to look for them."""
        return self.operation is TransactionSupportedOperation.ADD_PARTITION


def verify(
    call: Call,
    question: Question,
    batches: Collection[FirstBatch],
    proceed: Callable[[Verified], Answer],
) -> Answer:
    """Verify all partitions in which a producer has no open transaction yet, and proceed.

    If the coordinator's response is on its way, the result is a delayed response.
    """
    if not call.service.shows_broker_calls:
        return proceed(verify_at_once(call, question, batches))
    started = _started(call, question, batches)
    if not started.guards:
        return proceed(started)

    def answered(errors: Mapping[TopicPartition, ErrorCode]) -> Answer:
        return proceed(Verified({**started.errors, **errors}, started.guards))

    return _asked(call, question, frozenset(started.guards), answered)


def verify_at_once(call: Call, question: Question, batches: Collection[FirstBatch]) -> Verified:
    """Verify with the coordinator's state, as `verify` does with its response."""
    started = _started(call, question, batches)
    if not started.guards:
        return started
    errors = _looked_up(call, question, frozenset(started.guards))
    return started._replace(errors={**started.errors, **errors}) if errors else started


def is_verification_enabled(call: Call) -> bool:
    """Return True if transactions are verified before appends."""
    configs = call.cluster.configs
    return VERIFICATION_ENABLED in configs.broker_definitions and configs.broker_flag(
        VERIFICATION_ENABLED, call.broker_id
    )


def _started(call: Call, question: Question, batches: Collection[FirstBatch]) -> Verified:
    """Start verifications in the logs: their guards, and the errors of those that cannot start."""
    if not question.adds and not is_verification_enabled(call):
        return NOTHING_TO_VERIFY
    errors: dict[TopicPartition, ErrorCode] = {}
    guards: dict[TopicPartition, VerificationGuard] = {}
    for batch in call.paced(batches):
        name = batch.partition.topic_partition
        try:
            guard = _guard(call, batch, question)
        except ApiError as refusal:
            errors[name] = refusal.code
        else:
            if guard is not None:
                guards[name] = guard
    return Verified(errors, guards)


def _guard(call: Call, batch: FirstBatch, question: Question) -> VerificationGuard | None:
    partition = batch.partition
    if partition.leader_id != call.broker_id:
        raise ApiError(
            ErrorCode.NOT_LEADER_OR_FOLLOWER,
            f"broker {partition.leader_id} leads {partition.topic_partition}",
        )
    producer = question.producer
    return call.cluster.log_of(partition, call.now_ms).producers.maybe_start_verification(
        producer.producer_id,
        batch.base_sequence,
        producer.producer_epoch,
        supports_epoch_bump=question.adds,
        now_ms=call.now_ms,
    )


def _looked_up(
    call: Call, question: Question, partitions: frozenset[TopicPartition]
) -> dict[TopicPartition, ErrorCode]:
    """Ask the coordinator's state, and map its errors to codes that producers know."""
    transactional_id, producer = question.transactional_id, question.producer
    try:
        coordinator = coordinator_of(call, transactional_id)
        if question.adds:
            coordinator.add_partitions_to_transaction(
                transactional_id,
                producer,
                partitions,
                call.now_ms,
                client_transaction_version=EPOCH_BUMP_VERSION,
            )
            return {}
        codes = coordinator.verify_partitions_in_transaction(transactional_id, producer, partitions)
    except ApiError as refusal:
        codes = dict.fromkeys(partitions, refusal.code)
    return _errors(codes, question)


def _asked(
    call: Call,
    question: Question,
    partitions: frozenset[TopicPartition],
    answered: Callable[[Mapping[TopicPartition, ErrorCode]], Answer],
) -> Answer:
    """Ask the coordinator's broker, and call `answered` with errors that producers know."""
    try:
        coordinator = coordinator_of(call, question.transactional_id)
    except ApiError as refusal:
        return answered(dict.fromkeys(partitions, refusal.code))

    def arrived(response: Message | None) -> Answer:
        if response is None:  # Kafka's code for a lost connection, and for a timeout
            return answered(dict.fromkeys(partitions, ErrorCode.NETWORK_EXCEPTION))
        assert isinstance(response, AddPartitionsToTxnResponse), response
        if response.error_code:
            return answered(dict.fromkeys(partitions, _of_all(ErrorCode(response.error_code))))
        return answered(_errors(_codes_in(response), question))

    versions = call.cluster.options.api_versions[ApiKey.ADD_PARTITIONS_TO_TXN]
    version = versions_between_brokers(ApiKey.ADD_PARTITIONS_TO_TXN, versions)[-1]
    request = _request(question, partitions)
    return call_coordinator(
        call,
        coordinator,
        request,
        arrived,
        transactional_id=question.transactional_id,
        version=version,
        sender=_SENDER,
    )


def _of_all(code: ErrorCode) -> ErrorCode:
    """Map an error of the whole response: clients do not learn that brokers lack a right."""
    is_right = code is ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    return ErrorCode.INVALID_TXN_STATE if is_right else code


def _request(
    question: Question, partitions: Collection[TopicPartition]
) -> AddPartitionsToTxnRequest:
    topics: dict[str, AddPartitionsToTxnTopic] = {}
    for topic, index in sorted(partitions):
        named = topics.setdefault(topic, AddPartitionsToTxnTopic(name=topic))
        named.partitions.append(index)
    transaction = AddPartitionsToTxnTransaction(
        transactional_id=question.transactional_id,
        producer_id=question.producer.producer_id,
        producer_epoch=question.producer.producer_epoch,
        verify_only=not question.adds,
        topics=list(topics.values()),
    )
    return AddPartitionsToTxnRequest(transactions=[transaction])


def _codes_in(response: AddPartitionsToTxnResponse) -> dict[TopicPartition, ErrorCode]:
    return {
        TopicPartition(topic.name, each.partition_index): ErrorCode(each.partition_error_code)
        for result in response.results_by_transaction
        for topic in result.topic_results
        for each in topic.results_by_partition
    }


def _errors(
    codes: Mapping[TopicPartition, ErrorCode], question: Question
) -> dict[TopicPartition, ErrorCode]:
    return {
        partition: _as_producers_know(code, question.operation)
        for partition, code in codes.items()
        if code is not ErrorCode.NONE
    }


def coordinator_of(call: Call, transactional_id: str) -> TransactionCoordinator:
    """Return the coordinator of a transactional id, at any broker.

    Raises:
        ApiError: COORDINATOR_NOT_AVAILABLE.

    """
    cluster = call.cluster
    index = coordinator_partition(TRANSACTION_STATE, transactional_id, cluster.configs)
    partition = cluster.partition(TRANSACTION_STATE, index)
    if partition is None or partition.leader_id == NO_LEADER:
        raise ApiError(
            ErrorCode.COORDINATOR_NOT_AVAILABLE, f"{TRANSACTION_STATE}-{index} has no leader"
        )
    return cluster.transaction_coordinator(partition.leader_id)


def _as_producers_know(code: ErrorCode, operation: TransactionSupportedOperation) -> ErrorCode:
    if code is ErrorCode.PRODUCER_FENCED:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    knows_abortable = operation is not TransactionSupportedOperation.DEFAULT_ERROR
    if code is ErrorCode.TRANSACTION_ABORTABLE and not knows_abortable:
        return ErrorCode.INVALID_TXN_STATE
    return code
