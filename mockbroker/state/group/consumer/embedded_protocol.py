"""Values of the consumer protocol that classic members embed in JoinGroup and SyncGroup."""

from collections.abc import Collection, Mapping
from typing import NamedTuple, TypeAlias

NamedPartitions: TypeAlias = Mapping[str, Collection[int]]
"""Partitions by topic name."""


class EmbeddedSubscription(NamedTuple):
    """What a classic consumer subscribes to (Kafka's `ConsumerProtocolSubscription`)."""

    topics: frozenset[str]
    owned: NamedPartitions
    """The partitions that it reports as its own; empty below version 1."""
    rack_id: str | None


class EmbeddedAssignment(NamedTuple):
    """What a classic consumer was assigned (Kafka's `ConsumerProtocolAssignment`)."""

    partitions: NamedPartitions
    user_data: bytes
    """Data of a client-side assignor; empty for those that come with Kafka."""
