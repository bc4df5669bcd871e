"""Clusters with share coordinators, and the keys of their share partitions."""

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.share.share_coordinator import ShareCoordinator
from mockbroker.state.share.share_log_record import SharePartitionKey
from mockbroker.state.share.share_states import WrittenState
from mockbroker.state.share.state_batch import StateBatch
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import SHARE_GROUP_STATE
from tests.state.cluster_building import new_cluster

GROUP = "g"
ONE_PARTITION = {"share.coordinator.state.topic.num.partitions": "1"}


def coordinating(brokers: int = 1, configs: dict[str, str] | None = None) -> ClusterState:
    """Create a cluster with the topic t of two partitions, and its share coordinators."""
    cluster = new_cluster(brokers=brokers, configs={**ONE_PARTITION, **(configs or {})})
    cluster.create_topic(NewTopic(name="t", num_partitions=2, replication_factor=1))
    cluster.create_topic(internal_topic(SHARE_GROUP_STATE, cluster.configs))
    cluster.run_pending(0)
    return cluster


def key_of(cluster: ClusterState, partition: int = 0) -> SharePartitionKey:
    """Return the share partition of the group and the topic t."""
    return SharePartitionKey(GROUP, cluster.topics.by_name["t"].topic_id, partition)


def leader(cluster: ClusterState) -> ShareCoordinator:
    """Return the coordinator of the one partition of `__share_group_state`."""
    partition = cluster.partition(SHARE_GROUP_STATE, 0)
    assert partition is not None
    return cluster.share_coordinator(partition.leader_id)


def written(
    *batches: StateBatch,
    start_offset: int = 0,
    done: int = 0,
    epoch: int = 0,
    leader_epoch: int = 0,
) -> WrittenState:
    """Return what a share-partition leader writes."""
    return WrittenState(epoch, leader_epoch, start_offset, done, batches)
