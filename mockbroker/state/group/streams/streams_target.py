"""Target assignments of streams groups (Kafka's streams `TargetAssignmentBuilder`)."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from mockbroker.state.group.streams.assignor.sticky_task_assignor import (
    AssignmentMember,
    assign_tasks,
)
from mockbroker.state.group.streams.streams_group import StreamsGroup
from mockbroker.state.group.streams.streams_group_member import StreamsGroupMember
from mockbroker.state.group.streams.streams_records import (
    StreamsRecord,
    StreamsTargetEpoch,
    StreamsTargetEpochRecord,
    StreamsTargetRecord,
)
from mockbroker.state.group.streams.tasks import NO_TASKS, TasksTuple, partitions_of
from mockbroker.state.group.streams.topics.configured_topology import ConfiguredTopology, Status
from mockbroker.state.topic.java_hash import texts_in_java_hash_order

STANDBY_REPLICAS: Final = "num.standby.replicas"
"""Name of the number of standby tasks in a group's assignment configs."""


class StreamsTarget(NamedTuple):
    """What the members move towards."""

    target_epoch: int
    tasks: Mapping[str, TasksTuple]
    """Targets by member; some members may have none."""
    records: list[StreamsRecord]
    status: Status | None = None
    """Reason why a newer target is not computed yet."""


def members_with(group: StreamsGroup, updated: StreamsGroupMember) -> dict[str, StreamsGroupMember]:
    """Return the members with one that joins or changes, in the place of its instance id's."""
    replaced = group.static_members.get(updated.instance_id or "", updated.member_id)
    members = {
        member.member_id: member
        for member in group.members_in_order()
        if member.member_id == updated.member_id or member.member_id != replaced
    }
    return members | {updated.member_id: updated}


def targets_with(group: StreamsGroup, member: StreamsGroupMember) -> Mapping[str, TasksTuple]:
    """Return the present targets, with a member in the place of its instance id's."""
    known = group.static_members.get(member.instance_id or "", member.member_id)
    if known == member.member_id:
        return group.targets
    targets = dict(group.targets)
    replaced = targets.pop(known, None)
    return targets if replaced is None else targets | {member.member_id: replaced}


def compute_target(
    group: StreamsGroup,
    members: Mapping[str, StreamsGroupMember],
    topology: ConfiguredTopology,
    computed_for: tuple[StreamsTargetEpoch, Mapping[str, str]],
) -> tuple[list[StreamsRecord], dict[str, TasksTuple]]:
    """Compute the targets of all members for an epoch with its configs.

    Members whose target stays have no record. Nobody gets tasks while the topology is not ready.
    """
    target_epoch, configs = computed_for
    ordered = texts_in_java_hash_order(members)
    if topology.is_ready and topology.subtopologies is not None:
        known = {member_id: _as_known(group, members[member_id]) for member_id in ordered}
        targets = assign_tasks(known, topology.subtopologies, int(configs[STANDBY_REPLICAS]))
    else:
        targets = dict.fromkeys(ordered, NO_TASKS)
    records: list[StreamsRecord] = []
    for member_id in ordered:
        former = group.static_members.get(members[member_id].instance_id or "", member_id)
        if targets[member_id] != group.targets.get(former):
            records.append(StreamsTargetRecord(group.group_id, member_id, targets[member_id]))
    records.append(StreamsTargetEpochRecord(group.group_id, target_epoch))
    return records, targets


def _as_known(group: StreamsGroup, member: StreamsGroupMember) -> AssignmentMember:
    return AssignmentMember(
        member.process_id,
        partitions_of(member.assigned.active),
        member.assigned.standby,
        group.task_offsets.get(member.member_id, {}),
    )
