"""DeleteRecords: advance the log start offset of partitions (KIP-107)."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.partitions import led_partition
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from mockbroker.state.topic.topic import INTERNAL_TOPICS

NO_LOW_WATERMARK: Final = -1


def delete_records(request: DeleteRecordsRequest, call: Call) -> DeleteRecordsResponse:
    """Delete the records before the given offset of each partition."""
    offsets: dict[str, dict[int, int]] = {}
    for topic in call.paced(request.topics):
        of_topic = offsets.setdefault(topic.name, {})
        of_topic.update((each.partition_index, each.offset) for each in topic.partitions)
    return DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(
                name=name,
                partitions=[_delete(call, name, *each) for each in call.paced(partitions.items())],
            )
            for name, partitions in call.paced(offsets.items())
        ]
    )


def _delete(call: Call, topic: str, index: int, offset: int) -> DeleteRecordsPartitionResult:
    try:
        if topic in INTERNAL_TOPICS:
            raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"{topic} is internal")
        partition = led_partition(call, topic, index)
        log = call.cluster.log_of(partition, call.now_ms)
        asks_policy_first = call.cluster.options.delete_records_asks_policy_first
        low_watermark = log.delete_records(offset, asks_policy_first=asks_policy_first)
    except ApiError as refusal:
        call.service.refusals.note("delete_records_refused", refusal, topic=topic, partition=index)
        return DeleteRecordsPartitionResult(
            partition_index=index, low_watermark=NO_LOW_WATERMARK, error_code=refusal.code
        )
    call.service.purgatory.touch(partition)
    return DeleteRecordsPartitionResult(partition_index=index, low_watermark=low_watermark)
