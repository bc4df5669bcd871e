"""Stored batches and offsets of a broker, read without the client."""

from collections import Counter

from mockbroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)
from mockbroker.protocol.records.batch import batch_spans, parse_batch_header
from mockbroker.protocol.types import BatchHeader
from mockbroker.wire.cluster import LATEST, TopicIdPartition, WireCluster, check
from mockbroker.wire.partition_reader import PartitionReader
from tests.clients.support.records import COMPRESSIONS

_OFFSET_FETCH = range(1, 8)
"""The versions that ask for one group."""


def stored_compressions(bootstrap_servers: str, topic: str) -> dict[str, int]:
    """Return how many records of the topic are stored under each compression."""
    counts = Counter[str]()
    with WireCluster(bootstrap_servers) as cluster:
        for partition in cluster.topic(topic).partitions:
            for batch in _batches(cluster, partition):
                counts[COMPRESSIONS[batch.compression]] += batch.record_count
    return dict(counts)


def stored_batches(bootstrap_servers: str, topic: str, partition: int) -> list[BatchHeader]:
    """Return the headers of all batches of the partition."""
    with WireCluster(bootstrap_servers) as cluster:
        return _batches(cluster, TopicIdPartition(topic, partition))


def last_stable_offset(bootstrap_servers: str, topic: str, partition: int) -> int:
    """Return the offset before which every transaction has ended."""
    with WireCluster(bootstrap_servers) as cluster:
        return cluster.offset(TopicIdPartition(topic, partition), LATEST, is_committed=True)


def committed_offset(bootstrap_servers: str, group: str, topic: str, partition: int) -> int:
    """Return the offset that the group has committed; -1 when it has none."""
    wanted = OffsetFetchRequestTopic(name=topic, partition_indexes=[partition])
    request = OffsetFetchRequest(group_id=group, topics=[wanted])

    def ask() -> int:
        coordinator = cluster.coordinator(group)
        answer = coordinator.ask_newest(request, _OFFSET_FETCH, OffsetFetchResponse)
        check(answer.error_code, f"offsets of {group}", "OffsetFetch")
        (found,) = answer.topics[0].partitions
        check(found.error_code, f"offset of {group} in {topic}-{partition}", "OffsetFetch")
        return found.committed_offset

    with WireCluster(bootstrap_servers) as cluster:
        return cluster.retry(ask)


def _batches(cluster: WireCluster, partition: TopicIdPartition) -> list[BatchHeader]:
    batches: list[BatchHeader] = []
    reader, offset, end = PartitionReader(cluster, partition), 0, cluster.offset(partition, LATEST)
    while offset < end and (data := bytes(reader.fetch(offset).records or b"")):
        fetched = [parse_batch_header(data, start) for start, _ in batch_spans(data)]
        assert fetched, f"{partition} at {offset}: {len(data)} bytes, no whole batch"
        batches += fetched
        offset = fetched[-1].last_offset + 1
    return batches
