"""Epochs and target assignments that a member's heartbeat brings about.

A change of subscriptions, of their topics or of the preferred assignor begins an epoch of the
group. For a new epoch, a target assignment is computed, at most once in an assignment interval
(KIP-1263).
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError
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
    MemberMetadata,
    ModernRecord,
    Partitions,
)
from mockbroker.state.group.modern.target_assignment import (
    NO_PARTITIONS,
    NextTarget,
    compute_target,
)
from mockbroker.state.group.modern.topic_metadata import TopicMetadata
from mockbroker.state.release.group_options import ConsumerGroupOptions
from mockbroker.state.topic.java_hash import texts_in_java_hash_order

ASSIGNORS: Final = "group.consumer.assignors"
REFRESH_INTERVAL: Final = "group.consumer.regex.refresh.interval.ms"
ASSIGNMENT_INTERVAL: Final = "consumer.assignment.interval.ms"

_ASSIGNORS: Final[Mapping[str, Assignor]] = {
    uniform_assignor.NAME: uniform_assignor.assign_uniformly,
    range_assignor.NAME: range_assignor.assign_ranges,
}
_PACKAGE: Final = "org.apache.kafka.coordinator.group.assignor"
_BY_CLASS: Final[Mapping[str, str]] = {
    f"{_PACKAGE}.UniformAssignor": uniform_assignor.NAME,
    f"{_PACKAGE}.RangeAssignor": range_assignor.NAME,
}
"""Names of assignors that a config names by their classes, as the default of 3.9 does."""


class UpdatedTarget(NamedTuple):
    """What a heartbeat's member moves towards."""

    assignment_epoch: int
    """The epoch of the target assignment."""
    partitions: Partitions
    records: list[ModernRecord]
    subscription_changed: bool
    topics_revision: int
    unresolved: frozenset[str]
    """Regular expressions to resolve after the heartbeat."""


class NextEpoch(NamedTuple):
    """The epoch of the group after a request of a member."""

    group_epoch: int
    records: list[ModernRecord]
    is_homogeneous: bool | None
    """True if the members subscribe to the same topics; None if the request changes nothing."""
    preferred: str
    """The group's assignor."""
    subscription_changed: bool
    unresolved: frozenset[str]


class TargetUpdate:
    """Updates of the epochs and target assignments of one broker's consumer groups."""

    __slots__ = ("_broker_id", "_host", "_options", "_topics")

    def __init__(self, broker_id: int, host: ConsumerGroupHost, topics: TopicMetadata) -> None:
        """Read configs and topics of a cluster."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._topics: Final = topics
        self._options: Final[ConsumerGroupOptions] = host.options.consumer_groups

    def update(
        self,
        group: ConsumerGroup,
        member: ConsumerGroupMember,
        updated: ConsumerGroupMember,
        now_ms: int,
    ) -> UpdatedTarget:
        """Return the target of a member that becomes `updated`, with new records of the group.

        Raises:
            ApiError: UNKNOWN_SERVER_ERROR if the assignor fails (3.9).

        """
        known = group.static_members.get(updated.instance_id or "", updated.member_id)
        stays = updated.metadata == member.metadata
        if stays and not updated.metadata.subscribed_topic_regex and self.is_settled(group):
            target = group.target
            return UpdatedTarget(
                target.assignment_epoch,
                target.of(known),
                [],
                subscription_changed=False,
                topics_revision=self._topics.revision,
                unresolved=frozenset(),
            )
        following = self.next_epoch(group, member, updated, now_ms)
        found = UpdatedTarget(
            group.target.assignment_epoch,
            NO_PARTITIONS,
            following.records,
            following.subscription_changed,
            self._topics.revision,
            following.unresolved,
        )
        interval_ms = self._interval_ms(group.group_id)
        is_current = group.target.assignment_epoch >= following.group_epoch
        if is_current or not group.target.can_be_computed(interval_ms, now_ms):
            return found._replace(partitions=group.target.of(known))
        is_homogeneous = following.is_homogeneous
        if is_homogeneous is None:
            # As in Kafka, a member that joins without topics is not looked at.
            is_homogeneous = group.is_homogeneous(list(group.members.values()))
        spec = self._spec(group, _with(group, updated), is_homogeneous=is_homogeneous)
        computed = self._computed(group, following, spec, now_ms)
        return found._replace(
            assignment_epoch=following.group_epoch,
            partitions=computed.members.get(updated.member_id, NO_PARTITIONS),
            records=found.records + computed.records,
        )

    @staticmethod
    def _computed(
        group: ConsumerGroup, following: NextEpoch, spec: GroupSpec, now_ms: int
    ) -> NextTarget:
        named = (group.kind, group.group_id)
        assignor = _ASSIGNORS[following.preferred]
        try:
            return compute_target(named, following.group_epoch, spec, assignor, now_ms)
        except ApiError as failure:
            raise ApiError(
                failure.code,
                "Failed to compute a new target assignment for epoch"
                f" {following.group_epoch}: {failure.why}",
            ) from failure

    def is_settled(self, group: ConsumerGroup) -> bool:
        """Return True for most groups: a member that changes nothing leaves them as they are.

        False is always right: then it takes longer to find that nothing changes.
        """
        return (
            group.topics_revision == self._topics.revision
            and group.target.assignment_epoch >= group.group_epoch
            and not group.has_votes
            and not group.regular_expressions
        )

    def next_epoch(
        self,
        group: ConsumerGroup,
        member: ConsumerGroupMember,
        updated: ConsumerGroupMember,
        now_ms: int,
    ) -> NextEpoch:
        """Return the group's epoch when a member becomes `updated`.

        A classic member does not change the assignor, and its request has no regular expression.
        """
        expressions = self._expressions(group, member, updated, now_ms)
        preferred = self._preferred(group, member.metadata, updated.metadata)
        has_other_names = _has_other_names(member, updated)
        found = NextEpoch(
            group.group_epoch,
            list(expressions.records),
            None,
            preferred,
            has_other_names or expressions.has_changed,
            expressions.unresolved,
        )
        if updated.uses_classic:
            begins_epoch = found.subscription_changed
        else:
            begins_epoch = (
                has_other_names
                or expressions.is_resolved
                or (
                    self._options.assignor_begins_epoch
                    and preferred != self._preferred(group, None, None)
                )
            )
        if not begins_epoch and group.topics_revision == self._topics.revision:
            return found
        members = list(_with(group, updated).values())
        found = found._replace(is_homogeneous=group.is_homogeneous(members))
        metadata_hash = self._topics.hash_of(group.topic_names(members))
        if not begins_epoch and metadata_hash == group.metadata_hash:
            return found
        value = GroupEpoch(group.group_epoch + 1, metadata_hash)
        found.records.append(GroupEpochRecord(group.kind, group.group_id, value))
        return found._replace(group_epoch=value.group_epoch)

    def _preferred(
        self, group: ConsumerGroup, old: MemberMetadata | None, new: MemberMetadata | None
    ) -> str:
        """Return the group's assignor, now or after a change of a member."""
        if old is None or new is None:
            return group.preferred_assignor() or self.assignors()[0]
        voted = group.next_preferred_assignor(old.server_assignor, new.server_assignor)
        return voted or self.assignors()[0]

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
        configs = self._host.configs
        given = split_list(config_text(configs.broker_value(ASSIGNORS, self._broker_id)) or "")
        return tuple(_BY_CLASS.get(each, each) for each in given)

    def _interval_ms(self, group_id: str) -> int:
        configs = self._host.configs
        if f"group.{ASSIGNMENT_INTERVAL}" not in configs.broker_definitions:
            return 0
        return group_integer(configs, ASSIGNMENT_INTERVAL, group_id, self._broker_id)

    def _spec(
        self,
        group: ConsumerGroup,
        members: Mapping[str, ConsumerGroupMember],
        *,
        is_homogeneous: bool,
    ) -> GroupSpec:
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
            is_homogeneous,
            group.target.owners,
            self._topics.partition_counts(topic_ids),
            last_members_get_extra=self._options.last_members_get_extra,
            balances_by_topic=self._options.balances_by_topic,
        )


def _has_other_names(member: ConsumerGroupMember, updated: ConsumerGroupMember) -> bool:
    return member.metadata.subscribed_topic_names != updated.metadata.subscribed_topic_names


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
