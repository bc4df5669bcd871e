"""ShareAcknowledge: acknowledge acquired records (KIP-932)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    UUID,
    Message,
    Struct,
    array,
    field,
    struct,
)
from mockbroker.protocol.types import Uuid


class AcknowledgementBatch(Struct):
    first_offset: int = field(INT64)
    last_offset: int = field(INT64)
    acknowledge_types: list[int] = field(array(INT8))


class AcknowledgePartition(Struct):
    partition_index: int = field(INT32)
    acknowledgement_batches: list[AcknowledgementBatch] = field(array(AcknowledgementBatch))


class AcknowledgeTopic(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[AcknowledgePartition] = field(array(AcknowledgePartition))


class ShareAcknowledgeRequest(
    Message, api=ApiKey.SHARE_ACKNOWLEDGE, kind="request", versions="1-2", flexible="1+"
):
    group_id: str | None = field(STRING, nullable="0+", default=None)
    member_id: str | None = field(STRING, nullable="0+")
    share_session_epoch: int = field(INT32)
    is_renew_ack: bool = field(BOOL, "2+")
    topics: list[AcknowledgeTopic] = field(array(AcknowledgeTopic))


class LeaderIdAndEpoch(Struct):
    leader_id: int = field(INT32)
    leader_epoch: int = field(INT32)


class PartitionData(Struct):
    partition_index: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)
    current_leader: LeaderIdAndEpoch = field(struct(LeaderIdAndEpoch))


class ShareAcknowledgeTopicResponse(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[PartitionData] = field(array(PartitionData))


class NodeEndpoint(Struct):
    node_id: int = field(INT32)
    host: str = field(STRING)
    port: int = field(INT32)
    rack: str | None = field(STRING, nullable="0+", default=None)


class ShareAcknowledgeResponse(
    Message, api=ApiKey.SHARE_ACKNOWLEDGE, kind="response", versions="1-2", flexible="1+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)
    acquisition_lock_timeout_ms: int = field(INT32, "2+")
    responses: list[ShareAcknowledgeTopicResponse] = field(array(ShareAcknowledgeTopicResponse))
    node_endpoints: list[NodeEndpoint] = field(array(NodeEndpoint))
