"""Codec of the records of `__consumer_offsets` that a streams group is made of (KIP-1071).

Tasks are sorted, as in Kafka, so that equal groups have equal bytes.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from mockbroker.protocol.codec import decode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.log_records import streams_group as log
from mockbroker.protocol.log_records import streams_group_current as log_current
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.versioned import VERSION_BYTES, read_version, write_key, write_versioned
from mockbroker.state.group.streams.streams_group_member import StreamsMemberState, UserEndpoint
from mockbroker.state.group.streams.streams_records import (
    StreamsCurrentAssignment,
    StreamsCurrentRecord,
    StreamsGroupEpoch,
    StreamsGroupRecord,
    StreamsMemberMetadata,
    StreamsMemberRecord,
    StreamsRecord,
    StreamsTargetEpoch,
    StreamsTargetEpochRecord,
    StreamsTargetRecord,
    StreamsTopologyRecord,
)
from mockbroker.state.group.streams.tasks import AssignedTasks, EpochTasks, Tasks, TasksTuple
from mockbroker.state.group.streams.topics.topology import (
    CopartitionGroup,
    Subtopology,
    TopicInfo,
    Topology,
    build_topology,
)

_VERSION: Final = 0
_M = TypeVar("_M", bound=Message)


def write_streams_key(record: StreamsRecord) -> bytes:
    """Encode the key of a record."""
    group_id = record.group_id
    key: Message
    match record:
        case StreamsGroupRecord():
            kind, key = GROUP_KEY, log.StreamsGroupMetadataKey(group_id=group_id)
        case StreamsTargetEpochRecord():
            kind = TARGET_EPOCH_KEY
            key = log.StreamsGroupTargetAssignmentMetadataKey(group_id=group_id)
        case StreamsTopologyRecord():
            kind, key = TOPOLOGY_KEY, log.StreamsGroupTopologyKey(group_id=group_id)
        case StreamsMemberRecord(member_id=member_id):
            kind = MEMBER_KEY
            key = log.StreamsGroupMemberMetadataKey(group_id=group_id, member_id=member_id)
        case StreamsTargetRecord(member_id=member_id):
            kind = TARGET_KEY
            key = log.StreamsGroupTargetAssignmentMemberKey(group_id=group_id, member_id=member_id)
        case StreamsCurrentRecord(member_id=member_id):
            kind = CURRENT_KEY
            key = log_current.StreamsGroupCurrentMemberAssignmentKey(
                group_id=group_id, member_id=member_id
            )
    return write_key(kind, key)


def write_streams_value(record: StreamsRecord) -> bytes | None:
    """Encode the value of a record; a tombstone has none."""
    return None if record.value is None else write_versioned(_value(record.value), _VERSION)


def read_streams_record(kind: int, key: bytes, value: bytes | None) -> StreamsRecord | None:
    """Decode a record; None if its key is of no streams group.

    Raises:
        DecodeError: the key or the value is invalid.

    """
    reader = _READERS.get(kind)
    return None if reader is None else reader(key, value)


def _value(
    value: StreamsGroupEpoch
    | StreamsMemberMetadata
    | StreamsTargetEpoch
    | TasksTuple
    | StreamsCurrentAssignment
    | Topology,
) -> Message:
    match value:
        case StreamsGroupEpoch():
            return _group_value(value)
        case StreamsMemberMetadata():
            return _member_value(value)
        case StreamsTargetEpoch():
            return log.StreamsGroupTargetAssignmentMetadataValue(
                assignment_epoch=value.assignment_epoch, assignment_timestamp=value.timestamp_ms
            )
        case TasksTuple():
            active, standby, warmup = map(_task_ids, value)
            return log.StreamsGroupTargetAssignmentMemberValue(
                active_tasks=active, standby_tasks=standby, warmup_tasks=warmup
            )
        case StreamsCurrentAssignment():
            return _current_value(value)
        case Topology():
            return _topology_value(value)


# Groups


def _group_value(value: StreamsGroupEpoch) -> log.StreamsGroupMetadataValue:
    return log.StreamsGroupMetadataValue(
        epoch=value.group_epoch,
        metadata_hash=value.metadata_hash,
        validated_topology_epoch=value.validated_topology_epoch,
        last_assignment_configs=[
            log.LastAssignmentConfig(key=name, value=text)
            for name, text in sorted(value.assignment_configs.items())
        ],
    )


def _read_group(key: bytes, value: bytes | None) -> StreamsGroupRecord:
    about = _key(log.StreamsGroupMetadataKey, key)
    if value is None:
        return StreamsGroupRecord(about.group_id, None)
    read = _decoded(log.StreamsGroupMetadataValue, value)
    metadata = StreamsGroupEpoch(
        read.epoch,
        read.metadata_hash,
        read.validated_topology_epoch,
        {each.key: each.value for each in read.last_assignment_configs or ()},
    )
    return StreamsGroupRecord(about.group_id, metadata)


def _read_target_epoch(key: bytes, value: bytes | None) -> StreamsTargetEpochRecord:
    about = _key(log.StreamsGroupTargetAssignmentMetadataKey, key)
    if value is None:
        return StreamsTargetEpochRecord(about.group_id, None)
    read = _decoded(log.StreamsGroupTargetAssignmentMetadataValue, value)
    target = StreamsTargetEpoch(read.assignment_epoch, read.assignment_timestamp)
    return StreamsTargetEpochRecord(about.group_id, target)


# Members


def _member_value(value: StreamsMemberMetadata) -> log.StreamsGroupMemberMetadataValue:
    endpoint = value.user_endpoint
    return log.StreamsGroupMemberMetadataValue(
        instance_id=value.instance_id,
        rack_id=value.rack_id,
        client_id=value.client_id,
        client_host=value.client_host,
        rebalance_timeout_ms=value.rebalance_timeout_ms,
        topology_epoch=value.topology_epoch,
        process_id=value.process_id,
        user_endpoint=endpoint and log.Endpoint(host=endpoint.host, port=endpoint.port),
        client_tags=[
            log.KeyValue(key=tag, value=text) for tag, text in sorted(value.client_tags.items())
        ],
    )


def _read_member(key: bytes, value: bytes | None) -> StreamsMemberRecord:
    about = _key(log.StreamsGroupMemberMetadataKey, key)
    if value is None:
        return StreamsMemberRecord(about.group_id, about.member_id, None)
    read = _decoded(log.StreamsGroupMemberMetadataValue, value)
    endpoint = read.user_endpoint
    metadata = StreamsMemberMetadata(
        read.instance_id,
        read.rack_id,
        read.client_id,
        read.client_host,
        read.rebalance_timeout_ms,
        read.topology_epoch,
        read.process_id,
        None if endpoint is None else UserEndpoint(endpoint.host, endpoint.port),
        {each.key: each.value for each in read.client_tags},
    )
    return StreamsMemberRecord(about.group_id, about.member_id, metadata)


def _read_target(key: bytes, value: bytes | None) -> StreamsTargetRecord:
    about = _key(log.StreamsGroupTargetAssignmentMemberKey, key)
    if value is None:
        return StreamsTargetRecord(about.group_id, about.member_id, None)
    read = _decoded(log.StreamsGroupTargetAssignmentMemberValue, value)
    roles = (read.active_tasks, read.standby_tasks, read.warmup_tasks)
    tasks = TasksTuple(
        *({each.subtopology_id: frozenset(each.partitions) for each in role} for role in roles)
    )
    return StreamsTargetRecord(about.group_id, about.member_id, tasks)


def _current_value(
    value: StreamsCurrentAssignment,
) -> log_current.StreamsGroupCurrentMemberAssignmentValue:
    assigned, revoked = value.assigned, value.pending_revocation
    return log_current.StreamsGroupCurrentMemberAssignmentValue(
        member_epoch=value.member_epoch,
        previous_member_epoch=value.previous_member_epoch,
        state=value.state,
        active_tasks=_epoch_task_ids(assigned.active),
        standby_tasks=_current_task_ids(assigned.standby),
        warmup_tasks=_current_task_ids(assigned.warmup),
        active_tasks_pending_revocation=_epoch_task_ids(revoked.active),
        standby_tasks_pending_revocation=_current_task_ids(revoked.standby),
        warmup_tasks_pending_revocation=_current_task_ids(revoked.warmup),
    )


def _read_current(key: bytes, value: bytes | None) -> StreamsCurrentRecord:
    about = _key(log_current.StreamsGroupCurrentMemberAssignmentKey, key)
    if value is None:
        return StreamsCurrentRecord(about.group_id, about.member_id, None)
    read = _decoded(log_current.StreamsGroupCurrentMemberAssignmentValue, value)
    current = StreamsCurrentAssignment(
        read.member_epoch,
        read.previous_member_epoch,
        StreamsMemberState.from_value(read.state),
        AssignedTasks(
            _read_epochs(read.active_tasks, read.member_epoch),
            _read_tasks(read.standby_tasks),
            _read_tasks(read.warmup_tasks),
        ),
        AssignedTasks(
            _read_epochs(read.active_tasks_pending_revocation, read.member_epoch),
            _read_tasks(read.standby_tasks_pending_revocation),
            _read_tasks(read.warmup_tasks_pending_revocation),
        ),
    )
    return StreamsCurrentRecord(about.group_id, about.member_id, current)


def _task_ids(tasks: Tasks) -> list[log.TaskIds]:
    return [
        log.TaskIds(subtopology_id=name, partitions=sorted(partitions))
        for name, partitions in sorted(tasks.items())
    ]


def _current_task_ids(tasks: Tasks) -> list[log_current.TaskIds]:
    return [
        log_current.TaskIds(subtopology_id=name, partitions=sorted(partitions))
        for name, partitions in sorted(tasks.items())
    ]


def _epoch_task_ids(tasks: EpochTasks) -> list[log_current.TaskIds]:
    return [
        log_current.TaskIds(
            subtopology_id=name,
            partitions=sorted(epochs),
            assignment_epochs=[epochs[partition] for partition in sorted(epochs)],
        )
        for name, epochs in sorted(tasks.items())
    ]


def _read_tasks(listed: list[log_current.TaskIds]) -> dict[str, frozenset[int]]:
    return {each.subtopology_id: frozenset(each.partitions) for each in listed}


def _read_epochs(
    listed: list[log_current.TaskIds], member_epoch: int
) -> dict[str, Mapping[int, int]]:
    """Read active tasks; those of Kafka 4.1 have no epochs, the member's stands in for them."""
    tasks: dict[str, Mapping[int, int]] = {}
    for each in listed:
        epochs = each.assignment_epochs
        if epochs is None or len(epochs) != len(each.partitions):
            epochs = [member_epoch] * len(each.partitions)
        tasks[each.subtopology_id] = dict(zip(each.partitions, epochs, strict=True))
    return tasks


# The topology


def _topology_value(topology: Topology) -> log.StreamsGroupTopologyValue:
    return log.StreamsGroupTopologyValue(
        epoch=topology.topology_epoch,
        subtopologies=[
            log.Subtopology(
                subtopology_id=each.subtopology_id,
                source_topics=list(each.source_topics),
                source_topic_regex=list(each.source_topic_regex),
                state_changelog_topics=list(map(_topic_info, each.state_changelog_topics)),
                repartition_sink_topics=list(each.repartition_sink_topics),
                repartition_source_topics=list(map(_topic_info, each.repartition_source_topics)),
                copartition_groups=[
                    log.CopartitionGroup(
                        source_topics=list(group.source_topics),
                        source_topic_regex=list(group.source_topic_regex),
                        repartition_source_topics=list(group.repartition_source_topics),
                    )
                    for group in each.copartition_groups
                ],
            )
            for each in topology.subtopologies.values()
        ],
    )


def _topic_info(topic: TopicInfo) -> log.TopicInfo:
    return log.TopicInfo(
        name=topic.name,
        partitions=topic.partitions,
        replication_factor=topic.replication_factor,
        topic_configs=[log.TopicConfig(key=name, value=text) for name, text in topic.configs],
    )


def _read_topology(key: bytes, value: bytes | None) -> StreamsTopologyRecord:
    about = _key(log.StreamsGroupTopologyKey, key)
    if value is None:
        return StreamsTopologyRecord(about.group_id, None)
    read = _decoded(log.StreamsGroupTopologyValue, value)
    subtopologies = [
        Subtopology(
            each.subtopology_id,
            tuple(each.source_topics),
            tuple(each.source_topic_regex),
            tuple(map(_read_topic, each.state_changelog_topics)),
            tuple(each.repartition_sink_topics),
            tuple(map(_read_topic, each.repartition_source_topics)),
            tuple(
                CopartitionGroup(
                    tuple(group.source_topics),
                    tuple(group.source_topic_regex),
                    tuple(group.repartition_source_topics),
                )
                for group in each.copartition_groups
            ),
        )
        for each in read.subtopologies
    ]
    return StreamsTopologyRecord(about.group_id, build_topology(read.epoch, subtopologies))


def _read_topic(topic: log.TopicInfo) -> TopicInfo:
    configs = tuple((each.key, each.value) for each in topic.topic_configs)
    return TopicInfo(topic.name, topic.partitions, topic.replication_factor, configs)


def _key(declared: type[_M], key: bytes) -> _M:
    return decode(declared, _VERSION, key, VERSION_BYTES)


def _decoded(declared: type[_M], value: bytes) -> _M:
    version = read_version(value)
    if version != _VERSION:
        raise DecodeError("value.version", f"unknown version {version} of {declared.__name__}")
    return decode(declared, version, value, VERSION_BYTES)


GROUP_KEY: Final = 17
MEMBER_KEY: Final = 19
TARGET_EPOCH_KEY: Final = 20
TARGET_KEY: Final = 21
CURRENT_KEY: Final = 22
TOPOLOGY_KEY: Final = 23
"""Key versions, which determine the type of a record."""

_READERS: Final[Mapping[int, Callable[[bytes, bytes | None], StreamsRecord]]] = {
    GROUP_KEY: _read_group,
    MEMBER_KEY: _read_member,
    TARGET_EPOCH_KEY: _read_target_epoch,
    TARGET_KEY: _read_target,
    CURRENT_KEY: _read_current,
    TOPOLOGY_KEY: _read_topology,
}
