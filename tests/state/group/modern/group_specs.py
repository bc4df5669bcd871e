"""Groups for the assignors' tests."""

from collections.abc import Mapping
from uuid import UUID

from mockbroker.protocol.types import Uuid
from mockbroker.state.group.modern.group_spec import GroupSpec, MemberSpec
from mockbroker.state.group.modern.modern_records import Partitions

TOPIC = UUID(int=100)
OTHER = UUID(int=200)


def group_spec(
    subscriptions: Mapping[str, tuple[Uuid, ...]],
    partition_counts: Mapping[Uuid, int],
    targets: Mapping[str, Partitions | None] | None = None,
) -> GroupSpec:
    """Build a group from subscriptions, topics, and targets so far."""
    known = targets or {}
    owners: dict[Uuid, dict[int, str]] = {}
    for member_id, target in known.items():
        for topic_id, partitions in (target or {}).items():
            owners.setdefault(topic_id, {}).update(dict.fromkeys(partitions, member_id))
    return GroupSpec(
        {
            member_id: MemberSpec(topic_ids, known.get(member_id))
            for member_id, topic_ids in subscriptions.items()
        },
        len(set(subscriptions.values())) < 2,
        owners,
        partition_counts,
    )


def sizes(assignment: Mapping[str, Partitions]) -> list[int]:
    """Return the number of partitions of each member, by member id."""
    return [sum(map(len, each.values())) for _, each in sorted(assignment.items())]
