"""Groups for the admin APIs: listing, description, deletion."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_member import GroupMember
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group import Group, GroupKind
from mockbroker.state.group.group_kinds import is_modern
from mockbroker.state.release.group_options import GroupOptions
from mockbroker.state.release.offset_options import OffsetOptions


class GroupFilters(NamedTuple):
    """Filters of ListGroups (KIP-518, KIP-848); an empty filter matches all groups."""

    states: Collection[str] = ()
    types: Collection[str] = ()


class ListedGroup(NamedTuple):
    """A group in the answer to ListGroups."""

    group_id: str
    protocol_type: str
    state: str
    kind: GroupKind = GroupKind.CLASSIC


class DescribedMember(NamedTuple):
    """A member in the answer to DescribeGroups."""

    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    metadata: bytes = b""
    """The member's metadata for the selected protocol; empty during a rebalance."""
    assignment: bytes = b""


class DescribedGroup(NamedTuple):
    """A group in the answer to DescribeGroups."""

    state: str
    protocol_type: str = ""
    protocol_name: str = ""
    """Empty during a rebalance."""
    members: Sequence[DescribedMember] = ()


def is_listed(group: Group, filters: GroupFilters, options: OffsetOptions) -> bool:
    """Return whether a group matches the filters."""
    if filters.types and group.kind not in {each.lower() for each in filters.types}:
        return False
    if not filters.states:
        return True
    states, title_of_group = set(filters.states), _state_title(group)
    if options.state_filters_are_trimmed:
        states = {each.strip() for each in states}
    if options.state_filters_ignore_case:
        states, title_of_group = {each.lower() for each in states}, title_of_group.lower()
    return title_of_group in states


def _state_title(group: Group) -> str:
    if isinstance(group, ClassicGroup):
        return group.state.title
    assert is_modern(group), group.group_id
    return group.state_title


def listed(group: Group, options: GroupOptions) -> ListedGroup:
    """Return a group's entry for ListGroups."""
    if not isinstance(group, ClassicGroup):
        return ListedGroup(group.group_id, group.kind.value, _state_title(group), group.kind)
    return ListedGroup(group.group_id, group.protocol_type or "", title(group.state, options))


def described(
    group: ClassicGroup, options: GroupOptions, *, shows_assignments: bool
) -> DescribedGroup:
    """Describe a group; members' metadata is included only while the group is stable.

    Assignments too, unless `shows_assignments` includes them always.

    Raises:
        ApiError: UNKNOWN_SERVER_ERROR for a stable group with a member that does not support its
            protocol: up to 2.4 a static member can rejoin in this way.

    """
    is_stable = group.state is GroupState.STABLE
    protocol_name = group.protocol_name if is_stable else None
    if protocol_name is not None:
        _check_protocol(group, protocol_name)
    return DescribedGroup(
        title(group.state, options),
        group.protocol_type or "",
        protocol_name or "",
        [
            DescribedMember(
                member.member_id,
                member.group_instance_id,
                member.client_id,
                member.client_host,
                _metadata(member, protocol_name, options),
                member.assignment if is_stable or shows_assignments else b"",
            )
            for member in group.members.values()
        ],
    )


def _metadata(member: GroupMember, protocol_name: str | None, options: GroupOptions) -> bytes:
    if protocol_name is None:
        return b""
    if options.describes_assignment_as_metadata:
        return member.assignment
    return member.metadata(protocol_name)


def _check_protocol(group: ClassicGroup, protocol_name: str) -> None:
    for member in group.members.values():
        if protocol_name not in member.protocol_names:
            why = f"member {member.member_id!r} of {group.group_id!r} has no {protocol_name!r}"
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, why)


def title(state: GroupState, options: GroupOptions) -> str:
    """Return the release's name of a state."""
    if state is GroupState.COMPLETING_REBALANCE:
        return options.completing_rebalance_title
    return state.title


def not_found(group_id: str, group: Group | None = None) -> ApiError:
    """Return the error for a request about a group that does not exist, or is no classic one."""
    what = "not found" if group is None else "is not a classic group"
    return ApiError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} {what}.")
