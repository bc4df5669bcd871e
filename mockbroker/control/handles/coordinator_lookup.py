"""Lookup of the broker that coordinates a transactional id or a group."""

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import NO_LEADER


def coordinator_id(cluster: ClusterState, topic: str, key: str) -> int:
    """Return the leader of the partition of an internal topic that an id belongs to.

    Raises:
        LookupError: there is no coordinator yet, or it does not run.

    """
    index = coordinator_partition(topic, key, cluster.configs)
    partition = cluster.partition(topic, index)
    if partition is None:
        raise LookupError("there is no coordinator yet: no client has requested one")
    if partition.leader_id == NO_LEADER:
        raise LookupError(f"{topic}-{index} has no leader: its brokers are not running")
    return partition.leader_id
