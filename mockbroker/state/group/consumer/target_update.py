"""Epochs and target assignments that a member's heartbeat brings about.

A change of subscriptions, of their topics or of the preferred assignor begins an epoch of the
group. For a new epoch, a target assignment is computed, at most once in an assignment interval
(KIP-1263).
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from mockbroker.state.config.named_configs import group_integer
from mockbroker.state.config.validator import config_text, split_list
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_group_host import ConsumerGroupHost
from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember
from mockbroker.state.group.consumer.regular_expressions import (
    ExpressionUpdate,
    update_expressions,
)
from mockbroker.state.group.modern import range_assignor, uniform_assignor
from mockbroker.state.group.modern.group_spec import Assignor, GroupSpec, MemberSpec
from mockbroker.state.group.modern.modern_records import (
    GroupEpoch,
    GroupEpochRecord,
    ModernRecord,
    Partitions,
)
from mockbroker.state.group.modern.target_assignment import NO_PARTITIONS, compute_target
from mockbroker.state.group.modern.topic_metadata import TopicMetadata
from mockbroker.state.topic.java_hash import texts_in_java_hash_order

ASSIGNORS: Final = "group.consumer.assignors"
REFRESH_INTERVAL: Final = "group.consumer.regex.refresh.interval.ms"
ASSIGNMENT_INTERVAL: Final = "consumer.assignment.interval.ms"

_ASSIGNORS: Final[Mapping[str, Assignor]] = {
    uniform_assignor.NAME: uniform_assignor.assign_uniformly,
    range_assignor.NAME: range_assignor.assign_ranges,
}


class UpdatedTarget(NamedTuple):
    """What a heartbeat's member moves towards."""

    epoch: int
    """The epoch of the target assignment."""
    partitions: Partitions
    records: list[ModernRecord]
    subscription_changed: bool
    topics_revision: int
    unresolved: frozenset[str]
    """Regular expressions to resolve after the heartbeat."""


class TargetUpdate:
    """Updates of the epochs and target assignments of one broker's consumer groups."""

    __slots__ = ("_broker_id", "_host", "_topics")

    def __init__(self, broker_id: int, host: ConsumerGroupHost, topics: TopicMetadata) -> None:
        """Read configs and topics of a cluster."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._topics: Final = topics

    def update(
        self,
        group: ConsumerGroup,
        member: ConsumerGroupMember,
        updated: ConsumerGroupMember,
        now_ms: int,
    ) -> UpdatedTarget:
        """Return the target of a member that becomes `updated`, with new records of the group."""
        records: list[ModernRecord] = []
        kind, group_id, epoch = group.kind, group.group_id, group.epoch
        old, new = member.metadata, updated.metadata
        names_changed = old.subscribed_topic_names != new.subscribed_topic_names
        revision = self._topics.revision
        members: dict[str, ConsumerGroupMember] | None = None
        expressions = self._expressions(group, member, updated, now_ms)
        records += expressions.records
        begins_epoch = names_changed or expressions.is_resolved
        changed = names_changed or expressions.has_changed
        if old.server_assignor != new.server_assignor or updated.member_id not in group.members:
            members = _with(group, updated)
            default = self.assignors()[0]
            preferred = group.next_preferred_assignor(members.values()) or default
            begins_epoch = begins_epoch or preferred != (group.preferred_assignor() or default)
        if begins_epoch or group.topics_revision != revision:
            members = members or _with(group, updated)
            metadata_hash = self._topics.hash_of(group.topic_names(members.values()))
            if begins_epoch or metadata_hash != group.metadata_hash:
                epoch += 1
                value = GroupEpoch(epoch, metadata_hash)
                records.append(GroupEpochRecord(kind, group_id, value))
        interval_ms = self._interval_ms(group_id)
        if group.target.epoch >= epoch or not group.target.can_be_computed(interval_ms, now_ms):
            known = group.static_members.get(updated.instance_id or "", updated.member_id)
            return UpdatedTarget(
                group.target.epoch,
                group.target.of(known),
                records,
                changed,
                revision,
                expressions.unresolved,
            )
        spec_members = members or _with(group, updated)
        spec = self._spec(group, spec_members)
        voted = group.next_preferred_assignor(spec_members.values())
        assignor = _ASSIGNORS[voted or self.assignors()[0]]
        computed = compute_target((kind, group_id), epoch, spec, assignor, now_ms)
        target = computed.members.get(updated.member_id, NO_PARTITIONS)
        records += computed.records
        return UpdatedTarget(epoch, target, records, changed, revision, expressions.unresolved)

    def _expressions(
        self,
        group: ConsumerGroup,
        member: ConsumerGroupMember,
        updated: ConsumerGroupMember,
        now_ms: int,
    ) -> ExpressionUpdate:
        old, new = (each.metadata.subscribed_topic_regex for each in (member, updated))
        if not (old or new or group.regular_expressions):
            return ExpressionUpdate(has_changed=old != new)
        return update_expressions(
            group,
            member,
            updated,
            now_ms=now_ms,
            refresh_interval_ms=self._host.configs.broker_integer(
                REFRESH_INTERVAL, self._broker_id
            ),
            topics=self._topics,
        )

    def assignors(self) -> tuple[str, ...]:
        """Return the names of the assignors, the default one first."""
        return split_list(
            config_text(self._host.configs.broker_value(ASSIGNORS, self._broker_id)) or ""
        )

    def _interval_ms(self, group_id: str) -> int:
        return group_integer(self._host.configs, ASSIGNMENT_INTERVAL, group_id, self._broker_id)

    def _spec(self, group: ConsumerGroup, members: Mapping[str, ConsumerGroupMember]) -> GroupSpec:
        specs: dict[str, MemberSpec] = {}
        for member_id in texts_in_java_hash_order(_in_timeline_order(group, members)):
            member = members[member_id]
            known = group.static_members.get(member.instance_id or "", member_id)
            specs[member_id] = MemberSpec(
                self._topics.ids(group.topics_of(member)),
                group.target.members.get(known),
                member.instance_id,
                member.metadata.rack_id,
            )
        topic_ids = {each for spec in specs.values() for each in spec.topic_ids}
        return GroupSpec(
            specs,
            group.is_homogeneous(list(members.values())),
            group.target.owners,
            self._topics.partition_counts(topic_ids),
        )


def _with(group: ConsumerGroup, updated: ConsumerGroupMember) -> dict[str, ConsumerGroupMember]:
    """Return the members with one that joins or changes, in the place of its instance id's."""
    replaced = group.static_members.get(updated.instance_id or "")
    return {
        member_id: member for member_id, member in group.members.items() if member_id != replaced
    } | {updated.member_id: updated}


def _in_timeline_order(
    group: ConsumerGroup, members: Mapping[str, ConsumerGroupMember]
) -> list[str]:
    """Return the member ids as Kafka's tables iterate over them, new ones last."""
    known = [each for each in group.member_ids_in_order() if each in members]
    return known + [each for each in members if each not in group.members]
