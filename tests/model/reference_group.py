"""The simplest model of a group: no counters and no caches, everything is computed again.

It behaves as Kafka 4.4 does with `group.initial.rebalance.delay.ms=0`, and is what the state's own
groups are compared with. Requests give an answer at once, or a ticket that is answered later.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.group.classic.group_answers import JoinRequest

Answer: TypeAlias = tuple[object, ...]
NEW_MEMBER_MS = 300_000
UNKNOWN, FENCED = ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_INSTANCE_ID
REBALANCING, NONE = ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.NONE


class Ticket:
    """Pending answer of a request."""

    def __init__(self) -> None:
        self.answer: Answer | None = None


@dataclass
class ReferenceMember:
    """A member, in the open."""

    request: JoinRequest
    member_id: str
    session_ms: int
    rebalance_ms: int
    protocols: tuple[tuple[str, bytes], ...]
    assignment: bytes = b""
    joins: Ticket | None = None
    syncs: Ticket | None = None
    is_new: bool = True
    deadline_ms: int | None = None


@dataclass
class ReferenceGroup:
    """One group, whose members are in the order in which they came."""

    new_id: Callable[[str], str]
    max_size: int
    now_ms: int = 0
    state: str = "none"
    is_first: bool = False
    generation: int = 0
    protocol: str | None = None
    leader: str | None = None
    members: list[ReferenceMember] = field(default_factory=list[ReferenceMember])
    ids: dict[str, int] = field(default_factory=dict[str, int])
    unsynced: set[str] = field(default_factory=set[str])
    join_deadline_ms: int | None = None
    sync_deadline_ms: int | None = None

    def member(self, member_id: str) -> ReferenceMember | None:
        """Look a member up by its id."""
        return next((each for each in self.members if each.member_id == member_id), None)

    def holder(self, instance: str | None) -> ReferenceMember | None:
        """Look a member up by its instance id."""
        return next(
            (e for e in self.members if instance and e.request.group_instance_id == instance), None
        )

    def common(self, members: list[ReferenceMember]) -> set[str]:
        """Name the protocols that all of some members speak."""
        supported = [{name for name, _ in each.protocols} for each in members]
        return {
            name for names in supported for name in names if all(name in each for each in supported)
        }

    def refusal_of(self, member_id: str, instance: str | None) -> ErrorCode:
        """Return why a member id or an instance id is refused."""
        if instance is not None:
            holder = self.holder(instance)
            if holder is None:
                return UNKNOWN
            if holder.member_id != member_id:
                return FENCED
        return NONE if self.member(member_id) else UNKNOWN

    # Requests

    def join(self, request: JoinRequest) -> Ticket:
        """Answer a JoinGroup, or let it wait."""
        ticket = Ticket()
        member_id = request.member_id
        code = self.refusal_of_join(request)
        if code is ErrorCode.GROUP_MAX_SIZE_REACHED:
            self.drop(member_id)
            return self.refuse_join(ticket, code, "")
        if code is not NONE:
            return self.refuse_join(ticket, code, member_id)
        if not member_id:
            return self.join_new(ticket, request)
        if member_id in self.ids:
            return self.add(ticket, request, member_id)
        known = self.member(member_id)
        assert known is not None
        same = known.protocols == request.protocols
        leads_stable = self.state == "Stable" and self.leader == member_id
        if self.state in {"CompletingRebalance", "Stable"} and same and not leads_stable:
            return self.answer_generation(ticket, member_id)
        self.change(known, request, ticket)
        self.rebalance()
        return ticket

    def refusal_of_join(self, request: JoinRequest) -> ErrorCode:
        """Return why a JoinGroup is refused; only a new member creates a group."""
        member_id, instance = request.member_id, request.group_instance_id
        if self.state == "none":
            if member_id:
                return UNKNOWN
            self.state = "Empty"
        if not self.has_room_for(member_id):
            return ErrorCode.GROUP_MAX_SIZE_REACHED
        names = {name for name, _ in request.protocols}
        if not names & (self.common(self.members) if self.members else names):
            return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
        if not member_id:
            return NONE
        if member_id in self.ids:
            return NONE if instance is None else ErrorCode.UNKNOWN_SERVER_ERROR
        return self.refusal_of(member_id, instance)

    def has_room_for(self, member_id: str) -> bool:
        """Tell whether one more fits, or this one again."""
        known = self.member(member_id)
        if self.state == "PreparingRebalance":
            waiting = [each for each in self.members if each.joins]
            return known in waiting or len(waiting) < self.max_size
        return self.state == "Empty" or known is not None or len(self.members) < self.max_size

    def join_new(self, ticket: Ticket, request: JoinRequest) -> Ticket:
        """Add a member without an id."""
        instance = request.group_instance_id
        member_id = self.new_id(instance or request.client_id)
        holder = self.holder(instance)
        if holder is not None:
            return self.replace(ticket, holder, request, member_id)
        if instance is None and request.must_have_member_id:
            self.ids[member_id] = self.now_ms + request.session_timeout_ms
            return self.refuse_join(ticket, ErrorCode.MEMBER_ID_REQUIRED, member_id)
        return self.add(ticket, request, member_id)

    def add(self, ticket: Ticket, request: JoinRequest, member_id: str) -> Ticket:
        """Make a new member."""
        self.ids.pop(member_id, None)
        member = ReferenceMember(
            request,
            member_id,
            request.session_timeout_ms,
            request.rebalance_timeout_ms,
            request.protocols,
            joins=ticket,
            deadline_ms=self.now_ms + NEW_MEMBER_MS,
        )
        self.members.append(member)
        self.leader = self.leader or member_id
        self.rebalance()
        return ticket

    def change(self, member: ReferenceMember, request: JoinRequest, ticket: Ticket) -> None:
        """Update a member with its new request."""
        member.protocols, member.joins = request.protocols, ticket
        member.session_ms = request.session_timeout_ms
        member.rebalance_ms = request.rebalance_timeout_ms

    def replace(
        self, ticket: Ticket, old: ReferenceMember, request: JoinRequest, member_id: str
    ) -> Ticket:
        """Replace a static member by the new owner of its instance id."""
        before = self.leader
        if old.joins:
            self.refuse_join(old.joins, FENCED, old.member_id)
        if old.syncs:
            old.syncs.answer = (FENCED, b"")
        self.unsynced.discard(old.member_id)
        if self.leader == old.member_id:
            self.leader = member_id
        old.member_id, old.joins, old.syncs, old.is_new = member_id, None, None, False
        old.deadline_ms = self.now_ms + old.session_ms
        self.change(old, request, ticket)
        if self.state == "Stable":
            if self.select() != self.protocol:
                self.rebalance()
            elif request.may_skip_assignment:
                old.joins = None
                self.answer_generation(ticket, member_id, skips=self.leader == member_id)
            else:
                old.joins = None
                self.answer_generation(ticket, member_id, leader=before)
        else:
            self.rebalance()
        return ticket

    def sync(
        self, member_id: str, instance: str | None, generation: int, given: Mapping[str, bytes]
    ) -> Ticket:
        """Answer a SyncGroup, or let it wait."""
        ticket = Ticket()
        code = self.refusal_of(member_id, instance)
        if code is NONE and generation != self.generation:
            code = ErrorCode.ILLEGAL_GENERATION
        if code is NONE and self.state == "PreparingRebalance":
            code = REBALANCING
        if code is not NONE:
            ticket.answer = (code, b"")
            return ticket
        member = self.member(member_id)
        assert member is not None
        self.unsynced.discard(member_id)
        if not self.unsynced:
            self.sync_deadline_ms = None
        if self.state == "Stable":
            ticket.answer = (NONE, member.assignment)
            return ticket
        member.syncs = ticket
        if self.leader == member_id:
            self.state = "Stable"
            for each in self.members:
                each.assignment = given.get(each.member_id, b"")
            self.answer_syncing(NONE)
        return ticket

    def heartbeat(self, member_id: str, instance: str | None, generation: int) -> ErrorCode:
        """Answer a Heartbeat."""
        code = self.refusal_of(member_id, instance)
        if code is NONE and generation != self.generation:
            code = ErrorCode.ILLEGAL_GENERATION
        member = self.member(member_id)
        if code is not NONE or member is None:
            return code
        member.deadline_ms = self.now_ms + member.session_ms
        return REBALANCING if self.state == "PreparingRebalance" else NONE

    def leave(self, names: list[tuple[str, str | None]]) -> list[ErrorCode]:
        """Let members go."""
        codes = [self.leave_one(member_id, instance) for member_id, instance in names]
        if NONE in codes and self.state != "Empty":
            self.rebalance()
        return codes

    def leave_one(self, member_id: str, instance: str | None) -> ErrorCode:
        """Let one member go."""
        if member_id in self.ids:
            self.drop(member_id)
            return NONE
        holder = self.holder(instance)
        if not member_id and holder:
            member_id = holder.member_id
        code = self.refusal_of(member_id, instance)
        if code is NONE:
            self.drop(member_id)
        return code

    # Steps

    def drop(self, member_id: str) -> None:
        """Remove the member with an id."""
        member = self.member(member_id)
        self.ids.pop(member_id, None)
        self.unsynced.discard(member_id)
        if member is None:
            return
        if member.joins:
            self.refuse_join(member.joins, UNKNOWN, "")
        self.members.remove(member)
        if self.leader == member_id:
            self.leader = self.members[0].member_id if self.members else None

    def rebalance(self) -> None:
        """Begin or continue a rebalance."""
        if self.state == "PreparingRebalance":
            if not self.is_first:
                self.complete_if_all_joined()
            return
        if self.state == "CompletingRebalance":
            for each in self.members:
                each.assignment = b""
            self.answer_syncing(REBALANCING)
        self.is_first = self.state == "Empty"
        self.unsynced, self.sync_deadline_ms = set(), None
        self.state = "PreparingRebalance"
        longest = max((each.rebalance_ms for each in self.members), default=0)
        self.join_deadline_ms = self.now_ms + (0 if self.is_first else longest)
        if not self.is_first:
            self.complete_if_all_joined()

    def complete_if_all_joined(self) -> None:
        """Begin a generation if all members have joined."""
        if not self.ids and all(each.joins for each in self.members):
            self.complete()

    def complete(self) -> None:
        """Begin a generation with those that joined, and static members."""
        self.join_deadline_ms = None
        for each in list(self.members):
            if not each.joins and each.request.group_instance_id is None:
                self.drop(each.member_id)
        joined = [each for each in self.members if each.joins]
        if self.members and not joined:
            longest = max(each.rebalance_ms for each in self.members)
            self.join_deadline_ms = self.now_ms + longest
            return
        leader = self.member(self.leader or "")
        if leader is not None and not leader.joins:
            self.leader = joined[0].member_id
        self.is_first = False
        self.generation += 1
        if not self.members:
            self.state, self.protocol = "Empty", None
            return
        self.state, self.protocol = "CompletingRebalance", self.select()
        for each in self.members:
            if each.joins:
                self.answer_generation(each.joins, each.member_id)
            each.joins, each.is_new = None, False
            each.deadline_ms = self.now_ms + each.session_ms
        self.unsynced = {each.member_id for each in self.members}
        self.sync_deadline_ms = self.now_ms + max(each.rebalance_ms for each in self.members)

    def select(self) -> str:
        """Select a protocol by votes; with as many for `a` and `b`, Java's hash table gives `a`."""
        common = self.common(self.members)
        votes = [next(n for n, _ in each.protocols if n in common) for each in self.members]
        return max(sorted(set(votes)), key=votes.count)

    # Answers

    def refuse_join(self, ticket: Ticket, code: ErrorCode, member_id: str) -> Ticket:
        """Refuse a JoinGroup."""
        ticket.answer = (code, member_id)
        return ticket

    def answer_generation(
        self, ticket: Ticket, member_id: str, *, leader: str | None = None, skips: bool = False
    ) -> Ticket:
        """Answer a JoinGroup with the present generation."""
        leader = leader or self.leader
        told = [each.member_id for each in self.members] if leader == member_id else []
        ticket.answer = (NONE, member_id, self.generation, self.protocol, leader, skips, told)
        return ticket

    def answer_syncing(self, code: ErrorCode) -> None:
        """Answer all members that wait for their assignments."""
        for each in self.members:
            if each.syncs:
                each.syncs.answer = (code, each.assignment)
                each.syncs, each.deadline_ms = None, self.now_ms + each.session_ms

    # Time

    def advance_to(self, now_ms: int) -> None:
        """Let everything happen that is due, one after the other."""
        while due := self.due(now_ms):
            deadline_ms, kind, member_id = min(due)
            self.now_ms = max(self.now_ms, deadline_ms)
            if kind == "join":
                self.complete()
            elif kind == "sync":
                for each in sorted(self.unsynced):
                    self.drop(each)
                self.rebalance()
            else:
                self.expire(member_id)
        self.now_ms = now_ms

    def due(self, now_ms: int) -> list[tuple[int, str, str]]:
        """List all expired deadlines."""
        found: list[tuple[int | None, str, str]] = [
            (self.join_deadline_ms, "join", ""),
            (self.sync_deadline_ms, "sync", ""),
            *((each.deadline_ms, "member", each.member_id) for each in self.members),
            *((deadline_ms, "member", member_id) for member_id, deadline_ms in self.ids.items()),
        ]
        return [
            (deadline_ms, kind, member_id)
            for deadline_ms, kind, member_id in found
            if deadline_ms is not None and deadline_ms <= now_ms
        ]

    def expire(self, member_id: str) -> None:
        """End a session, unless the member waits and has an id."""
        member = self.member(member_id)
        if member is not None and not member.is_new and (member.joins or member.syncs):
            member.deadline_ms = None
            return
        was_member = member is not None
        self.drop(member_id)
        if self.state in {"CompletingRebalance", "Stable"} and was_member:
            self.rebalance()
        elif self.state == "PreparingRebalance":
            self.complete_if_all_joined()
