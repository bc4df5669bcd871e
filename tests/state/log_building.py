"""Batches and logs for the tests of state, with only what a test cares about spelled out."""

from mockbroker.protocol.types import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    BatchHeader,
    Buffer,
    TopicPartition,
)
from mockbroker.state.log.log_append_info import LogAppendInfo
from mockbroker.state.log.log_config import LogConfig
from mockbroker.state.log.memory_budget import MemoryBudget
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.producer_state_options import ProducerStateOptions

PARTITION = TopicPartition("orders", 0)
HEADER_BYTES = 61
TRANSACTIONAL = 0x10
CONTROL = 0x20


def batch_header(
    *,
    records: int = 1,
    timestamp_ms: int = 1_000,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    base_sequence: int = NO_SEQUENCE,
    attributes: int = 0,
) -> BatchHeader:
    """Return the header of a batch, as a client sends it: base offset 0, no leader epoch."""
    return BatchHeader(
        base_offset=0,
        batch_length=HEADER_BYTES - 12,
        partition_leader_epoch=-1,
        magic=2,
        crc=0,
        attributes=attributes,
        last_offset_delta=records - 1,
        base_timestamp=timestamp_ms,
        max_timestamp=timestamp_ms,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        record_count=records,
    )


def idempotent(
    base_sequence: int,
    *,
    records: int = 1,
    producer_id: int = 7,
    producer_epoch: int = 0,
    timestamp_ms: int = 1_000,
    attributes: int = 0,
) -> BatchHeader:
    """Return the header of an idempotent producer's batch."""
    return batch_header(
        records=records,
        timestamp_ms=timestamp_ms,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
        attributes=attributes,
    )


def transactional(
    base_sequence: int,
    *,
    records: int = 1,
    producer_id: int = 7,
    producer_epoch: int = 0,
    timestamp_ms: int = 1_000,
) -> BatchHeader:
    """Return the header of a batch that is part of a transaction."""
    return idempotent(
        base_sequence,
        records=records,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        timestamp_ms=timestamp_ms,
        attributes=TRANSACTIONAL,
    )


def end_transaction(
    log: PartitionLog,
    *,
    is_commit: bool = True,
    producer_id: int = 7,
    producer_epoch: int = 0,
    coordinator_epoch: int = 0,
    transaction_version: int = 0,
    timestamp_ms: int = 1_000,
) -> LogAppendInfo:
    """Append a marker, as a coordinator does."""
    marker = EndTxnMarker(producer_id, producer_epoch, coordinator_epoch, is_commit)
    header = batch_header(
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        timestamp_ms=timestamp_ms,
        attributes=TRANSACTIONAL | CONTROL,
    )
    return log.append_end_txn_marker(
        marker,
        header,
        repr(marker).encode(),
        leader_epoch=0,
        now_ms=timestamp_ms,
        transaction_version=transaction_version,
    )


def partition_log(
    config: LogConfig | None = None,
    *,
    budget: MemoryBudget | None = None,
    producer_options: ProducerStateOptions | None = None,
    topic_partition: TopicPartition = PARTITION,
) -> PartitionLog:
    """Return an empty log, made at time 0."""
    return PartitionLog(
        topic_partition,
        config or LogConfig(),
        budget=budget or MemoryBudget(),
        producer_options=producer_options or ProducerStateOptions(),
        now_ms=0,
    )


def append(
    log: PartitionLog,
    header: BatchHeader | None = None,
    data: Buffer | None = None,
    *,
    size_bytes: int = 100,
    leader_epoch: int = 0,
    now_ms: int = 1_000,
) -> LogAppendInfo:
    """Append a batch of one record, or of the given header and bytes."""
    return log.append(
        header or batch_header(),
        bytes(size_bytes) if data is None else data,
        leader_epoch=leader_epoch,
        now_ms=now_ms,
    )
