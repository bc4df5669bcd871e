"""State of a group at its coordinator, without a client.

A classic group is asked for by DescribeGroups and Heartbeat, one of the consumer protocol by
ConsumerGroupDescribe.
"""

from dataclasses import dataclass
from typing import Final

from mockbroker.protocol.codec import decode
from mockbroker.protocol.consumer_protocol import ConsumerProtocolAssignment
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
)
from mockbroker.protocol.messages.describe_groups import (
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from mockbroker.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from mockbroker.wire.client import WireClient
from mockbroker.wire.cluster import WireCluster

_OLDEST: Final = range(1)
_GENERATION_MAX: Final = 100
_VERSION_BYTES: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView:
    """A group at one moment."""

    state: str
    partitions: frozenset[frozenset[int]]
    """What each of the members is assigned of the one topic that they read."""
    member_ids: tuple[str, ...]


def group_view(bootstrap_servers: str, group: str, group_protocol: str = "classic") -> GroupView:
    """Return the group as it is described."""
    with WireCluster(bootstrap_servers) as cluster:
        coordinator = cluster.coordinator(group)
        if group_protocol == "consumer":
            return _seen(_consumer_group(coordinator, group))
        return _described(coordinator, group)


def generation(bootstrap_servers: str, group: str, group_protocol: str = "classic") -> int:
    """Return the generation of a stable group: the one for which a member's heartbeat is taken.

    That of a consumer group is its epoch.
    """
    with WireCluster(bootstrap_servers) as cluster:
        coordinator = cluster.coordinator(group)
        if group_protocol == "consumer":
            return _consumer_group(coordinator, group).group_epoch
        member_id = _described(coordinator, group).member_ids[0]
        for candidate in range(1, _GENERATION_MAX):
            request = HeartbeatRequest(group_id=group, generation_id=candidate, member_id=member_id)
            answer = coordinator.ask_newest(request, _OLDEST, HeartbeatResponse)
            if answer.error_code == ErrorCode.NONE:
                return candidate
            assert answer.error_code == ErrorCode.ILLEGAL_GENERATION, f"{group}: {answer}"
    raise AssertionError(f"{group} is beyond generation {_GENERATION_MAX}")


def _consumer_group(coordinator: WireClient, group: str) -> DescribedGroup:
    request = ConsumerGroupDescribeRequest(group_ids=[group])
    (found,) = coordinator.ask_newest(request, range(2), ConsumerGroupDescribeResponse).groups
    # one that nobody has joined yet is without a state
    assert found.error_code in {ErrorCode.NONE, ErrorCode.GROUP_ID_NOT_FOUND}, found
    return found


def _seen(found: DescribedGroup) -> GroupView:
    members = {
        each.member_id: frozenset(
            partition
            for topic in each.assignment.topic_partitions
            for partition in topic.partitions
        )
        for each in found.members
    }
    return GroupView(
        state=found.group_state,
        partitions=frozenset(members.values()),
        member_ids=tuple(sorted(members)),
    )


def _described(coordinator: WireClient, group: str) -> GroupView:
    request = DescribeGroupsRequest(groups=[group])
    (found,) = coordinator.ask_newest(request, _OLDEST, DescribeGroupsResponse).groups
    assert found.error_code == ErrorCode.NONE, found
    members = {each.member_id: _assigned(each.member_assignment) for each in found.members}
    return GroupView(
        state=found.group_state,
        partitions=frozenset(members.values()),
        member_ids=tuple(sorted(members)),
    )


def _assigned(assignment: bytes) -> frozenset[int]:
    if not assignment:
        return frozenset()
    topics = decode(ConsumerProtocolAssignment, 0, assignment, _VERSION_BYTES).assigned_partitions
    assert len(topics) < 2, f"{len(topics)} topics are assigned"
    return frozenset(index for topic in topics for index in topic.partitions)
