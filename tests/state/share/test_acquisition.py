"""Acquisition of new, released and throttled records."""

import pytest

from mockbroker.state.share.aborted_batches import AbortedTransaction, FetchedBatch
from mockbroker.state.share.acquisition import throttled_deliveries
from mockbroker.state.share.record_state import ShareAcquireMode
from mockbroker.state.share.share_partition import SharePartition
from mockbroker.state.share.share_settings import ShareSettings
from mockbroker.state.share.state_batch import StateBatch
from tests.state.share.share_partitions import expire, report, take

LIMIT = ShareAcquireMode.RECORD_LIMIT


def test_new_records_are_acquired_once() -> None:
    partition = SharePartition(0)
    assert take(partition, (0, 9), (10, 19)) == [(0, 19, 1)]
    assert partition.next_fetch_offset() == 20
    assert take(partition, (0, 9), (10, 19), at=20) == []
    assert take(partition, (20, 24), member="n") == [(20, 24, 1)]


def test_nothing_is_acquired_of_nothing() -> None:
    partition = SharePartition(5)
    assert take(partition) == []
    assert take(partition, (5, 9), records_max=0) == []
    assert take(partition, (0, 4)) == [], "it is before the window"


def test_a_batch_of_the_log_is_acquired_as_a_whole() -> None:
    partition = SharePartition(0)
    assert take(partition, (0, 9), (10, 19), (20, 29), records_max=12) == [(0, 19, 1)]


def test_a_window_begins_within_a_batch_of_the_log() -> None:
    partition = SharePartition(3)
    assert take(partition, (0, 9)) == [(3, 9, 1)]
    assert partition.start_offset == 3


def test_batches_are_cut_at_the_logs_batches_after_their_size() -> None:
    partition = SharePartition(0)
    log = [(first, first + 3) for first in range(0, 20, 4)]
    assert take(partition, *log, batch_size=5) == [(0, 7, 1), (8, 15, 1), (16, 19, 1)]


def test_a_record_limit_is_exact() -> None:
    partition = SharePartition(0)
    assert take(partition, (0, 9), records_max=4, mode=LIMIT) == [(0, 3, 1)]
    assert partition.end_offset == 9
    assert partition.next_fetch_offset() == 4
    assert take(partition, (0, 9), records_max=4, mode=LIMIT, member="n") == [(4, 7, 1)]
    assert take(partition, (0, 9), records_max=4, mode=LIMIT) == [(8, 9, 1)]
    assert take(partition, (0, 9), (10, 14), records_max=5, mode=LIMIT) == [(10, 14, 1)]


def test_a_record_limit_applies_to_released_batches() -> None:
    partition = SharePartition(0)
    take(partition, (0, 9))
    report(partition, 0, 9, 2)
    assert take(partition, (0, 9), records_max=3, mode=LIMIT) == [(0, 2, 2)]
    assert take(partition, (0, 9), records_max=3, mode=LIMIT) == [(3, 5, 2)]


def test_released_records_are_acquired_again_before_new_ones() -> None:
    partition = SharePartition(0)
    take(partition, (0, 9), (10, 19))
    report(partition, 5, 6, 2)
    assert partition.next_fetch_offset() == 5
    assert take(partition, (0, 9), (10, 19), (20, 29), member="n") == [(5, 6, 2), (20, 29, 1)]
    assert partition.next_fetch_offset() == 30


def test_a_whole_released_batch_is_acquired_as_one() -> None:
    partition = SharePartition(0)
    take(partition, (0, 9))
    take(partition, (10, 19))
    report(partition, 0, 19, 2)
    assert take(partition, (0, 9), (10, 19)) == [(0, 9, 2), (10, 19, 2)]


def test_the_window_has_a_limit() -> None:
    partition = SharePartition(0, settings=ShareSettings(in_flight_records_max=15))
    assert take(partition, (0, 9), (10, 19), (20, 29)) == [(0, 19, 1)]
    assert not partition.can_acquire_records
    assert take(partition, (20, 29)) == []
    report(partition, 3, 12, 2)
    assert partition.can_acquire_records, "released records are in the window already"
    assert take(partition, (0, 9), (10, 19), (20, 29)) == [(3, 12, 2)]
    report(partition, 0, 2, 1)
    report(partition, 13, 19, 1)
    assert not partition.can_acquire_records
    report(partition, 3, 12, 1)
    assert take(partition, (20, 29)) == [(20, 29, 1)]


def test_records_that_the_log_has_no_more_are_archived() -> None:
    partition = SharePartition(0)
    take(partition, (0, 9), (10, 19))
    report(partition, 0, 14, 2)
    assert take(partition, (8, 9), (10, 19), at=0) == [(8, 14, 2)]
    assert partition.as_text()[1] == "0-0 ARCHIVED 1"
    assert partition.delivery_complete_count == 8


@pytest.mark.parametrize(("limit", "throttled"), [(2, 2), (3, 2), (4, 2), (5, 3), (10, 5)])
def test_throttling_begins_at_half_of_the_deliveries(limit: int, throttled: int) -> None:
    assert throttled_deliveries(limit) == throttled


def delivered(times: int, *, limit: int = 5, records: int = 8) -> SharePartition:
    """Return a partition whose records were delivered and released."""
    loaded = [StateBatch(0, records - 1, 0, times)]
    return SharePartition(0, loaded=loaded, settings=ShareSettings(delivery_count_max=limit))


def test_records_that_were_delivered_often_are_delivered_in_parts() -> None:
    assert take(delivered(2), (0, 7)) == [(0, 7, 3)]
    assert take(delivered(3), (0, 7)) == [(0, 3, 4)], "half of them"
    assert take(delivered(6, limit=10), (0, 7)) == [(0, 1, 7)], "a quarter of them"


def test_a_last_delivery_is_of_one_record() -> None:
    partition = delivered(4)
    assert take(partition, (0, 7)) == [(0, 0, 5)]
    assert take(partition, (0, 7)) == [(1, 1, 5)]


def test_a_limit_of_two_deliveries_throttles_nothing() -> None:
    partition = delivered(1, limit=2)
    assert take(partition, (0, 7)) == [(0, 7, 2)]


def test_throttled_records_are_delivered_without_others() -> None:
    partition = delivered(1)
    take(partition, (0, 7), (8, 11))
    report(partition, 0, 11, 2)
    report_last = SharePartition(0, loaded=[StateBatch(0, 3, 0, 1), StateBatch(4, 7, 0, 4)])
    assert take(report_last, (0, 7)) == [(0, 3, 2)], "the throttled batch waits"
    assert take(report_last, (0, 7)) == [(4, 4, 5)], "and then comes alone"
    assert take(partition, (0, 7), (8, 11)) == [(0, 7, 3), (8, 11, 2)]


def test_after_the_last_delivery_records_are_archived() -> None:
    partition = delivered(4, records=2)
    take(partition, (0, 1))
    assert expire(partition, 30_000) == [(0, 0, 4, 5)]
    take(partition, (0, 1))
    assert report(partition, 1, 1, 2) == [(1, 1, 4, 5)]
    assert partition.as_text() == ["window 2 to 2, 0 done"]


def test_gaps_of_a_loaded_state_are_acquired() -> None:
    partition = SharePartition(0, loaded=[StateBatch(5, 9, 2, 1), StateBatch(15, 19, 0, 1)])
    assert partition.next_fetch_offset() == 0
    assert take(partition, (0, 24), records_max=8) == [(0, 4, 1), (10, 14, 1)]
    assert partition.next_fetch_offset() == 15
    assert take(partition, (0, 24)) == [(15, 19, 2), (20, 24, 1)]
    assert partition.active_gap is None


def test_a_gap_is_acquired_up_to_the_end_of_the_fetched_records() -> None:
    partition = SharePartition(0, loaded=[StateBatch(20, 29, 0, 1)])
    assert take(partition, (0, 4), (5, 9), records_max=3) == [(0, 4, 1)]
    assert partition.next_fetch_offset() == 5
    assert take(partition, (5, 9), (10, 34)) == [(5, 19, 1), (20, 29, 2), (30, 34, 1)]


def test_records_of_aborted_transactions_are_archived() -> None:
    partition = SharePartition(0)
    log = [
        FetchedBatch(0, 4, 7, is_transactional=True),
        FetchedBatch(5, 5, 7, is_transactional=True, is_abort_marker=True),
        FetchedBatch(6, 9),
    ]
    aborted = [AbortedTransaction(7, 0)]
    assert take(partition, batches=log, aborted=aborted) == [(5, 9, 1)]
    assert partition.delivery_complete_count == 5
    assert report(partition, 5, 9, 0, 1, 1, 1, 1) == [
        (5, 5, 4, 1),
        (6, 6, 2, 1),
        (7, 7, 2, 1),
        (8, 8, 2, 1),
        (9, 9, 2, 1),
    ]
    assert partition.as_text() == ["window 10 to 10, 0 done"]
