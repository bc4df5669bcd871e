"""Topics as Metadata shows them, built once for each change of a topic."""

from typing import cast

from mockbroker.protocol.messages.metadata import MetadataResponsePartition
from mockbroker.state.topic.topic import Topic


def partitions_view(topic: Topic) -> list[MetadataResponsePartition]:
    """Return the partitions of a topic in the form of Metadata's answer, by their numbers.

    All answers share it until the topic changes, so nobody may change it.
    """
    if topic.view is None:
        topic.view = [
            MetadataResponsePartition(
                partition_index=partition.topic_partition.partition,
                leader_id=partition.leader_id,
                leader_epoch=partition.leader_epoch,
                replica_nodes=list(partition.replicas),
                isr_nodes=list(partition.in_sync_replicas),
            )
            for partition in topic.partitions
        ]
    return cast("list[MetadataResponsePartition]", topic.view)
