"""StreamsGroupDescribe: the state, topology and members of streams groups (KIP-1071)."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.authorized_operations import operations_on_group
from mockbroker.broker.handlers.group_offsets import coordinator_of
from mockbroker.broker.handlers.newer_groups import is_enabled, may_describe, refuse
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages import streams_group_describe as wire
from mockbroker.protocol.schema.message import Message
from mockbroker.state.group.streams.assignor.sticky_task_assignor import STICKY
from mockbroker.state.group.streams.streams_group import StreamsGroup, TaskOffsets
from mockbroker.state.group.streams.streams_group_member import StreamsGroupMember
from mockbroker.state.group.streams.tasks import NO_TASKS
from mockbroker.state.group.streams.topics.configured_topology import ConfiguredInternalTopic
from mockbroker.state.group.streams.topics.topology import TopicInfo
from mockbroker.state.topic.java_hash import texts_in_java_hash_order

HIDES_TOPICS: Final = (
    "The described group uses topics that the client is not authorized to describe."
)
"""Error message for a group with topics that the client may not see."""
NOT_REQUESTED, NOT_STORED = 0, 1
"""Statuses of the topology description, which needs a plugin of the broker (KIP-1331)."""


def streams_group_describe(request: wire.StreamsGroupDescribeRequest, call: Call) -> Message:
    """Describe each group, or return its error."""
    if not is_enabled(call):
        return refuse(request, call)
    describe = partial(_described, call=call, request=request)
    return wire.StreamsGroupDescribeResponse(groups=call.each(describe, request.group_ids))


def _described(
    group_id: str, *, call: Call, request: wire.StreamsGroupDescribeRequest
) -> wire.DescribedGroup:
    if not group_id:
        return wire.DescribedGroup(error_code=ErrorCode.INVALID_GROUP_ID, group_id=group_id)
    try:
        coordinator = coordinator_of(call)
        dropped = coordinator.groups.dropped(group_id)
        known = coordinator.streams.known
        group = dropped if isinstance(dropped, StreamsGroup) else known(group_id)
    except ApiError as refusal:
        call.service.refusals.note("streams_group_describe_refused", refusal, group_id=group_id)
        return wire.DescribedGroup(
            error_code=refusal.code, error_message=refusal.why, group_id=group_id
        )
    topology = _topology(group)
    if not may_describe(call, _topics(topology)):
        return wire.DescribedGroup(
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            error_message=HIDES_TOPICS,
            group_id=group_id,
        )
    return wire.DescribedGroup(
        group_id=group_id,
        group_state=group.state_title,
        group_epoch=group.group_epoch,
        assignment_epoch=group.target_epoch.assignment_epoch,
        topology=topology,
        members=[_member(group, each) for each in group.members_in_order()],
        authorized_operations=operations_on_group(
            call, group_id, requested=request.include_authorized_operations
        ),
        topology_description_status=NOT_STORED
        if request.include_topology_description
        else NOT_REQUESTED,
        assignor_name=STICKY,
    )


def _topics(topology: wire.Topology) -> Iterator[str]:
    """Yield the topics that a topology names."""
    for each in topology.subtopologies or ():
        yield from each.source_topics
        yield from each.repartition_sink_topics
        yield from (topic.name for topic in each.repartition_source_topics)
        yield from (topic.name for topic in each.state_changelog_topics)


def _topology(group: StreamsGroup) -> wire.Topology:
    """Return the configured topology if the topics fit, or the one that the members sent."""
    configured, sent = group.described_topology, group.topology
    assert sent is not None, group.group_id
    if configured is not None and configured.is_ready and configured.subtopologies is not None:
        subtopologies = [
            _subtopology(
                name,
                (dict.fromkeys(each.source_topics), dict.fromkeys(each.repartition_sink_topics)),
                each.state_changelog_topics.values(),
                each.repartition_source_topics.values(),
            )
            for name, each in configured.subtopologies.items()
        ]
    else:
        subtopologies = [
            _subtopology(
                name,
                (each.source_topics, each.repartition_sink_topics),
                each.state_changelog_topics,
                each.repartition_source_topics,
            )
            for name, each in sorted(sent.subtopologies.items())
        ]
    return wire.Topology(epoch=sent.topology_epoch, subtopologies=subtopologies)


def _subtopology(
    name: str,
    topics: tuple[Iterable[str], Iterable[str]],
    changelogs: Iterable[ConfiguredInternalTopic | TopicInfo],
    repartitioned: Iterable[ConfiguredInternalTopic | TopicInfo],
) -> wire.Subtopology:
    sources, sinks = topics
    return wire.Subtopology(
        subtopology_id=name,
        source_topics=sorted(sources),
        repartition_sink_topics=sorted(sinks),
        state_changelog_topics=[_topic(each) for each in sorted(changelogs)],
        repartition_source_topics=[_topic(each) for each in sorted(repartitioned)],
    )


def _topic(topic: ConfiguredInternalTopic | TopicInfo) -> wire.TopicInfo:
    return wire.TopicInfo(
        name=topic.name,
        partitions=topic.partitions,
        replication_factor=topic.replication_factor,
        topic_configs=[wire.KeyValue(key=name, value=value) for name, value in topic.configs],
    )


def _member(group: StreamsGroup, member: StreamsGroupMember) -> wire.Member:
    member_id, endpoint = member.member_id, member.user_endpoint
    return wire.Member(
        member_id=member_id,
        member_epoch=member.member_epoch,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        topology_epoch=member.topology_epoch,
        process_id=member.process_id,
        user_endpoint=None
        if endpoint is None
        else wire.Endpoint(host=endpoint.host, port=endpoint.port),
        client_tags=[
            wire.KeyValue(key=tag, value=member.client_tags[tag])
            for tag in texts_in_java_hash_order(member.client_tags)
        ],
        task_offsets=_offsets(group.task_offsets.get(member_id, {})),
        task_end_offsets=_offsets(group.task_end_offsets.get(member_id, {})),
        assignment=_assignment(member.assigned),
        target_assignment=_assignment(group.targets.get(member_id, NO_TASKS)),
    )


def _offsets(known: TaskOffsets) -> list[wire.TaskOffset]:
    return [
        wire.TaskOffset(subtopology_id=name, partition=partition, offset=offset)
        for name, offsets in sorted(known.items())
        for partition, offset in sorted(offsets.items())
    ]


def _assignment(roles: Iterable[Mapping[str, Iterable[int]]]) -> wire.Assignment:
    active, standby, warmup = (
        [
            wire.TaskIds(subtopology_id=name, partitions=sorted(partitions))
            for name, partitions in sorted(tasks.items())
        ]
        for tasks in roles
    )
    return wire.Assignment(active_tasks=active, standby_tasks=standby, warmup_tasks=warmup)
