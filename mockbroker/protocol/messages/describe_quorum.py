"""DescribeQuorum: the state of the metadata quorum (KIP-595, KIP-836)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT16,
    INT32,
    INT64,
    STRING,
    UINT16,
    UUID,
    Message,
    Struct,
    array,
    field,
)
from mockbroker.protocol.types import Uuid


class PartitionData(Struct):
    partition_index: int = field(INT32)


class TopicData(Struct):
    topic_name: str = field(STRING)
    partitions: list[PartitionData] = field(array(PartitionData))


class DescribeQuorumRequest(
    Message, api=ApiKey.DESCRIBE_QUORUM, kind="request", versions="0-2", flexible="0+"
):
    topics: list[TopicData] = field(array(TopicData))


class ReplicaState(Struct):
    replica_id: int = field(INT32)
    replica_directory_id: Uuid = field(UUID, "2+")
    log_end_offset: int = field(INT64)
    last_fetch_timestamp: int = field(INT64, "1+", default=-1)
    last_caught_up_timestamp: int = field(INT64, "1+", default=-1)


class ResponsePartitionData(Struct):
    partition_index: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, "2+", nullable="2+")
    leader_id: int = field(INT32)
    leader_epoch: int = field(INT32)
    high_watermark: int = field(INT64)
    current_voters: list[ReplicaState] = field(array(ReplicaState))
    observers: list[ReplicaState] = field(array(ReplicaState))


class ResponseTopicData(Struct):
    topic_name: str = field(STRING)
    partitions: list[ResponsePartitionData] = field(array(ResponsePartitionData))


class Listener(Struct):
    name: str = field(STRING)
    host: str = field(STRING)
    port: int = field(UINT16)


class Node(Struct):
    node_id: int = field(INT32)
    listeners: list[Listener] = field(array(Listener))


class DescribeQuorumResponse(
    Message, api=ApiKey.DESCRIBE_QUORUM, kind="response", versions="0-2", flexible="0+"
):
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, "2+", nullable="2+")
    topics: list[ResponseTopicData] = field(array(ResponseTopicData))
    nodes: list[Node] = field(array(Node), "2+")
