"""The fast path for a producer in sequence has the effect of the general path, or none."""

import pytest

from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.partition_log import PartitionLog
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


def append_next(
    log: PartitionLog,
    base_sequence: int,
    *,
    records: int = 1,
    producer_epoch: int = 0,
    timestamp_ms: int = 1_000,
    is_transactional: bool = False,
) -> bool:
    before = log.as_text()
    added = log.append_next(
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


@pytest.mark.parametrize("batches_retained", [1, 5])
@pytest.mark.parametrize("records", [1, 3])
def test_the_fast_path_equals_the_general_path(batches_retained: int, records: int) -> None:
    options = ProducerStateOptions(batches_retained=batches_retained)
    short, long = (partition_log(producer_options=options) for _ in range(2))
    for log in (short, long):
        append(log, idempotent(0), DATA)
    for n in range(9):
        base_sequence, timestamp_ms = 1 + n * records, 1_000 - n
        header = idempotent(base_sequence, records=records, timestamp_ms=timestamp_ms)
        append(long, header, DATA)
        assert append_next(short, base_sequence, records=records, timestamp_ms=timestamp_ms)
        assert short.as_text() == long.as_text()
        assert append(short, header, DATA).is_duplicate


def test_a_transaction_continues_on_the_fast_path() -> None:
    log = partition_log()
    append(log, transactional(0), DATA)
    assert append_next(log, 1, is_transactional=True)
    assert not append_next(log, 2)
    end_transaction(log)
    assert not append_next(log, 2, is_transactional=True)
    assert append_next(log, 2)


@pytest.mark.parametrize(
    ("base_sequence", "producer_epoch"), [(4, 0), (6, 0), (0, 0), (5, 1), (0, 1), (5, -1)]
)
def test_an_unexpected_sequence_takes_the_general_path(
    base_sequence: int, producer_epoch: int
) -> None:
    log = partition_log()
    append(log, idempotent(4), DATA)
    assert not append_next(log, base_sequence, producer_epoch=producer_epoch)


def test_an_unknown_producer_takes_the_general_path() -> None:
    log = partition_log()
    append(log, data=DATA)
    assert not append_next(log, 0)


def test_a_producer_under_verification_takes_the_general_path() -> None:
    log = partition_log()
    append(log, idempotent(0), DATA)
    log.producers.maybe_start_verification(8, 0, 0, supports_epoch_bump=False, now_ms=0)
    assert append_next(log, 1)
    log.producers.maybe_start_verification(7, 0, 0, supports_epoch_bump=False, now_ms=0)
    assert not append_next(log, 2)


def test_a_wrap_takes_the_general_path() -> None:
    log = partition_log()
    append(log, idempotent(MAX_SEQUENCE - 2), DATA)
    assert not append_next(log, MAX_SEQUENCE - 1, records=3)
    assert append_next(log, MAX_SEQUENCE - 1, records=2)
    assert not append_next(log, 0)
    append(log, idempotent(0), DATA)
    assert append_next(log, 1)


def test_a_full_segment_takes_the_general_path() -> None:
    log = partition_log(LogConfig(segment_bytes=300))
    append(log, idempotent(0), DATA)
    assert append_next(log, 1)
    assert append_next(log, 2)
    assert not append_next(log, 3)
