"""DeleteRecords: advance the log start offset of partitions (KIP-107)."""

from typing import Final, NamedTuple

from mockbroker.broker.call import Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.partitions import led_partition
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from mockbroker.state.replication.replicas.log_start_checkpoint import checkpoint_later
from mockbroker.state.topic.topic import INTERNAL_TOPICS, Partition

NO_LOW_WATERMARK: Final = -1


class Undeleted(NamedTuple):
    """A partition of which some live replica still has the records."""

    partition: Partition
    offset: int
    answer: DeleteRecordsPartitionResult


def delete_records(
    request: DeleteRecordsRequest, call: Call
) -> DeleteRecordsResponse | DelayedResponse:
    """Delete the records before the given offset of each partition.

    The leader deletes them at once; the answer waits until all live replicas have done so.
    """
    offsets: dict[str, dict[int, int]] = {}
    for topic in call.paced(request.topics):
        of_topic = offsets.setdefault(topic.name, {})
        of_topic.update((each.partition_index, each.offset) for each in topic.partitions)
    undeleted: list[Undeleted] = []
    response = DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(
                name=name,
                partitions=[
                    _delete(call, name, *each, undeleted) for each in call.paced(partitions.items())
                ],
            )
            for name, partitions in call.paced(offsets.items())
        ]
    )
    if not undeleted:
        return response

    def attempt(is_last: bool) -> DeleteRecordsResponse | None:
        are_done = [_is_done(each, call) for each in undeleted]
        return response if is_last or all(are_done) else None

    return DelayedResponse({each.partition for each in undeleted}, request.timeout_ms, attempt)


def _is_done(each: Undeleted, call: Call) -> bool:
    """Set the result of a partition as it is by now; return whether it is final."""
    partition, answer = each.partition, each.answer
    present = call.cluster.partition(*partition.topic_partition)
    if present is not partition or partition.leader_id != call.broker_id:
        answer.error_code = ErrorCode.NOT_LEADER_OR_FOLLOWER
        answer.low_watermark = NO_LOW_WATERMARK
        return True
    answer.low_watermark = _low_watermark(call, partition)
    is_done = answer.low_watermark >= each.offset
    answer.error_code = ErrorCode.NONE if is_done else ErrorCode.REQUEST_TIMED_OUT
    return is_done


def _low_watermark(call: Call, partition: Partition) -> int:
    """Return the lowest log start offset of the replicas whose brokers run.

    It is unknown (-1) while one of them has not fetched from this leader.
    """
    live = [each for each in partition.replicas if each not in call.cluster.fenced]
    logs = [partition.log_at(each) for each in live]
    apart = [partition.replicas_apart.get(each) for each in live if each != call.broker_id]
    if any(replica is not None and not replica.is_known_to_leader for replica in apart):
        return NO_LOW_WATERMARK
    return min((0 if log is None else log.log_start_offset for log in logs), default=0)


def _delete(
    call: Call, topic: str, index: int, offset: int, undeleted: list[Undeleted]
) -> DeleteRecordsPartitionResult:
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
    checkpoint_later(call.cluster, now_ms=call.now_ms)
    call.service.purgatory.touch(partition)
    answer = DeleteRecordsPartitionResult(partition_index=index, low_watermark=low_watermark)
    if partition.replicas_apart:
        waiting = Undeleted(partition, low_watermark, answer)
        if not _is_done(waiting, call):
            undeleted.append(waiting)
    return answer
