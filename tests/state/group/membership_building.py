"""Group membership with a fake store and a clock that the test moves."""

from collections import deque
from collections.abc import Hashable, Mapping
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.coordinator.holds import HeldReconciliations
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_answers import (
    Awaited,
    JoinRequest,
    JoinResult,
    LeavingMember,
    SyncRequest,
    SyncResult,
)
from mockbroker.state.group.classic.group_membership import GroupMembership
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group_log_record import GroupMetadataValue
from mockbroker.state.release.options import Options
from mockbroker.state.timers import Timers
from tests.state.group.group_building import GROUP, join_request

BROKER_ID: Final = 1
DELAY: Final = "group.initial.rebalance.delay.ms"


class FakeStore:
    """A dictionary of groups and a list as log, which can be set to fail."""

    def __init__(self) -> None:
        """Start empty, as the coordinator of all groups."""
        self.groups: dict[str, ClassicGroup] = {}
        self.logged: list[GroupMetadataValue] = []
        self.lookup_refusal: ErrorCode | None = None
        self.append_refusals: deque[ErrorCode] = deque()

    def make_classic(self, _group_id: str, _now_ms: int, *, for_new_member: bool) -> None:
        """Accept a joining member: all groups are classic."""
        if self.lookup_refusal is not None:
            raise ApiError(self.lookup_refusal, "the test wants it")

    def get(self, group_id: str) -> ClassicGroup | None:
        """Return a group, or raise the lookup error."""
        if self.lookup_refusal is not None:
            raise ApiError(self.lookup_refusal, "the test wants it")
        return self.groups.get(group_id)

    def find(self, group_id: str) -> ClassicGroup | None:
        """Return a group."""
        return self.groups.get(group_id)

    def add(self, group: ClassicGroup) -> None:
        """Store a group."""
        assert group.group_id not in self.groups
        self.groups[group.group_id] = group

    def remove(self, group: ClassicGroup) -> None:
        """Remove a group."""
        del self.groups[group.group_id]

    def store(self, group: ClassicGroup, assignments: Mapping[str, bytes], now_ms: int) -> None:
        """Record a logged group, or raise the append error."""
        assert now_ms >= 0
        if self.append_refusals:
            raise ApiError(self.append_refusals.popleft(), "the test wants it")
        self.logged.append(group.to_log_value(assignments))


class FakeHost:
    """The parts of a cluster that groups use."""

    def __init__(self, release: str, configs: dict[str, str]) -> None:
        """Simulate a release."""
        self.options = Options.for_release(release)
        self.configs = ConfigRepository(release, {DELAY: "0", **configs}, {})
        self.timers = Timers()
        self.seed = 7
        self.held_reconciliations = HeldReconciliations()
        self.notified: list[Hashable] = []

    def answered(self, awaited: Hashable) -> None:
        """Record an answered request."""
        self.notified.append(awaited)


class Groups:
    """A membership, and the time."""

    def __init__(self, release: str = "4.4", **configs: str) -> None:
        """Start without groups; `configs` have underscores for dots."""
        self.host = FakeHost(release, {k.replace("_", "."): v for k, v in configs.items()})
        self.store = FakeStore()
        self.membership = GroupMembership(BROKER_ID, self.host, self.store)
        self.now_ms = 1000

    @property
    def group(self) -> ClassicGroup:
        """The group under test."""
        return self.store.groups[GROUP]

    @property
    def state(self) -> GroupState:
        """The state of that group."""
        return self.group.state

    def load(self, value: GroupMetadataValue) -> None:
        """Load the group as another coordinator logged it."""
        group = ClassicGroup.from_log_value(GROUP, value)
        self.store.add(group)
        self.membership.on_loaded(group, self.now_ms)

    def advance(self, milliseconds: int = 0) -> None:
        """Advance the clock, and run expired timers."""
        self.now_ms += milliseconds
        self.host.timers.advance_to(self.now_ms)

    def ask(self, request: JoinRequest) -> Awaited[JoinResult]:
        """Send a JoinGroup."""
        return self.membership.join(request, self.now_ms)

    def join(self, request: JoinRequest) -> JoinResult:
        """Send a JoinGroup that is answered at once, or after an initial delay of 0 ms."""
        awaited = self.ask(request)
        self.advance()
        assert awaited.answer is not None, self.group.state
        return awaited.answer

    def sync(
        self,
        joined: JoinResult,
        assignments: Mapping[str, bytes] | None = None,
        *,
        instance: str | None = None,
    ) -> Awaited[SyncResult]:
        """Send the SyncGroup that follows a JoinGroup."""
        request = SyncRequest(
            GROUP,
            joined.generation_id,
            joined.member_id,
            instance,
            joined.protocol_type,
            joined.protocol_name,
            tuple((assignments or {}).items()),
        )
        return self.membership.sync(request, self.now_ms)

    def heartbeat(
        self, joined: JoinResult, *, generation_id: int | None = None, instance: str | None = None
    ) -> ErrorCode:
        """Send a Heartbeat."""
        generation_id = joined.generation_id if generation_id is None else generation_id
        try:
            return self.membership.heartbeat(
                GROUP, joined.member_id, instance, generation_id, self.now_ms
            )
        except ApiError as refusal:
            return refusal.code

    def leave(self, *members: str | LeavingMember) -> list[ErrorCode]:
        """Send a LeaveGroup."""
        leaving = [
            each if isinstance(each, LeavingMember) else LeavingMember(each) for each in members
        ]
        return self.membership.leave(GROUP, leaving, self.now_ms)

    def gather(self, *requests: JoinRequest) -> list[JoinResult]:
        """Let several members join one generation; the first leads."""
        first, *others = requests
        joined = self.join(first)
        waiting = [self.ask(request) for request in others]
        again = [self.ask(first._replace(member_id=joined.member_id))] if others else []
        self.advance()
        results = [each.answer for each in again + waiting]
        return [result for result in results if result is not None] or [joined]

    def stable(self, *requests: JoinRequest) -> list[JoinResult]:
        """Bring a group into a stable generation, with the members' ids as assignments."""
        results = self.gather(*requests)
        assert len(results) == len(requests), results
        leader, *others = results
        waiting = [self.sync(each) for each in others]
        given = {each.member_id: each.member_id.encode() for each in results}
        assert self.sync(leader, given).answer is not None
        assert all(each.answer is not None for each in waiting)
        return results


def members(count: int, **options: str) -> list[JoinRequest]:
    """Create the requests of several members, with client ids a, b, c, ..."""
    return [
        join_request(client_id=chr(ord("a") + index), **options)  # type: ignore[arg-type]
        for index in range(count)
    ]
