"""All producers of a partition: retries, updates, expiry."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.log.timestamp_shifts import TimestampShifts
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.producer_state_entry import (
    MAX_SEQUENCE,
    BatchMetadata,
    ProducerStateEntry,
)
from mockbroker.state.producer.producer_state_manager import ProducerStateManager
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from tests.state.log_building import idempotent, transactional


def manager_after(
    *headers: BatchHeader, shifts: TimestampShifts | None = None
) -> ProducerStateManager:
    manager = ProducerStateManager(ProducerStateOptions(producer_id_expiration_ms=1_000), shifts)
    for base_offset, header in enumerate(headers):
        entry = manager.check(header)
        assert isinstance(entry, ProducerStateEntry)
        manager.update(entry, header, base_offset)
    return manager


def text(manager: ProducerStateManager) -> list[str]:
    return [repr(entry) for entry in manager]


def test_a_check_alone_changes_nothing() -> None:
    manager = manager_after(idempotent(0))
    before = text(manager)
    manager.check(idempotent(1))
    manager.check(idempotent(0, producer_epoch=1))
    manager.check(idempotent(0, producer_id=8))
    assert text(manager) == before


def test_a_refused_batch_changes_nothing() -> None:
    manager = manager_after(idempotent(0))
    before = text(manager)
    with pytest.raises(ApiError) as refused:
        manager.check(idempotent(5))
    assert refused.value.code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert text(manager) == before


def test_a_retry_of_one_of_the_last_five_batches_is_found() -> None:
    manager = manager_after(*(idempotent(sequence) for sequence in range(7)))
    for base_sequence in range(2, 7):
        batch = manager.check(idempotent(base_sequence))
        assert isinstance(batch, BatchMetadata)
        assert batch.first_offset == base_sequence


def test_a_retry_of_the_sixth_last_batch_is_out_of_order() -> None:
    manager = manager_after(*(idempotent(sequence) for sequence in range(7)))
    with pytest.raises(ApiError) as refused:
        manager.check(idempotent(1))
    assert refused.value.code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_retry_of_the_batch_that_wrapped_is_found() -> None:
    wrapping = idempotent(MAX_SEQUENCE - 1, records=4)
    manager = manager_after(wrapping, idempotent(2))
    batch = manager.check(wrapping)
    assert isinstance(batch, BatchMetadata)
    assert (batch.first_sequence, batch.last_sequence) == (MAX_SEQUENCE - 1, 1)


def test_the_sequence_after_the_largest_is_zero() -> None:
    manager = manager_after(idempotent(MAX_SEQUENCE), idempotent(0), idempotent(1))
    (entry,) = manager
    assert entry.last_sequence == 1


def test_a_new_epoch_drops_the_batches_of_the_old_one() -> None:
    manager = manager_after(idempotent(0), idempotent(0, producer_epoch=1))
    (entry,) = manager
    assert entry.producer_epoch == 1
    assert [batch.first_offset for batch in entry.batches()] == [1]


def test_producers_are_independent() -> None:
    manager = manager_after(idempotent(0, producer_id=1), idempotent(0, producer_id=2))
    assert len(manager) == 2
    one, two = manager.last_entry(1), manager.last_entry(2)
    assert one is not None
    assert two is not None
    assert one.last_sequence == two.last_sequence == 0
    assert manager.last_entry(3) is None


@pytest.mark.parametrize(("now_ms", "expired"), [(1_999, []), (2_000, [1]), (2_500, [1, 3])])
def test_a_producer_expires_by_the_timestamp_of_its_last_batch(
    now_ms: int, expired: list[int]
) -> None:
    manager = manager_after(
        idempotent(0, producer_id=1, timestamp_ms=1_000),
        idempotent(0, producer_id=2, timestamp_ms=1_000),
        idempotent(0, producer_id=3, timestamp_ms=1_500),
        idempotent(1, producer_id=2, timestamp_ms=9_000),
    )
    assert manager.remove_expired_producers(now_ms) == expired
    assert [entry.producer_id for entry in manager] == sorted({1, 2, 3} - set(expired))


def test_the_age_of_a_producer_counts_by_the_clock_of_the_broker() -> None:
    shifts = TimestampShifts()
    shifts.note(0, 500)
    manager = manager_after(idempotent(0, timestamp_ms=1_000), shifts=shifts)
    assert manager.remove_expired_producers(2_499) == []
    assert manager.remove_expired_producers(2_500) == [7]


@pytest.mark.parametrize("first_offset", [0, 1])
def test_a_producer_does_not_expire_while_its_transaction_is_open(first_offset: int) -> None:
    others = [idempotent(0, producer_id=8, timestamp_ms=0)] * first_offset
    manager = manager_after(*others, transactional(0, timestamp_ms=0))
    assert 7 not in manager.remove_expired_producers(1_000_000)


def test_an_expired_producer_starts_at_any_sequence_without_retries() -> None:
    manager = manager_after(idempotent(0, timestamp_ms=0), idempotent(1, timestamp_ms=0))
    manager.remove_expired_producers(1_000)
    assert isinstance(manager.check(idempotent(1)), ProducerStateEntry)


def test_options_may_change_at_any_time() -> None:
    manager = manager_after()
    manager.options = ProducerStateOptions(accepts_unknown_producer=False)
    with pytest.raises(ApiError) as refused:
        manager.check(idempotent(3))
    assert refused.value.code == ErrorCode.UNKNOWN_PRODUCER_ID


def test_retries_without_an_epoch_are_found_before_the_next_sequence() -> None:
    manager = manager_after(
        idempotent(6, producer_epoch=-1, records=3), idempotent(3, producer_epoch=-1, records=3)
    )
    assert isinstance(manager.check(idempotent(6, producer_epoch=-1, records=3)), BatchMetadata)


def test_no_verification_begins_for_an_epoch_that_is_fenced() -> None:
    manager = manager_after(idempotent(0, producer_epoch=3))
    manager.options = manager.options._replace(verifies_producer_epoch=True)
    for producer_epoch in (3, 4):
        manager.verifications.clear()
        assert manager.maybe_start_verification(
            7, 1, producer_epoch, supports_epoch_bump=False, now_ms=0
        )
    manager.verifications.clear()
    with pytest.raises(ApiError, match="producer 7 has epoch 3, epoch 2 is fenced") as refused:
        manager.maybe_start_verification(7, 1, 2, supports_epoch_bump=False, now_ms=0)
    assert refused.value.code is ErrorCode.INVALID_PRODUCER_EPOCH
    assert len(manager.verifications) == 0


def test_the_epoch_of_a_producer_without_state_is_left_to_its_coordinator() -> None:
    manager = manager_after()
    manager.options = ProducerStateOptions(verifies_transactions=True, verifies_producer_epoch=True)
    assert manager.maybe_start_verification(-1, -1, -2, supports_epoch_bump=False, now_ms=0)
    unverified = transactional(0, producer_epoch=-2)
    with pytest.raises(ApiError) as refused:
        manager.check(unverified)
    assert refused.value.code is ErrorCode.INVALID_TXN_STATE
    assert text(manager) == []


def test_a_producer_whose_batches_have_gaps_does_not_take_the_short_way() -> None:
    manager = manager_after(
        idempotent(6, producer_epoch=-1, records=3),
        idempotent(3, producer_epoch=-1, records=3),
        idempotent(0, producer_id=8),
    )
    before = manager.as_text()

    def takes(producer_id: int, producer_epoch: int, base_sequence: int) -> bool:
        return manager.take_next(
            producer_id,
            producer_epoch,
            base_sequence,
            is_transactional=False,
            record_count=3,
            last_offset=9,
            timestamp_ms=1_000,
        )

    assert not takes(7, -1, 6)
    assert manager.as_text() == before
    assert takes(8, 0, 1)


def test_the_text_shows_producers_and_verifications() -> None:
    manager = manager_after(idempotent(0), idempotent(0, producer_id=8))
    manager.maybe_start_verification(7, 1, 0, supports_epoch_bump=False, now_ms=0)
    one, two, verification = manager.as_text()
    assert [one, two] == text(manager)
    assert verification.startswith("producer 7: ")


def test_a_batch_in_sequence_is_refused_while_an_earlier_one_is_verified() -> None:
    manager = manager_after(idempotent(0), idempotent(0, producer_id=8))
    manager.maybe_start_verification(7, 0, 0, supports_epoch_bump=False, now_ms=0)
    before = manager.as_text()
    with pytest.raises(ApiError, match=r"sent sequence 1, 0 is still being verified$"):
        manager.check(idempotent(1))
    assert manager.as_text() == before
    assert isinstance(manager.check(idempotent(1, producer_id=8)), ProducerStateEntry)


def test_a_gap_in_a_verified_transaction_is_out_of_order() -> None:
    manager = manager_after()
    manager.options = ProducerStateOptions(verifies_transactions=True, verifies_producer_epoch=True)
    guard = manager.maybe_start_verification(7, 0, 0, supports_epoch_bump=False, now_ms=0)
    first = transactional(0)
    entry = manager.check(first, guard)
    assert isinstance(entry, ProducerStateEntry)
    manager.update(entry, first, 0)
    with pytest.raises(ApiError) as refused:
        manager.check(transactional(5))
    assert refused.value.code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_marker_that_is_no_activity_leaves_the_time_of_the_last_batch() -> None:
    manager = manager_after()
    manager.options = ProducerStateOptions(marker_counts_as_activity=False)
    manager.replay(transactional(0, timestamp_ms=1_000))
    manager.end_transaction(EndTxnMarker(7, 0, 0, is_commit=True), 1, 5_000)
    (entry,) = manager
    assert entry.last_timestamp_ms == 1_000


def test_a_replayed_batch_that_goes_back_leaves_retries_to_be_found() -> None:
    manager = manager_after()
    manager.replay(idempotent(9))
    earlier = idempotent(8)
    earlier.base_offset = 1
    manager.replay(earlier)
    batch = manager.check(idempotent(9))
    assert isinstance(batch, BatchMetadata)
    assert batch.first_offset == 0


def test_the_error_of_a_fenced_marker_names_the_producer() -> None:
    manager = manager_after(idempotent(0, producer_epoch=3))
    with pytest.raises(ApiError, match="producer 7 has epoch 3, epoch 2 is fenced"):
        manager.check_end_txn_marker(EndTxnMarker(7, 2, 0, is_commit=True), 0)
