"""Reading of the topics in which brokers keep what coordinators know."""

from collections.abc import Iterator
from typing import Final

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.records.batch import parse_batch_header
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import EARLIEST, LATEST, WireCluster
from mockbroker.wire.partition_reader import stored_batches

RECORDS_MAX: Final = 2_000_000
"""Longest internal topic that is read, in records."""


def internal_ends(cluster: WireCluster, topic: str) -> dict[int, int]:
    """Return the ends of an internal topic's logs, by partition; empty if there is no such topic.

    Raises:
        WireError: this user may not read it.

    """
    found = cluster.find_topic(topic)
    partitions = () if found is None else found.partitions
    return {each.partition: cluster.offset(each, LATEST) for each in partitions}


def internal_batches(cluster: WireCluster, topic: str) -> Iterator[tuple[int, bytes]]:
    """Yield the stored batches of an internal topic, with their partitions.

    Raises:
        WireError: this user may not read it, or it is longer than `RECORDS_MAX`.

    """
    count = 0
    for partition, batch in _stored(cluster, topic):
        count += parse_batch_header(batch).record_count
        if count > RECORDS_MAX:  # offsets do not tell, as the topic is compacted
            raise WireError(f"{topic} has more than {RECORDS_MAX:,} records")
        yield partition, batch


def _stored(cluster: WireCluster, topic: str) -> Iterator[tuple[int, bytes]]:
    found = cluster.find_topic(topic)
    ranges = [
        (each, cluster.offset(each, EARLIEST), cluster.offset(each, LATEST))
        for each in (() if found is None else found.partitions)
    ]
    for partition, start, end in ranges:
        try:
            for batch in stored_batches(cluster, partition, start, end):
                yield partition.partition, batch
        except DecodeError as error:
            raise WireError(f"{partition} cannot be read: {error}") from None
