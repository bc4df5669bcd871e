"""Verification of a transaction with its coordinator before its records are appended (KIP-890).

In Kafka this is `AddPartitionsToTxnManager`: the broker asks the coordinator whether a partition is
in the transaction or, for clients of transaction.version 2, to add it. Each verification has a
guard from the log, which the append needs.
"""

from collections.abc import Collection, Mapping
from enum import Enum
from typing import Final, NamedTuple

from mockbroker.broker.call import Call
from mockbroker.broker.transaction_requests import EPOCH_BUMP_VERSION
from mockbroker.protocol.errors import ApiError, ErrorCode
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


def verify(
    call: Call,
    operation: TransactionSupportedOperation,
    transactional_id: str,
    producer: ProducerIdAndEpoch,
    batches: Collection[FirstBatch],
) -> Verified:
    """Verify all partitions in which this producer has no open transaction yet."""
    bumps = operation is TransactionSupportedOperation.ADD_PARTITION
    if not bumps and not is_verification_enabled(call):
        return NOTHING_TO_VERIFY
    errors: dict[TopicPartition, ErrorCode] = {}
    guards: dict[TopicPartition, VerificationGuard] = {}
    for batch in call.paced(batches):
        name = batch.partition.topic_partition
        try:
            guard = _guard(call, batch, producer, supports_epoch_bump=bumps)
        except ApiError as refusal:
            errors[name] = refusal.code
        else:
            if guard is not None:
                guards[name] = guard
    if guards:
        errors |= _asked(call, operation, transactional_id, producer, frozenset(guards))
    return Verified(errors, guards)


def is_verification_enabled(call: Call) -> bool:
    """Return True if transactions are verified before appends."""
    configs = call.cluster.configs
    return VERIFICATION_ENABLED in configs.broker_definitions and configs.broker_flag(
        VERIFICATION_ENABLED, call.broker_id
    )


def _guard(
    call: Call, batch: FirstBatch, producer: ProducerIdAndEpoch, *, supports_epoch_bump: bool
) -> VerificationGuard | None:
    partition = batch.partition
    if partition.leader_id != call.broker_id:
        raise ApiError(
            ErrorCode.NOT_LEADER_OR_FOLLOWER,
            f"broker {partition.leader_id} leads {partition.topic_partition}",
        )
    return call.cluster.log_of(partition, call.now_ms).producers.maybe_start_verification(
        producer.producer_id,
        batch.base_sequence,
        producer.producer_epoch,
        supports_epoch_bump=supports_epoch_bump,
        now_ms=call.now_ms,
    )


def _asked(
    call: Call,
    operation: TransactionSupportedOperation,
    transactional_id: str,
    producer: ProducerIdAndEpoch,
    partitions: frozenset[TopicPartition],
) -> dict[TopicPartition, ErrorCode]:
    """Ask the coordinator, and map its errors to codes that producers know."""
    try:
        coordinator = coordinator_of(call, transactional_id)
        if operation is TransactionSupportedOperation.ADD_PARTITION:
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
    return {
        partition: _as_producers_know(code, operation)
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
