"""OffsetDelete: delete a group's offsets for some partitions (KIP-496)."""

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.group_offsets import coordinator_of
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)
from mockbroker.protocol.types import TopicPartition


def offset_delete(request: OffsetDeleteRequest, call: Call) -> OffsetDeleteResponse:
    """Delete the offsets of each partition whose topic the group is not subscribed to."""
    requested = [
        TopicPartition(topic.name, partition.partition_index)
        for topic in call.paced(request.topics)
        for partition in topic.partitions
    ]
    known = [each for each in call.paced(requested) if call.cluster.partition(*each) is not None]
    deleted = coordinator_of(call).delete_offsets(request.group_id, known, call.now_ms)
    topics: dict[str, OffsetDeleteResponseTopic] = {}
    for each in call.paced(requested):
        topic = topics.setdefault(each.topic, OffsetDeleteResponseTopic(name=each.topic))
        topic.partitions.append(
            OffsetDeleteResponsePartition(
                partition_index=each.partition,
                error_code=deleted.get(each, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            )
        )
    return OffsetDeleteResponse(topics=list(topics.values()))
