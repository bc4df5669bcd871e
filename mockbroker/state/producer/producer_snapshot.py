"""A snapshot of a log's producers, with the fields of Kafka's `ProducerSnapshot`."""

from typing import NamedTuple


class ProducerSnapshotEntry(NamedTuple):
    """One producer with its last batch only; `last_offset` is -1 if it has no batch."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp_ms: int
    coordinator_epoch: int
    current_txn_first_offset: int


class ProducerSnapshot(NamedTuple):
    """All producers of a log as of log end offset `offset`."""

    offset: int
    entries: tuple[ProducerSnapshotEntry, ...]
