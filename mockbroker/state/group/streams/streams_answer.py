"""Answer to a heartbeat, and what changes in the group beside its records (KIP-1071)."""

from collections.abc import Iterable
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.streams.streams_configs import StreamsConfigs
from mockbroker.state.group.streams.streams_group import StreamsGroup
from mockbroker.state.group.streams.streams_group_member import StreamsGroupMember
from mockbroker.state.group.streams.streams_heartbeat import (
    FIRST_WITH_CLIENT_TAGS_STATUS,
    StreamsHeartbeat,
    StreamsHeartbeatResult,
)
from mockbroker.state.group.streams.streams_host import StreamsTopics
from mockbroker.state.group.streams.streams_update import Updated
from mockbroker.state.group.streams.topics.configured_topology import Status, StatusCode
from mockbroker.state.group.streams.topics.endpoint_partitions import (
    EndpointPartitions,
    endpoint_partitions,
)

HEARTBEAT_INTERVAL: Final = "heartbeat.interval.ms"
TASK_OFFSET_INTERVAL: Final = "task.offset.interval.ms"
ACCEPTABLE_RECOVERY_LAG: Final = "acceptable.recovery.lag"


def build_result(
    group: StreamsGroup,
    members: tuple[StreamsGroupMember, StreamsGroupMember],
    request: StreamsHeartbeat,
    found: Updated,
    cluster: tuple[StreamsTopics, StreamsConfigs],
) -> StreamsHeartbeatResult:
    """Build the answer to a member, from the member before and after its heartbeat.

    A shutdown that it requests, and a change of endpoints, are noted in the group.
    """
    before, after = members
    topics, configs = cluster
    group_id = group.group_id
    if request.shutdown_application and group.shutdown_requested_by is None:
        group.shutdown_requested_by = request.member_id
    has_changed = before.assigned != after.assigned
    moves_endpoint = before.user_endpoint != after.user_endpoint
    if moves_endpoint or (has_changed and after.user_endpoint is not None):
        group.endpoint_epoch += 1
    return StreamsHeartbeatResult(
        after.member_id,
        after.member_epoch,
        configs.integer(HEARTBEAT_INTERVAL, group_id),
        configs.integer(TASK_OFFSET_INTERVAL, group_id),
        configs.integer(ACCEPTABLE_RECOVERY_LAG, group_id),
        tuple(_statuses(group, after, request, found)),
        after.assigned if request.joins or has_changed else None,
        group.endpoint_epoch,
        _endpoints(group, after, found, topics)
        if group.endpoint_epoch != request.endpoint_epoch
        else None,
        tuple(found.configured.missing_internal_topics.values()),
    )


def _statuses(
    group: StreamsGroup, member: StreamsGroupMember, request: StreamsHeartbeat, found: Updated
) -> list[Status]:
    statuses = list(found.statuses)
    if found.configured.status is not None:
        statuses.append(found.configured.status)
    if group.shutdown_requested_by is not None:
        statuses.append(
            Status(
                StatusCode.SHUTDOWN_APPLICATION,
                f"Streams group member {group.shutdown_requested_by} encountered a fatal error and"
                " requested a shutdown for the entire application.",
            )
        )
    if request.api_version >= FIRST_WITH_CLIENT_TAGS_STATUS:
        missing = [tag for tag in found.required_tags if tag not in member.client_tags]
        if missing:
            statuses.append(
                Status(
                    StatusCode.MISSING_CLIENT_TAGS,
                    "Missing required client tags for rack-aware standby assignment:"
                    f" [{', '.join(missing)}]. Configure them via 'client.tag.<tagKey>' in your"
                    " Streams config.",
                )
            )
    return statuses


def with_locked_topics(statuses: Iterable[Status], why: str) -> tuple[Status, ...]:
    """Add to the status of missing internal topics why the broker does not create them."""
    code = StatusCode.MISSING_INTERNAL_TOPICS
    known = tuple(statuses)
    if not any(each.code is code for each in known):
        return (*known, Status(code, why))
    return tuple(
        Status(code, f"{each.detail}; {why}") if each.code is code else each for each in known
    )


def _endpoints(
    group: StreamsGroup, member: StreamsGroupMember, found: Updated, topics: StreamsTopics
) -> tuple[EndpointPartitions, ...]:
    """Return the partitions of all endpoints, the member's own last."""
    replaced = group.static_members.get(member.instance_id or "")
    others = [
        each
        for each in group.members_in_order()
        if each.member_id not in {member.member_id, replaced}
    ]
    subtopologies = found.configured.subtopologies
    if subtopologies is None and any(each.user_endpoint for each in [*others, member]):
        # Kafka 4.4 does not expect endpoints before the topics fit.
        raise ApiError(
            ErrorCode.UNKNOWN_SERVER_ERROR, "the topics of an endpoint are not known yet"
        )
    return endpoint_partitions([*others, member], subtopologies or {}, topics.partition_count)
