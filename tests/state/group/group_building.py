"""Members and groups for tests, with defaults for irrelevant fields."""

from collections.abc import Sequence

from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_answers import Awaited, JoinRequest, JoinResult
from mockbroker.state.group.classic.group_member import GroupMember
from mockbroker.state.group.classic.group_state import GroupState

GROUP = "group"
SESSION_TIMEOUT_MS = 10_000
REBALANCE_TIMEOUT_MS = 60_000


def protocols(*names: str) -> tuple[tuple[str, bytes], ...]:
    """Create protocols with their names as metadata."""
    return tuple((name, name.encode()) for name in names)


def join_request(
    member_id: str = "",
    *,
    group_id: str = GROUP,
    instance: str | None = None,
    client_id: str = "client",
    session_timeout_ms: int = SESSION_TIMEOUT_MS,
    rebalance_timeout_ms: int = REBALANCE_TIMEOUT_MS,
    protocol_type: str = "consumer",
    names: Sequence[str] = ("range",),
    metadata: bytes | None = None,
    must_have_member_id: bool = False,
    may_skip_assignment: bool = False,
) -> JoinRequest:
    """Create a JoinGroup request, of v3 by default."""
    return JoinRequest(
        group_id=group_id,
        member_id=member_id,
        group_instance_id=instance,
        client_id=client_id,
        client_host="/127.0.0.1",
        session_timeout_ms=session_timeout_ms,
        rebalance_timeout_ms=rebalance_timeout_ms,
        protocol_type=protocol_type,
        protocols=protocols(*names)
        if metadata is None
        else tuple((name, metadata) for name in names),
        must_have_member_id=must_have_member_id,
        may_skip_assignment=may_skip_assignment,
    )


def member(
    member_id: str,
    *names: str,
    instance: str | None = None,
    protocol_type: str = "consumer",
    rebalance_timeout_ms: int = REBALANCE_TIMEOUT_MS,
) -> GroupMember:
    """Create a member."""
    return GroupMember.joining(
        member_id,
        join_request(
            instance=instance,
            protocol_type=protocol_type,
            names=names or ("range",),
            rebalance_timeout_ms=rebalance_timeout_ms,
        ),
    )


def group_of(*members: GroupMember, state: GroupState = GroupState.EMPTY) -> ClassicGroup:
    """Create a group in which every member waits for its JoinGroup."""
    group = ClassicGroup(GROUP, now_ms=0, state=state)
    for each in members:
        awaited: Awaited[JoinResult] = Awaited()
        group.add(each, awaited)
    return group
