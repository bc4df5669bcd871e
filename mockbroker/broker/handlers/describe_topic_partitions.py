"""DescribeTopicPartitions: list topics by page, with eligible leader replicas (KIP-966)."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.authorized_operations import TOPIC_OPERATIONS, allowed_operations
from mockbroker.broker.topic_views import eligible_leaders, in_sync_replicas, offline_replicas
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.topic.java_hash import texts_in_java_hash_order
from mockbroker.state.topic.topic import Partition, Topic
from mockbroker.state.topic.topic_name import is_legal_topic_name

LIMIT_CONFIG: Final = "max.request.partition.size.limit"


def describe_topic_partitions(
    request: DescribeTopicPartitionsRequest, call: Call
) -> DescribeTopicPartitionsResponse:
    """Describe topics in the order of their names, up to the limit of partitions.

    The response's cursor is the start of the next page; a request without topics lists all.
    """
    names = sorted({topic.name for topic in request.topics}) or sorted(
        name for name in call.cluster.topics.by_name if _may_describe(call, name)
    )
    cursor = request.cursor
    first_partition = 0
    if cursor is not None:
        names_asked = {topic.name for topic in request.topics}
        if cursor.partition_index < 0 or (names_asked and cursor.topic_name not in names_asked):
            return _refused(request, cursor, call)
        names = [name for name in names if name >= cursor.topic_name]
        if names and names[0] == cursor.topic_name:
            first_partition = cursor.partition_index
    limit = min(
        request.response_partition_limit,
        call.cluster.configs.broker_integer(LIMIT_CONFIG, call.broker_id),
    )
    hidden = [name for name in names if not _may_describe(call, name)]
    if hidden:
        names = [name for name in names if name not in hidden]
    page = _page(call, names, first_partition, max(limit, 1))
    page.topics += [_hidden(name) for name in texts_in_java_hash_order(hidden)]
    return page


def _may_describe(call: Call, name: str) -> bool:
    return call.allows(AclOperation.DESCRIBE, AclResource.TOPIC, name)


def _hidden(name: str) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED, name=name
    )


def _page(
    call: Call, names: list[str], first_partition: int, limit: int
) -> DescribeTopicPartitionsResponse:
    response = DescribeTopicPartitionsResponse()
    left = limit
    for name in call.paced(names):
        topic = call.cluster.topics.get(name)
        if topic is None:
            response.topics.append(_unknown(name, call))
            continue
        if left == 0:
            response.next_cursor = Cursor(topic_name=name, partition_index=first_partition)
            return response
        end = first_partition + left
        described = topic.partitions[first_partition:end]
        response.topics.append(_known(topic, described, call))
        left -= len(described)
        if end < len(topic.partitions):
            response.next_cursor = Cursor(topic_name=name, partition_index=end)
            return response
        first_partition = 0
    return response


def _known(
    topic: Topic, partitions: list[Partition], call: Call
) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.is_internal,
        partitions=[_partition(partition, call) for partition in partitions],
        topic_authorized_operations=allowed_operations(
            call, TOPIC_OPERATIONS, AclResource.TOPIC, topic.name
        ),
    )


def _partition(partition: Partition, call: Call) -> DescribeTopicPartitionsResponsePartition:
    knows = call.cluster.options.elr_pins_min_insync_replicas
    return DescribeTopicPartitionsResponsePartition(
        partition_index=partition.topic_partition.partition,
        leader_id=partition.leader_id,
        leader_epoch=partition.leader_epoch,
        replica_nodes=list(partition.replicas),
        isr_nodes=in_sync_replicas(partition, knows),
        # Never null: Java clients treat null as an invalid response.
        eligible_leader_replicas=eligible_leaders(partition, knows),
        last_known_elr=eligible_leaders(partition, knows),
        offline_replicas=offline_replicas(partition, call.cluster.fenced),
    )


def _unknown(name: str, call: Call) -> DescribeTopicPartitionsResponseTopic:
    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if not is_legal_topic_name(name):
        code = ErrorCode.INVALID_TOPIC_EXCEPTION
    return DescribeTopicPartitionsResponseTopic(
        error_code=code,
        name=name,
        topic_authorized_operations=allowed_operations(
            call, TOPIC_OPERATIONS, AclResource.TOPIC, name
        ),
    )


def _refused(
    request: DescribeTopicPartitionsRequest, cursor: Cursor, call: Call
) -> DescribeTopicPartitionsResponse:
    why = (
        f"the cursor is at partition {cursor.partition_index} of topic {cursor.topic_name!r}, "
        "which is not in the request"
    )
    refusal = ApiError(ErrorCode.INVALID_REQUEST, why)
    call.service.refusals.note(
        "describe_topic_partitions_refused", refusal, client_id=call.client_id
    )
    return DescribeTopicPartitionsResponse(
        topics=[
            DescribeTopicPartitionsResponseTopic(error_code=refusal.code, name=topic.name)
            for topic in request.topics
        ]
    )
