"""Epoch, topology and target that a member's heartbeat brings about (KIP-1071).

A changed member, topology, set of topics or assignment config begins an epoch of the group. For a
new epoch a target assignment is computed, at most once in an assignment interval (KIP-1263), and
for an empty group not before its first rebalance delay has passed.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.validator import split_list
from mockbroker.state.group.streams.streams_configs import RACK_AWARE_TAGS, StreamsConfigs
from mockbroker.state.group.streams.streams_group import StreamsGroup, StreamsGroupState
from mockbroker.state.group.streams.streams_group_member import StreamsGroupMember
from mockbroker.state.group.streams.streams_heartbeat import (
    SentTopology,
    StreamsHeartbeat,
    offsets_by_task,
)
from mockbroker.state.group.streams.streams_host import StreamsTopics
from mockbroker.state.group.streams.streams_member_checks import check_tasks
from mockbroker.state.group.streams.streams_records import (
    StreamsGroupEpoch,
    StreamsGroupRecord,
    StreamsMemberMetadata,
    StreamsMemberRecord,
    StreamsRecord,
    StreamsTargetEpoch,
    StreamsTargetEpochRecord,
    StreamsTopologyRecord,
)
from mockbroker.state.group.streams.streams_target import (
    StreamsTarget,
    compute_target,
    members_with,
    targets_with,
)
from mockbroker.state.group.streams.tasks import NO_TASKS, TasksTuple
from mockbroker.state.group.streams.topics.configured_topology import (
    ConfiguredTopology,
    Status,
    StatusCode,
)
from mockbroker.state.group.streams.topics.internal_topic_manager import configure_topics
from mockbroker.state.group.streams.topics.topology import Topology, checked_topology

ASSIGNMENT_INTERVAL: Final = "assignment.interval.ms"
INITIAL_DELAY: Final = "initial.rebalance.delay.ms"
WARMUP_REPLICAS: Final = "num.warmup.replicas"


class Updated(NamedTuple):
    """What a heartbeat's member moves towards, and what the group is to say and store."""

    target_epoch: int
    target: TasksTuple
    configured: ConfiguredTopology
    statuses: list[Status]
    required_tags: tuple[str, ...]
    """Client tags that members need."""
    records: list[StreamsRecord]


class _Bumps(NamedTuple):
    """Reasons for a new epoch of the group."""

    begins_epoch: bool
    is_stable: bool
    is_refined: bool
    """True if the group is stable, but a member has other tasks than its target says."""


class StreamsUpdate:
    """Updates of the epochs and target assignments of one broker's streams groups."""

    __slots__ = ("_configs", "_topics")

    def __init__(self, configs: StreamsConfigs, topics: StreamsTopics) -> None:
        """Read configs and topics of a cluster."""
        self._configs: Final = configs
        self._topics: Final = topics

    def update(
        self,
        group: StreamsGroup,
        member: StreamsGroupMember,
        updated: StreamsGroupMember,
        request: StreamsHeartbeat,
        now_ms: int,
    ) -> Updated:
        """Return the target of a member that becomes `updated`, with new records of the group.

        The configured topology and the reported offsets are changed at once: they are not stored.

        Raises:
            ApiError: INVALID_REQUEST, STREAMS_INVALID_TOPOLOGY.

        """
        records: list[StreamsRecord] = []
        has_changed = _has_changed(group, member, updated, records)
        topology = _topology_of(group, request.topology, records)
        statuses = _staleness(group, updated)
        metadata_hash, configured = self._configured(group, topology)
        if configured.subtopologies is not None and configured.is_ready:
            check_tasks((request.active, request.standby, request.warmup), configured.subtopologies)
        _note_offsets(group, request)
        configs = self._configs.assignment_configs(group.group_id)
        metadata = group.metadata._replace(
            metadata_hash=metadata_hash,
            validated_topology_epoch=configured.validated_epoch,
            assignment_configs=configs,
        )
        bumps = _bumps(group, updated, metadata, has_changed=has_changed)
        if bumps.begins_epoch or bumps.is_refined:
            metadata = metadata._replace(group_epoch=group.group_epoch + 1)
            records.append(StreamsGroupRecord(group.group_id, metadata))
        only_refined = bumps.is_refined
        target = self._target(
            group, updated, metadata, configured, now_ms, only_refined=only_refined
        )
        if target.status is not None:
            statuses.append(target.status)
        refined = self._refined(group, target, group.targets if bumps.is_stable else None)
        tags = split_list(configs.get(RACK_AWARE_TAGS, ""))
        return Updated(
            target.target_epoch,
            refined.get(updated.member_id, NO_TASKS),
            configured,
            statuses,
            tags,
            records + target.records,
        )

    def delayed_target(self, group: StreamsGroup, now_ms: int) -> list[StreamsRecord]:
        """Return the records of the first target, after the first rebalance delay."""
        has_target = group.target_epoch.assignment_epoch >= group.group_epoch
        if group.configured is None or has_target or self._is_too_early(group, now_ms):
            return []
        members = {each.member_id: each for each in group.members_in_order()}
        computed_for = (
            StreamsTargetEpoch(group.group_epoch, now_ms),
            group.metadata.assignment_configs,
        )
        records, _ = compute_target(group, members, group.configured, computed_for)
        return records

    def initial_delay_ms(self, group: StreamsGroup) -> int:
        """Return how long the first target of an empty group waits for more members."""
        return self._configs.integer(INITIAL_DELAY, group.group_id) if group.is_empty else 0

    def _configured(
        self, group: StreamsGroup, topology: Topology
    ) -> tuple[int, ConfiguredTopology]:
        known, revision = group.configured, self._topics.revision
        metadata_hash = group.metadata.metadata_hash
        if known is None or group.topology is None or group.topics_revision != revision:
            metadata_hash = self._topics.hash_of(topology.required_topics())
            if known is None or group.topology is None or metadata_hash != known.metadata_hash:
                known = configure_topics(topology, metadata_hash, self._topics.partition_count)
                group.configured = known
        return metadata_hash, known

    def _target(
        self,
        group: StreamsGroup,
        updated: StreamsGroupMember,
        metadata: StreamsGroupEpoch,
        configured: ConfiguredTopology,
        now_ms: int,
        *,
        only_refined: bool,
    ) -> StreamsTarget:
        known_epoch, group_epoch = group.target_epoch, metadata.group_epoch
        if group.first_assignment_ms is not None:
            return StreamsTarget(
                known_epoch.assignment_epoch, {}, [], _delayed("initial rebalance delay")
            )
        if known_epoch.assignment_epoch >= group_epoch:
            return StreamsTarget(known_epoch.assignment_epoch, targets_with(group, updated), [])
        if only_refined:
            moved = known_epoch._replace(assignment_epoch=group_epoch)
            records: list[StreamsRecord] = [StreamsTargetEpochRecord(group.group_id, moved)]
            return StreamsTarget(group_epoch, targets_with(group, updated), records)
        if self._is_too_early(group, now_ms):
            known = targets_with(group, updated)
            return StreamsTarget(
                known_epoch.assignment_epoch, known, [], _delayed("assignment interval")
            )
        computed, targets = compute_target(
            group,
            members_with(group, updated),
            configured,
            (StreamsTargetEpoch(group_epoch, now_ms), metadata.assignment_configs),
        )
        return StreamsTarget(group_epoch, targets, computed)

    def _refined(
        self, group: StreamsGroup, target: StreamsTarget, stable: Mapping[str, TasksTuple] | None
    ) -> Mapping[str, TasksTuple]:
        """Return the tasks of all members in place of their targets, while others warm up.

        Kafka 4.4 does not warm up tasks, but keeps the result for an epoch, in which a static
        member that is refused takes the tasks of the one that it wanted to replace.
        """
        if stable is None:
            kept_epoch, kept = group.refined
            if kept_epoch == target.target_epoch:
                return kept
            stable = target.tasks
        if self._configs.integer(WARMUP_REPLICAS, group.group_id):
            group.refined = (target.target_epoch, dict(stable))
        return stable

    def _is_too_early(self, group: StreamsGroup, now_ms: int) -> bool:
        computed_ms = group.target_epoch.timestamp_ms
        interval_ms = self._configs.integer(ASSIGNMENT_INTERVAL, group.group_id)
        return bool(computed_ms and interval_ms) and now_ms < computed_ms + interval_ms


def _has_changed(
    group: StreamsGroup,
    member: StreamsGroupMember,
    updated: StreamsGroupMember,
    records: list[StreamsRecord],
) -> bool:
    """Return whether a member's description begins an epoch; add its record if it is a new one.

    A static member that comes back begins an epoch only if its tasks may have to move.
    """
    if updated == member:
        return False
    description = StreamsMemberMetadata.of(updated)
    records.append(StreamsMemberRecord(group.group_id, updated.member_id, description))
    return updated.instance_id is None or (
        (member.topology_epoch, member.rack_id, member.client_tags, member.process_id)
        != (updated.topology_epoch, updated.rack_id, updated.client_tags, updated.process_id)
    )


def _bumps(
    group: StreamsGroup,
    member: StreamsGroupMember,
    metadata: StreamsGroupEpoch,
    *,
    has_changed: bool,
) -> _Bumps:
    begins_epoch = has_changed or metadata != group.metadata
    is_stable = not begins_epoch and group.state is StreamsGroupState.STABLE
    known = group.targets.get(member.member_id, NO_TASKS)
    is_refined = is_stable and known != member.assigned.without_epochs()
    return _Bumps(begins_epoch, is_stable, is_refined)


def _topology_of(
    group: StreamsGroup, sent: SentTopology | None, records: list[StreamsRecord]
) -> Topology:
    known = group.topology
    if sent is None:
        assert known is not None, group.group_id
        return known
    topology = checked_topology(sent.topology_epoch, sent.subtopologies)
    if known is None:
        records.append(StreamsTopologyRecord(group.group_id, topology))
        return topology
    if known.topology_epoch <= sent.topology_epoch and known != topology:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Topology updates are not supported yet.")
    return known


def _staleness(group: StreamsGroup, member: StreamsGroupMember) -> list[Status]:
    known = group.topology
    if known is None or member.topology_epoch >= known.topology_epoch:
        return []
    return [
        Status(
            StatusCode.STALE_TOPOLOGY,
            f"The member's topology epoch {member.topology_epoch} is behind the group's topology"
            f" epoch {known.topology_epoch}.",
        )
    ]


def _note_offsets(group: StreamsGroup, request: StreamsHeartbeat) -> None:
    if request.task_offsets is not None:
        group.task_offsets[request.member_id] = offsets_by_task(request.task_offsets)
    if request.task_end_offsets is not None:
        group.task_end_offsets[request.member_id] = offsets_by_task(request.task_end_offsets)


def _delayed(why: str) -> Status:
    return Status(StatusCode.ASSIGNMENT_DELAYED, f"Assignment delayed due to the configured {why}.")
