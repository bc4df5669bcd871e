"""A broker leaves its cluster, and comes back: who leads, and who is in sync (the controller).

The laws:

1. A partition that a lost broker led is led by the first of its replicas that is in sync and alive.
   Where there is none nobody leads it, unless `unclean.leader.election.enable` lets one lead that
   is not in sync: it has less of the log, and what it has not is lost.
2. A lost broker is out of sync at once, but for the last one in sync, which stays: only it has all
   that was acknowledged.
3. A leader epoch begins with every leader, also with none. With ZooKeeper it began with every
   replica that a controller took out of sync as well.
4. Who comes back has caught up at once, and leads what nobody could lead without it; what others
   lead by now they go on leading.
"""

from mockbroker.state.broker import BrokerState
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.leader_election import elect_leader, leave_without_leader
from mockbroker.state.partition_reassignment import caught_up, resume_move
from mockbroker.state.topic.reassignment import is_moving
from mockbroker.state.topic.topic import NO_LEADER, Partition


def state_of(cluster: ClusterState, broker_id: int) -> BrokerState:
    """Return what has become of a broker.

    Raises:
        LookupError: there is no such broker.

    """
    if broker_id not in cluster.brokers:
        known = ", ".join(map(str, cluster.brokers))
        raise LookupError(f"there is no broker {broker_id}; there are {known}")
    return cluster.fenced.get(broker_id, BrokerState.RUNNING)


def fence_broker(cluster: ClusterState, broker_id: int, state: BrokerState, *, now_ms: int) -> None:
    """Go on without a broker, as a controller does that hears nothing of it any more."""
    assert state is not BrokerState.RUNNING, broker_id
    assert broker_id not in cluster.fenced, broker_id
    cluster.fenced[broker_id] = state
    _choose_controller(cluster)
    for partition in _replicas_on(cluster, broker_id):
        _leave(cluster, partition, broker_id, now_ms)


def unfence_broker(cluster: ClusterState, broker_id: int, *, now_ms: int) -> None:
    """Take a broker back, its replicas as far as those of the others."""
    del cluster.fenced[broker_id]
    _choose_controller(cluster)
    for partition in _replicas_on(cluster, broker_id):
        _come_back(cluster, partition, broker_id, now_ms)


def _choose_controller(cluster: ClusterState) -> None:
    """Have the first broker that is alive be the controller; without any, it is who it was."""
    alive = [broker.node_id for broker in cluster.alive_brokers]
    if cluster.controller_id not in alive and alive:
        cluster.controller_id = min(alive)
    cluster.metadata_revision += 1


def _replicas_on(cluster: ClusterState, broker_id: int) -> list[Partition]:
    return [
        partition
        for topic in cluster.topics
        for partition in topic.partitions
        if broker_id in partition.replicas
    ]


def _leave(cluster: ClusterState, partition: Partition, broker_id: int, now_ms: int) -> None:
    in_sync = tuple(each for each in partition.in_sync_replicas if each != broker_id)
    was_in_sync = len(in_sync) < len(partition.in_sync_replicas)
    if in_sync:
        partition.in_sync_replicas = in_sync
    if partition.leader_id == broker_id:
        _replace_leader(cluster, partition, now_ms)
    else:
        if was_in_sync and in_sync and cluster.options.cluster_admin.controller_works_in_steps:
            partition.leader_epoch += 1
        partition.partition_epoch += was_in_sync
        _show_change(cluster, partition)


def _replace_leader(cluster: ClusterState, partition: Partition, now_ms: int) -> None:
    in_sync = partition.in_sync_replicas
    alive = [each for each in partition.replicas if each not in cluster.fenced]
    leader_id = next((each for each in alive if each in in_sync), NO_LEADER)
    if leader_id == NO_LEADER:
        leave_without_leader(cluster, partition)
    else:
        elect_leader(cluster, partition, leader_id, now_ms=now_ms)


def _come_back(cluster: ClusterState, partition: Partition, broker_id: int, now_ms: int) -> None:
    if partition.leader_id == NO_LEADER and broker_id in partition.in_sync_replicas:
        elect_leader(cluster, partition, broker_id, now_ms=now_ms)
    if is_moving(partition):
        resume_move(cluster, partition, now_ms)  # all are in sync at its end
    else:
        before = partition.in_sync_replicas
        partition.in_sync_replicas = caught_up(cluster, partition)
        partition.partition_epoch += partition.in_sync_replicas != before
    _show_change(cluster, partition)


def _show_change(cluster: ClusterState, partition: Partition) -> None:
    """Have Metadata show who is in sync and who is away, and let who waits look again."""
    cluster.topics.changed(cluster.topics.by_name[partition.topic_partition.topic])
    cluster.appended(partition)
