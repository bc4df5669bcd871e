"""Snapshot of a partition's producer state, as Kafka stores it with a log segment (KIP-98)."""

from mockbroker.protocol.schema.message import (
    INT16,
    INT32,
    INT64,
    UINT32,
    Message,
    Struct,
    array,
    field,
)


class ProducerEntry(Struct):
    producer_id: int = field(INT64)
    epoch: int = field(INT16)
    last_sequence: int = field(INT32)
    last_offset: int = field(INT64)
    offset_delta: int = field(INT32)
    timestamp: int = field(INT64)
    coordinator_epoch: int = field(INT32)
    current_txn_first_offset: int = field(INT64)


class ProducerSnapshot(Message, versions="1"):
    crc: int = field(UINT32)
    producer_entries: list[ProducerEntry] = field(array(ProducerEntry))
