"""Ages after a jump of the clock are as if the clients' clock had jumped too."""

from random import Random

import pytest

from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.state.clock import ClientClock
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.memory_budget import MemoryBudget
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.log.timestamp_shifts import TimestampShifts
from mockbroker.state.producer.producer_recovery import recover_producers, take_snapshot
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from tests.state.log_building import PARTITION, append, batch_header, end_transaction, idempotent

DAY_MS = 86_400_000
NOW_MS = 1_000 * DAY_MS
STAMPED = 0x08
OPTIONS = ProducerStateOptions(producer_id_expiration_ms=DAY_MS)


class Jumping:
    """A log whose clients' clock falls behind when the state's clock jumps."""

    def __init__(self, options: ProducerStateOptions = OPTIONS) -> None:
        self.clients = ClientClock()
        self.now_ms = NOW_MS
        self.log = PartitionLog(
            PARTITION,
            LogConfig(segment_ms=2 * DAY_MS, retention_ms=7 * DAY_MS),
            budget=MemoryBudget(),
            producer_options=options,
            now_ms=NOW_MS,
            clients=self.clients,
        )

    def jump(self, by_ms: int) -> None:
        self.now_ms += by_ms
        self.clients.behind_ms += by_ms
        self.log.segments.active.ask_always()

    @property
    def client_ms(self) -> int:
        return self.now_ms - self.clients.behind_ms

    @property
    def segment_starts(self) -> list[int]:
        return [segment.base_offset for segment in self.log.segments]

    def append(self, *, ago_ms: int = 0, attributes: int = 0) -> None:
        header = batch_header(timestamp_ms=self.client_ms - ago_ms, attributes=attributes)
        append(self.log, header, now_ms=self.now_ms)

    def append_next(self, *, ago_ms: int = 0) -> bool:
        return self.log.append_next(
            bytes(100), self.client_ms - ago_ms, 1, leader_epoch=0, now_ms=self.now_ms
        )


def test_shifts_are_found_by_offset() -> None:
    shifts = TimestampShifts()
    assert not shifts.are_any
    for base_offset, shift_ms in [(0, 0), (5, 100), (9, 100), (12, 30), (13, 0)]:
        shifts.note(base_offset, shift_ms)
    assert shifts.are_any
    assert [shifts.at(offset) for offset in (0, 4, 5, 11, 12, 13, 99)] == [
        0, 0, 100, 100, 30, 0, 0,
    ]  # fmt: skip


def test_truncated_shifts_are_recorded_again() -> None:
    shifts = TimestampShifts()
    shifts.note(5, 100)
    shifts.note(12, 30)
    shifts.truncate_to(12)
    assert shifts.at(99) == 100
    shifts.note(12, 40)
    assert shifts.at(12) == 40
    shifts.truncate_to(5)
    assert (shifts.at(99), shifts.are_any) == (0, False)
    shifts.note(5, 7)
    assert shifts.at(5) == 7


def test_a_batch_after_a_jump_has_the_full_retention() -> None:
    jumping = Jumping()
    jumping.append()
    jumping.jump(7 * DAY_MS + 1)
    jumping.append()
    assert jumping.segment_starts == [0, 1]
    assert jumping.log.delete_old_segments(jumping.now_ms) == 1
    assert jumping.log.log_start_offset == 1
    assert jumping.log.delete_old_segments(jumping.now_ms + 7 * DAY_MS) == 0
    assert jumping.log.delete_old_segments(jumping.now_ms + 7 * DAY_MS + 1) == 1


def test_lookups_use_the_clients_timestamps() -> None:
    jumping = Jumping()
    jumping.append()
    jumping.jump(DAY_MS)
    jumping.append(ago_ms=5)
    segment = jumping.log.segments.active
    assert segment.max_timestamp_ms == NOW_MS
    assert segment.largest_timestamp_ms == NOW_MS + DAY_MS - 5
    assert list(segment.time_index.timestamps_ms) == [NOW_MS]


def test_a_segment_rolls_after_segment_ms_has_passed_in_jumps() -> None:
    jumping = Jumping()
    jumping.append()
    jumping.jump(2 * DAY_MS)
    jumping.append()
    jumping.jump(1)
    jumping.append()
    assert jumping.segment_starts == [0, 2]


def test_the_first_batch_after_a_jump_takes_the_general_path() -> None:
    jumping = Jumping()
    jumping.append()
    assert jumping.append_next()
    jumping.jump(DAY_MS)
    assert not jumping.append_next(ago_ms=3)
    jumping.append(ago_ms=3)
    assert jumping.append_next(ago_ms=3)
    assert not jumping.append_next(ago_ms=2)


def test_a_timestamp_from_the_future_does_not_hide_later_batches() -> None:
    jumping = Jumping()
    jumping.append(ago_ms=-DAY_MS)
    jumping.jump(DAY_MS)
    jumping.append()
    assert jumping.log.segments.active.largest_timestamp_ms == NOW_MS + DAY_MS
    jumping.jump(1)
    assert not jumping.append_next()
    jumping.append()
    assert jumping.log.segments.active.largest_timestamp_ms == NOW_MS + DAY_MS + 1


def test_timestamps_set_by_the_broker_are_not_shifted() -> None:
    jumping = Jumping()
    jumping.jump(DAY_MS)
    header = batch_header(timestamp_ms=jumping.now_ms, attributes=STAMPED)
    append(jumping.log, header, now_ms=jumping.now_ms)
    assert jumping.log.segments.active.largest_timestamp_ms == jumping.now_ms
    append(jumping.log, batch_header(timestamp_ms=-1), now_ms=jumping.now_ms)
    assert jumping.log.segments.active.largest_timestamp_ms == jumping.now_ms


def test_while_the_clock_stands_still_every_batch_takes_the_general_path() -> None:
    jumping = Jumping()
    jumping.clients.is_steady = False
    jumping.append()
    assert not jumping.append_next(ago_ms=5)


def test_new_settings_do_not_open_the_fast_path_to_a_shifted_batch() -> None:
    jumping = Jumping()
    jumping.append()
    jumping.jump(DAY_MS)
    jumping.log.reconfigure(jumping.log.config._replace(segment_ms=9 * DAY_MS))
    assert not jumping.append_next(ago_ms=3)


def expired(jumping: Jumping, *, after_ms: int) -> list[int]:
    return jumping.log.producers.remove_expired_producers(jumping.now_ms + after_ms)


def test_a_producer_expires_a_day_after_its_batch_after_a_jump() -> None:
    jumping = Jumping()
    append(jumping.log, idempotent(0, timestamp_ms=NOW_MS), now_ms=NOW_MS)
    jumping.jump(7 * DAY_MS)
    append(jumping.log, idempotent(1, timestamp_ms=NOW_MS), now_ms=jumping.now_ms)
    entry = jumping.log.producers.last_entry(7)
    assert entry is not None
    assert entry.last_timestamp_ms == NOW_MS
    assert expired(jumping, after_ms=DAY_MS - 1) == []
    assert expired(jumping, after_ms=DAY_MS) == [7]


@pytest.mark.parametrize("marker_is_last_batch", [True, False])
def test_the_age_of_a_marker_is_not_shifted(marker_is_last_batch: bool) -> None:
    options = OPTIONS._replace(
        marker_is_last_batch=marker_is_last_batch,
        marker_counts_as_activity=True,
        verifies_transactions=False,
    )
    jumping = Jumping(options)
    jumping.jump(7 * DAY_MS)
    append(jumping.log, idempotent(0, timestamp_ms=NOW_MS, attributes=0x10), now_ms=jumping.now_ms)
    end_transaction(jumping.log, timestamp_ms=jumping.now_ms + 5)
    assert expired(jumping, after_ms=DAY_MS + 4) == []
    assert expired(jumping, after_ms=DAY_MS + 5) == [7]


def test_a_snapshot_preserves_the_ages_of_producers() -> None:
    jumping = Jumping()
    jumping.jump(7 * DAY_MS)
    append(jumping.log, idempotent(0, timestamp_ms=NOW_MS), now_ms=jumping.now_ms)
    snapshot = take_snapshot(jumping.log)
    for after_ms, is_kept in [(DAY_MS - 1, True), (DAY_MS, False)]:
        recover_producers(
            jumping.log, LOG_RECORDS, now_ms=jumping.now_ms + after_ms, snapshot=snapshot
        )
        assert (jumping.log.producers.last_entry(7) is not None) is is_kept


class Reference:
    """A model of the log: for each batch the timestamp from a clients' clock that had jumped."""

    def __init__(self) -> None:
        self.stamps_ms: list[int] = []
        self.last_ms: dict[int, int] = {}
        self.starts = [0]
        self.first_ms = 0

    def append(self, producer_id: int, stamp_ms: int) -> None:
        if not self.stamps_ms:
            self.first_ms = stamp_ms
        elif stamp_ms - self.first_ms > 2 * DAY_MS:
            self.starts.append(len(self.stamps_ms))
            self.first_ms = stamp_ms
        self.stamps_ms.append(stamp_ms)
        self.last_ms[producer_id] = stamp_ms

    @property
    def largest_ms(self) -> list[int]:
        ends = [*self.starts[1:], len(self.stamps_ms)]
        return [
            max(self.stamps_ms[start:end]) for start, end in zip(self.starts, ends, strict=True)
        ]


def produce(jumping: Jumping, random: Random, sequences: dict[int, int]) -> tuple[int, int]:
    """Append a batch on a random path, the fast path if possible; return producer id and time."""
    producer_id = random.randrange(3)
    stamp_ms = jumping.client_ms - random.choice([0, 0, 1, 50, -1_000, DAY_MS])
    sequence = sequences.get(producer_id, 0)
    sequences[producer_id] = sequence + 1
    header = idempotent(sequence, producer_id=producer_id, timestamp_ms=stamp_ms)
    done = False
    if random.randrange(2):
        done = jumping.log.append_next(
            bytes(100),
            stamp_ms,
            1,
            producer_id=producer_id,
            producer_epoch=0,
            base_sequence=sequence,
            leader_epoch=0,
            now_ms=jumping.now_ms,
        )
    if not done:
        append(jumping.log, header, now_ms=jumping.now_ms)
    return producer_id, stamp_ms


@pytest.mark.parametrize("seed", range(20))
def test_every_age_is_as_if_the_clients_clock_had_jumped_too(seed: int) -> None:
    random = Random(seed)
    jumping, reference = Jumping(), Reference()
    sequences: dict[int, int] = {}
    for _ in range(300):
        match random.randrange(10):
            case 0:
                jumping.jump(random.choice([1, 1_000, DAY_MS // 2, 3 * DAY_MS]))
            case 1:
                jumping.now_ms += random.randrange(1_000)
            case _:
                producer_id, stamp_ms = produce(jumping, random, sequences)
                reference.append(producer_id, stamp_ms + jumping.clients.behind_ms)
    assert jumping.segment_starts == reference.starts
    assert [s.largest_timestamp_ms for s in jumping.log.segments] == reference.largest_ms
    for last_ms in sorted(set(reference.last_ms.values())):
        idle = {each for each, at_ms in reference.last_ms.items() if at_ms == last_ms}
        assert jumping.log.producers.remove_expired_producers(last_ms + DAY_MS - 1) == []
        assert set(jumping.log.producers.remove_expired_producers(last_ms + DAY_MS)) == idle
