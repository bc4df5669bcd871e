"""View of a broker's groups that has the classic ones only."""

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.group import Group, GroupKind


class GroupsOfEveryKind(Protocol):
    """The groups of a broker."""

    def get(self, group_id: str) -> Group | None:
        """Return a group; None if it does not exist.

        Raises:
            ApiError: NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS.

        """
        ...

    def find(self, group_id: str) -> Group | None:
        """Return a group; None if it does not exist, or its partition is not loaded here."""
        ...

    def add(self, group: Group) -> None:
        """Add a new group."""
        ...

    def remove(self, group: Group) -> None:
        """Remove a group."""
        ...

    def drop(self, group: Group) -> None:
        """Remove a group, but not its records."""
        ...

    def store(self, group: ClassicGroup, assignments: Mapping[str, bytes], now_ms: int) -> None:
        """Write a classic group to the log."""
        ...


class ClassicGroups:
    """The classic groups (`GroupStore`); a group of another kind is as if it did not exist."""

    __slots__ = ("_end", "_groups")

    def __init__(self, groups: GroupsOfEveryKind, end: Callable[[Group, int], None]) -> None:
        """Call `end` with an empty group of another kind whose id a classic one takes."""
        self._groups: Final = groups
        self._end: Final = end

    def make_classic(self, group_id: str, now_ms: int, *, for_new_member: bool) -> None:
        """Have a group end that is empty and of another protocol.

        If not for a new member, the join is about to be refused: Kafka then forgets the group, and
        writes none of its tombstones.

        Raises:
            ApiError: INCONSISTENT_GROUP_PROTOCOL if it has members, or is a share group; or as
                `get`.

        """
        group = self._groups.get(group_id)
        if group is None or isinstance(group, ClassicGroup):
            return
        if not group.is_empty or group.kind is GroupKind.SHARE:
            raise ApiError(
                ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
                f"Cannot join the {group.kind} group {group_id} with the classic protocol because"
                " the group migration is disabled.",
            )
        if for_new_member:
            self._end(group, now_ms)
        else:
            self._groups.drop(group)

    def get(self, group_id: str) -> ClassicGroup | None:
        """Return a classic group; None if it does not exist.

        Raises:
            ApiError: NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS.

        """
        return _classic(self._groups.get(group_id))

    def find(self, group_id: str) -> ClassicGroup | None:
        """Return a classic group; None if it does not exist, or is not loaded here."""
        return _classic(self._groups.find(group_id))

    def add(self, group: ClassicGroup) -> None:
        """Add a new group.

        Raises:
            ApiError: As `get`.

        """
        self._groups.add(group)

    def remove(self, group: ClassicGroup) -> None:
        """Remove a group."""
        self._groups.remove(group)

    def store(self, group: ClassicGroup, assignments: Mapping[str, bytes], now_ms: int) -> None:
        """Write a group to the log, with the assignments that its members are about to get.

        Raises:
            ApiError: With the code for the members; nothing has changed then.

        """
        self._groups.store(group, assignments, now_ms)


def _classic(group: Group | None) -> ClassicGroup | None:
    return group if isinstance(group, ClassicGroup) else None
