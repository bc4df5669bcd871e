"""Transactions in a log: the last stable offset, aborted transactions, and fencing."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_state_entry import MAX_SEQUENCE, ProducerStateEntry
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from mockbroker.state.producer.transaction_index import AbortedTxn
from tests.state.log_building import (
    append,
    end_transaction,
    idempotent,
    partition_log,
    transactional,
)

FENCED = ErrorCode.INVALID_PRODUCER_EPOCH
COORDINATOR_FENCED = ErrorCode.TRANSACTION_COORDINATOR_FENCED
OUT_OF_ORDER = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def entry_of(log: PartitionLog, producer_id: int = 7) -> ProducerStateEntry:
    entry = log.producers.last_entry(producer_id)
    assert entry is not None
    return entry


def marker_refusal(
    log: PartitionLog,
    *,
    producer_epoch: int = 0,
    coordinator_epoch: int = 0,
    transaction_version: int = 0,
) -> ErrorCode:
    before = log.as_text()
    try:
        end_transaction(
            log,
            producer_epoch=producer_epoch,
            coordinator_epoch=coordinator_epoch,
            transaction_version=transaction_version,
        )
    except ApiError as refusal:
        assert log.as_text() == before
        return refusal.code
    assert log.as_text() != before
    return ErrorCode.NONE


# The last stable offset.


def test_a_transaction_holds_back_the_last_stable_offset_until_it_ends() -> None:
    log = partition_log()
    append(log)
    assert log.last_stable_offset == 1
    append(log, transactional(0, records=3))
    append(log)
    assert (log.last_stable_offset, log.high_watermark) == (1, 5)
    append(log, transactional(3))
    assert log.last_stable_offset == 1
    info = end_transaction(log)
    assert (info.base_offset, info.last_offset, info.is_duplicate) == (6, 6, False)
    assert log.last_stable_offset == log.high_watermark == 7


def test_transactions_of_several_producers_end_one_by_one() -> None:
    log = partition_log()
    for producer_id in (1, 2, 3):
        append(log, transactional(0, producer_id=producer_id))
    assert log.last_stable_offset == 0
    end_transaction(log, producer_id=2)
    assert log.last_stable_offset == 0
    end_transaction(log, producer_id=1)
    assert log.last_stable_offset == 2
    end_transaction(log, producer_id=3)
    assert log.last_stable_offset == 6


def test_a_marker_takes_effect_when_it_is_committed() -> None:
    log = partition_log()
    log.hold_high_watermark()
    append(log, transactional(0))
    append(log, transactional(1))
    end_transaction(log)
    append(log)
    for high_watermark in (0, 1, 2):
        log.advance_high_watermark(high_watermark)
        assert log.last_stable_offset == 0
    log.advance_high_watermark(3)
    assert log.last_stable_offset == 3
    log.advance_high_watermark(4)
    assert log.last_stable_offset == 4


@pytest.mark.parametrize(("within_batches", "stable_offset"), [(True, 3), (False, 1)])
def test_a_log_start_inside_of_an_open_transaction_is_stable(
    within_batches: bool, stable_offset: int
) -> None:
    log = partition_log(producer_options=ProducerStateOptions(stable_within_batches=within_batches))
    append(log, transactional(0))
    append(log, transactional(1, records=5))
    append(log)
    log.delete_records(1)
    assert log.last_stable_offset == 1
    log.delete_records(3)
    assert log.last_stable_offset == stable_offset
    log.delete_records(6)
    assert log.last_stable_offset == 6
    log.delete_records(7)
    assert log.last_stable_offset == 7
    end_transaction(log, is_commit=False)
    assert log.last_stable_offset == 8
    assert log.aborted_transactions(3, 8) == [AbortedTxn(7, 0, 7, 8)]


def test_only_committed_data_is_read_up_to_the_last_stable_offset() -> None:
    log = partition_log()
    append(log, data=b"plain")
    append(log, transactional(0), b"open")
    read = log.read(0, max_bytes=1_000, up_to_offset=log.last_stable_offset)
    assert read.buffers == [b"plain"]
    end_transaction(log)
    read = log.read(0, max_bytes=1_000, up_to_offset=log.last_stable_offset)
    assert read.buffers[:2] == [b"plain", b"open"]


# Aborted transactions.


def test_an_aborted_transaction_is_listed_and_a_committed_one_is_not() -> None:
    log = partition_log()
    append(log, transactional(0, producer_id=1))
    append(log, transactional(0, producer_id=2))
    append(log, transactional(0, producer_id=3))
    end_transaction(log, producer_id=2, is_commit=False)
    end_transaction(log, producer_id=1, is_commit=True)
    end_transaction(log, producer_id=3, is_commit=False)
    assert log.aborted_transactions(0, log.log_end_offset) == [
        AbortedTxn(2, first_offset=1, last_offset=3, last_stable_offset=0),
        AbortedTxn(3, first_offset=2, last_offset=5, last_stable_offset=6),
    ]
    assert log.aborted_transactions(4, log.log_end_offset) == [AbortedTxn(3, 2, 5, 6)]


def test_an_empty_abort_adds_a_marker_only() -> None:
    log = partition_log()
    assert end_transaction(log, is_commit=False).base_offset == 0
    assert log.aborted_transactions(0, 1) == []
    assert log.last_stable_offset == 1
    assert (entry_of(log).is_empty, entry_of(log).producer_epoch) == (True, 0)


def test_older_releases_list_an_empty_abort() -> None:
    log = partition_log(producer_options=ProducerStateOptions(completes_empty_transactions=True))
    end_transaction(log, is_commit=False)
    end_transaction(log, is_commit=True)
    assert log.aborted_transactions(0, 2) == [AbortedTxn(7, 0, 0, 1)]
    assert log.last_stable_offset == 2


def test_aborted_transactions_are_removed_with_their_records() -> None:
    log = partition_log()
    for base_sequence in (0, 1):
        append(log, transactional(base_sequence))
        end_transaction(log, is_commit=False)
    log.delete_records(2)
    assert [aborted.last_offset for aborted in log.transaction_index] == [3]


# Batches inside and outside.


def test_a_batch_outside_of_its_producers_open_transaction_is_refused() -> None:
    log = partition_log()
    append(log, transactional(0))
    before = log.as_text()
    for header in (idempotent(1), idempotent(0, producer_epoch=1)):
        with pytest.raises(ApiError) as refused:
            append(log, header)
        assert refused.value.code == ErrorCode.INVALID_TXN_STATE
        assert log.as_text() == before
    end_transaction(log)
    assert append(log, idempotent(1)).base_offset == 2


def test_a_gap_is_checked_before_the_transaction() -> None:
    log = partition_log()
    append(log, transactional(0))
    with pytest.raises(ApiError) as refused:
        append(log, idempotent(2))
    assert refused.value.code == OUT_OF_ORDER


def test_sequences_continue_after_a_marker_and_retries_are_found() -> None:
    log = partition_log()
    append(log, transactional(0, records=2))
    end_transaction(log)
    retried = append(log, transactional(0, records=2))
    assert (retried.is_duplicate, retried.base_offset) == (True, 0)
    assert append(log, transactional(2)).base_offset == 3
    assert entry_of(log).current_txn_first_offset == 3


def test_sequences_wrap_inside_of_a_transaction() -> None:
    log = partition_log()
    append(log, transactional(MAX_SEQUENCE - 1, records=4))
    append(log, transactional(2))
    assert append(log, transactional(MAX_SEQUENCE - 1, records=4)).is_duplicate
    end_transaction(log)
    assert append(log, transactional(3)).base_offset == 6


def test_a_newer_epoch_continues_an_open_transaction() -> None:
    log = partition_log()
    append(log, transactional(0))
    append(log, transactional(0, producer_epoch=1))
    entry = entry_of(log)
    assert (entry.producer_epoch, entry.current_txn_first_offset) == (1, 0)
    end_transaction(log, producer_epoch=1, is_commit=False)
    assert log.aborted_transactions(0, 3) == [AbortedTxn(7, 0, 2, 3)]


def test_a_coordinator_writes_for_a_producer_without_sequences() -> None:
    log = partition_log()
    header = transactional(-1)
    for _ in range(2):
        info = log.append(header, b"offsets", leader_epoch=0, now_ms=0, is_from_client=False)
        assert not info.is_duplicate
    entry = entry_of(log)
    assert (entry.last_sequence, entry.current_txn_first_offset) == (-1, 0)
    end_transaction(log, producer_epoch=1)
    with pytest.raises(ApiError) as refused:
        log.append(header, b"offsets", leader_epoch=0, now_ms=0, is_from_client=False)
    assert refused.value.code == FENCED


# Markers.


@pytest.mark.parametrize(
    ("producer_epoch", "coordinator_epoch", "transaction_version", "code"),
    [
        (4, 9, 0, FENCED),
        (5, 9, 0, ErrorCode.NONE),
        (5, 9, 1, ErrorCode.NONE),
        (6, 9, 0, ErrorCode.NONE),
        (5, 8, 0, COORDINATOR_FENCED),
        (6, 8, 0, COORDINATOR_FENCED),
        (4, 8, 0, FENCED),
        (5, 10, 0, ErrorCode.NONE),
        (4, 9, 2, FENCED),
        (5, 9, 2, FENCED),  # a transaction's marker has the epoch after it
        (6, 9, 2, ErrorCode.NONE),
        (6, 8, 2, COORDINATOR_FENCED),
    ],
)
def test_all_markers_of_an_open_transaction(
    producer_epoch: int, coordinator_epoch: int, transaction_version: int, code: ErrorCode
) -> None:
    log = partition_log()
    end_transaction(log, producer_epoch=5, coordinator_epoch=9)
    append(log, transactional(0, producer_epoch=5))
    answer = marker_refusal(
        log,
        producer_epoch=producer_epoch,
        coordinator_epoch=coordinator_epoch,
        transaction_version=transaction_version,
    )
    assert answer == code


@pytest.mark.parametrize("transaction_version", [0, 1, 2])
def test_a_repeated_marker_is_appended_again(transaction_version: int) -> None:
    log = partition_log()
    append(log, transactional(0))
    for offset in (1, 2, 3):
        info = end_transaction(log, producer_epoch=1, transaction_version=transaction_version)
        assert info.base_offset == offset
    assert log.last_stable_offset == 4


@pytest.mark.parametrize("transaction_version", [0, 2])
def test_a_marker_alone_fences_older_epochs(transaction_version: int) -> None:
    log = partition_log()
    end_transaction(log, producer_epoch=3, transaction_version=transaction_version)
    before = log.as_text()
    for header in (transactional(0, producer_epoch=2), idempotent(0, producer_epoch=2)):
        with pytest.raises(ApiError) as refused:
            append(log, header)
        assert refused.value.code == FENCED
    assert log.as_text() == before
    assert marker_refusal(log, producer_epoch=2) == FENCED
    append(log, transactional(0, producer_epoch=3))


def test_the_first_marker_of_an_epoch_resets_its_sequences() -> None:
    log = partition_log()
    append(log, transactional(0))
    end_transaction(log, producer_epoch=1)
    assert entry_of(log).is_empty
    with pytest.raises(ApiError) as refused:
        append(log, transactional(1, producer_epoch=1))
    assert refused.value.code == OUT_OF_ORDER
    append(log, transactional(0, producer_epoch=1))


def test_a_late_batch_leaves_a_hanging_transaction_until_a_marker() -> None:
    log = partition_log()
    append(log, transactional(0))
    end_transaction(log, is_commit=False)
    append(log, transactional(1))
    append(log)
    assert log.last_stable_offset == 2
    end_transaction(log, is_commit=False)
    assert log.last_stable_offset == 5


# A producer with an open transaction does not expire.


def test_an_open_transaction_prevents_expiry_of_its_producer() -> None:
    log = partition_log(producer_options=ProducerStateOptions(producer_id_expiration_ms=100))
    append(log, transactional(0, producer_id=1, timestamp_ms=0))
    append(log, idempotent(0, producer_id=2, timestamp_ms=0))
    assert log.producers.remove_expired_producers(1_000) == [2]
    end_transaction(log, producer_id=1, timestamp_ms=1_000)
    assert log.producers.remove_expired_producers(1_099) == []
    assert log.producers.remove_expired_producers(1_100) == [1]


@pytest.mark.parametrize(("counts", "expired"), [(True, []), (False, [7])])
def test_a_marker_may_delay_the_expiry_of_its_producer(counts: bool, expired: list[int]) -> None:
    options = ProducerStateOptions(marker_counts_as_activity=counts, producer_id_expiration_ms=100)
    for base_sequence in (None, 0):
        log = partition_log(producer_options=options)
        if base_sequence is not None:
            append(log, transactional(base_sequence, timestamp_ms=0))
        end_transaction(log, timestamp_ms=1_000)
        assert log.producers.remove_expired_producers(1_050) == expired


def test_the_last_epoch_ends_its_own_transaction() -> None:
    log = partition_log()
    append(log, transactional(0, producer_epoch=32_766))
    assert marker_refusal(log, producer_epoch=32_766, transaction_version=2) == FENCED
    append(log, transactional(0, producer_epoch=32_767))
    assert marker_refusal(log, producer_epoch=32_767, transaction_version=2) == ErrorCode.NONE
    assert log.last_stable_offset == log.log_end_offset
