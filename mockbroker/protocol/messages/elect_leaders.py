"""ElectLeaders: elect the preferred replica, or any replica, as the leader (KIP-183, KIP-460)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT8,
    INT16,
    INT32,
    STRING,
    Message,
    Struct,
    array,
    field,
)


class TopicPartitions(Struct):
    topic: str = field(STRING)
    partitions: list[int] = field(array(INT32))


class ElectLeadersRequest(
    Message, api=ApiKey.ELECT_LEADERS, kind="request", versions="0-2", flexible="2+"
):
    election_type: int = field(INT8, "1+")
    topic_partitions: list[TopicPartitions] | None = field(array(TopicPartitions), nullable="0+")
    timeout_ms: int = field(INT32, default=60000)


class PartitionResult(Struct):
    partition_id: int = field(INT32)
    error_code: int = field(INT16)
    error_message: str | None = field(STRING, nullable="0+")


class ReplicaElectionResult(Struct):
    topic: str = field(STRING)
    partition_result: list[PartitionResult] = field(array(PartitionResult))


class ElectLeadersResponse(
    Message, api=ApiKey.ELECT_LEADERS, kind="response", versions="0-2", flexible="2+"
):
    throttle_time_ms: int = field(INT32)
    error_code: int = field(INT16, "1+")
    replica_election_results: list[ReplicaElectionResult] = field(array(ReplicaElectionResult))
