"""Values of StreamsGroupHeartbeat, and the checks of a request that need no group (KIP-1071)."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.streams.streams_group_member import (
    JOIN_EPOCH,
    NO_REBALANCE_TIMEOUT_MS,
    STATIC_LEAVE_EPOCH,
    UserEndpoint,
)
from mockbroker.state.group.streams.tasks import AssignedTasks, Tasks, TasksTuple
from mockbroker.state.group.streams.topics.configured_topology import (
    ConfiguredInternalTopic,
    Status,
)
from mockbroker.state.group.streams.topics.endpoint_partitions import EndpointPartitions
from mockbroker.state.group.streams.topics.topology import UNDEFINED_PARTITIONS, Subtopology

SUBTOPOLOGIES_MAX: Final = 1_000
"""A topology with more is refused, because it is assigned in one piece; Kafka has no limit."""
FIRST_WITH_CLIENT_TAGS_STATUS: Final = 1
"""The version from which clients know the status MISSING_CLIENT_TAGS."""


class SentTopology(NamedTuple):
    """The topology of a member that joins."""

    topology_epoch: int
    subtopologies: list[Subtopology]


class StreamsHeartbeat(NamedTuple):
    """A heartbeat; None and -1 stand for what has not changed."""

    group_id: str
    member_id: str
    member_epoch: int
    endpoint_epoch: int = 0
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = NO_REBALANCE_TIMEOUT_MS
    topology: SentTopology | None = None
    active: Tasks | None = None
    standby: Tasks | None = None
    warmup: Tasks | None = None
    process_id: str | None = None
    user_endpoint: UserEndpoint | None = None
    client_tags: Mapping[str, str] | None = None
    task_offsets: list[tuple[str, int, int]] | None = None
    """Subtopology, partition and offset of each reported task."""
    task_end_offsets: list[tuple[str, int, int]] | None = None
    shutdown_application: bool = False
    client_id: str = ""
    client_host: str = ""
    api_version: int = 1

    @property
    def joins(self) -> bool:
        """True if the member joins, or joins again."""
        return self.member_epoch == JOIN_EPOCH

    @property
    def owned(self) -> TasksTuple | None:
        """The tasks that the member owns; None if it did not say."""
        if self.active is None or self.standby is None or self.warmup is None:
            return None
        return TasksTuple(self.active, self.standby, self.warmup)


class StreamsHeartbeatResult(NamedTuple):
    """The answer to a heartbeat."""

    member_id: str
    member_epoch: int
    heartbeat_interval_ms: int = 0
    task_offset_interval_ms: int = 0
    acceptable_recovery_lag: int = -1
    statuses: tuple[Status, ...] = ()
    assigned: AssignedTasks | None = None
    """The tasks that the member may own; None if they have not changed."""
    endpoint_epoch: int = 0
    endpoints: tuple[EndpointPartitions, ...] | None = None
    """Tasks of all members with an endpoint; None if the member knows them."""
    missing_internal_topics: tuple[ConfiguredInternalTopic, ...] = ()
    """Topics that the broker creates now."""


def check_heartbeat(request: StreamsHeartbeat) -> None:
    """Check a request in Kafka's order.

    Raises:
        ApiError: INVALID_REQUEST, STREAMS_INVALID_TOPOLOGY.

    """
    sent = request.topology
    if sent is not None and len(sent.subtopologies) > SUBTOPOLOGIES_MAX:
        raise ApiError(
            ErrorCode.STREAMS_INVALID_TOPOLOGY,
            f"mockbroker accepts at most {SUBTOPOLOGIES_MAX} subtopologies.",
        )
    if sent is not None and any(each.source_topic_regex for each in sent.subtopologies):
        raise _invalid("Regular expressions for source topics are not supported yet.")
    _require_text(request.member_id, "MemberId")
    _require_text(request.group_id, "GroupId")
    _require_text(request.instance_id, "InstanceId")
    _require_text(request.rack_id, "RackId")
    member_epoch = request.member_epoch
    if member_epoch == JOIN_EPOCH:
        _check_join(request)
    elif member_epoch == STATIC_LEAVE_EPOCH:
        if request.instance_id is None:
            raise _invalid("InstanceId can't be null.")
    elif member_epoch < STATIC_LEAVE_EPOCH:
        raise _invalid(f"MemberEpoch is {member_epoch}, but must be greater than or equal to -2.")
    roles = (request.active, request.standby, request.warmup)
    if any(role is not None for role in roles) and any(role is None for role in roles):
        raise _invalid("If one task-type is non-null, all must be non-null.")
    if member_epoch != JOIN_EPOCH and sent is not None:
        raise _invalid("Topology can only be provided when (re-)joining.")


def offsets_by_task(reported: Iterable[tuple[str, int, int]]) -> dict[str, dict[int, int]]:
    """Group reported offsets by subtopology and partition.

    Raises:
        ApiError: INVALID_REQUEST for two offsets of a task.

    """
    offsets: dict[str, dict[int, int]] = {}
    for subtopology_id, partition, offset in reported:
        of_subtopology = offsets.setdefault(subtopology_id, {})
        if partition in of_subtopology:
            raise _invalid(
                f"Task offsets contain a duplicate entry for subtopology {subtopology_id}"
                f" and partition {partition}."
            )
        of_subtopology[partition] = offset
    return offsets


def _check_join(request: StreamsHeartbeat) -> None:
    if request.rebalance_timeout_ms == NO_REBALANCE_TIMEOUT_MS:
        raise _invalid("RebalanceTimeoutMs must be provided in first request.")
    roles = {"Active": request.active, "Standby": request.standby, "Warmup": request.warmup}
    for title, tasks in roles.items():
        if tasks is None or tasks:
            raise _invalid(f"{title}Tasks must be empty when (re-)joining.")
    if request.topology is None:
        raise _invalid("Topology must be non-null when (re-)joining.")
    for subtopology in request.topology.subtopologies:
        for topic in subtopology.state_changelog_topics:
            if topic.partitions != UNDEFINED_PARTITIONS:
                raise ApiError(
                    ErrorCode.STREAMS_INVALID_TOPOLOGY,
                    f"Changelog topic {topic.name} must have an undefined partition count,"
                    f" but it is set to {topic.partitions}.",
                )


def _require_text(value: str | None, field: str) -> None:
    if value is not None and not value.strip():
        raise _invalid(f"{field} can't be empty.")


def _invalid(why: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, why)
