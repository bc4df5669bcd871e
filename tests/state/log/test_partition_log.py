"""The log of one partition: appends, refusals, and reads."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import BatchHeader, Buffer
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.memory_budget import MemoryBudget
from mockbroker.state.log.offset_lookup import legacy_offsets_before, offset_for_timestamp
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from tests.state.log_building import append, batch_header, idempotent, partition_log

LOG_APPEND_TIME = 0x08


def offsets(log: PartitionLog) -> tuple[int, int, int]:
    return (log.log_start_offset, log.high_watermark, log.log_end_offset)


def test_a_new_log_is_empty() -> None:
    log = partition_log()
    assert offsets(log) == (0, 0, 0)
    assert log.last_stable_offset == 0
    assert log.size_bytes == 0
    assert log.config == LogConfig()


def test_offsets_are_assigned_in_the_order_of_the_appends() -> None:
    log = partition_log()
    infos = [append(log, batch_header(records=records)) for records in (3, 1, 5)]
    assert [(info.base_offset, info.last_offset) for info in infos] == [(0, 2), (3, 3), (4, 8)]
    assert not any(info.is_duplicate for info in infos)
    assert offsets(log) == (0, 9, 9)
    assert log.last_stable_offset == 9
    assert log.size_bytes == 300


def test_the_header_and_the_bytes_are_not_changed() -> None:
    log = partition_log()
    append(log)
    header, data = idempotent(0), bytearray(80)
    append(log, header, data)
    assert header == idempotent(0)
    assert data == bytes(80)


def test_only_a_batch_stamped_by_the_broker_has_a_log_append_time() -> None:
    log = partition_log()
    assert append(log, batch_header(timestamp_ms=77)).log_append_time_ms == -1
    stamped = batch_header(timestamp_ms=77, attributes=LOG_APPEND_TIME)
    assert append(log, stamped).log_append_time_ms == 77


def test_a_retry_is_answered_with_the_offset_and_timestamp_of_the_first_append() -> None:
    log = partition_log()
    append(log)
    append(log, idempotent(0, records=5, timestamp_ms=123))
    append(log, idempotent(5))
    before = log.as_text()
    info = append(log, idempotent(0, records=5, timestamp_ms=123))
    assert info.is_duplicate
    assert (info.base_offset, info.last_offset, info.log_append_time_ms) == (1, 5, 123)
    assert info.log_start_offset == 0
    assert log.as_text() == before


def test_a_retry_is_recognised_after_its_records_were_deleted() -> None:
    log = partition_log()
    append(log, idempotent(0))
    append(log, idempotent(1))
    log.delete_records(-1)
    info = append(log, idempotent(0))
    assert info.is_duplicate
    assert (info.base_offset, info.log_start_offset) == (0, 2)
    assert append(log, idempotent(2)).base_offset == 2


def test_the_fast_path_equals_the_general_path() -> None:
    config = LogConfig(segment_bytes=500)
    plain, full = partition_log(config), partition_log(config)
    taken = 0
    for records in (1, 2, 3, 4, 5, 6, 7):
        header, data = batch_header(records=records), bytes(100)
        append(full, header, data)
        if plain.append_next(data, 1_000, records, leader_epoch=0, now_ms=1_000):
            taken += 1
        else:
            append(plain, header, data)
        assert plain.as_text() == full.as_text()
        assert plain.high_watermark == full.high_watermark
    assert taken == 5  # all but the first of each segment
    assert legacy_offsets_before(plain, 1_000, 9, now_ms=1_000) == [28, 15, 0]


@pytest.mark.parametrize(
    ("size_bytes", "max_timestamp_ms", "leader_epoch"),
    [
        (400, 1_000, 0),  # rolls
        (100, -1, 0),  # has no timestamp
        (100, 1_000, 1),  # comes from a new leader
        (300, 1_000, 0),  # needs room to be made
    ],
)
def test_the_fast_path_refuses_other_batches_and_changes_nothing(
    size_bytes: int, max_timestamp_ms: int, leader_epoch: int
) -> None:
    budget = MemoryBudget(500)
    log = partition_log(LogConfig(segment_bytes=450), budget=budget)
    append(log)
    before = (log.as_text(), budget.used_bytes)
    taken = log.append_next(
        bytes(size_bytes), max_timestamp_ms, 1, leader_epoch=leader_epoch, now_ms=1_000
    )
    assert not taken
    assert (log.as_text(), budget.used_bytes) == before


def test_the_fast_path_does_not_move_a_held_high_watermark() -> None:
    log = partition_log()
    append(log)
    log.hold_high_watermark()
    assert log.append_next(bytes(100), 1_000, 3, leader_epoch=0, now_ms=1_000)
    assert offsets(log) == (0, 1, 4)


REFUSED: list[tuple[BatchHeader, int, ErrorCode]] = [
    (idempotent(9), 100, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
    (idempotent(0, records=2), 100, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
    (idempotent(3, producer_epoch=1), 100, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
    (idempotent(2, producer_epoch=-1), 100, ErrorCode.INVALID_PRODUCER_EPOCH),
    (idempotent(3, producer_id=8), 100, ErrorCode.UNKNOWN_PRODUCER_ID),
    (batch_header(), 1_001, ErrorCode.RECORD_LIST_TOO_LARGE),
    (idempotent(9), 1_001, ErrorCode.RECORD_LIST_TOO_LARGE),
    (idempotent(2), 700, ErrorCode.KAFKA_STORAGE_ERROR),
]


@pytest.mark.parametrize(("header", "size_bytes", "code"), REFUSED)
def test_a_refused_append_changes_nothing(
    header: BatchHeader, size_bytes: int, code: ErrorCode
) -> None:
    budget = MemoryBudget(1_000)
    log = partition_log(
        LogConfig(segment_bytes=1_000),
        budget=budget,
        producer_options=ProducerStateOptions(accepts_unknown_producer=False),
    )
    append(log, idempotent(0))
    append(log, idempotent(1))
    before = (log.as_text(), budget.used_bytes)
    with pytest.raises(ApiError) as refused:
        append(log, header, size_bytes=size_bytes, leader_epoch=5)
    assert refused.value.code == code
    assert refused.value.why
    assert (log.as_text(), budget.used_bytes) == before


def test_a_segment_rolls_when_the_next_batch_does_not_fit() -> None:
    log = partition_log(LogConfig(segment_bytes=250))
    for _ in range(5):
        append(log)
    assert [line.split(":")[0] for line in log.as_text().splitlines()[1:]] == [
        "segment 0",
        "segment 2",
        "segment 4",
    ]


def test_a_batch_as_large_as_a_segment_is_appended() -> None:
    log = partition_log(LogConfig(segment_bytes=250))
    append(log, size_bytes=250)
    append(log, size_bytes=250)
    assert log.as_text().count("segment") == 2


@pytest.mark.parametrize(
    ("timestamps_ms", "segments"),
    [
        ([0, 1_000], 1),
        ([0, 1_001], 2),
        ([5_000, 0, 6_000], 1),
        ([5_000, 0, 6_001], 2),
        ([0, -1], 1),
    ],
)
def test_a_segment_rolls_by_the_time_between_its_records(
    timestamps_ms: list[int], segments: int
) -> None:
    log = partition_log(LogConfig(segment_ms=1_000))
    for timestamp_ms in timestamps_ms:
        append(log, batch_header(timestamp_ms=timestamp_ms), now_ms=0)
    assert log.as_text().count("segment") == segments


@pytest.mark.parametrize(("now_ms", "segments"), [(1_000, 1), (1_001, 2)])
def test_without_timestamps_a_segment_rolls_by_the_time_of_the_appends(
    now_ms: int, segments: int
) -> None:
    log = partition_log(LogConfig(segment_ms=1_000))
    append(log, batch_header(timestamp_ms=-1), now_ms=0)
    append(log, batch_header(timestamp_ms=-1), now_ms=now_ms)
    assert log.as_text().count("segment") == segments


def test_new_settings_apply_to_the_next_append() -> None:
    log = partition_log()
    append(log)
    log.reconfigure(log.config._replace(segment_bytes=150))
    append(log)
    assert log.as_text().count("segment") == 2
    with pytest.raises(ApiError):
        append(log, size_bytes=151)


@pytest.mark.parametrize(
    ("fetch_offset", "max_bytes", "up_to_offset", "batches", "next_offset"),
    [
        (0, 1_000, 20, 4, 20),
        (0, 250, 20, 2, 10),
        (0, 1, 20, 1, 5),
        (0, 0, 20, 1, 5),
        (7, 200, 20, 2, 15),
        (0, 1_000, 10, 2, 10),
        (0, 1_000, 12, 2, 10),
        (10, 1_000, 10, 0, 10),
        (19, 1_000, 20, 1, 20),
        (20, 1_000, 20, 0, 20),
    ],
)
def test_a_read(
    fetch_offset: int,
    max_bytes: int,
    up_to_offset: int,
    batches: int,
    next_offset: int,
) -> None:
    log = partition_log()
    for _ in range(4):
        append(log, batch_header(records=5))
    log_slice = log.read(fetch_offset, max_bytes=max_bytes, up_to_offset=up_to_offset)
    assert [len(buffer) for buffer in log_slice.buffers[:batches]] == [100] * batches
    assert log_slice.size_bytes // 100 == batches
    assert log_slice.next_offset == next_offset


@pytest.mark.parametrize(
    ("fetch_offset", "batches", "next_offset"), [(0, 2, 10), (7, 1, 10), (10, 2, 20), (19, 1, 20)]
)
def test_a_read_ends_with_its_segment(fetch_offset: int, batches: int, next_offset: int) -> None:
    log = partition_log(LogConfig(segment_bytes=250))
    for _ in range(4):
        append(log, batch_header(records=5))
    log_slice = log.read(fetch_offset, max_bytes=1_000, up_to_offset=20)
    assert (len(log_slice.buffers), log_slice.next_offset) == (batches, next_offset)


def test_a_read_limited_to_max_bytes_may_return_a_part_of_a_batch() -> None:
    log = partition_log()
    append(log, batch_header(records=5))
    log_slice = log.read(3, max_bytes=99, up_to_offset=5, at_least_one=False)
    assert (log_slice.first_entry_incomplete, log_slice.size_bytes) == (True, 99)
    assert log_slice.next_offset == 3


@pytest.mark.parametrize("fetch_offset", [-1, 0, 4, 11, 1 << 62])
def test_a_read_outside_the_log_is_refused(fetch_offset: int) -> None:
    log = partition_log()
    for _ in range(10):
        append(log)
    log.delete_records(5)
    with pytest.raises(ApiError) as refused:
        log.read(fetch_offset, max_bytes=1, up_to_offset=10)
    assert refused.value.code == ErrorCode.OFFSET_OUT_OF_RANGE


def test_a_held_high_watermark_moves_only_when_advanced_and_never_back() -> None:
    log = partition_log()
    append(log)
    log.hold_high_watermark()
    append(log)
    assert offsets(log) == (0, 1, 2)
    log.advance_high_watermark(0)
    assert log.high_watermark == 1
    log.advance_high_watermark(99)
    assert log.high_watermark == 2


def test_every_leader_epoch_begins_where_it_first_appended_or_was_assigned() -> None:
    log = partition_log()
    append(log, leader_epoch=0)
    append(log, leader_epoch=0)
    log.assign_leader_epoch(3)
    append(log, leader_epoch=3)
    append(log, leader_epoch=5)
    assert repr(log.leader_epochs) == "0@0, 3@2, 5@3"
    assert log.end_offset_for_epoch(0) == (0, 2)
    assert log.end_offset_for_epoch(4) == (3, 3)
    assert log.end_offset_for_epoch(5) == (5, 4)
    assert log.end_offset_for_epoch(6) == (-1, -1)


class NoRecords:
    """A reader that finds no record in any batch, as after compaction."""

    def first_record_since(
        self, data: Buffer, timestamp_ms: int, start_offset: int
    ) -> tuple[int, int] | None:
        return None

    def latest_record(self, data: Buffer) -> tuple[int, int] | None:
        return None


def test_offsets_are_found_by_time() -> None:
    log = partition_log()
    append(log)
    reader = NoRecords()
    assert offset_for_timestamp(log, -2, reader, last_fetchable_offset=1) == (-1, 0, 0)
    assert offset_for_timestamp(log, 5, reader, last_fetchable_offset=1) is None
    assert offset_for_timestamp(log, -3, reader, last_fetchable_offset=1) is None
    assert legacy_offsets_before(log, -1, 2, now_ms=2_000) == [1, 0]


def test_the_text_shows_all_state() -> None:
    log = partition_log()
    append(log, idempotent(4, records=2))
    assert log.as_text() == (
        "orders-0: 0, 2, 2, leader epochs 0@0\n"
        "segment 0: 100 bytes, up to 1000 ms, batches [0]\n"
        "ProducerStateEntry(producer_id=7, producer_epoch=0, last_timestamp_ms=1000, "
        "current_txn_first_offset=-1, coordinator_epoch=-1, batches=[4..5 @ 0])"
    )
