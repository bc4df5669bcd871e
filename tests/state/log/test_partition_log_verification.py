"""The first batch of a transaction is verified with its coordinator (KIP-890, part 1)."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from mockbroker.state.producer.transaction_index import AbortedTxn
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from tests.state.log_building import (
    append,
    end_transaction,
    idempotent,
    partition_log,
    transactional,
)

FENCED = ErrorCode.INVALID_PRODUCER_EPOCH
OUT_OF_ORDER = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
VERIFYING = ProducerStateOptions(verifies_transactions=True)
VERIFYING_3_9 = ProducerStateOptions(verifies_transactions=True, verifies_producer_epoch=False)
TXN_STATE = ErrorCode.INVALID_TXN_STATE


def guard_of(
    log: PartitionLog,
    base_sequence: int = 0,
    producer_epoch: int = 0,
    *,
    supports_epoch_bump: bool = False,
) -> VerificationGuard | None:
    return log.producers.maybe_start_verification(
        7, base_sequence, producer_epoch, supports_epoch_bump=supports_epoch_bump, now_ms=1_000
    )


def answer(
    log: PartitionLog, header: BatchHeader, guard: VerificationGuard | None = None
) -> ErrorCode:
    before = log.as_text()
    try:
        log.append(header, b"data", leader_epoch=0, now_ms=1_000, verification_guard=guard)
    except ApiError as refusal:
        assert log.as_text() == before
        return refusal.code
    return ErrorCode.NONE


@pytest.mark.parametrize("options", [VERIFYING, VERIFYING_3_9])
def test_a_transaction_starts_with_a_verified_batch_only(options: ProducerStateOptions) -> None:
    log = partition_log(producer_options=options)
    assert answer(log, transactional(0)) == TXN_STATE
    guard = guard_of(log)
    assert guard is not None
    assert guard_of(log) is guard
    assert answer(log, transactional(0)) == TXN_STATE
    assert answer(log, transactional(0), VerificationGuard()) == TXN_STATE
    assert answer(log, transactional(0), guard) == ErrorCode.NONE
    assert log.producers.has_ongoing_transaction(7, 0)
    assert guard_of(log) is None
    assert answer(log, transactional(1)) == ErrorCode.NONE


def test_batches_outside_of_transactions_need_no_verification() -> None:
    log = partition_log(producer_options=VERIFYING)
    assert answer(log, idempotent(0)) == ErrorCode.NONE


def test_a_retry_needs_no_verification() -> None:
    log = partition_log(producer_options=VERIFYING)
    answer(log, transactional(0), guard_of(log))
    end_transaction(log)
    assert append(log, transactional(0)).is_duplicate


@pytest.mark.parametrize("options", [VERIFYING, VERIFYING_3_9])
def test_a_marker_revokes_earlier_verifications(options: ProducerStateOptions) -> None:
    log = partition_log(producer_options=options)
    guard = guard_of(log)
    end_transaction(log, is_commit=False)
    assert answer(log, transactional(0), guard) == TXN_STATE
    assert guard_of(log) is not guard


def test_a_marker_does_not_revoke_the_verification_of_the_next_transaction() -> None:
    log = partition_log(producer_options=VERIFYING)
    answer(log, transactional(0), guard_of(log, supports_epoch_bump=True))
    guard = guard_of(log, 0, 1, supports_epoch_bump=True)
    end_transaction(log, producer_epoch=1, transaction_version=2)
    assert answer(log, transactional(0, producer_epoch=1), guard) == ErrorCode.NONE


def test_a_late_batch_is_refused_if_transactions_are_verified() -> None:
    log = partition_log(producer_options=VERIFYING)
    answer(log, transactional(0), guard_of(log))
    end_transaction(log, is_commit=False)
    assert answer(log, transactional(1)) == TXN_STATE
    assert log.last_stable_offset == log.high_watermark


def test_a_late_batch_of_an_older_epoch_is_fenced() -> None:
    log = partition_log(producer_options=VERIFYING)
    answer(log, transactional(0), guard_of(log, supports_epoch_bump=True))
    end_transaction(log, producer_epoch=1, transaction_version=2)
    assert answer(log, transactional(1)) == FENCED
    with pytest.raises(ApiError) as refused:
        guard_of(log, 1, 0)
    assert refused.value.code == FENCED


def test_before_4_0_a_late_batch_of_an_older_epoch_is_fenced_after_verification() -> None:
    log = partition_log(producer_options=VERIFYING_3_9)
    answer(log, transactional(0), guard_of(log))
    end_transaction(log, producer_epoch=1)
    assert answer(log, transactional(1)) == TXN_STATE
    assert answer(log, transactional(1), guard_of(log, 1, 0)) == FENCED


def test_another_epoch_is_another_transaction() -> None:
    log = partition_log(producer_options=VERIFYING)
    answer(log, transactional(0), guard_of(log))
    assert log.producers.has_ongoing_transaction(7, 0)
    assert not log.producers.has_ongoing_transaction(7, 1)
    assert not log.producers.has_ongoing_transaction(8, 0)
    assert answer(log, transactional(0, producer_epoch=1)) == TXN_STATE
    assert answer(log, transactional(0, producer_epoch=1), guard_of(log, 0, 1)) == ErrorCode.NONE


def test_before_4_0_an_open_transaction_counts_for_all_epochs() -> None:
    log = partition_log(producer_options=VERIFYING_3_9)
    answer(log, transactional(0), guard_of(log))
    assert log.producers.has_ongoing_transaction(7, 1)
    assert guard_of(log, 0, 1) is None
    assert answer(log, transactional(0, producer_epoch=1)) == ErrorCode.NONE


@pytest.mark.parametrize("options", [VERIFYING, VERIFYING_3_9])
def test_a_batch_does_not_overtake_one_that_is_being_verified(
    options: ProducerStateOptions,
) -> None:
    log = partition_log(producer_options=options)
    guard_of(log, 3)
    guard = guard_of(log, 4)
    assert answer(log, transactional(4), guard) == OUT_OF_ORDER
    assert answer(log, transactional(3), guard) == ErrorCode.NONE
    assert answer(log, transactional(4)) == ErrorCode.NONE


def test_a_stale_batch_verified_first_blocks_the_next_one_forever() -> None:
    log = partition_log(producer_options=VERIFYING)
    answer(log, transactional(0), guard_of(log))
    for base_sequence in (1, 2, 3, 4, 5, 6):
        answer(log, transactional(base_sequence))
    end_transaction(log)
    assert answer(log, transactional(0), guard_of(log)) == OUT_OF_ORDER
    assert answer(log, transactional(7), guard_of(log, 7)) == OUT_OF_ORDER


def test_a_client_that_bumps_its_epoch_starts_with_sequence_0() -> None:
    log = partition_log(producer_options=VERIFYING)
    guard = guard_of(log, 5, supports_epoch_bump=True)
    assert answer(log, transactional(5), guard) == OUT_OF_ORDER
    guard = guard_of(log, 0, supports_epoch_bump=True)
    assert answer(log, transactional(0), guard) == ErrorCode.NONE


def test_a_client_that_does_not_bump_its_epoch_starts_at_any_sequence() -> None:
    log = partition_log(producer_options=VERIFYING)
    assert answer(log, transactional(5), guard_of(log, 5)) == ErrorCode.NONE


def test_verifications_that_never_end_expire() -> None:
    log = partition_log(
        producer_options=VERIFYING._replace(producer_id_expiration_ms=100),
    )
    guard = guard_of(log)
    log.producers.remove_expired_verifications(1_099)
    assert guard_of(log) is guard
    log.producers.remove_expired_verifications(1_100)
    assert guard_of(log) is not guard


def test_the_text_of_a_log_shows_verifications_and_aborted_transactions() -> None:
    log = partition_log(producer_options=VERIFYING)
    answer(log, transactional(0), guard_of(log))
    end_transaction(log, is_commit=False)
    guard_of(log, 1)
    lines = log.as_text().splitlines()
    assert lines[-2].startswith("producer 7: VerificationStateEntry(")
    assert lines[-1] == repr(AbortedTxn(7, 0, 1, 2))
