"""The window: what it loads, how it moves, and its locks."""

from collections.abc import Sequence
from random import Random

import pytest

from mockbroker.protocol.errors import ApiError
from mockbroker.state.share.acknowledgement import release_acquired_records
from mockbroker.state.share.record_state import RecordState
from mockbroker.state.share.share_partition import SharePartition
from mockbroker.state.share.share_settings import ShareSettings
from mockbroker.state.share.state_batch import StateBatch
from tests.state.share.share_partitions import expire, report, take


def test_an_empty_window_begins_where_the_group_does() -> None:
    partition = SharePartition(7, state_epoch=3)
    assert partition.as_text() == ["window 7 to 7, 0 done"]
    assert partition.next_fetch_offset() == 7
    assert partition.in_flight_records == 0
    assert partition.can_acquire_records
    assert partition.state_epoch == 3


def test_a_loaded_state() -> None:
    loaded = [StateBatch(0, 4, 2, 1), StateBatch(5, 9, 0, 2), StateBatch(10, 14, 4, 5)]
    partition = SharePartition(0, loaded=loaded)
    assert partition.as_text() == [
        "window 5 to 14, 5 done",
        "5-9 AVAILABLE 2",
        "10-14 ARCHIVED 5",
    ]
    assert partition.next_fetch_offset() == 5


def test_a_loaded_state_in_which_all_is_done() -> None:
    partition = SharePartition(0, loaded=[StateBatch(0, 4, 2, 1), StateBatch(5, 9, 4, 1)])
    assert partition.as_text() == ["window 10 to 10, 0 done"]


def test_a_loaded_gap_stops_the_window() -> None:
    partition = SharePartition(0, loaded=[StateBatch(0, 4, 2, 1), StateBatch(8, 9, 2, 1)])
    assert partition.as_text()[0] == "window 5 to 9, 2 done"
    assert partition.next_fetch_offset() == 5
    assert SharePartition(0, loaded=[StateBatch(8, 9, 2, 1)]).start_offset == 0


@pytest.mark.parametrize("batch", [StateBatch(2, 4, 0, 1), StateBatch(7, 5, 0, 1)])
def test_a_contradictory_state_is_refused(batch: StateBatch) -> None:
    with pytest.raises(ApiError, match="UNKNOWN_SERVER_ERROR"):
        SharePartition(3, loaded=[batch])


def test_locks_expire_in_order() -> None:
    partition = SharePartition(0)
    take(partition, (0, 4), now_ms=100)
    take(partition, (5, 9), now_ms=100)
    take(partition, (10, 14), now_ms=50)
    assert partition.next_deadline_ms() == 30_050
    assert expire(partition, 30_049) == []
    assert expire(partition, 40_000) == [(10, 14, 0, 1), (0, 4, 0, 1), (5, 9, 0, 1)]
    assert partition.next_fetch_offset() == 0
    assert partition.next_deadline_ms() is None


def test_the_duration_of_locks_is_a_setting() -> None:
    partition = SharePartition(0, settings=ShareSettings(lock_duration_ms=5000))
    take(partition, (0, 4))
    assert partition.next_deadline_ms() == 5000


def test_the_offsets_of_a_batch_have_locks_of_their_own() -> None:
    partition = SharePartition(0)
    take(partition, (0, 2))
    report(partition, 1, 1, 2)
    take(partition, (0, 2), now_ms=10_000)
    assert expire(partition, 30_000) == [(0, 0, 0, 1), (2, 2, 0, 1)]
    assert expire(partition, 40_000) == [(1, 1, 0, 2)]


def test_an_expired_lock_archives_what_the_log_deleted() -> None:
    partition = SharePartition(0)
    take(partition, (0, 4), (5, 9), batch_size=5)
    partition.log_start_moved(7)
    assert expire(partition, 30_000) == [
        (0, 4, 4, 1),
        (5, 5, 4, 1),
        (6, 6, 4, 1),
        (7, 7, 0, 1),
        (8, 8, 0, 1),
        (9, 9, 0, 1),
    ]
    assert partition.as_text()[0] == "window 7 to 9, 0 done"


def test_the_log_start_moves_an_empty_window() -> None:
    partition = SharePartition(5)
    partition.log_start_moved(3)
    assert partition.start_offset == 5
    partition.log_start_moved(8)
    assert partition.as_text() == ["window 8 to 8, 0 done"]


def test_the_log_start_archives_available_records() -> None:
    partition = SharePartition(0)
    take(partition, (0, 4), (5, 9), batch_size=5)
    report(partition, 0, 9, 2)
    report_all = partition.as_text()
    partition.log_start_moved(0)
    assert partition.as_text() == report_all
    partition.log_start_moved(7)
    assert partition.start_offset == 7
    assert [line.split()[1] for line in partition.as_text()[2:]] == ["ARCHIVED"] * 2 + [
        "AVAILABLE"
    ] * 3
    assert partition.next_fetch_offset() == 7


def test_the_log_start_uncounts_the_records_that_were_done() -> None:
    partition = SharePartition(0)
    take(partition, (0, 4), (5, 9), batch_size=5)
    report(partition, 2, 7, 1)
    assert partition.delivery_complete_count == 6
    partition.log_start_moved(4)
    assert partition.delivery_complete_count == 4


def test_the_log_start_passes_the_window() -> None:
    partition = SharePartition(0)
    take(partition, (0, 4))
    partition.log_start_moved(20)
    assert partition.as_text()[0] == "window 20 to 20, 0 done"
    assert partition.next_fetch_offset() == 20
    assert take(partition, (20, 24)) == [(20, 24, 1)]


def done_in_window(partition: SharePartition) -> int:
    return sum(
        partition.count_from_start(first, last)
        for batch in partition.batches
        for first, last, state in batch.states()
        if state.state.is_terminal
    )


class Walk:
    """Random members that fetch, acknowledge, let locks expire and leave."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.partition = SharePartition(0, settings=ShareSettings(in_flight_records_max=40))
        self.now_ms = 0
        self.deliveries: dict[int, int] = {}
        self.done: set[int] = set()
        self.log = [(first, first + 4) for first in range(0, 400, 5)]

    def step(self) -> None:
        random, partition = self.random, self.partition
        member = random.choice("ab")
        self.now_ms += random.randrange(5000)
        self.written(expire(partition, self.now_ms))
        action = random.randrange(10)
        if action < 4:
            at = partition.next_fetch_offset()
            log = [each for each in self.log if each[1] >= at][: random.randrange(1, 5)]
            records_max = random.randrange(1, 12)
            acquired = take(
                partition, *log, member=member, records_max=records_max, now_ms=self.now_ms
            )
            for first, last, count in acquired:
                for offset in range(first, last + 1):
                    assert offset not in self.done
                    self.deliveries[offset] = self.deliveries.get(offset, 0) + 1
                    assert count == self.deliveries[offset] <= 5
        elif action < 9:
            self.acknowledge(member)
        else:
            change = release_acquired_records(partition, member, self.now_ms)
            partition.complete(change, is_written=True)
            self.written(change.batches)

    def acknowledge(self, member: str) -> None:
        owned = [
            (first, last)
            for batch in self.partition.batches
            for first, last, state in batch.states()
            if state.member_id == member
        ]
        if not owned:
            return
        first, last = self.random.choice(owned)
        last = self.random.randint(first, last)
        is_written = self.random.random() < 0.8
        kind = self.random.choice([0, 1, 1, 1, 2, 2, 3, 4])
        batches = report(
            self.partition,
            first,
            last,
            kind,
            member=member,
            now_ms=self.now_ms,
            is_written=is_written,
        )
        if is_written:
            self.written(batches)

    def written(self, batches: Sequence[StateBatch]) -> None:
        for first, last, state, _ in batches:
            if RecordState(state).is_terminal:
                self.done.update(range(first, last + 1))


@pytest.mark.parametrize("seed", range(20))
def test_random_members_get_each_record_until_it_is_done(seed: int) -> None:
    walk = Walk(seed)
    for _ in range(400):
        walk.step()
        partition = walk.partition
        assert partition.delivery_complete_count == done_in_window(partition)
        assert all(offset in walk.done for offset in range(partition.start_offset))
        assert partition.start_offset not in walk.done
        assert partition.in_flight_records <= 40 + 12
    assert walk.partition.start_offset > 20
