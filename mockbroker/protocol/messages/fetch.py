"""Fetch: read record batches, in fetch sessions from v7 (KIP-227, KIP-516)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
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


class ReplicaState(Struct):
    replica_id: int = field(INT32, default=-1)
    replica_epoch: int = field(INT64, default=-1)


class FetchPartition(Struct):
    partition: int = field(INT32)
    current_leader_epoch: int = field(INT32, "9+", default=-1)
    fetch_offset: int = field(INT64)
    last_fetched_epoch: int = field(INT32, "12+", default=-1)
    log_start_offset: int = field(INT64, "5+", default=-1)
    partition_max_bytes: int = field(INT32)
    replica_directory_id: Uuid = field(UUID, "17+", tag=0, tagged="17+")
    high_watermark: int = field(INT64, "18+", default=9223372036854775807, tag=1, tagged="18+")


class FetchTopic(Struct):
    topic: str = field(STRING, "0-12")
    topic_id: Uuid = field(UUID, "13+")
    partitions: list[FetchPartition] = field(array(FetchPartition))


class ForgottenTopic(Struct):
    topic: str = field(STRING, "7-12")
    topic_id: Uuid = field(UUID, "13+")
    partitions: list[int] = field(array(INT32))


class FetchRequest(Message, api=ApiKey.FETCH, kind="request", versions="0-18", flexible="12+"):
    cluster_id: str | None = field(STRING, "12+", nullable="12+", default=None, tag=0, tagged="12+")
    replica_id: int = field(INT32, "0-14", default=-1)
    replica_state: ReplicaState = field(struct(ReplicaState), "15+", tag=1, tagged="15+")
    max_wait_ms: int = field(INT32)
    min_bytes: int = field(INT32)
    max_bytes: int = field(INT32, "3+", default=2147483647)
    isolation_level: int = field(INT8, "4+")
    session_id: int = field(INT32, "7+")
    session_epoch: int = field(INT32, "7+", default=-1)
    topics: list[FetchTopic] = field(array(FetchTopic))
    forgotten_topics_data: list[ForgottenTopic] = field(array(ForgottenTopic), "7+")
    rack_id: str = field(STRING, "11+")


class EpochEndOffset(Struct):
    epoch: int = field(INT32, default=-1)
    end_offset: int = field(INT64, default=-1)


class LeaderIdAndEpoch(Struct):
    leader_id: int = field(INT32, default=-1)
    leader_epoch: int = field(INT32, default=-1)


class SnapshotId(Struct):
    end_offset: int = field(INT64, default=-1)
    epoch: int = field(INT32, default=-1)


class AbortedTransaction(Struct):
    producer_id: int = field(INT64)
    first_offset: int = field(INT64)


class PartitionData(Struct):
    partition_index: int = field(INT32)
    error_code: int = field(INT16)
    high_watermark: int = field(INT64)
    last_stable_offset: int = field(INT64, "4+", default=-1)
    log_start_offset: int = field(INT64, "5+", default=-1)
    diverging_epoch: EpochEndOffset = field(struct(EpochEndOffset), "12+", tag=0, tagged="12+")
    current_leader: LeaderIdAndEpoch = field(struct(LeaderIdAndEpoch), "12+", tag=1, tagged="12+")
    snapshot_id: SnapshotId = field(struct(SnapshotId), "12+", tag=2, tagged="12+")
    aborted_transactions: list[AbortedTransaction] | None = field(
        array(AbortedTransaction), "4+", nullable="4+"
    )
    preferred_read_replica: int = field(INT32, "11+", default=-1)
    records: Buffer | BufferChain | None = field(RECORDS, nullable="0+")


class FetchableTopicResponse(Struct):
    topic: str = field(STRING, "0-12")
    topic_id: Uuid = field(UUID, "13+")
    partitions: list[PartitionData] = field(array(PartitionData))


class NodeEndpoint(Struct):
    node_id: int = field(INT32)
    host: str = field(STRING)
    port: int = field(INT32)
    rack: str | None = field(STRING, nullable="0+", default=None)


class FetchResponse(Message, api=ApiKey.FETCH, kind="response", versions="0-18", flexible="12+"):
    throttle_time_ms: int = field(INT32, "1+")
    error_code: int = field(INT16, "7+")
    session_id: int = field(INT32, "7+")
    responses: list[FetchableTopicResponse] = field(array(FetchableTopicResponse))
    node_endpoints: list[NodeEndpoint] = field(array(NodeEndpoint), "16+", tag=0, tagged="16+")
