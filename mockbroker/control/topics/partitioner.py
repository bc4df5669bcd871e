"""Choice of a record's partition, as Kafka's default partitioner does it for records with a key."""

from collections.abc import Sequence
from typing import Final

from mockbroker.protocol.records.murmur2 import murmur2
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.topic import Topic

_POSITIVE: Final = 0x7FFFFFFF


def partition_for(cluster: ClusterState, topic: Topic, key: bytes | None, now_ms: int) -> int:
    """Return the partition of a key; without a key, the first of those with the shortest log.

    So records without keys fill the partitions in turn.
    """
    if key is not None:
        return (murmur2(key) & _POSITIVE) % len(topic.partitions)
    ends: Sequence[int] = [cluster.log_of(each, now_ms).log_end_offset for each in topic.partitions]
    return ends.index(min(ends))
