"""DescribeQuorum: the voters and the leader of the metadata quorum (KIP-595, KIP-836, KIP-853).

Every broker is also a controller, as with `process.roles=broker,controller`, so all of them vote in
one quorum. No controller has a listener of its own, so the response has no listeners.
"""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    Node,
    ReplicaState,
    ResponsePartitionData,
    ResponseTopicData,
)

QUORUM_TOPIC: Final = "__cluster_metadata"
_LEADER_EPOCH: Final = 1
_NOT_HERE: Final = "This server does not host this topic-partition."


def describe_quorum(request: DescribeQuorumRequest, call: Call) -> DescribeQuorumResponse:
    """Describe the quorum if the request names only its partition; others are unknown."""
    requested = [
        (topic.topic_name, partition.partition_index)
        for topic in call.paced(request.topics)
        for partition in topic.partitions
    ]
    is_quorum = requested == [(QUORUM_TOPIC, 0)]
    topics = [
        ResponseTopicData(
            topic_name=topic.topic_name,
            partitions=[
                _quorum(call) if is_quorum else _unknown(partition.partition_index)
                for partition in call.paced(topic.partitions)
            ],
        )
        for topic in call.paced(request.topics)
    ]
    nodes = [Node(node_id=broker_id) for broker_id in call.cluster.brokers] if is_quorum else []
    return DescribeQuorumResponse(topics=topics, nodes=nodes)


def _quorum(call: Call) -> ResponsePartitionData:
    cluster = call.cluster
    # Each change of topics, brokers or configs is a record of the metadata.
    log_end_offset = 1 + cluster.topics.revision + cluster.metadata_revision
    voters = [
        ReplicaState(
            replica_id=broker_id,
            log_end_offset=log_end_offset,
            last_fetch_timestamp=call.now_ms,
            last_caught_up_timestamp=call.now_ms,
        )
        for broker_id in cluster.brokers
    ]
    return ResponsePartitionData(
        partition_index=0,
        leader_id=cluster.controller_id,
        leader_epoch=_LEADER_EPOCH,
        high_watermark=log_end_offset,
        current_voters=voters,
    )


def _unknown(index: int) -> ResponsePartitionData:
    return ResponsePartitionData(
        partition_index=index,
        error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        error_message=_NOT_HERE,
    )
