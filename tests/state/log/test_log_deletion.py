"""Deletion from the start of a log."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.memory_budget import BATCH_OVERHEAD_BYTES, MemoryBudget
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from mockbroker.state.producer.refused_batch import remember_refused
from mockbroker.state.release.options import Options
from tests.state.log_building import append, batch_header, idempotent, partition_log, transactional


@pytest.mark.parametrize(("before_offset", "log_start_offset"), [(0, 0), (3, 3), (5, 5), (-1, 5)])
def test_deleting_records_moves_the_log_start(before_offset: int, log_start_offset: int) -> None:
    log = partition_log()
    for _ in range(5):
        append(log)
    assert log.delete_records(before_offset) == log_start_offset
    assert log.offsets == (log_start_offset, 5, 5)


def test_the_log_start_never_moves_back() -> None:
    log = partition_log()
    for _ in range(5):
        append(log)
    log.delete_records(4)
    assert log.delete_records(2) == 4


@pytest.mark.parametrize(("asks_policy_first", "log_start_offset"), [(True, 0), (False, 2)])
def test_deleting_from_a_compacted_log_is_refused(
    asks_policy_first: bool, log_start_offset: int
) -> None:
    log = partition_log(config=LogConfig(cleanup_delete=False, cleanup_compact=True))
    for _ in range(5):
        append(log)
    with pytest.raises(ApiError) as refusal:
        log.delete_records(2, asks_policy_first=asks_policy_first)
    assert refusal.value.code is ErrorCode.POLICY_VIOLATION
    assert log.log_start_offset == log_start_offset


@pytest.mark.parametrize("before_offset", [-2, 6])
def test_deleting_beyond_the_high_watermark_is_refused(before_offset: int) -> None:
    log = partition_log()
    for _ in range(5):
        append(log)
    before = log.as_text()
    with pytest.raises(ApiError) as refused:
        log.delete_records(before_offset)
    assert refused.value.code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert log.as_text() == before


def test_records_of_a_topic_that_is_only_compacted_cannot_be_deleted() -> None:
    log = partition_log(LogConfig(cleanup_delete=False, cleanup_compact=True))
    append(log)
    with pytest.raises(ApiError) as refused:
        log.delete_records(-1)
    assert refused.value.code == ErrorCode.POLICY_VIOLATION
    assert log.log_start_offset == 0


@pytest.mark.parametrize(("offset", "is_refused"), [(1, False), (2, True), (-1, True)])
def test_a_transaction_that_lost_all_records_fails_the_deletion_on_1_0(
    offset: int, is_refused: bool
) -> None:
    log = partition_log(producer_options=Options.for_release("1.0").producer_state)
    for sequence in range(2):
        append(log, transactional(sequence))
    with pytest.raises(ApiError) as refused:
        append(log, idempotent(2))
    remember_refused(log.producers, idempotent(2), log.log_end_offset, refused.value)
    if is_refused:
        with pytest.raises(ApiError) as failed:
            log.delete_records(offset)
        assert failed.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
    assert log.delete_records(offset) == log.log_start_offset == (1 if offset == 1 else 2)
    assert len(log.producers.transactions) == 1


def test_deleting_records_frees_whole_segments_at_once() -> None:
    budget = MemoryBudget()
    log = partition_log(LogConfig(segment_bytes=200), budget=budget)
    for _ in range(5):
        append(log)
    log.delete_records(3)
    assert budget.used_bytes == 3 * (100 + BATCH_OVERHEAD_BYTES)
    assert [len(log.read(n, max_bytes=1_000, up_to_offset=5).buffers) for n in (3, 4)] == [1, 1]


def test_retention_deletes_old_segments() -> None:
    log = partition_log(LogConfig(segment_bytes=200, retention_ms=100))
    for timestamp_ms in (1, 2, 900, 901):
        append(log, batch_header(timestamp_ms=timestamp_ms))
    assert log.delete_old_segments(now_ms=500) == 1
    assert log.offsets == (2, 4, 4)
    assert log.delete_old_segments(now_ms=5_000) == 1
    assert log.offsets == (4, 4, 4)


def test_near_the_memory_limit_a_log_drops_deletable_data() -> None:
    budget = MemoryBudget(10 * (100 + BATCH_OVERHEAD_BYTES))
    log = partition_log(LogConfig(retention_bytes=300), budget=budget)
    for _ in range(40):
        append(log)
    assert log.log_end_offset == 40
    assert 300 <= log.size_bytes <= 1_000
    log.delete_records(-1)
    log.reclaim(now_ms=0)
    assert log.log_start_offset == 40
    log.delete()
    assert budget.used_bytes == 0


@pytest.mark.parametrize("is_transactional", [True, False])
def test_making_room_for_a_batch_may_remove_its_own_producer(is_transactional: bool) -> None:
    header = transactional if is_transactional else idempotent
    budget = MemoryBudget(10 * (100 + BATCH_OVERHEAD_BYTES))
    log = partition_log(
        LogConfig(retention_bytes=0),
        budget=budget,
        producer_options=ProducerStateOptions(outlives_records=False),
    )
    for base_sequence in range(9):
        append(log, header(base_sequence))
    assert log.log_start_offset == 0
    append(log, header(9))  # fits only after everything before it is deleted
    assert log.log_start_offset == 9
    (entry,) = log.producers
    assert [batch.first_offset for batch in entry.batches()] == [9]
    assert entry.current_txn_first_offset == (9 if is_transactional else -1)
    assert log.last_stable_offset == (9 if is_transactional else 10)
    append(log, header(10))
    assert log.producers.remove_expired_producers(1 << 50) == ([] if is_transactional else [7])
