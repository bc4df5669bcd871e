"""Differences between releases: remembered batches, deletion of producer state, and errors."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_state_entry import MAX_SEQUENCE
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from mockbroker.state.producer.transaction_index import AbortedTxn
from mockbroker.state.release.options import SUPPORTED_RELEASES, Options
from tests.state.log_building import (
    append,
    end_transaction,
    idempotent,
    partition_log,
    transactional,
)

NONE = ErrorCode.NONE
OUT_OF_ORDER = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
UNKNOWN = ErrorCode.UNKNOWN_PRODUCER_ID
FENCED = ErrorCode.INVALID_PRODUCER_EPOCH

releases = pytest.mark.parametrize("release", SUPPORTED_RELEASES)


def since(release: str, first: str) -> bool:
    return SUPPORTED_RELEASES.index(release) >= SUPPORTED_RELEASES.index(first)


def log_of(release: str, *, tells_old_retries: bool | None = None) -> PartitionLog:
    """Return a log of a release that does not verify transactions."""
    of_release = Options.for_release(release)
    if tells_old_retries is None:
        tells_old_retries = of_release.duplicate_without_metadata
    options = of_release.producer_state._replace(
        verifies_transactions=False, duplicate_without_metadata=tells_old_retries
    )
    return partition_log(LogConfig(segment_bytes=100, retention_ms=1_000), producer_options=options)


def answer(log: PartitionLog, header: BatchHeader) -> ErrorCode:
    before = log.as_text()
    try:
        append(log, header)
    except ApiError as refusal:
        assert log.as_text() == before
        return refusal.code
    return NONE


@releases
def test_a_first_sequence_that_is_not_0(release: str) -> None:
    expected = {
        "0.11": OUT_OF_ORDER,
        "1.0": UNKNOWN,
        "1.1": UNKNOWN,
        "2.3": UNKNOWN,
        "2.4": UNKNOWN,
    }
    assert answer(log_of(release), idempotent(5)) == expected.get(release, NONE)


@releases
def test_the_next_sequence_after_delete_records(release: str) -> None:
    log = log_of(release)
    for base_sequence in (0, 1):
        append(log, idempotent(base_sequence))
    log.delete_records(-1)
    expected = {"0.11": OUT_OF_ORDER, "1.0": UNKNOWN, "1.1": UNKNOWN, "2.3": UNKNOWN}
    assert answer(log, idempotent(2)) == expected.get(release, NONE)


@releases
def test_the_next_sequence_after_retention(release: str) -> None:
    log = log_of(release)
    append(log, idempotent(0, timestamp_ms=0))
    append(log, idempotent(0, producer_id=8, timestamp_ms=9_000), now_ms=9_000)
    assert log.delete_old_segments(10_000) == 1
    expected = {"0.11": OUT_OF_ORDER, "1.0": UNKNOWN, "1.1": UNKNOWN, "2.3": UNKNOWN}
    assert answer(log, idempotent(1)) == expected.get(release, NONE)
    assert answer(log, idempotent(1, producer_id=8)) == NONE


@releases
def test_a_producer_whose_last_batch_remains_keeps_all_batches(release: str) -> None:
    log = log_of(release)
    for base_sequence in (0, 1, 2):
        append(log, idempotent(base_sequence))
    log.delete_records(2)
    assert answer(log, idempotent(3)) == NONE
    retried = answer(log, idempotent(1))
    assert retried == (NONE if since(release, "1.0") else OUT_OF_ORDER)


@releases
def test_the_number_of_remembered_batches(release: str) -> None:
    log = log_of(release)
    for base_sequence in range(7):
        append(log, idempotent(base_sequence))
    found = [
        base_sequence for base_sequence in range(7) if not answer(log, idempotent(base_sequence))
    ]
    assert found == ([6] if release == "0.11" else [2, 3, 4, 5, 6])


@releases
def test_an_older_epoch_is_fenced(release: str) -> None:
    log = log_of(release)
    append(log, idempotent(0, producer_epoch=1))
    assert answer(log, idempotent(0)) == FENCED
    assert answer(log, idempotent(1, producer_epoch=2)) == OUT_OF_ORDER
    assert answer(log, idempotent(0, producer_epoch=2)) == NONE


@releases
def test_a_sequence_of_an_epoch_with_only_a_marker(release: str) -> None:
    log = log_of(release)
    append(log, transactional(0))
    end_transaction(log, producer_epoch=1)
    expected = {"2.3": UNKNOWN, "2.4": UNKNOWN}
    assert answer(log, transactional(1, producer_epoch=1)) == expected.get(release, OUT_OF_ORDER)
    assert answer(log, transactional(0, producer_epoch=1)) == NONE


@releases
def test_a_zombie_is_fenced_until_its_state_is_deleted_with_the_log(release: str) -> None:
    log = log_of(release)
    append(log, transactional(0))
    end_transaction(log, producer_epoch=1)
    assert answer(log, transactional(1)) == FENCED
    log.delete_records(-1)
    expected = {"0.11": OUT_OF_ORDER, "1.0": UNKNOWN, "1.1": UNKNOWN, "2.3": UNKNOWN}
    assert answer(log, transactional(1)) == expected.get(release, FENCED)


@releases
def test_a_lone_marker_may_keep_its_producer_known(release: str) -> None:
    log = log_of(release)
    append(log)
    end_transaction(log, producer_epoch=1)
    log.delete_records(1)
    # From 1.0 to 2.3 a marker does not count as data, at any position.
    survives = release not in {"1.0", "1.1", "2.3"}
    assert (log.producers.last_entry(7) is not None) is survives


@releases
def test_the_open_transaction_of_a_removed_producer_is_removed(release: str) -> None:
    log = log_of(release)
    append(log, transactional(0))
    append(log)
    log.delete_records(1)
    assert log.last_stable_offset == (1 if since(release, "2.4") else 2)
    end_transaction(log, is_commit=False)
    assert log.last_stable_offset == 3


@releases
def test_an_abort_with_nothing_written(release: str) -> None:
    log = log_of(release)
    append(log)
    end_transaction(log, is_commit=False)
    listed = [] if since(release, "2.8") else [AbortedTxn(7, 1, 1, 2)]
    assert log.aborted_transactions(0, 2) == listed


@releases
def test_a_retry_after_the_marker(release: str) -> None:
    log = log_of(release)
    append(log, transactional(0, records=3))
    end_transaction(log)
    if release == "0.11":  # the marker has taken the place of the batch, its sequence the last one
        assert answer(log, transactional(0, records=3)) == OUT_OF_ORDER
        assert append(log, transactional(2)).base_offset == 3
    else:
        assert append(log, transactional(0, records=3)).base_offset == 0
    assert answer(log, transactional(3)) == NONE


@releases
def test_a_retry_of_a_batch_whose_sequences_wrap(release: str) -> None:
    log = log_of(release)
    log.producers.options = log.producers.options._replace(accepts_unknown_producer=True)
    append(log, idempotent(MAX_SEQUENCE - 1, records=4))
    retried = append(log, idempotent(MAX_SEQUENCE - 1, records=4))
    assert retried.is_duplicate
    assert retried.last_offset == 3
    assert (retried.base_offset == 0) is since(release, "2.3")
    assert answer(log, idempotent(2)) == NONE


@releases
def test_whether_transactions_are_verified(release: str) -> None:
    options = Options.for_release(release).producer_state
    assert options.verifies_transactions is since(release, "3.6")
    assert options.verifies_producer_epoch is since(release, "4.4")


def test_the_defaults_are_those_of_the_latest_release() -> None:
    latest = Options.for_release(SUPPORTED_RELEASES[-1]).producer_state
    assert latest == ProducerStateOptions(verifies_transactions=True)


# KIP-192's DUPLICATE_SEQUENCE_NUMBER.


@pytest.mark.parametrize(
    ("base_sequence", "records", "code"),
    [
        (0, 1, OUT_OF_ORDER),  # one that ends with 0, as in 1.0
        (0, 2, ErrorCode.DUPLICATE_SEQUENCE_NUMBER),
        (1, 1, ErrorCode.DUPLICATE_SEQUENCE_NUMBER),
        (1, 2, OUT_OF_ORDER),  # overlaps a remembered batch
        (2, 1, NONE),
        (2, 2, OUT_OF_ORDER),
        (8, 1, OUT_OF_ORDER),
        (MAX_SEQUENCE, 1, OUT_OF_ORDER),
    ],
)
def test_a_retry_older_than_the_remembered_batches_may_differ_from_a_gap(
    base_sequence: int, records: int, code: ErrorCode
) -> None:
    log = log_of("4.4", tells_old_retries=True)
    for sequence in range(7):
        append(log, idempotent(sequence))
    assert answer(log, idempotent(base_sequence, records=records)) == code


def test_kafka_1_0_tells_an_old_retry_from_a_gap_and_1_1_does_not() -> None:
    codes = {
        "1.0": ErrorCode.DUPLICATE_SEQUENCE_NUMBER,
        "1.1": OUT_OF_ORDER,
        "4.4": OUT_OF_ORDER,
    }
    for release, code in codes.items():
        log = log_of(release)
        for sequence in range(7):
            append(log, idempotent(sequence))
        assert answer(log, idempotent(1)) == code


def test_without_remembered_batches_there_is_no_old_retry() -> None:
    log = log_of("4.4", tells_old_retries=True)
    end_transaction(log)
    assert answer(log, idempotent(3)) == OUT_OF_ORDER
