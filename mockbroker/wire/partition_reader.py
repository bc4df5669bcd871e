"""Reader of the raw batches of one partition from its leader."""

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from mockbroker.protocol.records.batch import (
    MAGIC_AT,
    MAGIC_V2,
    batch_spans,
    parse_batch_header,
    read_prefix,
)
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.wire.client import WireClient
from mockbroker.wire.cluster import EARLIEST, RetriableError, TopicIdPartition, WireCluster, check

_FETCH: Final = range(5, 17)
_BY_TOPIC_ID: Final = 13
"""First version with topic ids, which differ after a topic is recreated."""
_FETCH_BYTES_MAX: Final = 16 << 20
_FETCH_WAIT_MS: Final = 500
_MS: Final = 1000


def stored_batches(
    cluster: WireCluster, partition: TopicIdPartition, start: int, end: int
) -> Iterator[bytes]:
    """Yield the stored batches between two offsets; messages of older formats are left out.

    Raises:
        WireError: the topic no longer exists, or no leader answers.
        DecodeError: the bytes are not batches.

    """
    reader, offset = PartitionReader(cluster, partition), start
    while offset < end:
        answer, before = reader.fetch(offset), offset
        data = bytes(answer.records or b"")
        for begin, stop in batch_spans(data):
            batch = data[begin:stop]
            offset = offset_after(batch)
            if batch[MAGIC_AT] >= MAGIC_V2:
                yield batch
        if answer.error_code:
            offset = reader.first_from(offset)
        if offset == before:
            return  # compaction has removed the rest


def offset_after(batch: bytes) -> int:
    """Return the offset after a batch, or after a message of an older format."""
    offset, _, _, magic = read_prefix(batch)
    return (offset if magic < MAGIC_V2 else parse_batch_header(batch).last_offset) + 1


class _Sent(NamedTuple):
    offset: int
    client: WireClient
    version: int


class PartitionReader:
    """Reader that fetches batches of a partition from its current leader.

    With `is_committed`, fetches use read_committed: they end at the last
    stable offset, and the responses list the aborted transactions.
    """

    def __init__(
        self, cluster: WireCluster, partition: TopicIdPartition, *, is_committed: bool = False
    ) -> None:
        """Set the partition; nothing is sent yet."""
        self._cluster = cluster
        self._partition = partition
        self._isolation_level = int(is_committed)
        self._ahead: _Sent | None = None

    def fetch(self, offset: int) -> PartitionData:
        """Return the stored batches from an offset on; OFFSET_OUT_OF_RANGE is returned as data.

        Raises:
            WireError: the topic no longer exists, or no leader answers.

        """
        while True:
            answer = self._cluster.retry(lambda: self._answer(offset))
            # a broker that throttles may send no partition (KIP-219)
            data = answer.responses[0].partitions[0] if answer.responses else PartitionData()
            if data.records or data.error_code or not answer.throttle_time_ms:
                return data
            time.sleep(answer.throttle_time_ms / _MS)

    def first_from(self, offset: int) -> int:
        """Return where to continue after OFFSET_OUT_OF_RANGE: where the log begins now, if later.

        Raises:
            WireError: the topic no longer exists, or no leader answers.

        """
        return max(offset, self._cluster.offset(self._partition, EARLIEST))

    def fetch_ahead(self, offset: int) -> None:
        """Send the request of the next `fetch` now, so that the leader reads in parallel."""
        with suppress(OSError, RetriableError):  # `fetch` sends it again, with retries
            self._ahead = self._send(offset)

    def _answer(self, offset: int) -> FetchResponse:
        sent, self._ahead = self._ahead, None
        if sent is None or sent.offset != offset:
            sent = self._send(offset)
        answer = sent.client.receive(sent.version, FetchResponse)
        codes = [each.error_code for topic in answer.responses for each in topic.partitions]
        for code in (answer.error_code, *codes):
            if code != ErrorCode.OFFSET_OUT_OF_RANGE:
                check(code, self._partition, f"{sent.client.address} to Fetch v{sent.version}")
        return answer

    def _send(self, offset: int) -> _Sent:
        partition = self._partition
        client = self._cluster.leader(partition)
        version = client.newest_version(ApiKey.FETCH, _FETCH)
        if partition.topic_id == ZERO_UUID:
            version = min(version, _BY_TOPIC_ID - 1)
        wanted = FetchPartition(
            partition=partition.partition,
            fetch_offset=offset,
            partition_max_bytes=_FETCH_BYTES_MAX,
        )
        topic = FetchTopic(topic=partition.topic, topic_id=partition.topic_id, partitions=[wanted])
        request = FetchRequest(
            max_wait_ms=_FETCH_WAIT_MS,
            min_bytes=1,
            max_bytes=_FETCH_BYTES_MAX,
            isolation_level=self._isolation_level,
            topics=[topic],
        )
        client.send(request, version)
        return _Sent(offset, client, version)
