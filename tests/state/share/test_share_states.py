"""Records of share partitions, and the states that they make."""

from uuid import UUID

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.share.share_log_record import (
    ShareGroupOffset,
    ShareLogRecord,
    SharePartitionKey,
    ShareSnapshot,
    ShareUpdate,
)
from mockbroker.state.share.share_states import ShareStates
from mockbroker.state.share.state_batch import StateBatch
from tests.state.share.coordinator_clusters import written

KEY = SharePartitionKey("g", UUID(int=7), 0)
DONE = StateBatch(0, 4, 2, 1)


class Written(ShareStates):
    """States whose records are applied at once."""

    def __init__(self, updates_max: int = 3) -> None:
        super().__init__()
        self.updates_max = updates_max

    def take(self, record: ShareLogRecord | None) -> ShareLogRecord | None:
        if record is not None:
            self.apply(record, updates_max=self.updates_max)
        return record

    def begin(self, state_epoch: int = 0, start_offset: int = 0) -> ShareLogRecord | None:
        return self.take(self.initialization(KEY, state_epoch, start_offset, 10))

    def put(self, *batches: StateBatch, start_offset: int = 0, done: int = 0) -> ShareLogRecord:
        state = written(*batches, start_offset=start_offset, done=done)
        record = self.write(KEY, state, 20, updates_max=self.updates_max)
        self.take(record)
        return record

    def read(self, leader_epoch: int) -> ShareLogRecord | None:
        return self.take(self.new_leader(KEY, leader_epoch, 30, updates_max=self.updates_max))


@pytest.mark.parametrize(("start_offset", "done"), [(-1, -1), (0, 0), (5, 0)])
def test_a_state_begins_with_a_snapshot(start_offset: int, done: int) -> None:
    states = Written()
    offset = ShareGroupOffset(0, 4, 0, start_offset, done, (), 10, 10)
    assert states.begin(4, start_offset) == ShareSnapshot(KEY, offset)
    assert states.get(KEY) == offset
    again = states.begin(4, start_offset)
    assert again is not None
    assert again.value is not None
    assert again.value.snapshot_epoch == 1


def test_updates_have_only_what_changed() -> None:
    states = Written()
    states.begin()
    states.put(DONE, done=5)
    record = states.put(StateBatch(5, 9, 0, 1), done=5)
    assert isinstance(record, ShareUpdate)
    assert record.value.state_batches == (StateBatch(5, 9, 0, 1),)
    offset = states.get(KEY)
    assert offset is not None
    assert offset.state_batches == (DONE, StateBatch(5, 9, 0, 1))


def test_after_enough_updates_there_is_a_snapshot_of_all() -> None:
    states = Written(updates_max=2)
    states.begin()
    kinds = [type(states.put(StateBatch(n, n, 2, 1))).__name__ for n in range(6)]
    assert kinds == ["ShareUpdate", "ShareUpdate", "ShareSnapshot"] * 2
    offset = states.get(KEY)
    assert offset is not None
    assert offset.state_batches == (StateBatch(0, 5, 2, 1),)
    assert (offset.snapshot_epoch, offset.create_timestamp_ms) == (2, 20)


@pytest.mark.parametrize(
    ("start_offset", "done", "expected"),
    [(10, 7, (10, 7)), (10, 2, (10, 5)), (9, 8, (10, 5)), (12, 1, (12, 1)), (10, -1, (10, 5))],
)
def test_the_start_offset_never_moves_back(
    start_offset: int, done: int, expected: tuple[int, int]
) -> None:
    states = Written()
    states.begin()
    states.put(start_offset=10, done=5)
    states.put(start_offset=start_offset, done=done)
    offset = states.get(KEY)
    assert offset is not None
    assert (offset.start_offset, offset.delivery_complete_count) == expected


def test_a_reading_leader_fences_those_before_it() -> None:
    states = Written()
    states.begin(state_epoch=3)
    assert states.read(5) is not None
    assert states.read(5) is None, "its epoch is known"
    states.check_leader_epoch(KEY, 5)
    with pytest.raises(ApiError, match="older than the epoch on the broker") as caught:
        states.check_leader_epoch(KEY, 4)
    assert caught.value.code is ErrorCode.FENCED_LEADER_EPOCH
    offset = states.get(KEY)
    assert offset is not None
    assert (offset.leader_epoch, offset.state_epoch) == (5, 3)


def test_an_older_state_is_fenced() -> None:
    states = Written()
    states.check_state_epoch(KEY, 0)
    states.begin(state_epoch=3)
    states.check_state_epoch(KEY, 3)
    with pytest.raises(ApiError) as caught:
        states.check_state_epoch(KEY, 2)
    assert caught.value.code is ErrorCode.FENCED_STATE_EPOCH


def test_a_state_that_begins_anew_still_fences_old_leaders() -> None:
    states = Written()
    states.begin()
    states.read(5)
    states.begin(state_epoch=1)
    offset = states.get(KEY)
    assert offset is not None
    assert offset.leader_epoch == 0
    with pytest.raises(ApiError):
        states.check_leader_epoch(KEY, 4)


def test_a_tombstone_forgets_all() -> None:
    states = Written()
    states.begin(state_epoch=3)
    assert KEY in states
    assert states.keys_of_topic(UUID(int=7)) == [KEY]
    assert states.keys_of_topic(UUID(int=8)) == []
    states.take(ShareSnapshot(KEY, None))
    states.take(ShareSnapshot(KEY, None))
    assert KEY not in states
    states.check_state_epoch(KEY, 0)


def test_an_update_without_a_snapshot_begins_a_state() -> None:
    states = Written()
    states.take(ShareUpdate(KEY, ShareGroupOffset(1, 9, 2, 5, 0, (DONE,))))
    assert states.get(KEY) == ShareGroupOffset(1, 0, 2, 5, 0, (DONE,))
    states.take(ShareUpdate(KEY, ShareGroupOffset(1, 0, -1, -1, 3, ())))
    assert states.get(KEY) == ShareGroupOffset(1, 0, 2, 5, 3, ()), "what lacks is as it was"
