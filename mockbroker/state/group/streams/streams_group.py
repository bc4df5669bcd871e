"""A streams group: its members, epochs, topology and state (Kafka's `StreamsGroup`, KIP-1071).

Rules:

1. What a coordinator loads changes only by `replay` of records, when they were appended or loaded.
2. The configured topology, task offsets, the endpoint epoch, a requested shutdown and deadlines are
   not in the log: a coordinator that loads the group starts without them.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.streams.current_assignment import TaskHolders
from mockbroker.state.group.streams.streams_group_member import (
    StreamsGroupMember,
    StreamsMemberState,
)
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
from mockbroker.state.group.streams.task_owners import TaskOwners
from mockbroker.state.group.streams.tasks import NO_TASKS, TasksTuple, tasks_as_text
from mockbroker.state.group.streams.topics.configured_topology import ConfiguredTopology
from mockbroker.state.group.streams.topics.topology import Topology
from mockbroker.state.observation import Observation
from mockbroker.state.topic.java_hash import texts_in_timeline_order

FIRST_EPOCH: Final = 1
"""The epoch of a group, and of its target assignment, before its first member joins."""
_TOMBSTONE_EPOCH: Final = -1

TaskOffsets = Mapping[str, Mapping[int, int]]
"""Sums of changelog offsets, by partition, by subtopology."""


class StreamsGroupState(StrEnum):
    """State of a group, with Kafka's names."""

    EMPTY = "Empty"
    NOT_READY = "NotReady"
    """Its topics do not fit its topology."""
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


class StreamsGroup:
    """One group. It neither appends nor answers."""

    __slots__ = (
        "_owners",
        "_state",
        "configured",
        "described_topology",
        "endpoint_epoch",
        "first_assignment_ms",
        "group_id",
        "members",
        "members_max",
        "metadata",
        "observation",
        "rebalances",
        "refined",
        "sessions_ms",
        "shutdown_requested_by",
        "static_members",
        "target_epoch",
        "targets",
        "task_end_offsets",
        "task_offsets",
        "topics_revision",
        "topology",
    )

    kind: Final = GroupKind.STREAMS

    def __init__(self, group_id: str) -> None:
        """Start without members."""
        self.group_id: Final = group_id
        self.metadata = StreamsGroupEpoch(FIRST_EPOCH)
        self.members: Final[dict[str, StreamsGroupMember]] = {}
        self.members_max = 0
        """Number of members that Kafka's table has made room for; it does not shrink."""
        self.static_members: Final[dict[str, str]] = {}
        """Member ids by instance id."""
        self.target_epoch = StreamsTargetEpoch(FIRST_EPOCH)
        self.targets: Final[dict[str, TasksTuple]] = {}
        self.topology: Topology | None = None
        self._owners: Final = TaskOwners()
        self._state: StreamsGroupState | None = None
        self.observation: Observation | None = None
        self.configured: ConfiguredTopology | None = None
        self.described_topology: ConfiguredTopology | None = None
        """The configured topology at the last record: Kafka describes groups as they are stored."""
        self.task_offsets: Final[dict[str, TaskOffsets]] = {}
        """Reported offsets by member."""
        self.task_end_offsets: Final[dict[str, TaskOffsets]] = {}
        self.endpoint_epoch = 0
        self.refined: tuple[int, dict[str, TasksTuple]] = (_TOMBSTONE_EPOCH, {})
        """Epoch of a target, and the tasks that the members move towards first."""
        self.shutdown_requested_by: str | None = None
        self.first_assignment_ms: int | None = None
        """Time until which the first assignment of an empty group waits for more members."""
        self.sessions_ms: Final[dict[str, int]] = {}
        """Times at which members' sessions end."""
        self.rebalances: Final[dict[str, tuple[int, int]]] = {}
        """Members that have to revoke tasks: their epoch, and until when."""
        self.topics_revision: int | None = None
        """Revision of the topics that the group has seen."""

    # Records

    def replay(self, record: StreamsRecord) -> None:
        """Apply a record of the log."""
        self._state = None
        self.described_topology = self.configured
        match record:
            case StreamsMemberRecord():
                self._replay_member(record)
            case StreamsCurrentRecord():
                self._replay_current(record)
            case StreamsTargetRecord(member_id=member_id, value=target):
                self.targets.pop(member_id, None)
                if target is not None:
                    self.targets[member_id] = target
            case StreamsTargetEpochRecord(value=value):
                self.target_epoch = value or StreamsTargetEpoch(_TOMBSTONE_EPOCH)
            case StreamsTopologyRecord(value=topology):
                self.topology = topology
            case StreamsGroupRecord(value=metadata):
                self.metadata = metadata or self.metadata
        if not self.members:
            self.shutdown_requested_by = None

    def _replay_member(self, record: StreamsMemberRecord) -> None:
        member = self.members.get(record.member_id)
        if record.value is not None:
            known = member or StreamsGroupMember(record.member_id)
            self._put(known._replace(**record.value._asdict()))
        elif member is not None:
            self._owners.remove(member)
            self._forget_instance(member)
            for known_by_member in (
                self.members,
                self.sessions_ms,
                self.rebalances,
                self.task_offsets,
                self.task_end_offsets,
            ):
                known_by_member.pop(record.member_id, None)

    def _replay_current(self, record: StreamsCurrentRecord) -> None:
        member = self.members.get(record.member_id)
        current = record.value
        if current is None:
            if member is None:
                return
            gone = _TOMBSTONE_EPOCH
            current = StreamsCurrentAssignment(gone, gone, member.state)
        known = member or StreamsGroupMember(record.member_id)
        self._put(known._replace(**current._asdict()))

    def _put(self, member: StreamsGroupMember) -> None:
        old = self.members.get(member.member_id)
        if old is not None:
            self._owners.remove(old)
            self._forget_instance(old)
        self._owners.add(member)
        # Kafka's table grows before it looks whether the member is in it.
        self.members_max = max(self.members_max, len(self.members) + 1)
        self.members[member.member_id] = member
        if member.instance_id is not None:
            self.static_members[member.instance_id] = member.member_id

    def _forget_instance(self, member: StreamsGroupMember) -> None:
        if member.instance_id is not None:
            self.static_members.pop(member.instance_id, None)

    def tombstones(self) -> list[StreamsRecord]:
        """Return the records that end the group and its members."""
        group_id, members = self.group_id, [each.member_id for each in self.members_in_order()]
        return [
            *(StreamsCurrentRecord(group_id, member_id, None) for member_id in members),
            *(StreamsTargetRecord(group_id, member_id, None) for member_id in members),
            StreamsTargetEpochRecord(group_id, None),
            *(StreamsMemberRecord(group_id, member_id, None) for member_id in members),
            StreamsGroupRecord(group_id, None),
            StreamsTopologyRecord(group_id, None),
        ]

    # State

    @property
    def group_epoch(self) -> int:
        """The group's epoch."""
        return self.metadata.group_epoch

    @property
    def is_empty(self) -> bool:
        """True if the group has no members."""
        return not self.members

    @property
    def state(self) -> StreamsGroupState:
        """The state that follows from epochs and members."""
        if self._state is None:
            self._state = self._state_of_members()
        return self._state

    def _state_of_members(self) -> StreamsGroupState:
        target_epoch = self.target_epoch.assignment_epoch
        if not self.members:
            return StreamsGroupState.EMPTY
        if (
            self.topology is None
            or self.topology.topology_epoch != self.metadata.validated_topology_epoch
        ):
            return StreamsGroupState.NOT_READY
        if self.group_epoch > target_epoch:
            return StreamsGroupState.ASSIGNING
        if all(member.is_reconciled_to(target_epoch) for member in self.members.values()):
            return StreamsGroupState.STABLE
        return StreamsGroupState.RECONCILING

    @property
    def state_title(self) -> str:
        """The name of the group's state."""
        return self.state.value

    def carry_deadlines(self, by_ms: int) -> None:
        """Move every deadline into the future."""
        for member_id in self.sessions_ms:
            self.sessions_ms[member_id] += by_ms
        for member_id, (member_epoch, deadline_ms) in self.rebalances.items():
            self.rebalances[member_id] = (member_epoch, deadline_ms + by_ms)
        if self.first_assignment_ms is not None:
            self.first_assignment_ms += by_ms

    # Members

    def members_in_order(self) -> list[StreamsGroupMember]:
        """Return the members in the order of Kafka's table."""
        ordered = texts_in_timeline_order(self.members, most=self.members_max)
        return [self.members[member_id] for member_id in ordered]

    def member(self, member_id: str) -> StreamsGroupMember:
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

    def static_member(self, instance_id: str) -> StreamsGroupMember | None:
        """Return the static member with an instance id, if there is one."""
        member_id = self.static_members.get(instance_id)
        return None if member_id is None else self.members[member_id]

    def hand_over_refined(self, old_id: str, new_id: str) -> None:
        """Give the refined tasks of a member to the one that is to take its place."""
        _, refined = self.refined
        if old_id in refined:
            refined[new_id] = refined.pop(old_id)

    @property
    def holders(self) -> TaskHolders:
        """The processes that hold each task now."""
        return self._owners.holders

    def is_subscribed_to_topic(
        self, topic: str, _read: Callable[[bytes], frozenset[str] | None]
    ) -> bool:
        """Return whether the group has members, and its topology reads a topic."""
        reads = self.topology is not None and self.topology.subtopology_of(topic) is not None
        return bool(self.members) and reads

    # State as text

    def as_text(self) -> list[str]:
        """Show the group in a stable form."""
        about = (
            f"group {self.group_id} streams {self.state} {self.metadata} target {self.target_epoch}"
            f" {self.topology} endpoints {self.endpoint_epoch}"
            f" first assignment {self.first_assignment_ms} shutdown {self.shutdown_requested_by}"
        )
        lines = [about]
        for member_id, member in sorted(self.members.items()):
            assigned, pending = map(tasks_as_text, (member.assigned, member.pending_revocation))
            target = tasks_as_text(self.targets.get(member_id, NO_TASKS))
            lines.append(
                f"  member {member_id} {StreamsMemberMetadata.of(member)}"
                f" epoch {member.member_epoch} after {member.previous_member_epoch}"
                f" {member.state.name} assigned {assigned} revokes {pending} target {target} until"
                f" {self.sessions_ms.get(member_id)} {self.rebalances.get(member_id)}"
            )
        return lines


def has_to_revoke(member: StreamsGroupMember) -> bool:
    """Return True if a member has a rebalance timeout to give up tasks."""
    return member.state is StreamsMemberState.UNREVOKED_TASKS
