"""The memory limit for all logs: reclaiming, refusals, and no loss of retained data."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.memory_budget import BATCH_OVERHEAD_BYTES, MemoryBudget
from mockbroker.state.log.partition_log import PartitionLog
from tests.state.log_building import append, idempotent, partition_log

BATCH_BYTES = 1_000 - BATCH_OVERHEAD_BYTES
"""The size of a batch that is charged 1,000 bytes."""


class Witness:
    """A log that only records calls to reclaim memory, with their order."""

    def __init__(self, topic: str, partition: int, asked: list[TopicPartition]) -> None:
        self.asked_at_ms = -1
        self.topic_partition = TopicPartition(topic, partition)
        self._asked = asked

    def reclaim(self, *, now_ms: int) -> None:
        self.asked_at_ms = now_ms
        self._asked.append(self.topic_partition)


def fill(log: PartitionLog, batches: int) -> None:
    for _ in range(batches):
        append(log, size_bytes=BATCH_BYTES)


def test_a_batch_is_charged_its_bytes_and_its_overhead() -> None:
    budget = MemoryBudget(100_000)
    append(partition_log(budget=budget), size_bytes=BATCH_BYTES)
    assert budget.used_bytes == 1_000


def test_a_retry_is_charged_nothing() -> None:
    budget = MemoryBudget(100_000)
    log = partition_log(budget=budget)
    append(log, idempotent(0))
    used_bytes = budget.used_bytes
    assert append(log, idempotent(0)).is_duplicate
    assert budget.used_bytes == used_bytes


def test_a_deleted_log_releases_all_memory() -> None:
    budget = MemoryBudget(100_000)
    log, other = partition_log(budget=budget), partition_log(budget=budget)
    fill(log, 5)
    fill(other, 2)
    log.delete()
    assert budget.used_bytes == 2_000


def test_below_nine_tenths_no_log_has_to_release_memory() -> None:
    budget = MemoryBudget(10_000)
    asked: list[TopicPartition] = []
    budget.register(Witness("a", 0, asked))
    fill(partition_log(budget=budget), 9)
    assert asked == []


def test_near_the_limit_logs_release_memory_in_the_order_of_their_names() -> None:
    budget = MemoryBudget(10_000)
    asked: list[TopicPartition] = []
    for topic, partition in [("b", 1), ("a", 10), ("b", 0), ("a", 2)]:
        budget.register(Witness(topic, partition, asked))
    gone = Witness("a", 0, asked)
    budget.register(gone)
    budget.unregister(gone)
    fill(partition_log(budget=budget), 10)
    assert asked == [("a", 2), ("a", 10), ("b", 0), ("b", 1)]


def test_a_full_budget_is_not_searched_for_every_batch() -> None:
    budget = MemoryBudget(1_000_000)
    asked: list[TopicPartition] = []
    witness = Witness("a", 0, asked)
    budget.register(witness)
    fill(partition_log(budget=budget), 990)
    assert 1 < len(asked) < 30
    assert witness.asked_at_ms == 1_000


def test_after_pressure_ends_the_next_round_starts_at_nine_tenths_again() -> None:
    budget = MemoryBudget(1_000_000)
    log = partition_log(budget=budget)
    fill(log, 1_000)
    log.delete()
    asked: list[TopicPartition] = []
    budget.register(Witness("a", 0, asked))
    fill(partition_log(budget=budget), 901)
    assert len(asked) == 1


def test_a_batch_that_does_not_fit_is_refused_with_the_settings_to_change() -> None:
    budget = MemoryBudget(10_000)
    log = partition_log(budget=budget)
    fill(log, 10)
    before = log.as_text()
    with pytest.raises(ApiError) as refused:
        append(log, idempotent(0))
    assert refused.value.code == ErrorCode.KAFKA_STORAGE_ERROR
    assert "topic orders" in refused.value.why
    assert refused.value.why.endswith(
        "raise mockbroker.memory.bytes, or lower retention.bytes of topic orders"
    )
    assert log.as_text() == before
    assert budget.used_bytes == 10_000


def test_the_limit_can_be_used_to_the_last_byte() -> None:
    budget = MemoryBudget(10_000)
    log = partition_log(budget=budget)
    fill(log, 10)
    assert log.log_end_offset == 10
    assert budget.used_bytes == 10_000


def test_size_retention_of_another_topic_makes_room() -> None:
    budget = MemoryBudget(10_000)
    bounded = partition_log(
        LogConfig(retention_bytes=2 * BATCH_BYTES),
        budget=budget,
        topic_partition=TopicPartition("bounded", 0),
    )
    fill(bounded, 8)
    log = partition_log(budget=budget)
    fill(log, 4)
    assert (bounded.log_start_offset, bounded.log_end_offset) == (6, 8)
    assert bounded.size_bytes == 2 * BATCH_BYTES
    assert (log.log_start_offset, log.log_end_offset) == (0, 4)
    assert budget.used_bytes == 6_000


def test_a_topic_without_retention_bytes_loses_nothing() -> None:
    budget = MemoryBudget(10_000)
    kept = partition_log(LogConfig(retention_ms=0), budget=budget)
    fill(kept, 10)
    with pytest.raises(ApiError):
        fill(partition_log(budget=budget), 1)
    assert (kept.log_start_offset, kept.log_end_offset) == (0, 10)


def test_a_compacted_topic_loses_nothing_to_size_retention() -> None:
    budget = MemoryBudget(10_000)
    config = LogConfig(retention_bytes=0, cleanup_delete=False, cleanup_compact=True)
    kept = partition_log(config, budget=budget)
    fill(kept, 10)
    with pytest.raises(ApiError):
        fill(kept, 1)
    assert (kept.log_start_offset, kept.log_end_offset) == (0, 10)


def test_a_log_makes_room_for_its_own_append() -> None:
    budget = MemoryBudget(10_000)
    log = partition_log(LogConfig(retention_bytes=0), budget=budget)
    fill(log, 25)
    assert log.log_end_offset == 25
    assert log.log_start_offset == 18
    assert log.read(18, max_bytes=1, up_to_offset=25).next_offset == 19


def test_making_room_may_roll_the_segment_that_was_full_anyway() -> None:
    budget = MemoryBudget(10_000)
    log = partition_log(LogConfig(segment_bytes=9 * BATCH_BYTES, retention_bytes=0), budget=budget)
    fill(log, 10)
    assert log.log_start_offset == 9
    assert log.as_text().count("segment") == 1


def test_uncommitted_batches_are_not_reclaimed() -> None:
    budget = MemoryBudget(10_000)
    log = partition_log(LogConfig(retention_bytes=0), budget=budget)
    log.hold_high_watermark()
    fill(log, 9)
    log.advance_high_watermark(3)
    fill(log, 1)
    assert log.log_start_offset == 3
    log.read(3, max_bytes=1, up_to_offset=10)


def test_deleted_records_are_reclaimed_from_the_middle_of_a_segment() -> None:
    budget = MemoryBudget(10_000)
    log = partition_log(budget=budget)
    fill(log, 9)
    log.delete_records(5)
    assert budget.used_bytes == 9_000
    fill(log, 1)
    assert budget.used_bytes == 5_000
    assert log.log_start_offset == 5
    assert len(log.read(5, max_bytes=100_000, up_to_offset=10).buffers) == 5


def test_a_limit_of_zero_is_invalid() -> None:
    with pytest.raises(AssertionError):
        MemoryBudget(0)
