"""A consumer group: its members, its epochs and its state (Kafka's `ConsumerGroup`, KIP-848).

Rules:

1. The group changes only by `replay` of records, when they were appended or loaded.
2. Members keep the order in which they joined; where Kafka's answers depend on the order of a hash
   table, callers sort them.
3. Deadlines are not in the log: a coordinator that loads the group starts them again.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Uuid
from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignment,
    CurrentAssignmentRecord,
    GroupEpochRecord,
    MemberRecord,
    ModernRecord,
    PartitionEpochs,
    RegularExpressionRecord,
    ResolvedRegularExpression,
    SubscriptionMetadataRecord,
    TargetAssignmentRecord,
    TargetEpochRecord,
)
from mockbroker.state.group.modern.target_assignment import TargetAssignment, partitions_as_text
from mockbroker.state.observation import Observation
from mockbroker.state.topic.java_hash import texts_in_java_hash_order, texts_in_timeline_order

FIRST_EPOCH: Final = 1
"""The epoch of a group before its first member joins."""
_TOMBSTONE_EPOCH: Final = -1
_UNCHANGED: Final[Mapping[str, str]] = MappingProxyType({})


class ConsumerGroupState(StrEnum):
    """State of a group, with Kafka's names."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


class ConsumerGroup:
    """One group. It neither appends nor answers."""

    __slots__ = (
        "_most_members",
        "_partition_epochs",
        "_votes",
        "classic_steps_ms",
        "group_epoch",
        "group_id",
        "members",
        "metadata_hash",
        "observation",
        "rebalances",
        "regular_expressions",
        "sessions_ms",
        "static_members",
        "target",
        "topics_revision",
    )

    kind: Final = GroupKind.CONSUMER

    def __init__(self, group_id: str) -> None:
        """Start without members."""
        self.group_id: Final = group_id
        self.group_epoch = FIRST_EPOCH
        self.metadata_hash = 0
        self.members: Final[dict[str, ConsumerGroupMember]] = {}
        self.static_members: Final[dict[str, str]] = {}
        """Member ids by instance id."""
        self._most_members = 0
        """The size for which Kafka's table of members has grown: for one more with each update."""
        self.target: Final = TargetAssignment()
        self.regular_expressions: Final[dict[str, ResolvedRegularExpression]] = {}
        self._partition_epochs: Final[dict[Uuid, dict[int, int]]] = {}
        """Epochs of the members that have a partition, or have to revoke it."""
        self._votes: Counter[str] = Counter()
        """How many members name an assignor."""
        self.observation: Observation | None = None
        self.sessions_ms: Final[dict[str, int]] = {}
        """Times at which members' sessions end."""
        self.rebalances: Final[dict[str, tuple[int, int]]] = {}
        """Members that have to revoke partitions: their epoch, and until when."""
        self.classic_steps_ms: Final[dict[tuple[str, str], int]] = {}
        """Times until which classic members have to join again or to sync, by step and member."""
        self.topics_revision: int | None = None
        """Revision of the topics that the group has seen."""

    # Records

    def replay(self, record: ModernRecord) -> None:
        """Apply a record of the log."""
        match record:
            case MemberRecord():
                self._replay_member(record)
            case CurrentAssignmentRecord():
                self._replay_assignment(record)
            case TargetAssignmentRecord() | TargetEpochRecord():
                self.target.replay(record)
            case GroupEpochRecord(value=value):
                if value is not None:
                    self.group_epoch, self.metadata_hash = value
            case RegularExpressionRecord(regular_expression=expression, value=resolved):
                self.regular_expressions.pop(expression, None)
                if resolved is not None:
                    self.regular_expressions[expression] = resolved
            case SubscriptionMetadataRecord():
                pass

    def _replay_assignment(self, record: CurrentAssignmentRecord) -> None:
        member = self.members.get(record.member_id)
        if record.value is not None:
            known = member or ConsumerGroupMember(record.member_id)
            self._put(known._replace(current=record.value))
        elif member is not None:
            gone = CurrentAssignment(_TOMBSTONE_EPOCH, _TOMBSTONE_EPOCH)
            self._put(member._replace(current=gone))

    def _replay_member(self, record: MemberRecord) -> None:
        member = self.members.get(record.member_id)
        if record.value is not None:
            known = member or ConsumerGroupMember(record.member_id)
            self._put(known._replace(metadata=record.value))
        elif member is not None:
            self._release(member)
            self._forget(member)
            del self.members[record.member_id]
            self.sessions_ms.pop(record.member_id, None)
            self.rebalances.pop(record.member_id, None)
            for step in [each for each in self.classic_steps_ms if each[1] == record.member_id]:
                del self.classic_steps_ms[step]

    def _put(self, member: ConsumerGroupMember) -> None:
        old = self.members.get(member.member_id)
        if old is not None:
            self._release(old)
            self._forget(old)
        self.members[member.member_id] = member
        self._most_members = max(self._most_members, len(self.members) + (old is not None))
        if member.metadata.server_assignor is not None:
            self._votes[member.metadata.server_assignor] += 1
        if member.instance_id is not None:
            self.static_members[member.instance_id] = member.member_id
        for partitions in (member.current.assigned, member.current.pending_revocation):
            for topic_id, each in partitions.items():
                owned = self._partition_epochs.setdefault(topic_id, {})
                owned.update(dict.fromkeys(each, member.member_epoch))

    def _forget(self, member: ConsumerGroupMember) -> None:
        if member.metadata.server_assignor is not None:
            self._votes -= Counter([member.metadata.server_assignor])
        if self.static_members.get(member.instance_id or "") == member.member_id:
            del self.static_members[member.instance_id or ""]

    def _release(self, member: ConsumerGroupMember) -> None:
        for partitions in (member.current.assigned, member.current.pending_revocation):
            for topic_id, each in partitions.items():
                owned = self._partition_epochs.get(topic_id, {})
                for partition in [key for key in each if owned.get(key) == member.member_epoch]:
                    del owned[partition]

    def is_owned(self, topic_id: Uuid, partition: int) -> bool:
        """Return whether a member still has a partition, be it one that has left for a moment."""
        return partition in self._partition_epochs.get(topic_id, {})

    def tombstones(self, renamed: Mapping[str, str] = _UNCHANGED) -> list[ModernRecord]:
        """Return the records that end the group and its members, some under new ids."""
        kind, group_id = self.kind, self.group_id
        members = [renamed.get(each, each) for each in self.member_ids_in_order()]
        records: list[ModernRecord] = [
            CurrentAssignmentRecord(kind, group_id, member_id, None) for member_id in members
        ]
        records += [TargetAssignmentRecord(kind, group_id, each, None) for each in members]
        records.append(TargetEpochRecord(kind, group_id, None))
        records += [MemberRecord(kind, group_id, member_id, None) for member_id in members]
        records += [
            RegularExpressionRecord(kind, group_id, expression, None)
            for expression in texts_in_timeline_order(self.regular_expressions)
        ]
        records.append(SubscriptionMetadataRecord(kind, group_id))
        records.append(GroupEpochRecord(kind, group_id, None))
        return records

    # State

    @property
    def is_empty(self) -> bool:
        """True if the group has no members."""
        return not self.members

    @property
    def state(self) -> ConsumerGroupState:
        """The state that follows from epochs and members."""
        if not self.members:
            return ConsumerGroupState.EMPTY
        if self.group_epoch > self.target.assignment_epoch:
            return ConsumerGroupState.ASSIGNING
        assignment_epoch = self.target.assignment_epoch
        if all(member.is_reconciled_to(assignment_epoch) for member in self.members.values()):
            return ConsumerGroupState.STABLE
        return ConsumerGroupState.RECONCILING

    @property
    def state_title(self) -> str:
        """The name of the group's state."""
        return self.state.value

    def carry_deadlines(self, by_ms: int) -> None:
        """Move every deadline of the members into the future."""
        for member_id in self.sessions_ms:
            self.sessions_ms[member_id] += by_ms
        for member_id, (member_epoch, deadline_ms) in self.rebalances.items():
            self.rebalances[member_id] = (member_epoch, deadline_ms + by_ms)
        for step in self.classic_steps_ms:
            self.classic_steps_ms[step] += by_ms

    def members_in_order(self) -> list[ConsumerGroupMember]:
        """Return the members in the order of Kafka's answers."""
        return [self.members[member_id] for member_id in self.member_ids_in_order()]

    def member_ids_in_order(self) -> list[str]:
        """Return the members' ids in the order of Kafka's table."""
        return texts_in_timeline_order(self.members, self._most_members)

    def member(self, member_id: str) -> ConsumerGroupMember:
        """Return a member.

        Raises:
            ApiError: UNKNOWN_MEMBER_ID.

        """
        found = self.members.get(member_id)
        if found is None:
            raise ApiError(
                ErrorCode.UNKNOWN_MEMBER_ID,
                f"Member {member_id} is not a member of group {self.group_id}.",
            )
        return found

    def static_member(self, instance_id: str) -> ConsumerGroupMember | None:
        """Return the static member with an instance id, if there is one."""
        member_id = self.static_members.get(instance_id)
        return None if member_id is None else self.members[member_id]

    # Classic members

    def supports_protocols(self, names: Collection[str]) -> bool:
        """Return whether all classic members support one of these protocols."""
        supported = [
            {name for name, _ in member.classic_protocols}
            for member in self.members.values()
            if member.uses_classic
        ]
        return any(all(name in each for each in supported) for name in names)

    def waits_for_partitions(self, member: ConsumerGroupMember) -> bool:
        """Return whether a member has to wait for a partition that another one has."""
        if member.current.state is not MemberState.UNRELEASED_PARTITIONS:
            return False
        return any(
            partition not in member.current.assigned.get(topic_id, {})
            and self.is_owned(topic_id, partition)
            for topic_id, partitions in self.target.of(member.member_id).items()
            for partition in partitions
        )

    # Subscriptions

    def topics_of(self, member: ConsumerGroupMember) -> frozenset[str]:
        """Return the topics that a member subscribes to, by name and by regular expression."""
        resolved = self.regular_expressions.get(member.metadata.subscribed_topic_regex or "")
        names = member.metadata.subscribed_topic_names
        return names if resolved is None else names | resolved.topics

    def topic_names(self, members: Iterable[ConsumerGroupMember]) -> set[str]:
        """Return the topics that these members subscribe to."""
        return set().union(*map(self.topics_of, members))

    def unused_expressions(self, members: Iterable[ConsumerGroupMember]) -> list[ModernRecord]:
        """Return the tombstones of the expressions to which none of these members subscribes."""
        used = {member.metadata.subscribed_topic_regex for member in members}
        return [
            RegularExpressionRecord(self.kind, self.group_id, expression, None)
            for expression in self.regular_expressions
            if expression not in used
        ]

    def is_homogeneous(self, members: Collection[ConsumerGroupMember]) -> bool:
        """Return whether these members subscribe to the same topics, by Kafka's counts."""
        expressions = {member.metadata.subscribed_topic_regex for member in members} - {"", None}
        names = Counter(name for each in members for name in each.metadata.subscribed_topic_names)
        if not expressions:
            return all(count == len(members) for count in names.values())
        return (
            len(expressions) == 1
            and not names
            and all(member.metadata.subscribed_topic_regex in expressions for member in members)
        )

    def is_subscribed_to_topic(
        self, topic: str, _read: Callable[[bytes], frozenset[str] | None]
    ) -> bool:
        """Return whether a member subscribes to a topic."""
        return any(topic in self.topics_of(member) for member in self.members.values())

    @property
    def has_votes(self) -> bool:
        """True if a member names an assignor."""
        return bool(self._votes)

    def preferred_assignor(self) -> str | None:
        """Return the assignor that most members name; None if nobody names one."""
        named = texts_in_timeline_order(self._votes)
        return max(named, key=self._votes.__getitem__, default=None)

    def next_preferred_assignor(self, old: str | None, new: str | None) -> str | None:
        """Return the assignor that most members name when one of them changes its vote.

        A tie goes to the name that comes first in a copy of Kafka's table, where a name that is
        removed and counted again comes first. So a tie can change the preference each time that a
        member repeats its vote.
        """
        votes = Counter(self._votes)
        named = texts_in_timeline_order(votes)
        if old is not None:
            votes[old] -= 1
            named = [each for each in named if votes[each]]
        if new is not None:
            named = named if votes[new] else [new, *named]
            votes[new] += 1
        in_order = texts_in_java_hash_order(named, copied=len(self._votes))
        return max(in_order, key=votes.__getitem__, default=None)

    # State as text

    def as_text(self) -> list[str]:
        """Show the group in a stable form."""
        lines = [f"group {self.group_id} consumer {self.state} epoch {self.group_epoch}"]
        for member_id, (_, metadata, current) in sorted(self.members.items()):
            names = sorted(metadata.subscribed_topic_names)
            described = metadata._replace(subscribed_topic_names=frozenset())
            lines.append(
                f"  member {member_id} reads {names} {described} epoch {current.member_epoch}"
                f" {current.state.name} assigned {partitions_as_text(current.assigned)} revokes"
                f" {partitions_as_text(current.pending_revocation)} until"
                f" {self.sessions_ms.get(member_id)} {self.rebalances.get(member_id)}"
            )
        lines += [
            f"  {step} of {member_id} until {deadline_ms}"
            for (step, member_id), deadline_ms in sorted(self.classic_steps_ms.items())
        ]
        lines += [
            f"  {each} {resolved}" for each, resolved in sorted(self.regular_expressions.items())
        ]
        return lines + self.target.as_text()


def is_within(owned: Mapping[Uuid, frozenset[int]] | None, assigned: PartitionEpochs) -> bool:
    """Return whether a member reports only partitions that it was assigned."""
    return owned is not None and all(
        topic_id in assigned and partitions <= assigned[topic_id].keys()
        for topic_id, partitions in owned.items()
    )
