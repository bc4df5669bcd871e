"""ShareGroupDescribe: the state and the members of share groups (KIP-932)."""

from collections.abc import Iterable
from functools import partial

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.authorized_operations import operations_on_group
from mockbroker.broker.handlers.group_offsets import coordinator_of
from mockbroker.broker.handlers.newer_groups import HIDES_TOPICS, is_enabled, may_describe, refuse
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.share_group_describe import (
    Assignment,
    DescribedGroup,
    Member,
    ShareGroupDescribeRequest,
    ShareGroupDescribeResponse,
    TopicPartitions,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.state.group.modern.topic_metadata import TopicMetadata
from mockbroker.state.group.share.share_group import ShareGroupMember
from mockbroker.state.group.share.simple_assignor import NAME
from mockbroker.state.topic.java_hash import texts_in_java_hash_order


def share_group_describe(request: ShareGroupDescribeRequest, call: Call) -> Message:
    """Describe each group, or return its error."""
    if not is_enabled(call):
        return refuse(request, call)
    describe = partial(_described, call=call, requested=request.include_authorized_operations)
    return ShareGroupDescribeResponse(groups=call.each(describe, request.group_ids))


def _described(group_id: str, call: Call, *, requested: bool) -> DescribedGroup:
    members = coordinator_of(call).shares
    if not group_id:
        return DescribedGroup(error_code=ErrorCode.INVALID_GROUP_ID, group_id=group_id)
    try:
        group = members.known(group_id)
    except ApiError as refusal:
        call.service.refusals.note("share_group_describe_refused", refusal, group_id=group_id)
        return DescribedGroup(error_code=refusal.code, error_message=refusal.why, group_id=group_id)
    shown = [
        _member(group.members[member_id], members.topics)
        for member_id in group.member_ids_in_order()
    ]
    if not may_describe(call, _assigned_topics(shown)):
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
        assignor_name=NAME,
        members=shown,
        authorized_operations=operations_on_group(call, group_id, requested=requested),
    )


def _assigned_topics(members: Iterable[Member]) -> set[str]:
    return {each.topic_name for member in members for each in member.assignment.topic_partitions}


def _member(member: ShareGroupMember, topics: TopicMetadata) -> Member:
    """Describe a member, with its share partitions of topics that still exist."""
    member_id, metadata, current = member
    named = (
        (topics.name_of(topic_id), topic_id, each) for topic_id, each in current.assigned.items()
    )
    return Member(
        member_id=member_id,
        rack_id=metadata.rack_id,
        member_epoch=current.member_epoch,
        client_id=metadata.client_id,
        client_host=metadata.client_host,
        subscribed_topic_names=texts_in_java_hash_order(sorted(metadata.subscribed_topic_names)),
        assignment=Assignment(
            topic_partitions=[
                TopicPartitions(topic_id=topic_id, topic_name=name, partitions=sorted(each))
                for name, topic_id, each in named
                if name is not None
            ]
        ),
    )
