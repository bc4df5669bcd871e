"""ShareFetch: acquire records for a member of a share group (KIP-932)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    BOOL,
    INT8,
    INT16,
    INT32,
    INT64,
    RECORDS,
    STRING,
    UUID,
    Message,
    Struct,
    array,
    field,
    struct,
)
from mockbroker.protocol.types import Buffer, BufferChain, Uuid


class AcknowledgementBatch(Struct):
    first_offset: int = field(INT64)
    last_offset: int = field(INT64)
    acknowledge_types: list[int] = field(array(INT8))


class FetchPartition(Struct):
    partition_index: int = field(INT32)
    acknowledgement_batches: list[AcknowledgementBatch] = field(array(AcknowledgementBatch))


class FetchTopic(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[FetchPartition] = field(array(FetchPartition))


class ForgottenTopic(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[int] = field(array(INT32))


class ShareFetchRequest(
    Message, api=ApiKey.SHARE_FETCH, kind="request", versions="1-2", flexible="1+"
):
    group_id: str | None = field(STRING, nullable="0+", default=None)
    member_id: str | None = field(STRING, nullable="0+")
    share_session_epoch: int = field(INT32)
    max_wait_ms: int = field(INT32)
    min_bytes: int = field(INT32)
    max_bytes: int = field(INT32, default=2147483647)
    max_records: int = field(INT32)
    batch_size: int = field(INT32)
    share_acquire_mode: int = field(INT8, "2+")
    is_renew_ack: bool = field(BOOL, "2+")
    topics: list[FetchTopic] = field(array(FetchTopic))
    forgotten_topics_data: list[ForgottenTopic] = field(array(ForgottenTopic))


class LeaderIdAndEpoch(Struct):
    leader_id: int = field(INT32)
    leader_epoch: int = field(INT32)


class AcquiredRecords(Struct):
    first_offset: int = field(INT64)
    last_offset: int = field(INT64)
    delivery_count: int = field(INT16)


class PartitionData(Struct):
    partition_index: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)
    acknowledge_error_code: int = field(INT16)
    acknowledge_error_message: str | None = field(STRING, nullable="0+", default=None)
    current_leader: LeaderIdAndEpoch = field(struct(LeaderIdAndEpoch))
    records: Buffer | BufferChain | None = field(RECORDS)
    acquired_records: list[AcquiredRecords] = field(array(AcquiredRecords))


class ShareFetchableTopicResponse(Struct):
    topic_id: Uuid = field(UUID)
    partitions: list[PartitionData] = field(array(PartitionData))


class NodeEndpoint(Struct):
    node_id: int = field(INT32)
    host: str = field(STRING)
    port: int = field(INT32)
    rack: str | None = field(STRING, nullable="0+", default=None)


class ShareFetchResponse(
    Message, api=ApiKey.SHARE_FETCH, kind="response", versions="1-2", flexible="1+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+", default=None)
    acquisition_lock_timeout_ms: int = field(INT32)
    responses: list[ShareFetchableTopicResponse] = field(array(ShareFetchableTopicResponse))
    node_endpoints: list[NodeEndpoint] = field(array(NodeEndpoint))
