"""The `range` assignor: each member gets a range of each topic (Kafka's `RangeAssignor`).

Racks are ignored, as in Kafka 4.4. The ranges do not depend on the assignment so far.
"""

from collections.abc import Mapping
from typing import Final

from mockbroker.protocol.types import Uuid
from mockbroker.state.group.modern.group_spec import GroupSpec
from mockbroker.state.group.modern.modern_records import Partitions

NAME: Final = "range"


def assign_ranges(spec: GroupSpec) -> Mapping[str, Partitions]:
    """Assign ranges; of a topic, the first members by instance id and member id get one more."""
    order = sorted(spec.members, key=lambda each: _order(each, spec.members[each].instance_id))
    subscribers: dict[Uuid, list[str]] = {}
    for member_id in order:
        for topic_id in spec.members[member_id].topic_ids:
            subscribers.setdefault(topic_id, []).append(member_id)
    target: dict[str, dict[Uuid, frozenset[int]]] = {member_id: {} for member_id in order}
    for topic_id, member_ids in subscribers.items():
        quota, extra = divmod(spec.partition_counts[topic_id], len(member_ids))
        start = 0
        for position, member_id in enumerate(member_ids):
            end = start + quota + (position < extra)
            if start < end:
                target[member_id][topic_id] = frozenset(range(start, end))
            start = end
    return target


def _order(member_id: str, instance_id: str | None) -> tuple[bool, str]:
    """Return a sort key: static members first."""
    return instance_id is None, member_id if instance_id is None else instance_id
