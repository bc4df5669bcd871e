"""Produce: append record batches to partitions (KIP-98; by topic id from v13, KIP-516)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
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
from mockbroker.protocol.types import Buffer, Uuid


class PartitionProduceData(Struct):
    index: int = field(INT32)
    records: Buffer | None = field(RECORDS, nullable="0+")


class TopicProduceData(Struct):
    name: str = field(STRING, "0-12")
    topic_id: Uuid = field(UUID, "13+")
    partition_data: list[PartitionProduceData] = field(array(PartitionProduceData))


class ProduceRequest(Message, api=ApiKey.PRODUCE, kind="request", versions="0-13", flexible="9+"):
    transactional_id: str | None = field(STRING, "3+", nullable="3+", default=None)
    acks: int = field(INT16)
    timeout_ms: int = field(INT32)
    topic_data: list[TopicProduceData] = field(array(TopicProduceData))


class BatchIndexAndErrorMessage(Struct):
    batch_index: int = field(INT32)
    batch_index_error_message: str | None = field(STRING, nullable="0+", default=None)


class LeaderIdAndEpoch(Struct):
    leader_id: int = field(INT32, default=-1)
    leader_epoch: int = field(INT32, default=-1)


class PartitionProduceResponse(Struct):
    index: int = field(INT32)
    error_code: int = field(INT16)
    base_offset: int = field(INT64)
    log_append_time_ms: int = field(INT64, "2+", default=-1)
    log_start_offset: int = field(INT64, "5+", default=-1)
    record_errors: list[BatchIndexAndErrorMessage] = field(array(BatchIndexAndErrorMessage), "8+")
    error_message: str | None = field(STRING, "8+", nullable="8+", default=None)
    current_leader: LeaderIdAndEpoch = field(struct(LeaderIdAndEpoch), "10+", tag=0, tagged="10+")


class TopicProduceResponse(Struct):
    name: str = field(STRING, "0-12")
    topic_id: Uuid = field(UUID, "13+")
    partition_responses: list[PartitionProduceResponse] = field(array(PartitionProduceResponse))


class NodeEndpoint(Struct):
    node_id: int = field(INT32)
    host: str = field(STRING)
    port: int = field(INT32)
    rack: str | None = field(STRING, nullable="0+", default=None)


class ProduceResponse(Message, api=ApiKey.PRODUCE, kind="response", versions="0-13", flexible="9+"):
    responses: list[TopicProduceResponse] = field(array(TopicProduceResponse))
    throttle_time_ms: int = field(INT32, "1+")
    node_endpoints: list[NodeEndpoint] = field(array(NodeEndpoint), "10+", tag=0, tagged="10+")
