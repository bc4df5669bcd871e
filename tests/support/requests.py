"""Short forms of the requests that most service tests send."""

from typing import Final

from mockbroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from mockbroker.protocol.messages.metadata import MetadataRequest
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from mockbroker.protocol.types import ZERO_UUID, Uuid
from tests.conformance.batches import plain
from tests.support.in_process import NOW_MS

PLENTY: Final = 1 << 26


def batch_of(*values: bytes) -> bytes:
    """Build a valid batch with the current time."""
    return plain(*(values or (b"value",)), at_ms=NOW_MS)


def produce(
    topic: str = "orders",
    index: int = 0,
    records: bytes | None = None,
    *,
    topic_id: Uuid = ZERO_UUID,
    acks: int = -1,
) -> ProduceRequest:
    """Build a Produce request with one batch."""
    data = PartitionProduceData(index=index, records=batch_of() if records is None else records)
    topic_data = TopicProduceData(name=topic, topic_id=topic_id, partition_data=[data])
    return ProduceRequest(
        transactional_id=None, acks=acks, timeout_ms=30_000, topic_data=[topic_data]
    )


def fetch(
    topic: str = "orders",
    index: int = 0,
    *,
    offset: int = 0,
    topic_id: Uuid = ZERO_UUID,
    max_wait_ms: int = 0,
    min_bytes: int = 1,
    max_bytes: int = PLENTY,
) -> FetchRequest:
    """Build a Fetch of one partition, without a session."""
    partition = FetchPartition(partition=index, fetch_offset=offset, partition_max_bytes=PLENTY)
    return FetchRequest(
        replica_id=-1,
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        session_id=0,
        session_epoch=-1,
        topics=[FetchTopic(topic=topic, topic_id=topic_id, partitions=[partition])],
    )


def metadata(*, all_topics: bool = True) -> MetadataRequest:
    """Build a Metadata request for all topics or for none."""
    return MetadataRequest(topics=None if all_topics else [], allow_auto_topic_creation=False)
