"""OffsetForLeaderEpoch: find the end offset of a leader epoch (KIP-101, KIP-320)."""

from functools import partial

from mockbroker.broker.call import Call
from mockbroker.broker.partitions import led_partition
from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)


def offset_for_leader_epoch(
    request: OffsetForLeaderEpochRequest, call: Call
) -> OffsetForLeaderEpochResponse:
    """Return, for each partition, the largest leader epoch up to the requested one."""
    topics = [
        OffsetForLeaderTopicResult(
            topic=topic.topic,
            partitions=[_end_offset(call, topic.topic, p) for p in call.paced(topic.partitions)],
        )
        for topic in call.paced(request.topics)
    ]
    return OffsetForLeaderEpochResponse(topics=topics)


def _end_offset(call: Call, topic: str, requested: OffsetForLeaderPartition) -> EpochEndOffset:
    try:
        partition = led_partition(call, topic, requested.partition, requested.current_leader_epoch)
    except ApiError as refusal:
        call.service.refusals.note(
            "offset_for_leader_epoch_refused", refusal, topic=topic, partition=requested.partition
        )
        return EpochEndOffset(partition=requested.partition, error_code=refusal.code)
    log = call.cluster.log_of(partition, call.now_ms)
    epochs = log.leader_epochs
    options = call.cluster.options
    find = (
        partial(
            epochs.end_offset_for_written,
            none_is_an_epoch=options.no_leader_epoch_is_an_epoch,
        )
        if options.leader_epoch_begins_with_records
        else epochs.end_offset_for
    )
    if not partition.config.has_newest_format:
        return EpochEndOffset(partition=requested.partition)
    end = find(requested.leader_epoch, log.log_end_offset)
    return EpochEndOffset(
        partition=requested.partition, leader_epoch=end.leader_epoch, end_offset=end.end_offset
    )
