"""What a broker has stored, read by Fetch v4: the look past the client at its batches."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tests.clients.support.records import COMPRESSIONS
from tests.clients.support.wire import Address, Reader, RefusedError, array, call, leaders, string

_BATCH_HEADER: Final = struct.Struct(">qiibIhiqqqhii")  # record batch v2, the first 61 bytes
_FETCH_MAX_BYTES: Final = 8 << 20
_READ_UNCOMMITTED: Final = 0
_READ_COMMITTED: Final = 1  # up to 1.1, only their answers tell the last stable offset


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBatch:
    """The head of one record batch in a partition's log."""

    base_offset: int
    next_offset: int
    record_count: int
    compression: str
    is_transactional: bool
    is_control: bool
    producer_id: int
    producer_epoch: int
    base_sequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fetched:
    last_stable_offset: int
    records: bytes


def stored_compressions(bootstrap_servers: str, topic: str) -> dict[str, int]:
    """Return how many records of the topic are stored under each compression."""
    counts: dict[str, int] = {}
    for partition, leader in leaders(bootstrap_servers, topic).items():
        for batch in _partition_batches(leader, topic, partition):
            counts[batch.compression] = counts.get(batch.compression, 0) + batch.record_count
    return counts


def stored_batches(bootstrap_servers: str, topic: str, partition: int) -> list[StoredBatch]:
    """Return all batches of the partition."""
    leader = leaders(bootstrap_servers, topic)[partition]
    return list(_partition_batches(leader, topic, partition))


def last_stable_offset(bootstrap_servers: str, topic: str, partition: int) -> int:
    """Return the offset before which every transaction has ended."""
    leader = leaders(bootstrap_servers, topic)[partition]
    return _fetch(leader, topic, partition, 0, _READ_COMMITTED).last_stable_offset


def _partition_batches(leader: Address, topic: str, partition: int) -> Iterator[StoredBatch]:
    next_offset = 0
    while records := _fetch(leader, topic, partition, next_offset).records:
        batches = list(_whole_batches(records))
        assert batches, (
            f"{topic}-{partition} at {next_offset}: {len(records)} bytes, no whole batch"
        )
        yield from batches
        next_offset = batches[-1].next_offset


def _whole_batches(records: bytes) -> Iterator[StoredBatch]:
    position = 0
    while position + _BATCH_HEADER.size <= len(records):
        (
            base_offset,
            batch_length,
            *_,
            attributes,
            last_offset_delta,
            _first_timestamp,
            _max_timestamp,
            producer_id,
            producer_epoch,
            base_sequence,
            record_count,
        ) = _BATCH_HEADER.unpack_from(records, position)
        position += 12 + batch_length
        if position <= len(records):  # a fetch may end within a batch
            yield StoredBatch(
                base_offset=base_offset,
                next_offset=base_offset + last_offset_delta + 1,
                record_count=record_count,
                compression=COMPRESSIONS[int(attributes) & 0b111],
                is_transactional=bool(attributes & 0x10),
                is_control=bool(attributes & 0x20),
                producer_id=producer_id,
                producer_epoch=producer_epoch,
                base_sequence=base_sequence,
            )


def _fetch(
    address: Address,
    topic: str,
    partition: int,
    fetch_offset: int,
    isolation_level: int = _READ_UNCOMMITTED,
) -> _Fetched:
    partitions = array(struct.pack(">iqi", partition, fetch_offset, _FETCH_MAX_BYTES))
    # replica -1, no wait, at least 0 bytes
    limits = struct.pack(">iiiib", -1, 0, 0, _FETCH_MAX_BYTES, isolation_level)
    body = limits + array(string(topic) + partitions)
    answer = Reader(call(address, api_key=1, api_version=4, body=body))
    answer.unpack(">ii")  # throttle time, one topic
    answer.string()
    _, _, error_code, _, stable_offset, aborted_count = answer.unpack(">iihqqi")
    if error_code:
        raise RefusedError(f"fetch of {topic}-{partition} at {fetch_offset}", error_code)
    answer.unpack(">" + "qq" * max(aborted_count, 0))
    (size_bytes,) = answer.unpack(">i")
    return _Fetched(
        last_stable_offset=stable_offset,
        records=answer.take(max(size_bytes, 0)),
    )
