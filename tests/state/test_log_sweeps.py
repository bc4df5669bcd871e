"""Periodic deletion of old segments, and expiration of idle producers."""

import pytest

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log_sweeps import (
    LOG_RETENTION_TIMER,
    PRODUCER_EXPIRATION_SLICE_TIMER,
    PRODUCER_EXPIRATION_TIMER,
)
from mockbroker.state.producer.producer_expiration import PRODUCERS_PER_SLICE
from mockbroker.state.topic.replication_control import NewTopic
from tests.state.cluster_building import new_cluster
from tests.state.log_building import batch_header

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


def append(cluster: ClusterState, *, now_ms: int, producer_id: int = -1, records: int = 1) -> None:
    partition = cluster.topics.by_name["orders"].partitions[0]
    is_idempotent = producer_id >= 0
    header = batch_header(
        records=records,
        timestamp_ms=now_ms,
        producer_id=producer_id,
        producer_epoch=0 if is_idempotent else -1,
        base_sequence=0 if is_idempotent else -1,
    )
    cluster.log_of(partition, now_ms).append(header, b"x" * 100, leader_epoch=0, now_ms=now_ms)


def test_the_retention_check_deletes_old_records() -> None:
    cluster = new_cluster(configs={"log.retention.hours": "1", "log.roll.hours": "1"})
    cluster.create_topic(NewTopic(name="orders"))
    append(cluster, now_ms=0)
    append(cluster, now_ms=2 * HOUR_MS)
    (log,) = cluster.logs.values()
    assert log.log_start_offset == 0
    assert LOG_RETENTION_TIMER in cluster.advance_to(2 * HOUR_MS)
    assert log.log_start_offset == 1


def test_an_idle_producer_expires() -> None:
    cluster = new_cluster()
    cluster.create_topic(NewTopic(name="orders"))
    append(cluster, now_ms=0, producer_id=9)
    (log,) = cluster.logs.values()
    cluster.advance_to(DAY_MS - 1)
    assert log.producers.last_entry(9) is not None
    assert PRODUCER_EXPIRATION_TIMER in cluster.advance_to(DAY_MS)
    assert log.producers.last_entry(9) is None


def test_many_idle_producers_expire_in_slices() -> None:
    cluster = new_cluster(configs={"producer.id.expiration.check.interval.ms": str(DAY_MS)})
    cluster.create_topic(NewTopic(name="orders"))
    for producer_id in range(PRODUCERS_PER_SLICE + 1):
        append(cluster, now_ms=0, producer_id=producer_id)
    (log,) = cluster.logs.values()
    for now_ms, left in ((DAY_MS, 1), (DAY_MS, 1), (DAY_MS + 5, 0)):
        cluster.advance_to(now_ms)
        assert len(log.producers) == left
    assert PRODUCER_EXPIRATION_SLICE_TIMER not in cluster.timers


def test_a_running_sweep_is_not_restarted() -> None:
    cluster = new_cluster(configs={"producer.id.expiration.check.interval.ms": "1"})
    cluster.create_topic(NewTopic(name="orders"))
    for producer_id in range(PRODUCERS_PER_SLICE + 1):
        append(cluster, now_ms=DAY_MS, producer_id=producer_id)
    slices = [cluster.advance_to(n).count(PRODUCER_EXPIRATION_SLICE_TIMER) for n in range(1, 6)]
    assert slices == [0, 1, 0, 1, 0]


def test_older_releases_expire_producers_with_transactional_ids() -> None:
    cluster = new_cluster("2.4")
    cluster.create_topic(NewTopic(name="orders"))
    append(cluster, now_ms=0, producer_id=9)
    (log,) = cluster.logs.values()
    cluster.advance_to(6 * DAY_MS)
    assert log.producers.last_entry(9) is not None
    cluster.advance_to(7 * DAY_MS)
    assert log.producers.last_entry(9) is None


def test_the_next_deadline_is_the_next_check_of_retention() -> None:
    cluster = new_cluster(configs={"log.retention.check.interval.ms": "50"}, now_ms=1000)
    assert cluster.next_deadline_ms() == 1050
    assert cluster.advance_to(1150) == [LOG_RETENTION_TIMER] * 3
    assert cluster.next_deadline_ms() == 1200


def test_a_failed_check_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = new_cluster(
        configs={
            "log.retention.check.interval.ms": "50",
            "producer.id.expiration.check.interval.ms": "70",
        }
    )
    cluster.create_topic(NewTopic(name="orders"))
    append(cluster, now_ms=0)
    (log,) = cluster.logs.values()

    def fail(_self: object, now_ms: int, _at_most: int | None = None) -> None:
        raise ZeroDivisionError(now_ms)

    monkeypatch.setattr(type(log), "delete_old_segments", fail)
    monkeypatch.setattr(type(log.producers), "remove_expired_producers", fail)
    for due_ms in (50, 70, 100, 140):
        assert cluster.next_deadline_ms() == due_ms
        with pytest.raises(ZeroDivisionError, match=str(due_ms)):
            cluster.advance_to(due_ms)
