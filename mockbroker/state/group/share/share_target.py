"""Epochs and target assignments that a share member's heartbeat brings about.

A change of subscriptions, of their topics or of the initialised share partitions begins an epoch of
the group. For a new epoch, a target assignment is computed, at most once in an assignment interval
(KIP-1263).
"""

from collections import Counter
from typing import Final, NamedTuple

from mockbroker.state.config.named_configs import group_integer
from mockbroker.state.group.classic.group_host import GroupCoordinatorHost
from mockbroker.state.group.modern.group_spec import GroupSpec, MemberSpec
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignment,
    GroupEpoch,
    GroupEpochRecord,
    ModernRecord,
    Partitions,
)
from mockbroker.state.group.modern.target_assignment import NO_PARTITIONS, compute_target
from mockbroker.state.group.modern.topic_metadata import TopicMetadata
from mockbroker.state.group.share.share_group import ShareGroup, ShareGroupMember
from mockbroker.state.group.share.simple_assignor import assign_simply
from mockbroker.state.topic.java_hash import texts_in_java_hash_order

ASSIGNMENT_INTERVAL: Final = "share.assignment.interval.ms"


class ShareTarget(NamedTuple):
    """What a heartbeat's member gets."""

    group_epoch: int
    assignment_epoch: int
    """The epoch of the target assignment."""
    partitions: Partitions
    records: list[ModernRecord]
    begins_epoch: bool
    subscribers: Counter[str]
    """Numbers of members that subscribe to topics, after the heartbeat."""
    topics_revision: int


class ShareTargetUpdate:
    """Updates of the epochs and target assignments of one broker's share groups."""

    __slots__ = ("_broker_id", "_host", "_topics")

    def __init__(self, broker_id: int, host: GroupCoordinatorHost, topics: TopicMetadata) -> None:
        """Read configs and topics of a cluster."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._topics: Final = topics

    def update(
        self, group: ShareGroup, member: ShareGroupMember, updated: ShareGroupMember, now_ms: int
    ) -> ShareTarget:
        """Return the target of a member that becomes `updated`, with new records of the group."""
        found = self._next_epoch(group, member, updated)
        interval_ms = group_integer(
            self._host.configs, ASSIGNMENT_INTERVAL, group.group_id, self._broker_id
        )
        is_current = group.target.assignment_epoch >= found.group_epoch
        if is_current or not group.target.can_be_computed(interval_ms, now_ms):
            return found
        named, spec = (group.kind, group.group_id), self._spec(group, updated, found.subscribers)
        computed = compute_target(named, found.group_epoch, spec, assign_simply, now_ms)
        return found._replace(
            assignment_epoch=found.group_epoch,
            partitions=computed.members.get(updated.member_id, NO_PARTITIONS),
            records=found.records + computed.records,
        )

    def _next_epoch(
        self, group: ShareGroup, member: ShareGroupMember, updated: ShareGroupMember
    ) -> ShareTarget:
        names = member.metadata.subscribed_topic_names, updated.metadata.subscribed_topic_names
        begins_epoch = names[0] != names[1]
        if group.target.assignment_epoch >= group.group_epoch:
            begins_epoch |= group.awaits_assignment()
        revision = self._topics.revision
        found = ShareTarget(
            group.group_epoch,
            group.target.assignment_epoch,
            group.target.of(updated.member_id),
            [],
            begins_epoch,
            group.subscribers,
            revision,
        )
        if not begins_epoch and group.topics_revision == revision:
            return found
        subscribers = group.subscribers_with(updated)
        metadata_hash = self._topics.hash_of(subscribers)
        if not begins_epoch and metadata_hash == group.metadata_hash:
            return found._replace(subscribers=subscribers)
        value = GroupEpoch(group.group_epoch + 1, metadata_hash)
        return found._replace(
            group_epoch=value.group_epoch,
            records=[GroupEpochRecord(group.kind, group.group_id, value)],
            begins_epoch=True,
            subscribers=subscribers,
        )

    def _spec(
        self, group: ShareGroup, updated: ShareGroupMember, subscribers: Counter[str]
    ) -> GroupSpec:
        members = group.members | {updated.member_id: updated}
        known = group.member_ids_in_order()
        in_order = known + [each for each in members if each not in group.members]
        specs = {
            member_id: MemberSpec(
                self._topics.ids(members[member_id].metadata.subscribed_topic_names),
                group.target.members.get(member_id),
                rack_id=members[member_id].metadata.rack_id,
            )
            for member_id in texts_in_java_hash_order(in_order)
        }
        topic_ids = {each for spec in specs.values() for each in spec.topic_ids}
        return GroupSpec(
            specs,
            all(count == len(members) for count in subscribers.values()),
            group.target.owners,
            self._topics.partition_counts(topic_ids),
            {key: topic.partitions for key, topic in group.known_state.initialized.items()},
        )

    def reconciled(
        self, group_id: str, member: ShareGroupMember, target: ShareTarget
    ) -> CurrentAssignment:
        """Return the current assignment of a member: its target at once, unless it is held."""
        current = member.current
        if not target.begins_epoch and member.is_reconciled_to(target.assignment_epoch):
            return current
        held = self._host.held_reconciliations
        if held.holds(group_id, member.member_id):
            return _held_back(current, target.assignment_epoch)
        held.took_step(group_id, member.member_id)
        topic_ids = set(self._topics.ids(member.metadata.subscribed_topic_names))
        assigned = {
            topic_id: dict.fromkeys(sorted(partitions), 0)
            for topic_id, partitions in target.partitions.items()
            if topic_id in topic_ids
        }
        if target.assignment_epoch == member.member_epoch:
            return current._replace(state=MemberState.STABLE, assigned=assigned)
        return CurrentAssignment(target.assignment_epoch, member.member_epoch, assigned=assigned)


def _held_back(current: CurrentAssignment, target_epoch: int) -> CurrentAssignment:
    """Return the assignment of a member that is kept from its target; one that joins gets none."""
    if current.member_epoch > 0:
        return current
    return current._replace(
        member_epoch=target_epoch,
        previous_member_epoch=current.member_epoch,
        state=MemberState.UNRELEASED_PARTITIONS,
    )
