"""Migration of a group between the classic and the consumer protocol (KIP-848).

Rules:

1. The first member of the consumer protocol makes a classic group of consumers a consumer group;
   its classic members stay, and keep what they were assigned.
2. When the last such member goes, the group becomes classic again. Its members keep their target
   assignment until they have joined the next generation.
3. `group.consumer.migration.policy` allows each of the two ways.
"""

from collections.abc import Collection
from typing import Final, Protocol

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.validator import config_text
from mockbroker.state.group.classic.classic_group import CONSUMER_PROTOCOL_TYPE, ClassicGroup
from mockbroker.state.group.classic.group_member import GroupMember
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_group_host import ConsumerGroupHost
from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember
from mockbroker.state.group.consumer.embedded_protocol import EmbeddedSubscription
from mockbroker.state.group.consumer.member_records import creation
from mockbroker.state.group.group_log_record import GroupLogRecord, GroupRecord
from mockbroker.state.group.modern.modern_records import (
    ClassicMemberMetadata,
    CurrentAssignment,
    CurrentAssignmentRecord,
    GroupEpoch,
    GroupEpochRecord,
    MemberMetadata,
    MemberRecord,
    PartitionEpochs,
    Partitions,
    TargetAssignmentRecord,
    TargetEpoch,
    TargetEpochRecord,
)
from mockbroker.state.group.modern.topic_metadata import TopicMetadata
from mockbroker.state.topic.java_hash import (
    ids_in_java_hash_order,
    indexes_in_java_hash_order,
)

POLICY: Final = "group.consumer.migration.policy"
MAX_SIZE: Final = "group.consumer.max.size"
CLASSIC_MAX_SIZE: Final = "group.max.size"
_UPGRADES: Final = frozenset({"upgrade", "bidirectional"})
_DOWNGRADES: Final = frozenset({"downgrade", "bidirectional"})


class ClassicMembership(Protocol):
    """The members of classic groups, as far as a migration changes them."""

    def interrupt(self, group: ClassicGroup) -> None:
        """Answer pending requests of a group that becomes a consumer group."""
        ...

    def adopt(self, group: ClassicGroup, now_ms: int, *, rebalances: bool) -> None:
        """Take over a group that was a consumer group."""
        ...


class GroupMigration:
    """The conversions of one broker's groups, which neither append nor change a group."""

    __slots__ = ("_broker_id", "_host", "_topics", "classic")

    def __init__(
        self,
        broker_id: int,
        host: ConsumerGroupHost,
        topics: TopicMetadata,
        classic: ClassicMembership,
    ) -> None:
        """Read configs and topics of a cluster."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._topics: Final = topics
        self.classic: Final = classic

    def _policy(self) -> str:
        value = config_text(self._host.configs.broker_value(POLICY, self._broker_id))
        return (value or "").lower()

    @property
    def is_disabled(self) -> bool:
        """True if a group has members of one protocol only."""
        return self._policy() == "disabled"

    def _integer(self, name: str) -> int:
        return self._host.configs.broker_integer(name, self._broker_id)

    # Upgrade

    def upgraded(self, group: ClassicGroup) -> tuple[ConsumerGroup, list[GroupLogRecord]]:
        """Return a classic group as a consumer group, with the records that make it one.

        Raises:
            ApiError: GROUP_ID_NOT_FOUND; UNKNOWN_SERVER_ERROR if a member does not support the
                group's protocol, or none was chosen yet.

        """
        self._check_upgrade(group)
        self.classic.interrupt(group)
        kind, group_id, generation_id = ConsumerGroup.kind, group.group_id, group.generation_id
        upgraded = ConsumerGroup(group_id)
        for each in group.members.values():
            assigned = self._assigned(group, each)
            member_id, metadata = each.member_id, self._metadata(group, each)
            current = CurrentAssignment(
                generation_id,
                generation_id,
                assigned={
                    topic_id: dict.fromkeys(sorted(partitions), generation_id)
                    for topic_id, partitions in assigned.items()
                },
            )
            upgraded.replay(MemberRecord(kind, group_id, member_id, metadata))
            upgraded.replay(TargetAssignmentRecord(kind, group_id, member_id, assigned))
            upgraded.replay(CurrentAssignmentRecord(kind, group_id, member_id, current))
        metadata_hash = self._topics.hash_of(upgraded.topic_names(upgraded.members.values()))
        group_epoch = GroupEpoch(generation_id, metadata_hash)
        upgraded.replay(GroupEpochRecord(kind, group_id, group_epoch))
        upgraded.replay(TargetEpochRecord(kind, group_id, TargetEpoch(generation_id)))
        return upgraded, [GroupRecord(group_id, None), *creation(upgraded)]

    def _check_upgrade(self, group: ClassicGroup) -> None:
        if self._policy() not in _UPGRADES:
            raise _not_upgraded(group, "because online upgrade is disabled.")
        if not group.is_consumer_group:
            raise _not_upgraded(
                group, "because the group does not use the consumer embedded protocol."
            )
        if len(group.members) > self._integer(MAX_SIZE):
            raise _not_upgraded(
                group, "because the group size exceeds the consumer group maximum size."
            )

    def _assigned(self, group: ClassicGroup, member: GroupMember) -> Partitions:
        if not member.assignment:
            return {}
        assignment = self._host.records.read_assignment(member.assignment)
        if assignment is None:
            raise _malformed(group)
        if assignment.user_data:
            raise _not_upgraded(
                group,
                "because an unsupported custom assignor is in use. Please refer to the"
                " documentation or switch to a default assignor before re-attempting the upgrade.",
            )
        return self._topics.by_id(assignment.partitions)

    def _metadata(self, group: ClassicGroup, member: GroupMember) -> MemberMetadata:
        metadata = dict(member.supported_protocols).get(group.protocol_name or "")
        if metadata is None:
            raise ApiError(
                ErrorCode.UNKNOWN_SERVER_ERROR,
                f"member {member.member_id!r} does not support the protocol"
                f" {group.protocol_name!r} of group {group.group_id!r}",
            )
        subscription = self._host.records.read_subscription(metadata)
        if subscription is None:
            raise _malformed(group)
        return MemberMetadata(
            member.client_id,
            member.client_host,
            member.group_instance_id,
            subscription.rack_id or None,
            subscription.topics,
            "",
            member.rebalance_timeout_ms,
            classic=ClassicMemberMetadata(member.session_timeout_ms, member.supported_protocols),
        )

    # Downgrade

    def may_downgrade(self, group: ConsumerGroup, leaving: Collection[ConsumerGroupMember]) -> bool:
        """Return whether a group becomes classic when members leave it."""
        rest = group.members.keys() - {member.member_id for member in leaving}
        return bool(rest) and self._may_have(group, rest)

    def may_downgrade_by_replacing(self, group: ConsumerGroup, member: ConsumerGroupMember) -> bool:
        """Return whether a group becomes classic when a classic member replaces a static one."""
        rest = group.members.keys() - {member.member_id}
        return not member.uses_classic and self._may_have(group, rest, joining=1)

    def _may_have(
        self, group: ConsumerGroup, member_ids: Collection[str], *, joining: int = 0
    ) -> bool:
        return (
            all(group.members[member_id].uses_classic for member_id in member_ids)
            and self._policy() in _DOWNGRADES
            and len(member_ids) + joining <= self._integer(CLASSIC_MAX_SIZE)
        )

    def downgraded(
        self,
        group: ConsumerGroup,
        leaving: Collection[ConsumerGroupMember],
        now_ms: int,
        joining: ConsumerGroupMember | None = None,
    ) -> tuple[ClassicGroup, list[GroupLogRecord]]:
        """Return a consumer group as a stable classic one, with the records that make it one.

        `joining` replaces the static member with its instance id.
        """
        gone = {member.member_id for member in leaving}
        replaced = None if joining is None else group.static_member(joining.instance_id or "")
        names: dict[str, str] = {}
        staying = [each for each in group.members_in_order() if each.member_id not in gone]
        if joining is not None and replaced is not None:
            names[replaced.member_id] = joining.member_id
            staying = [each for each in staying if each != replaced]
            staying.append(joining)
        classic = ClassicGroup(group.group_id, now_ms=now_ms, state=GroupState.STABLE)
        classic.generation_id = group.group_epoch
        for member in staying:
            classic.add(_classic_member(member))
        classic.protocol_name = classic.select_protocol()
        classic.note_subscriptions()
        former = {new: old for old, new in names.items()}
        for member_id, each in classic.members.items():
            target = group.target.of(former.get(member_id, member_id))
            each.assignment = self.assignment(each.metadata(classic.protocol_name), target)
        value = classic.to_log_value(classic.assignments())
        return classic, [*group.tombstones(names), GroupRecord(group.group_id, value)]

    def subscription(self, metadata: bytes) -> EmbeddedSubscription:
        """Return the subscription in a classic member's metadata.

        Raises:
            ApiError: INCONSISTENT_GROUP_PROTOCOL.

        """
        subscription = self._host.records.read_subscription(metadata)
        if subscription is None:
            raise ApiError(
                ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
                "Malformed embedded consumer protocol in subscription deserialization.",
            )
        return subscription

    def assignment(self, metadata: bytes, partitions: Partitions | PartitionEpochs) -> bytes:
        """Return partitions as an assignment in the version of a member's subscription."""
        known: dict[str, list[int]] = {}
        for topic_id in ids_in_java_hash_order(sorted(partitions)):
            name = self._topics.name_of(topic_id)
            if name is not None:
                known[name] = indexes_in_java_hash_order(list(partitions[topic_id]))
        return self._host.records.write_assignment(known, metadata)


def _classic_member(member: ConsumerGroupMember) -> GroupMember:
    metadata = member.metadata
    assert metadata.classic is not None, member
    return GroupMember(
        member.member_id,
        group_instance_id=metadata.instance_id,
        client_id=metadata.client_id,
        client_host=metadata.client_host,
        rebalance_timeout_ms=metadata.rebalance_timeout_ms,
        session_timeout_ms=metadata.classic.session_timeout_ms,
        protocol_type=CONSUMER_PROTOCOL_TYPE,
        supported_protocols=metadata.classic.supported_protocols,
    )


def _malformed(group: ClassicGroup) -> ApiError:
    return _not_upgraded(group, "because the embedded consumer protocol is malformed.")


def _not_upgraded(group: ClassicGroup, why: str) -> ApiError:
    return ApiError(
        ErrorCode.GROUP_ID_NOT_FOUND,
        f"Cannot upgrade classic group {group.group_id} to consumer group {why}",
    )
