"""The sweep over all producers, in slices."""

from functools import partial

import pytest

from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import ProducersExpired
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.observation import Observation
from mockbroker.state.producer.producer_expiration import PRODUCERS_PER_SLICE, ProducerExpiration
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from mockbroker.state.producer.verification_state_entry import VerificationGuard
from tests.state.log_building import (
    PARTITION,
    append,
    end_transaction,
    idempotent,
    partition_log,
)

OPTIONS = ProducerStateOptions(producer_id_expiration_ms=100, outlives_records=False)
OLD, NEW, NOW = 0, 1_000, 1_050


def log_with(*timestamps_ms: int) -> PartitionLog:
    log = partition_log(producer_options=OPTIONS)
    for producer_id, timestamp_ms in enumerate(timestamps_ms):
        append(log, idempotent(0, producer_id=producer_id, timestamp_ms=timestamp_ms))
    return log


def producers_of(log: PartitionLog) -> list[int]:
    return [entry.producer_id for entry in log.producers]


def slices(logs: list[PartitionLog], producers: int) -> int:
    round_of_all = ProducerExpiration(logs)
    count = 1
    while not round_of_all.run_slice(NOW, producers):
        count += 1
    return count


@pytest.mark.parametrize(("producers", "count"), [(1, 6), (2, 3), (4, 2), (6, 1), (100, 1)])
def test_a_round_checks_every_producer_once(producers: int, count: int) -> None:
    logs = [log_with(OLD, NEW, OLD), log_with(NEW, OLD, OLD)]
    assert slices(logs, producers) == count
    assert [producers_of(log) for log in logs] == [[1], [0]]


def test_a_slice_is_bounded() -> None:
    log = log_with(*[OLD] * 10)
    expiration = ProducerExpiration([log])
    assert not expiration.run_slice(NOW, 4)
    assert producers_of(log) == [4, 5, 6, 7, 8, 9]


def test_a_round_without_producers_is_over_at_once() -> None:
    assert ProducerExpiration([]).run_slice(NOW)
    assert slices([log_with()] * 3, PRODUCERS_PER_SLICE) == 1


def test_logs_without_producers_count_as_well() -> None:
    assert slices([log_with()] * 3, 1) == 3


def test_producers_added_during_a_round_wait_for_the_next() -> None:
    log = log_with(NEW, NEW, OLD)
    expiration = ProducerExpiration([log])
    assert not expiration.run_slice(NOW, 2)
    append(log, idempotent(0, producer_id=9, timestamp_ms=OLD))
    assert expiration.run_slice(NOW, 2)
    assert producers_of(log) == [0, 1, 9]
    assert slices([log], 100) == 1
    assert producers_of(log) == [0, 1]


def test_producers_removed_during_a_round_do_not_disturb_it() -> None:
    log = log_with(NEW, OLD, NEW, NEW)
    expiration = ProducerExpiration([log])
    expiration.run_slice(NOW, 1)
    log.delete_records(3)
    assert producers_of(log) == [3]
    assert expiration.run_slice(NOW, 5)
    assert producers_of(log) == [3]
    log.delete()


def test_a_producer_known_by_a_marker_only_expires_as_well() -> None:
    log = partition_log(producer_options=OPTIONS)
    end_transaction(log, timestamp_ms=OLD)
    slices([log], 5)
    assert producers_of(log) == []


def test_a_round_reports_the_producers_that_it_removed() -> None:
    logs = [log_with(OLD, NEW, OLD), log_with(NEW)]
    reported: list[object] = []
    for log in logs:
        log.observation = Observation()
        log.observation.reporter = EventReporter(reported.append)
    slices(logs, 100)
    assert reported == [ProducersExpired(*PARTITION, (0, 2))]


def log_verifying(*started_ms: int) -> tuple[PartitionLog, list[VerificationGuard | None]]:
    log = partition_log(producer_options=OPTIONS)
    return log, [
        log.producers.maybe_start_verification(n, 0, 0, supports_epoch_bump=False, now_ms=time_ms)
        for n, time_ms in enumerate(started_ms)
    ]


def kept(log: PartitionLog, guards: list[VerificationGuard | None]) -> list[bool]:
    """Return for each producer whether its verification still has its first guard."""
    again = partial(log.producers.maybe_start_verification, supports_epoch_bump=False, now_ms=NOW)
    return [again(n, 0, 0) is guard for n, guard in enumerate(guards)]


def test_verifications_expire_in_the_same_round() -> None:
    log, guards = log_verifying(OLD, OLD, OLD, NEW)
    assert slices([log], 2) == 2
    assert kept(log, guards) == [False, False, False, True]


def test_a_slice_checks_no_more_verifications_than_it_may() -> None:
    log, guards = log_verifying(OLD, OLD, OLD)
    assert not ProducerExpiration([log]).run_slice(NOW, 2)
    assert kept(log, guards) == [False, False, True]
