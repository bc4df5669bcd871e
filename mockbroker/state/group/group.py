"""Group of any kind, as the coordinator keeps it by its id (Kafka's `Group`)."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Protocol

from mockbroker.state.observation import Observation


class GroupKind(StrEnum):
    """The protocol of a group's members; the values are those of ListGroups (`GroupType`)."""

    CLASSIC = "classic"
    CONSUMER = "consumer"
    SHARE = "share"
    STREAMS = "streams"


class Group(Protocol):
    """A group; its id belongs to one kind of group at a time."""

    observation: Observation | None
    """Observer of state changes, once the group belongs to a coordinator."""

    @property
    def group_id(self) -> str:
        """The group's id."""
        ...

    @property
    def kind(self) -> GroupKind:
        """The protocol of its members."""
        ...

    @property
    def members(self) -> Mapping[str, object]:
        """The members by their ids."""
        ...

    @property
    def is_empty(self) -> bool:
        """True if the group has no members, and may end."""
        ...

    def is_subscribed_to_topic(
        self, topic: str, read: Callable[[bytes], frozenset[str] | None]
    ) -> bool:
        """Return whether a member subscribes to a topic; `read` decodes classic subscriptions."""
        ...

    def as_text(self) -> list[str]:
        """Show the group in a stable form."""
        ...
