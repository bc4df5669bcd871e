"""Describe-, Alter- and DeleteShareGroupOffsets: start offsets of share groups (KIP-932).

- DescribeShareGroupOffsets v1: lag (KIP-1226).
"""

from collections.abc import Iterable, Sequence
from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.default_messages import DEFAULT_MESSAGES
from mockbroker.broker.handlers.group_offsets import coordinator_of
from mockbroker.broker.handlers.newer_groups import is_enabled, may_describe, refuse
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages import alter_share_group_offsets as alter
from mockbroker.protocol.messages import delete_share_group_offsets as delete
from mockbroker.protocol.messages import describe_share_group_offsets as describe
from mockbroker.protocol.schema.message import Message
from mockbroker.state.group.share.share_offsets import (
    NO_LAG,
    NO_START_OFFSET,
    AlteredTopic,
    DeletedTopic,
    ShareOffset,
)
from mockbroker.state.security.acl import AclOperation, AclResource

_NOT_ALLOWED: Final = ApiError(ErrorCode.TOPIC_AUTHORIZATION_FAILED)


def describe_share_group_offsets(
    request: describe.DescribeShareGroupOffsetsRequest, call: Call
) -> Message:
    """Return the start offsets of each group, of some topics or of all."""
    if not is_enabled(call):
        return refuse(request, call)
    return describe.DescribeShareGroupOffsetsResponse(
        groups=[_group(group, call) for group in call.paced(request.groups)]
    )


def _group(
    group: describe.DescribeShareGroupOffsetsRequestGroup, call: Call
) -> describe.DescribeShareGroupOffsetsResponseGroup:
    offsets = coordinator_of(call).share_offsets
    response = describe.DescribeShareGroupOffsetsResponseGroup(group_id=group.group_id)
    if not call.allows(AclOperation.DESCRIBE, AclResource.GROUP, group.group_id):
        response.error_code = ErrorCode.GROUP_AUTHORIZATION_FAILED
        return response
    if group.topics is not None:
        wanted = [(topic.topic_name, topic.partitions) for topic in group.topics]
    else:
        try:
            wanted = list(offsets.known_partitions(group.group_id).items())
        except ApiError as refusal:
            _note(refusal, call, group.group_id)
            response.error_code, response.error_message = refusal.code, _message(refusal)
            return response
    hidden: list[tuple[str, list[int]]] = []
    for name, partitions in call.paced(wanted):
        if not may_describe(call, (name,)):
            hidden.append((name, partitions))
            continue
        response.topics.append(
            describe.DescribeShareGroupOffsetsResponseTopic(
                topic_name=name,
                topic_id=offsets.topic_id(name),
                partitions=[
                    _offset(offsets.describe(group.group_id, name, index, call.now_ms))
                    for index in call.paced(partitions)
                ],
            )
        )
    if group.topics is not None:
        response.topics += [_hidden(name, partitions, call) for name, partitions in hidden]
    return response


def _hidden(
    name: str, partitions: list[int], call: Call
) -> describe.DescribeShareGroupOffsetsResponseTopic:
    """Refuse the offsets of a topic that the client may not describe."""
    return describe.DescribeShareGroupOffsetsResponseTopic(
        topic_name=name,
        partitions=[
            describe.DescribeShareGroupOffsetsResponsePartition(
                partition_index=index,
                start_offset=NO_START_OFFSET,
                lag=NO_LAG,
                error_code=_NOT_ALLOWED.code,
                error_message=_message(_NOT_ALLOWED),
            )
            for index in call.paced(partitions)
        ],
    )


def _offset(offset: ShareOffset) -> describe.DescribeShareGroupOffsetsResponsePartition:
    return describe.DescribeShareGroupOffsetsResponsePartition(
        partition_index=offset.partition,
        start_offset=offset.start_offset,
        leader_epoch=offset.leader_epoch,
        lag=offset.lag,
    )


def alter_share_group_offsets(request: alter.AlterShareGroupOffsetsRequest, call: Call) -> Message:
    """Set start offsets of a group without members."""
    if not is_enabled(call):
        return refuse(request, call)
    topics = {
        topic.topic_name: {each.partition_index: each.start_offset for each in topic.partitions}
        for topic in call.paced(request.topics)
    }
    denied = _denied(topics, call)
    offsets = coordinator_of(call).share_offsets
    refused = [
        AlteredTopic(name, offsets.topic_id(name), dict.fromkeys(topics.pop(name), _NOT_ALLOWED))
        for name in denied
    ]
    try:
        altered = offsets.alter(request.group_id, topics, call.now_ms)
    except ApiError as refusal:
        _note(refusal, call, request.group_id)
        return alter.AlterShareGroupOffsetsResponse(
            error_code=refusal.code, error_message=_message(refusal)
        )
    return alter.AlterShareGroupOffsetsResponse(
        responses=[_altered(each) for each in (*refused, *altered)]
    )


def _denied(names: Iterable[str], call: Call) -> list[str]:
    """Return the topics that the client may not read."""
    return [
        name
        for name in call.paced(names)
        if not call.allows(AclOperation.READ, AclResource.TOPIC, name)
    ]


def _altered(topic: AlteredTopic) -> alter.AlterShareGroupOffsetsResponseTopic:
    return alter.AlterShareGroupOffsetsResponseTopic(
        topic_name=topic.name,
        topic_id=topic.topic_id,
        partitions=[
            alter.AlterShareGroupOffsetsResponsePartition(
                partition_index=index, error_code=_code(refusal), error_message=_message(refusal)
            )
            for index, refusal in topic.refusals.items()
        ],
    )


def delete_share_group_offsets(
    request: delete.DeleteShareGroupOffsetsRequest, call: Call
) -> Message:
    """Delete start offsets of a group without members."""
    if not is_enabled(call):
        return refuse(request, call)
    names = [topic.topic_name for topic in request.topics]
    denied = _denied(names, call)
    refused = [DeletedTopic(name, refusal=_NOT_ALLOWED) for name in denied]
    hidden = set(denied)
    rest = [name for name in call.paced(names) if name not in hidden] if hidden else names
    try:
        deleted = coordinator_of(call).share_offsets.delete(request.group_id, rest, call.now_ms)
    except ApiError as refusal:
        _note(refusal, call, request.group_id)
        return delete.DeleteShareGroupOffsetsResponse(
            error_code=refusal.code, error_message=_message(refusal)
        )
    return delete.DeleteShareGroupOffsetsResponse(responses=_deleted([*refused, *deleted]))


def _deleted(topics: Sequence[DeletedTopic]) -> list[delete.DeleteShareGroupOffsetsResponseTopic]:
    return [
        delete.DeleteShareGroupOffsetsResponseTopic(
            topic_name=name,
            topic_id=topic_id,
            error_code=_code(refusal),
            error_message=_message(refusal),
        )
        for name, topic_id, refusal in topics
    ]


def _code(refusal: ApiError | None) -> ErrorCode:
    return ErrorCode.NONE if refusal is None else refusal.code


def _message(refusal: ApiError | None) -> str | None:
    return None if refusal is None else refusal.why or DEFAULT_MESSAGES[refusal.code]


def _note(refusal: ApiError, call: Call, group_id: str) -> None:
    call.service.refusals.note(
        "share_group_offsets_refused", refusal, api=call.api_key.name, group_id=group_id
    )
