"""ConsumerGroupDescribe: the state and the members of consumer groups (KIP-848, KIP-1099)."""

from collections.abc import Iterable, Mapping
from functools import partial

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.authorized_operations import operations_on_group
from mockbroker.broker.handlers.group_offsets import coordinator_of
from mockbroker.broker.handlers.newer_groups import HIDES_TOPICS, is_enabled, may_describe, refuse
from mockbroker.protocol.error_response import error_response
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.consumer_group_describe import (
    Assignment,
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
    Member,
    TopicPartitions,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Uuid
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember
from mockbroker.state.group.modern.topic_metadata import TopicMetadata
from mockbroker.state.topic.java_hash import texts_in_java_hash_order

CLASSIC_MEMBER, CONSUMER_MEMBER = 0, 1


def consumer_group_describe(request: ConsumerGroupDescribeRequest, call: Call) -> Message:
    """Describe each group, or return its error."""
    if not is_enabled(call):
        return refuse(request, call)
    describes_all = call.cluster.options.consumer_groups.describes_nameless_groups
    if not describes_all and "" in request.group_ids:
        why = ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")
        return error_response(request, call.api_version, why, paced=call.paced)
    requested = request.include_authorized_operations
    describe = partial(_described, call=call, requested=requested)
    return ConsumerGroupDescribeResponse(groups=call.each(describe, request.group_ids))


def _described(group_id: str, call: Call, *, requested: bool) -> DescribedGroup:
    coordinator, options = coordinator_of(call), call.cluster.options.consumer_groups
    members = coordinator.consumers
    if not group_id:
        return DescribedGroup(error_code=ErrorCode.INVALID_GROUP_ID, group_id=group_id)
    try:
        dropped = coordinator.groups.dropped(group_id)
        group = dropped if isinstance(dropped, ConsumerGroup) else members.known(group_id)
    except ApiError as refusal:
        call.service.refusals.note("consumer_group_describe_refused", refusal, group_id=group_id)
        why = refusal.why if options.described_errors_have_message else None
        return DescribedGroup(error_code=refusal.code, error_message=why, group_id=group_id)
    members_shown = [
        _member(group, each, members.topics, with_revocations=options.describes_revocations)
        for each in group.members_in_order()
    ]
    if not may_describe(call, _topics(members_shown)):
        return DescribedGroup(
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            error_message=HIDES_TOPICS,
            group_id=group_id,
        )
    return DescribedGroup(
        group_id=group_id,
        group_state=group.state_title,
        group_epoch=group.group_epoch,
        assignment_epoch=group.target.assignment_epoch,
        assignor_name=group.preferred_assignor() or members.assignors()[0],
        members=members_shown,
        authorized_operations=operations_on_group(call, group_id, requested=requested),
    )


def _topics(members: Iterable[Member]) -> set[str]:
    """Return the topics that a description of members names."""
    return {
        name
        for member in members
        for name in (
            *member.subscribed_topic_names,
            *(each.topic_name for each in member.assignment.topic_partitions),
            *(each.topic_name for each in member.target_assignment.topic_partitions),
        )
    }


def _member(
    group: ConsumerGroup,
    member: ConsumerGroupMember,
    topics: TopicMetadata,
    *,
    with_revocations: bool,
) -> Member:
    member_id, metadata, current = member
    owned: dict[Uuid, list[int]] = {}
    revoked = current.pending_revocation if with_revocations else {}
    for partitions in (current.assigned, revoked):
        for topic_id, each in partitions.items():
            owned.setdefault(topic_id, []).extend(each)
    return Member(
        member_id=member_id,
        instance_id=metadata.instance_id,
        rack_id=metadata.rack_id,
        member_epoch=current.member_epoch,
        client_id=metadata.client_id,
        client_host=metadata.client_host,
        subscribed_topic_names=texts_in_java_hash_order(sorted(metadata.subscribed_topic_names)),
        subscribed_topic_regex=metadata.subscribed_topic_regex,
        assignment=_assignment(owned, topics),
        target_assignment=_assignment(group.target.of(member_id), topics),
        member_type=CONSUMER_MEMBER if metadata.classic is None else CLASSIC_MEMBER,
    )


def _assignment(partitions: Mapping[Uuid, Iterable[int]], topics: TopicMetadata) -> Assignment:
    """List partitions of topics that still exist."""
    named = ((topics.name_of(topic_id), topic_id, each) for topic_id, each in partitions.items())
    return Assignment(
        topic_partitions=[
            TopicPartitions(topic_id=topic_id, topic_name=name, partitions=sorted(each))
            for name, topic_id, each in named
            if name is not None
        ]
    )
