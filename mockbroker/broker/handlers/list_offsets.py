"""ListOffsets: find first, last or timestamped offsets of partitions (KIP-79, KIP-734)."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.isolation import READ_COMMITTED, check_isolation_level
from mockbroker.broker.handlers.record_reader import BATCH_END_READER, RECORD_READER
from mockbroker.broker.partitions import hosted_partition, led_partition, local_log
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
    ListOffsetsTopicResponse,
)
from mockbroker.state.log.leader_epoch_cache import UNDEFINED_EPOCH
from mockbroker.state.log.offset_lookup import legacy_offsets_before, offset_for_timestamp
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.topic.topic import Partition

_FIRST_VERSION_WITH: Final = {-1: 0, -2: 0, -3: 7, -4: 8, -5: 9, -6: 11}
"""First version that supports each special timestamp."""

_REPEATED: Final = "the request names the partition more than once"
_LEGACY_VERSION: Final = 0
_LATEST: Final = -1
_EARLIEST: Final = -2
_LATEST_TIME: Final = -3
_EARLIEST_LOCAL: Final = -4
_FIRST_WITH_NOT_AVAILABLE: Final = 5
_CONSUMER: Final = -1
_DEBUGGING_REPLICA: Final = -2
"""The replica id that lets every replica answer for its own log, leader or not."""
_BEFORE_ALL: Final = -100
"""Not special in any version: before every record, even one without a timestamp."""


def list_offsets(request: ListOffsetsRequest, call: Call) -> ListOffsetsResponse:
    """Look up each partition; a partition that is listed twice is refused (as in Kafka)."""
    check_isolation_level(request.isolation_level, ApiKey.LIST_OFFSETS, call)
    requested = [(t.name, p.partition_index) for t in request.topics for p in t.partitions]
    repeated = (
        {key for key, count in Counter(requested).items() if count > 1}
        if call.api_version > _LEGACY_VERSION
        else ()
    )
    topics = [
        ListOffsetsTopicResponse(
            name=topic.name,
            partitions=[
                _refused(call, topic.name, p, ApiError(ErrorCode.INVALID_REQUEST, _REPEATED))
                if (topic.name, p.partition_index) in repeated
                else _answer(call, request, topic.name, p)
                for p in call.paced(_answered_partitions(topic, call))
            ],
        )
        for topic in call.paced(request.topics)
    ]
    return ListOffsetsResponse(topics=topics)


def _answered_partitions(topic: ListOffsetsTopic, call: Call) -> Iterable[ListOffsetsPartition]:
    if not call.cluster.options.list_offsets_answers_repeated_once:
        return topic.partitions
    return {p.partition_index: p for p in topic.partitions}.values()


def _answer(
    call: Call, request: ListOffsetsRequest, topic: str, requested: ListOffsetsPartition
) -> ListOffsetsPartitionResponse:
    try:
        timestamp = _timestamp_looked_for(requested.timestamp, call)
        find = hosted_partition if request.replica_id == _DEBUGGING_REPLICA else led_partition
        partition = find(call, topic, requested.partition_index, requested.current_leader_epoch)
        if call.api_version > _LEGACY_VERSION:
            _refuse_untimed(partition, timestamp)
            return _found(call, request, requested, partition, timestamp)
    except ApiError as refusal:
        return _refused(call, topic, requested, refusal)
    log = call.cluster.log_of(partition, call.now_ms)
    offsets = legacy_offsets_before(log, timestamp, requested.max_num_offsets, now_ms=call.now_ms)
    return ListOffsetsPartitionResponse(
        partition_index=requested.partition_index, old_style_offsets=offsets
    )


def _found(
    call: Call,
    request: ListOffsetsRequest,
    requested: ListOffsetsPartition,
    partition: Partition,
    timestamp: int,
) -> ListOffsetsPartitionResponse:
    log = local_log(call, partition)
    last_fetchable_offset = _last_fetchable_offset(request, log)
    ends_batch = call.cluster.options.list_offsets_latest_ends_batch
    reader = BATCH_END_READER if ends_batch else RECORD_READER
    found = offset_for_timestamp(
        log, timestamp, reader, last_fetchable_offset=last_fetchable_offset
    )
    if found is not None and ends_batch and timestamp == _LATEST_TIME:
        found = found._replace(leader_epoch=log.leader_epochs.latest_epoch)
    if request.replica_id == _CONSUMER and (found is None or timestamp == _LATEST):
        _check_high_watermark(call, log)
    if found is None:
        return ListOffsetsPartitionResponse(partition_index=requested.partition_index)
    has_leader_epoch = timestamp == _LATEST or partition.config.has_newest_format
    return ListOffsetsPartitionResponse(
        partition_index=requested.partition_index,
        timestamp=found.timestamp_ms,
        offset=found.offset,
        leader_epoch=found.leader_epoch if has_leader_epoch else UNDEFINED_EPOCH,
    )


def _last_fetchable_offset(request: ListOffsetsRequest, log: PartitionLog) -> int:
    """Return the end of the log for the reader: a replica also sees what is not committed."""
    if request.replica_id != _CONSUMER:
        return log.log_end_offset
    if request.isolation_level == READ_COMMITTED:
        return log.last_stable_offset
    return log.high_watermark


def _refuse_untimed(partition: Partition, timestamp: int) -> None:
    """Refuse to look up a timestamp in a topic whose format has no timestamps.

    Raises:
        ApiError: UNSUPPORTED_FOR_MESSAGE_FORMAT.

    """
    if not partition.config.has_timestamps and timestamp not in (_LATEST, _EARLIEST):
        raise ApiError(
            ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
            f"messages of {partition.topic_partition} have no timestamps",
        )


def _check_high_watermark(call: Call, log: PartitionLog) -> None:
    """Refuse to return an end offset while a new leader's high watermark is behind (KIP-207).

    Raises:
        ApiError: OFFSET_NOT_AVAILABLE, or LEADER_NOT_AVAILABLE for older clients.

    """
    epoch_start = log.leader_epochs.latest_start_offset
    if epoch_start <= log.high_watermark:
        return
    if call.cluster.options.list_offsets_awaits_high_watermark:
        knows = call.api_version >= _FIRST_WITH_NOT_AVAILABLE
        raise ApiError(
            ErrorCode.OFFSET_NOT_AVAILABLE if knows else ErrorCode.LEADER_NOT_AVAILABLE,
            f"the high watermark of {log.topic_partition} is {log.high_watermark}, and the leader"
            f" epoch began at {epoch_start}",
        )


def _timestamp_looked_for(timestamp: int, call: Call) -> int:
    """Check for special timestamps that the version lacks; old releases search for them."""
    if not call.cluster.options.list_offsets_checks_timestamps:
        if timestamp < call.cluster.options.list_offsets_lowest_special:
            return _BEFORE_ALL
        return _EARLIEST if timestamp == _EARLIEST_LOCAL else timestamp
    version = call.api_version
    if timestamp < 0 and version < _FIRST_VERSION_WITH.get(timestamp, version + 1):
        raise ApiError(
            ErrorCode.UNSUPPORTED_VERSION, f"timestamp {timestamp} in ListOffsets v{version}"
        )
    return timestamp


def _refused(
    call: Call, topic: str, requested: ListOffsetsPartition, refusal: ApiError
) -> ListOffsetsPartitionResponse:
    index = requested.partition_index
    call.service.refusals.note("list_offsets_refused", refusal, topic=topic, partition=index)
    return ListOffsetsPartitionResponse(partition_index=index, error_code=refusal.code)
