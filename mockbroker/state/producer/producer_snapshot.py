"""A snapshot of a log's producers, with the fields of Kafka's `ProducerSnapshot`."""

from typing import NamedTuple


class ProducerSnapshotEntry(NamedTuple):
    """One producer: only its last batch is part of a snapshot, -1 where there is none."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp_ms: int
    coordinator_epoch: int
    current_txn_first_offset: int


class ProducerSnapshot(NamedTuple):
    """All producers of a log as they were when it ended at `offset`."""

    offset: int
    entries: tuple[ProducerSnapshotEntry, ...]
