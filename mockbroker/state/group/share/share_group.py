"""A share group: its members, its epochs and its share partitions (Kafka's `ShareGroup`, KIP-932).

The group changes only by `replay` of records, when they were appended or loaded. Deadlines are not
in the log: a coordinator that loads the group starts them again.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Uuid
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignment,
    CurrentAssignmentRecord,
    GroupEpochRecord,
    MemberMetadata,
    MemberRecord,
    ModernRecord,
    TargetAssignmentRecord,
    TargetEpochRecord,
)
from mockbroker.state.group.modern.target_assignment import TargetAssignment, partitions_as_text
from mockbroker.state.group.share.state_partitions import StatePartitions, StatePartitionsRecord
from mockbroker.state.observation import Observation
from mockbroker.state.topic.java_hash import texts_in_timeline_order

FIRST_EPOCH: Final = 1
"""The epoch of a group before its first member joins."""


class ShareGroupMember(NamedTuple):
    """A member (Kafka's `ShareGroupMember`); a change makes another one."""

    member_id: str
    metadata: MemberMetadata = MemberMetadata()
    current: CurrentAssignment = CurrentAssignment()
    """Its assigned partitions have no epochs: they are all 0."""

    @property
    def member_epoch(self) -> int:
        """The member's epoch."""
        return self.current.member_epoch

    def is_reconciled_to(self, target_epoch: int) -> bool:
        """Return whether the member has reached the target assignment of an epoch."""
        return self.current.state is MemberState.STABLE and self.member_epoch == target_epoch


class ShareGroup:
    """One group. It neither appends nor answers."""

    __slots__ = (
        "_awaits_assignment",
        "_most_members",
        "group_epoch",
        "group_id",
        "initializing_ms",
        "members",
        "metadata_hash",
        "observation",
        "sessions_ms",
        "state_partitions",
        "subscribers",
        "target",
        "topics_revision",
    )

    kind: Final = GroupKind.SHARE

    def __init__(self, group_id: str) -> None:
        """Start without members."""
        self.group_id: Final = group_id
        self.group_epoch = FIRST_EPOCH
        self.metadata_hash = 0
        self.members: Final[dict[str, ShareGroupMember]] = {}
        self._most_members = 0
        """The size for which Kafka's table of members has grown."""
        self.target: Final = TargetAssignment()
        self.target.assignment_epoch = FIRST_EPOCH
        self.subscribers: Final[Counter[str]] = Counter()
        """Numbers of members that subscribe to topics."""
        self.state_partitions: StatePartitions | None = None
        self.initializing_ms = 0
        """The time since which share partitions may be initializing."""
        self._awaits_assignment: bool | None = None
        """The answer of `awaits_assignment` until the next record."""
        self.observation: Observation | None = None
        self.sessions_ms: Final[dict[str, int]] = {}
        """Times at which members' sessions end."""
        self.topics_revision: int | None = None
        """Revision of the topics that the group has seen."""

    # Records

    def replay(self, record: ModernRecord) -> None:
        """Apply a record of the log."""
        self._awaits_assignment = None
        match record:
            case MemberRecord():
                self._replay_member(record)
            case CurrentAssignmentRecord():
                self._replay_assignment(record)
            case TargetAssignmentRecord() | TargetEpochRecord():
                self.target.replay(record)
            case GroupEpochRecord(value=value) if value is not None:
                self.group_epoch, self.metadata_hash = value
            case StatePartitionsRecord(value=state_partitions):
                self.state_partitions = state_partitions
            case _:
                pass

    def _replay_member(self, record: MemberRecord) -> None:
        if record.value is None:
            self._forget(self.members.pop(record.member_id, None))
            self.sessions_ms.pop(record.member_id, None)
        else:
            known = self.members.get(record.member_id) or ShareGroupMember(record.member_id)
            self._put(known._replace(metadata=record.value))

    def _replay_assignment(self, record: CurrentAssignmentRecord) -> None:
        known = self.members.get(record.member_id)
        if record.value is not None:
            known = known or ShareGroupMember(record.member_id)
            self._put(known._replace(current=record.value))
        elif known is not None:
            self._put(known._replace(current=CurrentAssignment(-1, -1)))

    def _put(self, member: ShareGroupMember) -> None:
        known = self.members.get(member.member_id)
        self._forget(known)
        self.subscribers.update(member.metadata.subscribed_topic_names)
        self.members[member.member_id] = member
        self._most_members = max(self._most_members, len(self.members) + (known is not None))

    def _forget(self, member: ShareGroupMember | None) -> None:
        for name in () if member is None else member.metadata.subscribed_topic_names:
            self.subscribers[name] -= 1
            if not self.subscribers[name]:
                del self.subscribers[name]

    def tombstones(self) -> list[ModernRecord]:
        """Return the records that end the group and its members."""
        kind, group_id = self.kind, self.group_id
        members = self.member_ids_in_order()
        records: list[ModernRecord] = [
            CurrentAssignmentRecord(kind, group_id, member_id, None) for member_id in members
        ]
        records += [TargetAssignmentRecord(kind, group_id, each, None) for each in members]
        records.append(TargetEpochRecord(kind, group_id, None))
        records += [MemberRecord(kind, group_id, member_id, None) for member_id in members]
        records.append(StatePartitionsRecord(kind, group_id, None))
        records.append(GroupEpochRecord(kind, group_id, None))
        return records

    # State

    @property
    def is_empty(self) -> bool:
        """True if the group has no members."""
        return not self.members

    @property
    def state_title(self) -> str:
        """The name of the group's state."""
        return "Stable" if self.members else "Empty"

    @property
    def known_state(self) -> StatePartitions:
        """The share partitions; nothing before the first one."""
        return self.state_partitions or StatePartitions()

    def carry_deadlines(self, by_ms: int) -> None:
        """Move every deadline of the members into the future."""
        for member_id in self.sessions_ms:
            self.sessions_ms[member_id] += by_ms

    def member_ids_in_order(self) -> list[str]:
        """Return the members' ids in the order of Kafka's table."""
        return texts_in_timeline_order(self.members, self._most_members)

    def member(self, member_id: str) -> ShareGroupMember:
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

    # Subscriptions

    def is_subscribed_to_topic(
        self, topic: str, _read: Callable[[bytes], frozenset[str] | None]
    ) -> bool:
        """Return whether a member subscribes to a topic."""
        return topic in self.subscribers

    def awaits_assignment(self) -> bool:
        """Return whether share partitions of subscribed topics are not assigned yet."""
        if self._awaits_assignment is None:
            self._awaits_assignment = self._has_unassigned()
        return self._awaits_assignment

    def _has_unassigned(self) -> bool:
        assigned: dict[Uuid, set[int]] = {}
        for target in self.target.members.values():
            for topic_id, partitions in target.items():
                assigned.setdefault(topic_id, set()).update(partitions)
        return any(
            topic.name in self.subscribers
            and assigned.get(topic_id, set()) != set(topic.partitions)
            for topic_id, topic in self.known_state.initialized.items()
        )

    def subscribers_with(self, member: ShareGroupMember | None, gone: str = "") -> Counter[str]:
        """Return the numbers of subscribers when a member joins or changes, or is gone."""
        counts = self.subscribers.copy()
        known = self.members.get(gone if member is None else member.member_id)
        if known is not None:
            counts -= Counter(known.metadata.subscribed_topic_names)
        if member is not None:
            counts.update(member.metadata.subscribed_topic_names)
        return counts

    # State as text

    def as_text(self) -> list[str]:
        """Show the group in a stable form."""
        lines = [f"group {self.group_id} share {self.state_title} epoch {self.group_epoch}"]
        for member_id, (_, metadata, current) in sorted(self.members.items()):
            lines.append(
                f"  member {member_id} {metadata} epoch {current.member_epoch}"
                f" assigned {partitions_as_text(current.assigned)} until"
                f" {self.sessions_ms.get(member_id)}"
            )
        lines.append(f"  share partitions {self.state_partitions} since {self.initializing_ms}")
        return lines + self.target.as_text()
