"""ListOffsets: special timestamps, and the first record of at least a timestamp."""

from dataclasses import dataclass, field

import pytest

from mockbroker.protocol.types import Buffer
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.memory_budget import MemoryBudget
from mockbroker.state.log.offset_lookup import legacy_offsets_before, offset_for_timestamp
from mockbroker.state.log.partition_log import PartitionLog
from tests.state.log_building import append, batch_header, partition_log


@dataclass
class Reader:
    """A reader with prepared records for each batch, which counts its calls."""

    batches: dict[int, list[tuple[int, int]]] = field(
        default_factory=dict[int, list[tuple[int, int]]]
    )
    asked: int = 0

    def first_record_since(
        self, data: Buffer, timestamp_ms: int, start_offset: int
    ) -> tuple[int, int] | None:
        self.asked += 1
        return next(
            (
                (timestamp, offset)
                for timestamp, offset in self.batches[id(data)]
                if timestamp >= timestamp_ms and offset >= start_offset
            ),
            None,
        )

    def latest_record(self, data: Buffer) -> tuple[int, int] | None:
        self.asked += 1
        return max(self.batches[id(data)], key=lambda record: record[0], default=None)


def log_with(
    *batches: list[int], config: LogConfig | None = None, budget: MemoryBudget | None = None
) -> tuple[PartitionLog, Reader]:
    """Return a log whose batches have records with these timestamps, two batches to a segment."""
    log = partition_log(config or LogConfig(segment_bytes=200), budget=budget)
    reader = Reader()
    for leader_epoch, timestamps_ms in enumerate(batches):
        data = bytearray(100)
        header = batch_header(records=len(timestamps_ms), timestamp_ms=max(timestamps_ms))
        base_offset = append(log, header, data, leader_epoch=leader_epoch).base_offset
        offsets = range(base_offset, base_offset + len(timestamps_ms))
        reader.batches[id(data)] = list(zip(timestamps_ms, offsets, strict=True))
    return log, reader


def find(
    log: PartitionLog, reader: Reader, timestamp_ms: int, last_fetchable_offset: int | None = None
) -> tuple[int, int, int] | None:
    if last_fetchable_offset is None:
        last_fetchable_offset = log.high_watermark
    return offset_for_timestamp(
        log, timestamp_ms, reader, last_fetchable_offset=last_fetchable_offset
    )


SOME = ([10, 20], [15, 30, 25], [40], [35], [-1], [50, 60])


@pytest.mark.parametrize(
    ("timestamp_ms", "found"),
    [
        (-1, (-1, 10, 5)),
        (-2, (-1, 0, 0)),
        (-4, (-1, 0, 0)),
        (-5, (-1, -1, -1)),
        (-6, (-1, -1, -1)),
        (-3, (60, 9, 5)),
        (0, (10, 0, 0)),
        (10, (10, 0, 0)),
        (11, (20, 1, 0)),
        (21, (30, 3, 1)),
        (31, (40, 5, 2)),
        (36, (40, 5, 2)),
        (41, (50, 8, 5)),
        (51, (60, 9, 5)),
        (61, None),
    ],
)
def test_every_kind_of_timestamp_finds_its_offset(
    timestamp_ms: int, found: tuple[int, int, int] | None
) -> None:
    log, reader = log_with(*SOME)
    assert find(log, reader, timestamp_ms) == found
    assert reader.asked <= 2


@pytest.mark.parametrize(
    ("timestamp_ms", "found"),
    [
        (-1, (-1, 5, 5)),
        (-2, (-1, 0, 0)),
        (-3, None),
        (21, (30, 3, 1)),
        (31, None),
    ],
)
def test_records_that_are_not_yet_fetchable_are_not_found(
    timestamp_ms: int, found: tuple[int, int, int] | None
) -> None:
    log, reader = log_with(*SOME)
    assert find(log, reader, timestamp_ms, last_fetchable_offset=5) == found


@pytest.mark.parametrize(
    ("timestamp_ms", "found"),
    [(-1, (-1, 0, -1)), (-2, (-1, 0, -1)), (-3, None), (-4, (-1, 0, -1)), (0, None)],
)
def test_an_empty_log(timestamp_ms: int, found: tuple[int, int, int] | None) -> None:
    assert find(partition_log(), Reader(), timestamp_ms) == found


def test_an_empty_log_knows_the_epoch_of_its_leader() -> None:
    log = partition_log()
    log.assign_leader_epoch(3)
    assert find(log, Reader(), -1) == (-1, 0, 3)
    assert find(log, Reader(), -2) == (-1, 0, 3)


def test_without_timestamps_the_first_record_is_the_latest() -> None:
    log, reader = log_with([-1], [-1])
    assert find(log, reader, -3) == (-1, 0, 0)
    assert find(log, reader, 0) is None


@pytest.mark.parametrize(
    ("timestamp_ms", "found"), [(-2, (-1, 1, 0)), (0, (20, 1, 0)), (10, (20, 1, 0))]
)
def test_deleted_records_are_not_found_by_time(
    timestamp_ms: int, found: tuple[int, int, int]
) -> None:
    log, reader = log_with(*SOME)
    log.delete_records(1)
    assert find(log, reader, timestamp_ms) == found


def test_a_search_starts_at_the_log_start_offset() -> None:
    log, reader = log_with([90], [10], [20], config=LogConfig())
    log.delete_records(1)
    assert find(log, reader, 15) == (20, 2, 2)
    assert reader.asked == 2  # the deleted batch is not read
    assert find(log, reader, 80) is None


def test_a_deleted_record_is_still_the_latest_while_its_segment_exists() -> None:
    log, reader = log_with([90], [10], config=LogConfig())
    log.delete_records(1)
    assert find(log, reader, -3) == (90, 0, 1)


def test_when_the_latest_batch_was_reclaimed_the_rest_is_read() -> None:
    budget = MemoryBudget(10_000)
    log, reader = log_with([90], [10], [30, 20], [-1], config=LogConfig(), budget=budget)
    log.delete_records(1)
    log.reclaim(now_ms=0)
    assert find(log, reader, -3) == (30, 2, 2)
    assert find(log, reader, 15) == (30, 2, 2)
    assert find(log, reader, 10) == (10, 1, 1)


def segments_of_one_batch(high_watermark: int = 5) -> PartitionLog:
    """Return a log of five one-record segments, appended to at times 100 to 500."""
    log = partition_log(LogConfig(segment_bytes=100))
    log.hold_high_watermark()
    for now_ms in range(100, 600, 100):
        append(log, now_ms=now_ms)
    log.advance_high_watermark(high_watermark)
    return log


@pytest.mark.parametrize(
    ("timestamp_ms", "max_offsets", "offsets"),
    [
        (-1, 1, [5]),
        (-1, 3, [5, 4, 3]),
        (-1, 99, [5, 4, 3, 2, 1, 0]),
        (-1, 0, []),
        (-1, -1, []),
        (-2, 1, [0]),
        (-2, 9, [0]),
        (99, 9, []),
        (100, 9, [0]),
        (350, 9, [2, 1, 0]),
        (500, 1, [4]),
        (1_000, 2, [5, 4]),
    ],
)
def test_version_0_returns_segment_starts_by_time_of_last_append(
    timestamp_ms: int, max_offsets: int, offsets: list[int]
) -> None:
    log = segments_of_one_batch()
    assert legacy_offsets_before(log, timestamp_ms, max_offsets, now_ms=1_000) == offsets


@pytest.mark.parametrize(("max_offsets", "offsets"), [(1, [3]), (2, [3]), (4, [3, 3, 2])])
def test_version_0_answers_the_high_watermark_for_offsets_beyond_it(
    max_offsets: int, offsets: list[int]
) -> None:
    log = segments_of_one_batch(high_watermark=3)
    assert legacy_offsets_before(log, -1, max_offsets, now_ms=1_000) == offsets


def test_version_0_finds_the_start_of_an_empty_log() -> None:
    log = partition_log()
    assert legacy_offsets_before(log, -1, 5, now_ms=1_000) == [0]
    assert legacy_offsets_before(log, -2, 5, now_ms=1_000) == [0]


def test_version_0_finds_nothing_before_the_log_start() -> None:
    log = segments_of_one_batch()
    log.delete_records(3)
    assert legacy_offsets_before(log, -1, 9, now_ms=1_000) == [5, 4, 3]
