"""Leader epochs and their start offsets."""

import pytest

from mockbroker.state.log.leader_epoch_cache import EpochEndOffset, LeaderEpochCache


def cache(*entries: tuple[int, int]) -> LeaderEpochCache:
    leader_epochs = LeaderEpochCache()
    for leader_epoch, start_offset in entries:
        leader_epochs.assign(leader_epoch, start_offset)
    return leader_epochs


def test_an_empty_cache_has_no_epochs() -> None:
    empty = cache()
    assert empty.latest_epoch == -1
    assert empty.epoch_for(0) == -1
    assert empty.end_offset_for(0, 10) == EpochEndOffset(-1, -1)
    assert repr(empty) == "none"


def test_minus_one_may_be_the_epoch_of_a_log_without_any() -> None:
    find = cache().end_offset_for_written
    assert find(-1, 7) == EpochEndOffset(-1, -1)
    assert find(-1, 7, none_is_an_epoch=True) == EpochEndOffset(-1, 7)
    assert find(0, 7, none_is_an_epoch=True) == EpochEndOffset(-1, -1)


def test_assigning_the_latest_epoch_again_changes_nothing() -> None:
    leader_epochs = cache((0, 0), (2, 10))
    leader_epochs.assign(2, 15)
    assert repr(leader_epochs) == "0@0, 2@10"


@pytest.mark.parametrize(
    ("leader_epoch", "start_offset", "left"),
    [
        (5, 30, "0@0, 2@10, 4@20, 5@30"),
        (5, 20, "0@0, 2@10, 5@20"),  # epoch 4 wrote nothing
        (5, 5, "0@0, 5@5"),
        (2, 30, "0@0, 2@30"),
        (4, 15, "0@0, 2@10, 4@15"),
        (0, 0, "0@0"),
    ],
)
def test_a_new_entry_removes_contradicting_entries(
    leader_epoch: int, start_offset: int, left: str
) -> None:
    leader_epochs = cache((0, 0), (2, 10), (4, 20))
    leader_epochs.assign(leader_epoch, start_offset)
    assert repr(leader_epochs) == left


@pytest.mark.parametrize(
    ("leader_epoch", "answer"),
    [
        (-1, (-1, -1)),
        (0, (0, 10)),  # older than all known epochs: they end where the first known one starts
        (1, (1, 20)),
        (2, (1, 20)),
        (3, (3, 30)),
        (4, (4, 99)),
        (5, (-1, -1)),
    ],
)
def test_the_end_of_an_epoch(leader_epoch: int, answer: tuple[int, int]) -> None:
    assert cache((1, 10), (3, 20), (4, 30)).end_offset_for(leader_epoch, 99) == answer


@pytest.mark.parametrize(("offset", "leader_epoch"), [(9, -1), (10, 1), (19, 1), (20, 3), (99, 4)])
def test_the_epoch_that_wrote_an_offset(offset: int, leader_epoch: int) -> None:
    assert cache((1, 10), (3, 20), (4, 30)).epoch_for(offset) == leader_epoch


@pytest.mark.parametrize(
    ("start_offset", "left"),
    [
        (5, "1@10, 3@20, 4@30"),
        (10, "1@10, 3@20, 4@30"),
        (15, "1@15, 3@20, 4@30"),
        (20, "3@20, 4@30"),
        (99, "4@99"),
    ],
)
def test_truncation_keeps_the_epoch_of_the_new_start(start_offset: int, left: str) -> None:
    leader_epochs = cache((1, 10), (3, 20), (4, 30))
    leader_epochs.truncate_from_start(start_offset)
    assert repr(leader_epochs) == left


def test_truncating_an_empty_cache_changes_nothing() -> None:
    empty = cache()
    empty.truncate_from_start(10)
    assert repr(empty) == "none"


@pytest.mark.parametrize(
    ("leader_epoch", "end"),
    [
        (-1, (-1, -1)),
        (0, (-1, -1)),
        (1, (1, 10)),
        (2, (1, 10)),
        (3, (3, 20)),
        (4, (-1, -1)),
        (5, (-1, -1)),
    ],
)
def test_old_releases_answer_only_for_epochs_that_wrote_records(
    leader_epoch: int, end: tuple[int, int]
) -> None:
    leader_epochs = cache((1, 0), (3, 10), (4, 20))
    assert leader_epochs.end_offset_for_written(leader_epoch, 20) == EpochEndOffset(*end)


def test_a_log_without_records_has_no_epoch_that_wrote() -> None:
    assert cache((0, 0)).end_offset_for_written(0, 0) == EpochEndOffset(-1, -1)


def test_an_epoch_whose_records_are_all_deleted_counts_as_written() -> None:
    leader_epochs = cache((0, 0))
    leader_epochs.truncate_from_start(12)
    for each in (leader_epochs, leader_epochs.copy()):
        assert each.end_offset_for_written(0, 12) == EpochEndOffset(0, 12)


def test_epochs_after_the_end_of_a_truncated_log_are_removed() -> None:
    cache = LeaderEpochCache()
    assert cache.latest_start_offset == -1
    for leader_epoch, start_offset in ((0, 0), (2, 5), (3, 9)):
        cache.assign(leader_epoch, start_offset)
    assert cache.latest_start_offset == 9
    cache.truncate_from_end(9)
    assert (cache.latest_epoch, cache.latest_start_offset) == (2, 5)
    cache.truncate_from_end(6)
    assert cache.latest_epoch == 2
    cache.truncate_from_end(0)
    assert cache.latest_epoch == -1
