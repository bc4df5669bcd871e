"""Group that consists of the records of its own protocol: a consumer, share or streams group."""

from collections.abc import Sequence
from typing import Any, Protocol

from mockbroker.state.group.group import Group
from mockbroker.state.group.modern.modern_records import ModernRecord
from mockbroker.state.group.streams.streams_records import StreamsRecord


class ModernGroup(Group, Protocol):
    """A group that changes only by its records."""

    @property
    def group_epoch(self) -> int:
        """The group's epoch."""
        ...

    @property
    def state_title(self) -> str:
        """The name of the group's state."""
        ...

    def replay(self, record: Any) -> None:
        """Apply a record of the log, which is of the group's own kind."""
        ...

    def tombstones(self) -> Sequence[ModernRecord | StreamsRecord]:
        """Return the records that end the group and its members."""
        ...

    def carry_deadlines(self, by_ms: int) -> None:
        """Move every deadline of the members into the future."""
        ...
