"""Records of `__consumer_offsets` that hold consumer groups (KIP-848).

The bytes are those of the declarations in `protocol.log_records`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from mockbroker.protocol.log_records import consumer_group as declared
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Uuid
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import (
    ClassicMemberMetadata,
    CurrentAssignment,
    CurrentAssignmentRecord,
    GroupEpoch,
    GroupEpochRecord,
    MemberMetadata,
    MemberRecord,
    ModernRecord,
    PartitionEpochs,
    Partitions,
    RegularExpressionRecord,
    ResolvedRegularExpression,
    SubscriptionMetadataRecord,
    TargetAssignmentRecord,
    TargetEpoch,
    TargetEpochRecord,
)


class RecordType(NamedTuple):
    """A type of record: its class in the state, its declarations, and the way between them."""

    record: Callable[..., ModernRecord]
    key: type[Message]
    value: type[Message]
    to_declared: Callable[[Any], Message]
    from_declared: Callable[[Any], Any]


def _group_epoch(value: GroupEpoch) -> Message:
    return declared.ConsumerGroupMetadataValue(
        epoch=value.group_epoch, metadata_hash=value.metadata_hash
    )


def _read_epoch(value: declared.ConsumerGroupMetadataValue) -> GroupEpoch:
    return GroupEpoch(value.epoch, value.metadata_hash)


def _member(value: MemberMetadata) -> Message:
    classic = value.classic and declared.ClassicMemberMetadata(
        session_timeout_ms=value.classic.session_timeout_ms,
        supported_protocols=[
            declared.ClassicProtocol(name=name, metadata=metadata)
            for name, metadata in value.classic.supported_protocols
        ],
    )
    return declared.ConsumerGroupMemberMetadataValue(
        instance_id=value.instance_id,
        rack_id=value.rack_id,
        client_id=value.client_id,
        client_host=value.client_host,
        subscribed_topic_names=sorted(value.subscribed_topic_names),
        subscribed_topic_regex=value.subscribed_topic_regex,
        rebalance_timeout_ms=value.rebalance_timeout_ms,
        server_assignor=value.server_assignor,
        classic_member_metadata=classic,
    )


def _read_member(value: declared.ConsumerGroupMemberMetadataValue) -> MemberMetadata:
    own, classic = value.classic_member_metadata, None
    if own is not None:
        protocols = ((each.name, bytes(each.metadata)) for each in own.supported_protocols)
        classic = ClassicMemberMetadata(own.session_timeout_ms, tuple(protocols))
    return MemberMetadata(
        value.client_id,
        value.client_host,
        value.instance_id,
        value.rack_id,
        frozenset(value.subscribed_topic_names),
        value.subscribed_topic_regex,
        value.rebalance_timeout_ms,
        value.server_assignor,
        classic,
    )


def _subscription_metadata(_value: None) -> Message:
    return declared.ConsumerGroupPartitionMetadataValue()


def _read_subscription_metadata(_value: Message) -> None:
    return None


def _target_epoch(value: TargetEpoch) -> Message:
    return declared.ConsumerGroupTargetAssignmentMetadataValue(
        assignment_epoch=value.assignment_epoch, assignment_timestamp=value.timestamp_ms
    )


def _read_target_epoch(value: declared.ConsumerGroupTargetAssignmentMetadataValue) -> TargetEpoch:
    return TargetEpoch(value.assignment_epoch, value.assignment_timestamp)


def _target(value: Partitions) -> Message:
    return declared.ConsumerGroupTargetAssignmentMemberValue(
        topic_partitions=[
            declared.TopicPartition(topic_id=topic_id, partitions=sorted(partitions))
            for topic_id, partitions in value.items()
        ]
    )


def _read_target(value: declared.ConsumerGroupTargetAssignmentMemberValue) -> Partitions:
    return {each.topic_id: frozenset(each.partitions) for each in value.topic_partitions}


def _current(value: CurrentAssignment) -> Message:
    return declared.ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch=value.member_epoch,
        previous_member_epoch=value.previous_member_epoch,
        state=value.state,
        assigned_partitions=_with_epochs(value.assigned),
        partitions_pending_revocation=_with_epochs(value.pending_revocation),
    )


def _with_epochs(partitions: PartitionEpochs) -> list[declared.TopicPartitions]:
    return [
        declared.TopicPartitions(
            topic_id=topic_id,
            partitions=sorted(epochs),
            assignment_epochs=[epochs[each] for each in sorted(epochs)],
        )
        for topic_id, epochs in partitions.items()
    ]


def _read_current(value: declared.ConsumerGroupCurrentMemberAssignmentValue) -> CurrentAssignment:
    member_epoch = max(value.member_epoch, 0)
    return CurrentAssignment(
        value.member_epoch,
        value.previous_member_epoch,
        MemberState(value.state),
        _read_with_epochs(value.assigned_partitions, member_epoch),
        _read_with_epochs(value.partitions_pending_revocation, member_epoch),
    )


def _read_with_epochs(topics: list[declared.TopicPartitions], default: int) -> PartitionEpochs:
    found: dict[Uuid, Mapping[int, int]] = {}
    for topic in topics:
        epochs = topic.assignment_epochs
        if epochs is None or len(epochs) != len(topic.partitions):
            epochs = [default] * len(topic.partitions)
        found[topic.topic_id] = dict(zip(topic.partitions, epochs, strict=True))
    return found


def _expression(value: ResolvedRegularExpression) -> Message:
    return declared.ConsumerGroupRegularExpressionValue(
        topics=sorted(value.topics), version=value.version, timestamp=value.timestamp_ms
    )


def _read_expression(
    value: declared.ConsumerGroupRegularExpressionValue,
) -> ResolvedRegularExpression:
    return ResolvedRegularExpression(frozenset(value.topics), value.version, value.timestamp)


CONSUMER_RECORD_TYPES: Final[Mapping[int, RecordType]] = {
    3: RecordType(
        GroupEpochRecord,
        declared.ConsumerGroupMetadataKey,
        declared.ConsumerGroupMetadataValue,
        _group_epoch,
        _read_epoch,
    ),
    4: RecordType(
        SubscriptionMetadataRecord,
        declared.ConsumerGroupPartitionMetadataKey,
        declared.ConsumerGroupPartitionMetadataValue,
        _subscription_metadata,
        _read_subscription_metadata,
    ),
    5: RecordType(
        MemberRecord,
        declared.ConsumerGroupMemberMetadataKey,
        declared.ConsumerGroupMemberMetadataValue,
        _member,
        _read_member,
    ),
    6: RecordType(
        TargetEpochRecord,
        declared.ConsumerGroupTargetAssignmentMetadataKey,
        declared.ConsumerGroupTargetAssignmentMetadataValue,
        _target_epoch,
        _read_target_epoch,
    ),
    7: RecordType(
        TargetAssignmentRecord,
        declared.ConsumerGroupTargetAssignmentMemberKey,
        declared.ConsumerGroupTargetAssignmentMemberValue,
        _target,
        _read_target,
    ),
    8: RecordType(
        CurrentAssignmentRecord,
        declared.ConsumerGroupCurrentMemberAssignmentKey,
        declared.ConsumerGroupCurrentMemberAssignmentValue,
        _current,
        _read_current,
    ),
    16: RecordType(
        RegularExpressionRecord,
        declared.ConsumerGroupRegularExpressionKey,
        declared.ConsumerGroupRegularExpressionValue,
        _expression,
        _read_expression,
    ),
}
"""Types of record by the number in their keys."""
