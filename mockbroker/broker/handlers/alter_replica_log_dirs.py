"""AlterReplicaLogDirs: move replicas between a broker's log directories (KIP-113)."""

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from mockbroker.protocol.types import TopicPartition


def alter_replica_log_dirs(
    request: AlterReplicaLogDirsRequest, call: Call
) -> AlterReplicaLogDirsResponse:
    """Move each partition at once; of several directories for it, the last counts."""
    wanted = {
        TopicPartition(topic.name, index): directory.path
        for directory in request.dirs
        for topic in directory.topics
        for index in call.paced(topic.partitions)
    }
    topics: dict[str, AlterReplicaLogDirTopicResult] = {}
    for topic_partition, path in call.paced(wanted.items()):
        name, index = topic_partition
        topics.setdefault(name, AlterReplicaLogDirTopicResult(topic_name=name)).partitions.append(
            AlterReplicaLogDirPartitionResult(
                partition_index=index, error_code=_move(call, topic_partition, path)
            )
        )
    return AlterReplicaLogDirsResponse(results=list(topics.values()))


def _move(call: Call, topic_partition: TopicPartition, path: str) -> ErrorCode:
    try:
        call.cluster.log_dirs.move(call.broker_id, topic_partition, path)
    except ApiError as refusal:
        call.service.refusals.note(
            "alter_replica_log_dirs_refused", refusal, partition=str(topic_partition)
        )
        return refusal.code
    return ErrorCode.NONE
