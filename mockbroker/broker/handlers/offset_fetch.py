"""OffsetFetch: read the committed offsets of groups (KIP-211, KIP-447, KIP-709)."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.group_offsets import coordinator_of
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.group.group_log_record import NO_COMMITTED_OFFSET, NO_LEADER_EPOCH
from mockbroker.state.group.offset_metadata_manager import OffsetMetadataManager
from mockbroker.state.security.acl import AclOperation, AclResource

FIRST_WITH_GROUPS: Final = 8
FIRST_WITH_TOPIC_IDS: Final = 10


class _Answer(NamedTuple):
    """Committed offset of a partition, in the fields that all versions share."""

    committed_offset: int = NO_COMMITTED_OFFSET
    committed_leader_epoch: int = NO_LEADER_EPOCH
    metadata: str = ""
    error_code: ErrorCode = ErrorCode.NONE


_UNSTABLE: Final = _Answer(error_code=ErrorCode.UNSTABLE_OFFSET_COMMIT)


def offset_fetch(request: OffsetFetchRequest, call: Call) -> OffsetFetchResponse:
    """Return the offsets of one group, or from v8 of several."""
    if call.api_version >= FIRST_WITH_GROUPS:
        return OffsetFetchResponse(
            groups=[
                _of_group(group, call, require_stable=request.require_stable)
                for group in call.paced(request.groups)
            ]
        )
    offsets = coordinator_of(call).offsets_of(request.group_id)
    requested: Iterable[TopicPartition] = [
        partition
        for partition in offsets.all_committed(request.group_id)
        if call.allows(AclOperation.DESCRIBE, AclResource.TOPIC, partition.topic)
    ]
    if request.topics is not None:
        requested = [
            TopicPartition(topic.name, index)
            for topic in call.paced(request.topics)
            for index in topic.partition_indexes
        ]
    topics: dict[str, OffsetFetchResponseTopic] = {}
    for partition in call.paced(requested):
        answer = _read(offsets, request.group_id, partition, require_stable=request.require_stable)
        topic = topics.setdefault(partition.topic, OffsetFetchResponseTopic(name=partition.topic))
        topic.partitions.append(
            OffsetFetchResponsePartition(partition_index=partition.partition, **answer._asdict())
        )
    return OffsetFetchResponse(topics=list(topics.values()))


def _of_group(
    group: OffsetFetchRequestGroup, call: Call, *, require_stable: bool
) -> OffsetFetchResponseGroup:
    answer = OffsetFetchResponseGroup(group_id=group.group_id)
    try:
        coordinator = coordinator_of(call)
        coordinator.check_fetch(group.group_id, group.member_id, group.member_epoch)
        offsets = coordinator.offsets_of(group.group_id)
    except ApiError as refusal:
        call.service.refusals.note("offset_fetch_refused", refusal, group_id=group.group_id)
        answer.error_code = refusal.code
        return answer
    if group.topics is None:
        answer.topics = _all_topics(offsets, group.group_id, call, require_stable=require_stable)
        return answer
    by_id = call.api_version >= FIRST_WITH_TOPIC_IDS
    for each in call.paced(group.topics):
        topic = call.cluster.topics.by_id(each.topic_id) if by_id else None
        name = each.name if topic is None else topic.name
        found = OffsetFetchResponseTopics(name=each.name, topic_id=each.topic_id)
        for index in call.paced(each.partition_indexes):
            if by_id and topic is None:
                entry = _Answer(error_code=ErrorCode.UNKNOWN_TOPIC_ID)
            else:
                partition = TopicPartition(name, index)
                entry = _read(offsets, group.group_id, partition, require_stable=require_stable)
            found.partitions.append(
                OffsetFetchResponsePartitions(partition_index=index, **entry._asdict())
            )
        answer.topics.append(found)
    return answer


def _all_topics(
    offsets: OffsetMetadataManager, group_id: str, call: Call, *, require_stable: bool
) -> list[OffsetFetchResponseTopics]:
    topics: dict[str, OffsetFetchResponseTopics] = {}
    for partition in offsets.all_committed(group_id):
        topic = call.cluster.topics.get(partition.topic)
        if topic is None or not call.allows(AclOperation.DESCRIBE, AclResource.TOPIC, topic.name):
            continue
        answer = _read(offsets, group_id, partition, require_stable=require_stable)
        found = topics.setdefault(
            topic.name, OffsetFetchResponseTopics(name=topic.name, topic_id=topic.topic_id)
        )
        found.partitions.append(
            OffsetFetchResponsePartitions(partition_index=partition.partition, **answer._asdict())
        )
    return list(topics.values())


def _read(
    offsets: OffsetMetadataManager,
    group_id: str,
    partition: TopicPartition,
    *,
    require_stable: bool,
) -> _Answer:
    if require_stable and offsets.is_unstable(group_id, partition):
        return _UNSTABLE
    found = offsets.committed(group_id, partition)
    if found is None:
        return _Answer()
    return _Answer(found.offset, found.leader_epoch, found.metadata)
