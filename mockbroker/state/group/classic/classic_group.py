"""A classic group: its members, its generation and its state (Kafka's `ClassicGroup`).

Rules:

1. The state changes only through `transition_to`, by the table in `group_state.py`.
2. A group maintains counts of waiting members and supported protocols, so that a step of one
   member costs the same in a group of five hundred as in one of five.
3. Members keep the order in which they joined. Where Kafka's choice depends on the order of a hash
   table (the new leader when the leader leaves), the first member is chosen.
4. The members' metadata is opaque here. Callers that need its topics pass a reader.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.group_answers import (
    NO_LEADER,
    Awaited,
    JoinedMember,
    JoinResult,
)
from mockbroker.state.group.classic.group_member import GroupMember, Protocols
from mockbroker.state.group.classic.group_state import (
    VALID_PREVIOUS_STATES,
    GroupState,
    IllegalGroupStateError,
)
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.group_log_record import NO_TIMESTAMP_MS, GroupMetadataValue
from mockbroker.state.observation import Observation
from mockbroker.state.topic.java_hash import texts_in_java_hash_order

CONSUMER_PROTOCOL_TYPE: Final = "consumer"

SubscriptionReader: TypeAlias = Callable[[bytes], frozenset[str] | None]
"""Reads the topics in a member's metadata; returns None if it is not a consumer's subscription."""


class ClassicGroup:
    """One group. Callers pass the time; the group itself neither appends nor sends responses."""

    __slots__ = (
        "_protocol_counts",
        "awaiting_join_count",
        "current_state_timestamp_ms",
        "generation_id",
        "group_id",
        "join_deadline_ms",
        "joins_remaining_ms",
        "leader_id",
        "members",
        "new_member_added",
        "observation",
        "pending_members",
        "pending_sync_members",
        "previous_state",
        "protocol_name",
        "protocol_type",
        "state",
        "static_members",
        "subscriptions",
        "sync_deadline_ms",
    )

    kind: Final = GroupKind.CLASSIC

    def __init__(
        self, group_id: str, *, now_ms: int | None, state: GroupState = GroupState.EMPTY
    ) -> None:
        """Create a group without members, which entered its state at `now_ms`."""
        self.group_id: Final = group_id
        self.state = state
        self.previous_state = GroupState.DEAD
        self.current_state_timestamp_ms = now_ms
        """Time at which it entered its state; None if the record it was loaded from has none."""
        self.generation_id = 0
        self.protocol_type: str | None = None
        """None for a group that has committed offsets but never had members."""
        self.protocol_name: str | None = None
        self.leader_id: str | None = None
        self.members: dict[str, GroupMember] = {}
        self.static_members: dict[str, str] = {}
        """Member ids by instance id (KIP-345)."""
        self.pending_members: dict[str, int] = {}
        """Member ids given to new members that have not joined with them yet, with deadlines."""
        self.pending_sync_members: dict[str, None] = {}
        """Members that joined this generation and have not sent SyncGroup yet."""
        self.awaiting_join_count = 0
        self.new_member_added = False
        """True if a member joined since the delay of the initial rebalance began."""
        self.join_deadline_ms: int | None = None
        """Time at which a rebalance continues without the members that have not joined."""
        self.joins_remaining_ms: tuple[int, int] | None = None
        """In an initial rebalance: its current delay, and by how much it may still be extended."""
        self.sync_deadline_ms: int | None = None
        """Time at which members that have not sent SyncGroup are removed."""
        self.subscriptions: tuple[bytes, ...] | None = None
        """Members' metadata for the selected protocol, as of the start of their generation."""
        self._protocol_counts: Counter[str] = Counter()
        self.observation: Observation | None = None
        """Observer of state changes, once the group belongs to a coordinator."""

    # The log

    @staticmethod
    def from_log_value(group_id: str, value: GroupMetadataValue) -> "ClassicGroup":
        """Create a group from its record in the log."""
        timestamp_ms = value.current_state_timestamp_ms
        group = ClassicGroup(
            group_id,
            now_ms=None if timestamp_ms == NO_TIMESTAMP_MS else timestamp_ms,
            state=GroupState.STABLE if value.members else GroupState.EMPTY,
        )
        group.generation_id = value.generation
        group.protocol_type = value.protocol_type or None
        group.protocol_name = value.protocol
        group.leader_id = value.leader
        for member in value.members:
            group.add(GroupMember.from_log_value(member, value.protocol_type, value.protocol))
        group.note_subscriptions()
        return group

    def to_log_value(self, assignments: Mapping[str, bytes]) -> GroupMetadataValue:
        """Return the group's record for the log, with assignments that members do not have yet."""
        timestamp_ms = self.current_state_timestamp_ms
        return GroupMetadataValue(
            self.protocol_type or "",
            self.generation_id,
            self.protocol_name,
            self.leader_id,
            NO_TIMESTAMP_MS if timestamp_ms is None else timestamp_ms,
            tuple(
                member.to_log_value(self.protocol_name, assignments[member_id])
                for member_id, member in self.members.items()
            ),
        )

    # State

    @property
    def is_empty(self) -> bool:
        """True if the group has no members and may end."""
        return self.state is GroupState.EMPTY

    @property
    def can_rebalance(self) -> bool:
        """True if a rebalance can begin now."""
        return self.state in VALID_PREVIOUS_STATES[GroupState.PREPARING_REBALANCE]

    def transition_to(self, state: GroupState, now_ms: int) -> None:
        """Enter a state.

        Raises:
            IllegalGroupStateError: The state may not follow the present one.

        """
        if self.state not in VALID_PREVIOUS_STATES[state]:
            raise IllegalGroupStateError(f"{self.group_id!r}: {self.state} to {state}")
        self.previous_state, self.state = self.state, state
        self.current_state_timestamp_ms = now_ms
        reporter = None if self.observation is None else self.observation.reporter
        if reporter is not None:
            states = (self.previous_state.title, self.state.title)
            reporter.group_changed(self.group_id, states, self.generation_id, self.members)

    def next_generation(self, now_ms: int) -> None:
        """Begin the next generation with the present members; without members, become empty."""
        self.generation_id += 1
        self.protocol_name = self.select_protocol() if self.members else None
        self.note_subscriptions()
        self.transition_to(
            GroupState.COMPLETING_REBALANCE if self.members else GroupState.EMPTY, now_ms
        )
        self.pending_sync_members.clear()

    # Members

    def add(self, member: GroupMember, awaited: Awaited[JoinResult] | None = None) -> None:
        """Add a member; the first one sets the group's protocol type."""
        if member.group_instance_id is not None:
            assert member.group_instance_id not in self.static_members, member.as_text()
            self.static_members[member.group_instance_id] = member.member_id
        if not self.members:
            self.protocol_type = member.protocol_type
        assert self.protocol_type == member.protocol_type, member.as_text()
        if self.leader_id is None:
            self.leader_id = member.member_id
        self.members[member.member_id] = member
        self._protocol_counts.update(member.protocol_names)
        member.awaited_join = awaited
        self.awaiting_join_count += awaited is not None
        self.pending_members.pop(member.member_id, None)

    def remove(self, member_id: str) -> None:
        """Remove a member or a pending member id; elect another leader if the leader leaves."""
        member = self.members.pop(member_id, None)
        if member is not None:
            self._protocol_counts.subtract(member.protocol_names)
            self.awaiting_join_count -= member.awaited_join is not None
            if member.group_instance_id is not None:
                self.static_members.pop(member.group_instance_id, None)
        if member_id == self.leader_id:
            self.leader_id = next(iter(self.members), None)
        self.pending_members.pop(member_id, None)
        self.pending_sync_members.pop(member_id, None)

    def update_member(
        self,
        member: GroupMember,
        protocols: Protocols,
        timeouts_ms: tuple[int, int] | None,
        awaited: Awaited[JoinResult] | None,
    ) -> None:
        """Update a rejoining member; `timeouts_ms` are its rebalance and session timeouts."""
        self._protocol_counts.subtract(member.protocol_names)
        member.supported_protocols = protocols
        self._protocol_counts.update(member.protocol_names)
        if timeouts_ms is not None:
            member.rebalance_timeout_ms, member.session_timeout_ms = timeouts_ms
        self.awaiting_join_count += (awaited is not None) - (member.awaited_join is not None)
        member.awaited_join = awaited

    def replace_static_member(self, old: GroupMember, new_member_id: str) -> GroupMember:
        """Replace a static member; the new one keeps instance id, assignment and leadership."""
        assert old.group_instance_id is not None, old.as_text()
        assert old.awaited_join is None, old.as_text()
        new = old.renamed(new_member_id)
        # Keep the old one's position, so that the order of succession to the leader stays the same.
        self.members = {
            new_member_id if member is old else member_id: new if member is old else member
            for member_id, member in self.members.items()
        }
        if self.leader_id == old.member_id:
            self.leader_id = new_member_id
        self.static_members[old.group_instance_id] = new_member_id
        self.pending_sync_members.pop(old.member_id, None)
        return new

    def is_leader(self, member_id: str) -> bool:
        """Return whether a member is the leader."""
        return member_id == self.leader_id

    @property
    def leader_or_nobody(self) -> str:
        """The leader's id, or `NO_LEADER`."""
        return NO_LEADER if self.leader_id is None else self.leader_id

    def elect_joined_leader(self) -> bool:
        """Make a member that has joined the leader; return whether there is one."""
        leader = None if self.leader_id is None else self.members[self.leader_id]
        if leader is not None and leader.awaited_join is None:
            leader = next(self._joined(), None)
            if leader is not None:
                self.leader_id = leader.member_id
        return leader is not None

    def _joined(self) -> Iterator[GroupMember]:
        return (member for member in self.members.values() if member.awaited_join is not None)

    def take_awaited_join(self, member: GroupMember) -> Awaited[JoinResult] | None:
        """Return the pending JoinGroup of a member, and clear it."""
        awaited, member.awaited_join = member.awaited_join, None
        self.awaiting_join_count -= awaited is not None
        return awaited

    @property
    def has_all_members_joined(self) -> bool:
        """True if all members have joined, and no pending member id is left."""
        return len(self.members) == self.awaiting_join_count and not self.pending_members

    def members_missing(self) -> list[GroupMember]:
        """Return the members that have not joined again."""
        return [member for member in self.members.values() if member.awaited_join is None]

    @property
    def rebalance_timeout_ms(self) -> int:
        """The longest rebalance timeout of any member."""
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    def current_members(self) -> tuple[JoinedMember, ...]:
        """Return the members as JoinGroup lists them for the leader."""
        return tuple(
            JoinedMember(
                member.member_id, member.group_instance_id, member.metadata(self.protocol_name)
            )
            for member in self.members.values()
        )

    def assignments(self) -> dict[str, bytes]:
        """Return the assignment of each member."""
        return {member_id: member.assignment for member_id, member in self.members.items()}

    # Protocols

    def supports_protocols(self, protocol_type: str, protocols: Protocols) -> bool:
        """Return whether a member with these protocols can join."""
        if self.state is GroupState.EMPTY:
            return bool(protocol_type and protocols)
        size = len(self.members)
        return self.protocol_type == protocol_type and any(
            self._protocol_counts[name] == size for name, _ in protocols
        )

    def select_protocol(self) -> str:
        """Return the protocol with the most votes, of those that all members support.

        A tie goes to the protocol that comes first in the order of Java's hash table.
        """
        size = len(self.members)
        candidates = {name for name, count in self._protocol_counts.items() if count == size}
        votes = Counter(member.vote(candidates) for member in self.members.values())
        most = max(votes.values())
        return texts_in_java_hash_order(name for name, count in votes.items() if count == most)[0]

    def note_subscriptions(self) -> None:
        """Store the members' present subscriptions; they apply until the next generation."""
        self.subscriptions = None
        if self.is_consumer_group and (self.protocol_name is not None or not self.members):
            self.subscriptions = tuple(
                member.metadata(self.protocol_name) for member in self.members.values()
            )

    @property
    def is_consumer_group(self) -> bool:
        """True if the members use the consumer protocol."""
        return self.protocol_type == CONSUMER_PROTOCOL_TYPE

    def subscribed_topics(self, read: SubscriptionReader) -> frozenset[str] | None:
        """Return the topics that members subscribe to; None if they cannot be determined."""
        if self.subscriptions is None:
            return None
        topics: set[str] = set()
        for subscription in self.subscriptions:
            of_member = read(subscription)
            if of_member is None:
                return None
            topics |= of_member
        return frozenset(topics)

    def is_subscribed_to_topic(self, topic: str, read: SubscriptionReader) -> bool:
        """Return whether a member subscribes to a topic; assume so for consumers if unknown."""
        topics = self.subscribed_topics(read)
        return self.is_consumer_group if topics is None else topic in topics

    # Validation

    def validate_member(
        self, member_id: str, group_instance_id: str | None, *, instance_must_be_known: bool = True
    ) -> GroupMember:
        """Return a member.

        Raises:
            ApiError: FENCED_INSTANCE_ID, UNKNOWN_MEMBER_ID.

        """
        if group_instance_id is not None:
            current = self.static_members.get(group_instance_id)
            if current is None:
                if instance_must_be_known:
                    raise ApiError(
                        ErrorCode.UNKNOWN_MEMBER_ID,
                        f"group {self.group_id!r} has no instance {group_instance_id!r}",
                    )
            elif current != member_id:
                raise ApiError(
                    ErrorCode.FENCED_INSTANCE_ID,
                    f"instance {group_instance_id!r} of group {self.group_id!r} is now"
                    f" {current!r}, not {member_id!r}",
                )
        member = self.members.get(member_id)
        if member is None:
            raise ApiError(
                ErrorCode.UNKNOWN_MEMBER_ID,
                f"group {self.group_id!r} has no member {member_id!r}",
            )
        return member

    def as_text(self) -> list[str]:
        """Show the group and its members in a stable form, for `ClusterState.as_text`."""
        return [
            (
                f"group {self.group_id} {self.state.title} since {self.current_state_timestamp_ms}"
                f" generation {self.generation_id} {self.protocol_type} {self.protocol_name}"
                f" led by {self.leader_id}"
            ),
            (
                f"  joins until {self.join_deadline_ms} {self.joins_remaining_ms}"
                f" {self.new_member_added} syncs until {self.sync_deadline_ms}"
                f" of {list(self.pending_sync_members)} ids given {self.pending_members}"
            ),
            *(f"  {member.as_text()}" for member in self.members.values()),
        ]
