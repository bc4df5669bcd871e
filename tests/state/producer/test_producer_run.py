"""The short way for a producer that goes on as expected does what the long way does, or nothing."""

import pytest

from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_run import append_producer_batch, append_producer_run
from mockbroker.state.producer.producer_state_entry import MAX_SEQUENCE
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from tests.state.log_building import (
    append,
    end_transaction,
    idempotent,
    partition_log,
    transactional,
)

DATA = bytes(100)


def short_batch(
    log: PartitionLog,
    base_sequence: int,
    *,
    records: int = 1,
    producer_epoch: int = 0,
    timestamp_ms: int = 1_000,
    is_transactional: bool = False,
) -> bool:
    before = log.as_text()
    added = append_producer_batch(
        log,
        DATA,
        timestamp_ms,
        records,
        producer_id=7,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        is_transactional=is_transactional,
        leader_epoch=0,
        now_ms=1_000,
    )
    assert added is (log.as_text() != before)
    return added


def short_run(
    log: PartitionLog,
    base_sequence: int,
    timestamps_ms: list[int],
    *,
    producer_epoch: int = 0,
    is_transactional: bool = False,
) -> bool:
    before = log.as_text()
    added = append_producer_run(
        log,
        [DATA] * len(timestamps_ms),
        len(DATA),
        timestamps_ms,
        producer_id=7,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        is_transactional=is_transactional,
        leader_epoch=0,
        now_ms=1_000,
    )
    assert added is (log.as_text() != before)
    return added


@pytest.mark.parametrize("batches_retained", [1, 5])
@pytest.mark.parametrize("records", [1, 3])
def test_batches_are_appended_as_the_long_way_does(batches_retained: int, records: int) -> None:
    options = ProducerStateOptions(batches_retained=batches_retained)
    short, long = (partition_log(producer_options=options) for _ in range(2))
    for log in (short, long):
        append(log, idempotent(0), DATA)
    for n in range(9):
        base_sequence, timestamp_ms = 1 + n * records, 1_000 - n
        header = idempotent(base_sequence, records=records, timestamp_ms=timestamp_ms)
        append(long, header, DATA)
        assert short_batch(short, base_sequence, records=records, timestamp_ms=timestamp_ms)
        assert short.as_text() == long.as_text()
        assert append(short, header, DATA).is_duplicate


@pytest.mark.parametrize("batches_retained", [1, 5])
@pytest.mark.parametrize("count", [1, 2, 4, 5, 6, 20])
def test_a_run_is_appended_as_the_long_way_does(batches_retained: int, count: int) -> None:
    options = ProducerStateOptions(batches_retained=batches_retained)
    short, long = (partition_log(producer_options=options) for _ in range(2))
    for log in (short, long):
        append(log, idempotent(0), DATA)
    timestamps_ms = [1_000 - n for n in range(count)]
    assert short_run(short, 1, timestamps_ms)
    for n, timestamp_ms in enumerate(timestamps_ms):
        append(long, idempotent(1 + n, timestamp_ms=timestamp_ms), DATA)
    assert short.as_text() == long.as_text()
    assert short_run(short, 1 + count, [1_000])


def test_a_transaction_goes_on_the_short_way() -> None:
    log = partition_log()
    append(log, transactional(0), DATA)
    assert short_batch(log, 1, is_transactional=True)
    assert short_run(log, 2, [1_000] * 3, is_transactional=True)
    assert not short_batch(log, 5)
    assert not short_run(log, 5, [1_000])
    end_transaction(log)
    assert not short_batch(log, 5, is_transactional=True)
    assert not short_run(log, 5, [1_000], is_transactional=True)
    assert short_batch(log, 5)


@pytest.mark.parametrize(
    ("base_sequence", "producer_epoch"), [(4, 0), (6, 0), (0, 0), (5, 1), (0, 1), (5, -1)]
)
def test_what_is_not_next_is_left_to_the_long_way(base_sequence: int, producer_epoch: int) -> None:
    log = partition_log()
    append(log, idempotent(4), DATA)
    assert not short_batch(log, base_sequence, producer_epoch=producer_epoch)
    assert not short_run(log, base_sequence, [1_000], producer_epoch=producer_epoch)


def test_an_unknown_producer_is_left_to_the_long_way() -> None:
    log = partition_log()
    append(log, data=DATA)
    assert not short_batch(log, 0)
    assert not short_run(log, 0, [1_000])


def test_a_producer_under_verification_is_left_to_the_long_way() -> None:
    log = partition_log()
    append(log, idempotent(0), DATA)
    log.producers.maybe_start_verification(8, 0, 0, supports_epoch_bump=False, now_ms=0)
    assert short_batch(log, 1)
    log.producers.maybe_start_verification(7, 0, 0, supports_epoch_bump=False, now_ms=0)
    assert not short_batch(log, 2)
    assert not short_run(log, 2, [1_000])


def test_a_wrap_is_left_to_the_long_way() -> None:
    log = partition_log()
    append(log, idempotent(MAX_SEQUENCE - 2), DATA)
    assert not short_run(log, MAX_SEQUENCE - 1, [1_000] * 3)
    assert not short_batch(log, MAX_SEQUENCE - 1, records=3)
    assert short_run(log, MAX_SEQUENCE - 1, [1_000] * 2)
    assert not short_batch(log, 0)
    assert not short_run(log, 0, [1_000])
    append(log, idempotent(0), DATA)
    assert short_run(log, 1, [1_000])


def test_a_full_segment_is_left_to_the_long_way() -> None:
    log = partition_log(LogConfig(segment_bytes=300))
    append(log, idempotent(0), DATA)
    assert not short_run(log, 1, [1_000] * 3)
    assert short_run(log, 1, [1_000] * 2)
    assert not short_batch(log, 3)
