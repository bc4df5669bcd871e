"""What a broker has stored, read by Metadata v1 and Fetch v4 spelled out in bytes.

No client library is asked, and none of mockbroker's code: this is the independent look at which
compression the stored batches have and how many records they count.
"""

import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tests.clients.support.records import COMPRESSIONS

_TIMEOUT_S: Final = 10.0
_BATCH_HEADER: Final = struct.Struct(">qiibIhiqqqhii")  # record batch v2, the first 61 bytes
_RECORD_COUNT: Final = struct.Struct(">i")
_FETCH_MAX_BYTES: Final = 8 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBatch:
    """The head of one record batch in a partition's log."""

    next_offset: int
    record_count: int
    compression: str


def stored_compressions(bootstrap_servers: str, topic: str) -> dict[str, int]:
    """Return how many records of the topic are stored under each compression."""
    counts: dict[str, int] = {}
    for partition, leader in _leaders(bootstrap_servers, topic).items():
        for batch in _partition_batches(leader, topic, partition):
            counts[batch.compression] = counts.get(batch.compression, 0) + batch.record_count
    return counts


def _partition_batches(
    leader: tuple[str, int], topic: str, partition: int
) -> Iterator[StoredBatch]:
    next_offset = 0
    while records := _fetch(leader, topic, partition, next_offset):
        batches = list(_whole_batches(records))
        assert batches, (
            f"{topic}-{partition} at {next_offset}: {len(records)} bytes, no whole batch"
        )
        yield from batches
        next_offset = batches[-1].next_offset


def _whole_batches(records: bytes) -> Iterator[StoredBatch]:
    position = 0
    while position + _BATCH_HEADER.size <= len(records):
        base_offset, batch_length, *_, attributes, last_offset_delta = _BATCH_HEADER.unpack_from(
            records, position
        )[:7]
        (record_count,) = _RECORD_COUNT.unpack_from(records, position + _BATCH_HEADER.size - 4)
        position += 12 + batch_length
        if position <= len(records):  # a fetch may end within a batch
            yield StoredBatch(
                next_offset=base_offset + last_offset_delta + 1,
                record_count=record_count,
                compression=COMPRESSIONS[int(attributes) & 0b111],
            )


def _fetch(address: tuple[str, int], topic: str, partition: int, fetch_offset: int) -> bytes:
    partitions = _array(struct.pack(">iqi", partition, fetch_offset, _FETCH_MAX_BYTES))
    # replica -1, no wait, at least 0 bytes, read_uncommitted
    body = struct.pack(">iiiib", -1, 0, 0, _FETCH_MAX_BYTES, 0) + _array(
        _string(topic) + partitions
    )
    answer = _Reader(_call(address, api_key=1, api_version=4, body=body))
    answer.unpack(">ii")  # throttle time, one topic
    answer.string()
    _, _, error_code, _, _, aborted_count = answer.unpack(">iihqqi")
    if error_code:
        raise AssertionError(
            f"fetch of {topic}-{partition} at {fetch_offset}: error code {error_code}"
        )
    answer.unpack(">" + "qq" * max(aborted_count, 0))
    (size_bytes,) = answer.unpack(">i")
    return answer.take(max(size_bytes, 0))


def _leaders(bootstrap_servers: str, topic: str) -> dict[int, tuple[str, int]]:
    first_host, _, first_port = bootstrap_servers.split(",", maxsplit=1)[0].rpartition(":")
    address = (first_host, int(first_port))
    answer = _Reader(_call(address, api_key=3, api_version=1, body=_array(_string(topic))))
    addresses: dict[int, tuple[str, int]] = {}
    for _ in range(answer.unpack(">i")[0]):
        (node_id,) = answer.unpack(">i")
        host = answer.string()
        (port,) = answer.unpack(">i")
        answer.string()  # rack
        addresses[node_id] = (host, port)
    answer.unpack(">iih")  # controller, one topic, its error code
    answer.string()
    _, partition_count = answer.unpack(">bi")
    leaders: dict[int, tuple[str, int]] = {}
    for _ in range(partition_count):
        error_code, partition, leader_id = answer.unpack(">hii")
        if error_code:
            raise AssertionError(f"metadata of partition {partition}: error code {error_code}")
        for _ in ("replicas", "in-sync replicas"):
            answer.unpack(f">{answer.unpack('>i')[0]}i")
        leaders[partition] = addresses[leader_id]
    return leaders


def _call(address: tuple[str, int], *, api_key: int, api_version: int, body: bytes) -> bytes:
    request = struct.pack(">hhi", api_key, api_version, 0) + _string("stored-batches") + body
    with (
        socket.create_connection(address, _TIMEOUT_S) as connection,
        connection.makefile("rb") as stream,
    ):
        connection.sendall(struct.pack(">i", len(request)) + request)
        (size_bytes,) = struct.unpack(">i", stream.read(4))
        return stream.read(size_bytes)[4:]


def _string(text: str) -> bytes:
    return struct.pack(">h", len(text)) + text.encode()


def _array(element: bytes) -> bytes:
    return struct.pack(">i", 1) + element


class _Reader:
    """Reads an answer from front to back."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def take(self, size_bytes: int) -> bytes:
        self._position += size_bytes
        return self._data[self._position - size_bytes : self._position]

    def unpack(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))

    def string(self) -> str:
        (size_bytes,) = self.unpack(">h")
        return self.take(max(size_bytes, 0)).decode()
