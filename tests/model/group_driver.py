"""Asks a group of the state and the reference model the same, and compares all that shows."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.group.classic.group_answers import (
    Awaited,
    JoinRequest,
    JoinResult,
    LeavingMember,
    SyncRequest,
    SyncResult,
)
from mockbroker.state.random_source import source_of_member_ids
from tests.model.reference_group import Answer, ReferenceGroup, Ticket
from tests.state.group.group_building import GROUP, join_request
from tests.state.group.membership_building import BROKER_ID, Groups

CLIENTS: Final = 4
INSTANCES: Final = (None, None, None, None, "i", "j")
OFFERS: Final = (("a", "b"), ("b", "a"), ("a",), ("b",), ("c", "a"), ())
TIMEOUTS_MS: Final = (6_000, 9_000, 20_000)
REBALANCE_TIMEOUTS_MS: Final = {6_000: 12_000, 9_000: 2_000, 20_000: 5_000}
"""Some end before a session does: then only static members outlive them."""
MAX_SIZE: Final = 5


def seen(awaited: Awaited[JoinResult]) -> Answer | None:
    """Convert an answer to a JoinGroup to the form of the reference."""
    result = awaited.answer
    if result is None:
        return None
    if result.code is not ErrorCode.NONE:
        return result.code, result.member_id
    told = [each.member_id for each in result.members]
    return (
        result.code,
        result.member_id,
        result.generation_id,
        result.protocol_name,
        result.leader_id,
        result.skip_assignment,
        told,
    )


def seen_sync(awaited: Awaited[SyncResult]) -> Answer | None:
    """Convert an answer to a SyncGroup to the form of the reference."""
    result = awaited.answer
    return None if result is None else (result.code, result.assignment)


class GroupDriver:
    """One group in both implementations, and clients that remember their member ids."""

    def __init__(self) -> None:
        """Start without a group."""
        self.groups = Groups(group_max_size=str(MAX_SIZE))
        ids = source_of_member_ids(self.groups.host.seed, BROKER_ID)
        self.reference = ReferenceGroup(
            lambda prefix: f"{prefix}-{ids.uuid()}", MAX_SIZE, self.groups.now_ms
        )
        self.waiting: list[tuple[Callable[[], Answer | None], Ticket]] = []
        self.known: list[tuple[str, str | None]] = [("unheard of", None)]
        """Every id that was ever told, with the instance id of who was told."""

    # What clients do

    def join(
        self,
        *,
        who: int,
        instance: str | None,
        offer: Sequence[str],
        timeout_ms: int,
        version: int,
        metadata: bytes,
    ) -> None:
        """Join as a known member (`who` counts back from the last), or as a new one."""
        member_id, call_id = ("", instance) if who < 0 else self.known[-1 - who % len(self.known)]
        request: JoinRequest = join_request(
            member_id,
            instance=call_id if who >= 0 else instance,
            session_timeout_ms=timeout_ms,
            rebalance_timeout_ms=REBALANCE_TIMEOUTS_MS[timeout_ms],
            names=offer,
            metadata=metadata,
            must_have_member_id=version >= 4,
            may_skip_assignment=version >= 9,
        )
        awaited = self.groups.ask(request)
        ticket = self.reference.join(request)
        self.waiting.append((partial(seen, awaited), ticket))
        self.check()
        result = awaited.answer
        if result is not None and result.member_id:
            self.note(result.member_id, request.group_instance_id)
        for member in self.reference.members:
            self.note(member.member_id, member.request.group_instance_id)

    def note(self, member_id: str, instance: str | None) -> None:
        """Remember a name."""
        if (member_id, instance) not in self.known:
            self.known.append((member_id, instance))

    def sync(self, *, who: int, generation: int) -> None:
        """Send a SyncGroup; a leader assigns partitions to all members except the last."""
        member_id, instance = self.known[-1 - who % len(self.known)]
        self.sync_as(member_id, instance, self.reference.generation + generation)

    def sync_as(self, member_id: str, instance: str | None, generation_id: int) -> None:
        """Ask for an assignment under a name."""
        given = {each.member_id: each.member_id.encode() for each in self.reference.members[:-1]}
        request = SyncRequest(
            GROUP, generation_id, member_id, instance, assignments=tuple(given.items())
        )
        awaited = self.groups.membership.sync(request, self.groups.now_ms)
        ticket = self.reference.sync(member_id, instance, generation_id, given)
        self.waiting.append((partial(seen_sync, awaited), ticket))
        self.check()

    def everybody_joins(self) -> None:
        """Let all members that do not wait join again with their former metadata."""
        for member in [each for each in self.reference.members if not each.joins]:
            request = member.request._replace(
                member_id=member.member_id, protocols=member.protocols
            )
            awaited, ticket = self.groups.ask(request), self.reference.join(request)
            self.waiting.append((partial(seen, awaited), ticket))
        self.check()

    def everybody_syncs(self) -> None:
        """Let all members send a SyncGroup, with the leader at any position."""
        for member in list(self.reference.members):
            instance = member.request.group_instance_id
            self.sync_as(member.member_id, instance, self.reference.generation)

    def heartbeat(self, *, who: int, generation: int) -> None:
        """Give a sign of life."""
        member_id, instance = self.known[-1 - who % len(self.known)]
        generation_id = self.reference.generation + generation
        told = self.groups.heartbeat(
            JoinResult(member_id), generation_id=generation_id, instance=instance
        )
        assert told is self.reference.heartbeat(member_id, instance, generation_id)
        self.check()

    def leave(self, *, who: Sequence[int], by_instance: bool) -> None:
        """Let some members go."""
        names = [self.known[-1 - each % len(self.known)] for each in who]
        if by_instance:
            names = [("" if instance else member_id, instance) for member_id, instance in names]
        leaving = [LeavingMember(member_id, instance) for member_id, instance in names]
        assert self.groups.leave(*leaving) == self.reference.leave(names)
        self.check()

    def pass_time(self, milliseconds: int) -> None:
        """Let time pass."""
        self.groups.advance(milliseconds)
        self.reference.advance_to(self.groups.now_ms)
        self.check()

    # What is compared

    def check(self) -> None:
        """Compare all answers so far, and the whole visible state of the group."""
        for ours, ticket in self.waiting:
            assert ours() == ticket.answer
        self.waiting = [each for each in self.waiting if each[1].answer is None]
        group = self.groups.store.find(GROUP)
        reference = self.reference
        if group is None:
            assert reference.state == "none"
            return
        assert group.state.title == reference.state
        assert (group.generation_id, group.protocol_name, group.leader_id) == (
            reference.generation,
            reference.protocol,
            reference.leader,
        )
        assert [
            (each.member_id, each.group_instance_id, each.assignment, each.session_deadline_ms)
            for each in group.members.values()
        ] == [
            (each.member_id, each.request.group_instance_id, each.assignment, each.deadline_ms)
            for each in reference.members
        ]
        assert group.pending_members == reference.ids
        assert set(group.pending_sync_members) == reference.unsynced
        assert group.join_deadline_ms == reference.join_deadline_ms
        assert group.sync_deadline_ms == reference.sync_deadline_ms
