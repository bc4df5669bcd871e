"""Consumer protocol: the metadata and assignment blobs in JoinGroup and SyncGroup."""

from mockbroker.protocol.codec import decode_prefix
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.schema.message import (
    BYTES,
    INT32,
    STRING,
    Message,
    Struct,
    array,
    field,
)
from mockbroker.protocol.versioned import VERSION_BYTES


class TopicPartition(Struct):
    topic: str = field(STRING)
    partitions: list[int] = field(array(INT32))


class ConsumerProtocolSubscription(Message, versions="0-3"):
    topics: list[str] = field(array(STRING))
    user_data: bytes | None = field(BYTES, nullable="0+", default=None)
    owned_partitions: list[TopicPartition] = field(array(TopicPartition), "1+")
    generation_id: int = field(INT32, "2+", default=-1)
    rack_id: str | None = field(STRING, "3+", nullable="3+", default=None)


class ConsumerProtocolAssignment(Message, versions="0-3"):
    assigned_partitions: list[TopicPartition] = field(array(TopicPartition))
    user_data: bytes | None = field(BYTES, nullable="0+", default=None)


def assigned_partitions(data: bytes) -> list[tuple[str, int]]:
    """Return the topics and partitions in an assignment; none if the bytes are no assignment.

    Every version begins with the fields of the first one.
    """
    try:
        read, _ = decode_prefix(ConsumerProtocolAssignment, 0, data, VERSION_BYTES)
    except DecodeError:
        return []
    return [(each.topic, index) for each in read.assigned_partitions for index in each.partitions]
