"""Partitions of topics in Metadata's form, built once for each change of a topic."""

from collections.abc import Container, Sequence
from typing import cast

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.metadata import MetadataResponsePartition
from mockbroker.state.topic.topic import NO_LEADER, Partition, Topic


def partitions_view(
    topic: Topic, fenced: Container[int] = (), *, knows_eligible_leaders: bool = False
) -> list[MetadataResponsePartition]:
    """Return the partitions of a topic in the form of Metadata's response, ordered by index.

    Responses share the list until the topic or its brokers' availability changes: do not modify it.
    `fenced` are the unavailable brokers. With eligible leader replicas (KIP-966), a partition
    without a leader has no in-sync replicas: DescribeTopicPartitions lists the candidates.
    """
    if topic.view is None:
        topic.view = [
            _shown(partition, fenced, in_sync_replicas(partition, knows_eligible_leaders))
            for partition in topic.partitions
        ]
    return cast("list[MetadataResponsePartition]", topic.view)


def in_sync_replicas(partition: Partition, knows_eligible_leaders: bool) -> list[int]:
    """Return the replicas that are reported as in sync."""
    is_led = partition.leader_id != NO_LEADER
    return list(partition.in_sync_replicas) if is_led or not knows_eligible_leaders else []


def eligible_leaders(partition: Partition, knows_eligible_leaders: bool) -> list[int]:
    """Return the eligible leader replicas of a partition without a leader (KIP-966)."""
    is_led = partition.leader_id != NO_LEADER
    return [] if is_led or not knows_eligible_leaders else list(partition.in_sync_replicas)


def _shown(
    partition: Partition, fenced: Container[int], in_sync: list[int]
) -> MetadataResponsePartition:
    has_leader = partition.leader_id != NO_LEADER
    return MetadataResponsePartition(
        error_code=ErrorCode.NONE if has_leader else ErrorCode.LEADER_NOT_AVAILABLE,
        partition_index=partition.topic_partition.partition,
        leader_id=partition.leader_id,
        leader_epoch=partition.leader_epoch,
        replica_nodes=list(partition.replicas),
        isr_nodes=in_sync,
        offline_replicas=offline_replicas(partition, fenced),
    )


def offline_replicas(partition: Partition, fenced: Container[int]) -> list[int]:
    """Return the replicas of a partition on unavailable brokers."""
    return [broker_id for broker_id in partition.replicas if broker_id in fenced]


def without_offline_replicas(
    view: Sequence[MetadataResponsePartition], fenced: Container[int]
) -> list[MetadataResponsePartition]:
    """Return partitions in the form of Metadata v0, which lists live replicas only.

    A partition that lacks some of them has REPLICA_NOT_AVAILABLE.
    """
    shown: list[MetadataResponsePartition] = []
    for partition in view:
        replicas = [each for each in partition.replica_nodes if each not in fenced]
        in_sync = [each for each in partition.isr_nodes if each not in fenced]
        code = partition.error_code
        lacks = (len(replicas), len(in_sync)) != (
            len(partition.replica_nodes),
            len(partition.isr_nodes),
        )
        if lacks and not code:
            code = ErrorCode.REPLICA_NOT_AVAILABLE
        shown.append(
            MetadataResponsePartition(
                error_code=code,
                partition_index=partition.partition_index,
                leader_id=partition.leader_id,
                replica_nodes=replicas,
                isr_nodes=in_sync,
            )
        )
    return shown
