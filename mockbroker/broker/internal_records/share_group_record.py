"""Records of `__consumer_offsets` that hold share groups (KIP-932).

The bytes are those of the declarations in `protocol.log_records`.
"""

from collections.abc import Mapping
from typing import Final

from mockbroker.broker.internal_records.consumer_group_record import RecordType
from mockbroker.protocol.log_records import share_group as declared
from mockbroker.protocol.schema.message import Message
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignment,
    CurrentAssignmentRecord,
    GroupEpoch,
    GroupEpochRecord,
    MemberMetadata,
    MemberRecord,
    Partitions,
    TargetAssignmentRecord,
    TargetEpoch,
    TargetEpochRecord,
)
from mockbroker.state.group.share.state_partitions import (
    StatePartitions,
    StatePartitionsRecord,
    TopicState,
    TopicStates,
)


def _member(value: MemberMetadata) -> Message:
    return declared.ShareGroupMemberMetadataValue(
        rack_id=value.rack_id,
        client_id=value.client_id,
        client_host=value.client_host,
        subscribed_topic_names=sorted(value.subscribed_topic_names),
    )


def _read_member(value: declared.ShareGroupMemberMetadataValue) -> MemberMetadata:
    return MemberMetadata(
        value.client_id,
        value.client_host,
        rack_id=value.rack_id,
        subscribed_topic_names=frozenset(value.subscribed_topic_names),
    )


def _group_epoch(value: GroupEpoch) -> Message:
    return declared.ShareGroupMetadataValue(
        epoch=value.group_epoch, metadata_hash=value.metadata_hash
    )


def _read_epoch(value: declared.ShareGroupMetadataValue) -> GroupEpoch:
    return GroupEpoch(value.epoch, value.metadata_hash)


def _target_epoch(value: TargetEpoch) -> Message:
    return declared.ShareGroupTargetAssignmentMetadataValue(
        assignment_epoch=value.assignment_epoch, assignment_timestamp=value.timestamp_ms
    )


def _read_target_epoch(value: declared.ShareGroupTargetAssignmentMetadataValue) -> TargetEpoch:
    return TargetEpoch(value.assignment_epoch, value.assignment_timestamp)


def _target(value: Partitions) -> Message:
    return declared.ShareGroupTargetAssignmentMemberValue(
        topic_partitions=[
            declared.TopicPartition(topic_id=topic_id, partitions=sorted(partitions))
            for topic_id, partitions in value.items()
        ]
    )


def _read_target(value: declared.ShareGroupTargetAssignmentMemberValue) -> Partitions:
    return {each.topic_id: frozenset(each.partitions) for each in value.topic_partitions}


def _current(value: CurrentAssignment) -> Message:
    return declared.ShareGroupCurrentMemberAssignmentValue(
        member_epoch=value.member_epoch,
        previous_member_epoch=value.previous_member_epoch,
        state=value.state,
        assigned_partitions=[
            declared.TopicPartitions(topic_id=topic_id, partitions=sorted(partitions))
            for topic_id, partitions in value.assigned.items()
        ],
    )


def _read_current(value: declared.ShareGroupCurrentMemberAssignmentValue) -> CurrentAssignment:
    return CurrentAssignment(
        value.member_epoch,
        value.previous_member_epoch,
        MemberState(value.state),
        {each.topic_id: dict.fromkeys(each.partitions, 0) for each in value.assigned_partitions},
    )


def _state_partitions(value: StatePartitions) -> Message:
    return declared.ShareGroupStatePartitionMetadataValue(
        initializing_topics=_topics(value.initializing),
        initialized_topics=_topics(value.initialized),
        deleting_topics=[
            declared.TopicInfo(topic_id=topic_id, topic_name=name)
            for topic_id, name in value.deleting.items()
        ],
    )


def _topics(topics: TopicStates) -> list[declared.TopicPartitionsInfo]:
    return [
        declared.TopicPartitionsInfo(
            topic_id=topic_id, topic_name=topic.name, partitions=sorted(topic.partitions)
        )
        for topic_id, topic in topics.items()
    ]


def _read_state_partitions(
    value: declared.ShareGroupStatePartitionMetadataValue,
) -> StatePartitions:
    return StatePartitions(
        _read_topics(value.initializing_topics),
        _read_topics(value.initialized_topics),
        {each.topic_id: each.topic_name for each in value.deleting_topics},
    )


def _read_topics(topics: list[declared.TopicPartitionsInfo]) -> TopicStates:
    return {
        each.topic_id: TopicState(each.topic_name, frozenset(each.partitions)) for each in topics
    }


SHARE_RECORD_TYPES: Final[Mapping[int, RecordType]] = {
    10: RecordType(
        MemberRecord,
        declared.ShareGroupMemberMetadataKey,
        declared.ShareGroupMemberMetadataValue,
        _member,
        _read_member,
    ),
    11: RecordType(
        GroupEpochRecord,
        declared.ShareGroupMetadataKey,
        declared.ShareGroupMetadataValue,
        _group_epoch,
        _read_epoch,
    ),
    12: RecordType(
        TargetEpochRecord,
        declared.ShareGroupTargetAssignmentMetadataKey,
        declared.ShareGroupTargetAssignmentMetadataValue,
        _target_epoch,
        _read_target_epoch,
    ),
    13: RecordType(
        TargetAssignmentRecord,
        declared.ShareGroupTargetAssignmentMemberKey,
        declared.ShareGroupTargetAssignmentMemberValue,
        _target,
        _read_target,
    ),
    14: RecordType(
        CurrentAssignmentRecord,
        declared.ShareGroupCurrentMemberAssignmentKey,
        declared.ShareGroupCurrentMemberAssignmentValue,
        _current,
        _read_current,
    ),
    15: RecordType(
        StatePartitionsRecord,
        declared.ShareGroupStatePartitionMetadataKey,
        declared.ShareGroupStatePartitionMetadataValue,
        _state_partitions,
        _read_state_partitions,
    ),
}
"""Types of record by the number in their keys."""
