"""Snapshots as values."""

from mockbroker.state.producer.producer_recovery import take_snapshot
from mockbroker.state.producer.producer_snapshot import ProducerSnapshot, ProducerSnapshotEntry
from tests.state.log_building import (
    append,
    end_transaction,
    idempotent,
    partition_log,
    transactional,
)


def test_a_snapshot_has_the_last_batch_of_every_producer() -> None:
    log = partition_log()
    append(log, idempotent(0, producer_id=1, timestamp_ms=5))
    append(log, idempotent(1, producer_id=1, records=3, timestamp_ms=6))
    append(log, transactional(9, producer_id=2, producer_epoch=4, timestamp_ms=7))
    end_transaction(log, producer_id=3, producer_epoch=1, coordinator_epoch=8, timestamp_ms=9)
    assert take_snapshot(log) == ProducerSnapshot(
        6,
        (
            ProducerSnapshotEntry(1, 0, 3, 3, 2, 6, -1, -1),
            ProducerSnapshotEntry(2, 4, 9, 4, 0, 7, -1, 4),
            ProducerSnapshotEntry(3, 1, -1, -1, 0, 9, 8, -1),
        ),
    )


def test_a_log_without_producers_has_an_empty_snapshot() -> None:
    assert take_snapshot(partition_log()) == ProducerSnapshot(0, ())
