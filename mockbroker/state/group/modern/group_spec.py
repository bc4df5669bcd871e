"""Input of the server-side assignors: members, subscriptions and present target assignments."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from mockbroker.protocol.types import Uuid
from mockbroker.state.group.modern.modern_records import Partitions


class MemberSpec(NamedTuple):
    """A member: its subscription, and its target assignment so far."""

    topic_ids: tuple[Uuid, ...]
    """The subscribed topics that exist, in the order of Java's hash table."""
    target: Partitions | None
    """None for a new member."""
    instance_id: str | None = None
    rack_id: str | None = None


class GroupSpec(NamedTuple):
    """A group (Kafka's `GroupSpec` and `SubscribedTopicDescriber`)."""

    members: Mapping[str, MemberSpec]
    """By member id, in the order of Java's hash table."""
    is_homogeneous: bool
    """True if all members subscribe to the same topics."""
    owners: Mapping[Uuid, Mapping[int, str]]
    """Member ids by partition, in the target assignment so far."""
    partition_counts: Mapping[Uuid, int]
    """Number of partitions of each subscribed topic."""
    assignable: Partitions | None = None
    """The partitions that may be assigned; None for all."""
    last_members_get_extra: bool = True
    """True if members that have an extra partition keep it before others get one."""
    balances_by_topic: bool = True
    """True if `uniform` moves partitions topic by topic where subscriptions differ."""


Assignor: TypeAlias = Callable[[GroupSpec], Mapping[str, Partitions]]
"""Computes the target assignment of each member; a member without partitions may be missing."""
