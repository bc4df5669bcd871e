"""Group that consists of the records of its own protocol: a consumer, share or streams group."""

from typing import Protocol

from mockbroker.state.group.group import Group
from mockbroker.state.group.modern.modern_records import ModernRecord


class ModernGroup(Group, Protocol):
    """A group that changes only by its records."""

    @property
    def epoch(self) -> int:
        """The group's epoch."""
        ...

    @property
    def state_title(self) -> str:
        """The name of the group's state."""
        ...

    def replay(self, record: ModernRecord) -> None:
        """Apply a record of the log."""
        ...

    def tombstones(self) -> list[ModernRecord]:
        """Return the records that end the group and its members."""
        ...

    def carry_deadlines(self, by_ms: int) -> None:
        """Move every deadline of the members into the future."""
        ...
