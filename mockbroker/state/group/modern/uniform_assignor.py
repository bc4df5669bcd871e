"""The `uniform` assignor: equal numbers of partitions, and few that move (`UniformAssignor`).

Racks are ignored, as in Kafka 4.4.
"""

from collections.abc import Mapping
from typing import Final

from mockbroker.protocol.types import Uuid
from mockbroker.state.group.modern.group_spec import GroupSpec, MemberSpec
from mockbroker.state.group.modern.modern_records import Partitions
from mockbroker.state.group.modern.uniform_by_partition import assign_by_partition
from mockbroker.state.group.modern.uniform_heterogeneous import assign_to_subscribers
from mockbroker.state.topic.java_hash import numbers_in_java_hash_order

NAME: Final = "uniform"


def assign_uniformly(spec: GroupSpec) -> Mapping[str, Partitions]:
    """Assign every partition; a member keeps what it has, up to its share."""
    if not spec.members:
        return {}
    if spec.is_homogeneous:
        return _assign_equally(spec)
    return assign_to_subscribers(spec) if spec.balances_by_topic else assign_by_partition(spec)


def _assign_equally(spec: GroupSpec) -> Mapping[str, Partitions]:
    topic_ids = next(iter(spec.members.values())).topic_ids
    if not topic_ids:
        return {}
    free = [
        (topic_id, partition)
        for topic_id in topic_ids
        for partition in range(spec.partition_counts[topic_id])
        if partition not in spec.owners.get(topic_id, {})
    ]
    total = sum(spec.partition_counts[topic_id] for topic_id in topic_ids)
    least, extra = divmod(total, len(spec.members))
    target: dict[str, dict[Uuid, set[int]]] = {}
    wants: list[tuple[str, int]] = []
    members_left = len(spec.members)
    for member_id, member in spec.members.items():
        gets_extra = extra > 0
        target[member_id], quota = _retained(member, set(topic_ids), least + gets_extra, free)
        # As many members as there are extra partitions left get one, whoever comes last.
        if spec.last_members_get_extra and quota and gets_extra and members_left > extra:
            quota -= 1
            gets_extra = False
        extra -= gets_extra
        members_left -= 1
        if quota:
            wants.append((member_id, quota))
    unassigned = iter(free)
    for member_id, quota in wants:
        for _, (topic_id, partition) in zip(range(quota), unassigned, strict=False):
            target[member_id].setdefault(topic_id, set()).add(partition)
    return {
        member_id: {topic_id: frozenset(each) for topic_id, each in partitions.items()}
        for member_id, partitions in target.items()
    }


def _retained(
    member: MemberSpec, topic_ids: set[Uuid], quota: int, free: list[tuple[Uuid, int]]
) -> tuple[dict[Uuid, set[int]], int]:
    """Return what a member keeps, and the rest of its quota; add to `free` what is beyond it."""
    kept: dict[Uuid, set[int]] = {}
    for topic_id, partitions in (member.target or {}).items():
        if topic_id not in topic_ids:
            continue
        in_order = numbers_in_java_hash_order(partitions)
        if in_order[:quota]:
            kept[topic_id] = set(in_order[:quota])
        free += [(topic_id, partition) for partition in in_order[quota:]]
        quota -= min(quota, len(in_order))
    return kept, quota
