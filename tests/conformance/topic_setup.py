"""Requests for a topic that a script needs, and for its state."""

from collections.abc import Mapping, Sequence

from mockbroker.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from mockbroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponseTopic,
)
from mockbroker.protocol.types import ZERO_UUID


def topic_request(
    name: str, replicas: Sequence[Sequence[int]], configs: Mapping[str, str]
) -> CreateTopicsRequest:
    """Build a CreateTopics request for one topic, with the replicas of each partition."""
    wanted = CreatableTopic(
        name=name,
        num_partitions=-1,
        replication_factor=-1,
        assignments=[
            CreatableReplicaAssignment(partition_index=index, broker_ids=list(brokers))
            for index, brokers in enumerate(replicas)
        ],
        configs=[CreatableTopicConfig(name=name, value=value) for name, value in configs.items()],
    )
    return CreateTopicsRequest(topics=[wanted], timeout_ms=30_000)


def described_request(name: str) -> MetadataRequest:
    """Build a Metadata request for one topic, which does not create it."""
    return MetadataRequest(
        topics=[MetadataRequestTopic(name=name, topic_id=ZERO_UUID)],
        allow_auto_topic_creation=False,
    )


def end_request(name: str, index: int) -> ListOffsetsRequest:
    """Build a ListOffsets request for the end of a partition."""
    partition = ListOffsetsPartition(partition_index=index, timestamp=-1)
    return ListOffsetsRequest(
        replica_id=-1, topics=[ListOffsetsTopic(name=name, partitions=[partition])]
    )


def is_settled(topic: MetadataResponseTopic, partitions: int) -> bool:
    """Return whether a broker knows all partitions, with all replicas in sync."""
    return len(topic.partitions) == partitions and not any(
        each.error_code or len(each.isr_nodes) < len(each.replica_nodes)
        for each in topic.partitions
    )
