"""Fencing and unfencing of brokers: leaders and in-sync replicas (the controller).

Rules:

1. If a partition's leader is fenced, the first replica that is in sync and alive becomes leader.
   Without one the partition has no leader, unless `unclean.leader.election.enable` allows a replica
   that is not in sync: the records that it lacks are lost.
2. A fenced broker leaves the in-sync replicas at once, unless it is the last one: only that one has
   all acknowledged records.
3. Every change of leader starts a new leader epoch, also a change to no leader. With ZooKeeper the
   controller also started one when it removed an in-sync replica.
4. A broker that comes back has caught up at once, and leads the partitions that had no leader
   without it. Other partitions retain their leader.
"""

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_deletion import restore_log_start
from mockbroker.state.producer.producer_recovery import (
    KeptSnapshot,
    recover_producers,
    reload_producers,
)
from mockbroker.state.replication.broker import BrokerState
from mockbroker.state.replication.leader_election import elect_leader, leave_without_leader
from mockbroker.state.replication.partition_reassignment import resume_move
from mockbroker.state.replication.reassignment import is_moving
from mockbroker.state.replication.replicas.replica import (
    Replica,
    add_replica,
    resume_fetching,
    separate,
    stop_fetching,
)
from mockbroker.state.replication.replication import catch_up, hold_back, replicas_changed
from mockbroker.state.topic.topic import NO_LEADER, Partition


def state_of(cluster: ClusterState, broker_id: int) -> BrokerState:
    """Return the state of a broker.

    Raises:
        LookupError: there is no such broker.

    """
    if broker_id not in cluster.brokers:
        known = ", ".join(map(str, cluster.brokers))
        raise LookupError(f"there is no broker {broker_id}; there are {known}")
    return cluster.fenced.get(broker_id, BrokerState.RUNNING)


def fence_broker(cluster: ClusterState, broker_id: int, state: BrokerState, *, now_ms: int) -> None:
    """Fence a broker, as a controller does that has lost contact with it."""
    assert state is not BrokerState.RUNNING, broker_id
    assert broker_id not in cluster.fenced, broker_id
    cluster.fenced[broker_id] = state
    _choose_controller(cluster)
    for partition in _replicas_on(cluster, broker_id):
        _leave(cluster, partition, broker_id, now_ms)


def restart_replicas(
    cluster: ClusterState, broker_id: int, snapshot: KeptSnapshot | None = None, *, now_ms: int
) -> None:
    """Let the replicas of a broker that is away have what it loads when it starts.

    A controlled stop writes a producer snapshot and the log start offset. After a kill, the log
    start is that of the last checkpoint, and the producers are those of the last segment's snapshot
    and the records since.
    """
    was_killed = cluster.fenced[broker_id] is BrokerState.KILLED
    for partition in _replicas_on(cluster, broker_id):
        replica = partition.replicas_apart.get(broker_id)
        if replica is None or replica.log is None:
            continue
        log = replica.log
        if was_killed and restore_log_start(log):
            recover_producers(log, cluster.records, now_ms=now_ms)
        kind = snapshot or ("stale" if was_killed else "full")
        reload_producers(log, kind, scans_log=was_killed)


def unfence_broker(cluster: ClusterState, broker_id: int, *, now_ms: int) -> None:
    """Unfence a broker, with its replicas caught up."""
    del cluster.fenced[broker_id]
    _choose_controller(cluster)
    for partition in _replicas_on(cluster, broker_id):
        _come_back(cluster, partition, broker_id, now_ms)


def _choose_controller(cluster: ClusterState) -> None:
    """Make the first broker that is alive the controller; without one, do not change it."""
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
    _stop_replica(cluster, partition, broker_id, now_ms)
    in_sync = tuple(each for each in partition.in_sync_replicas if each != broker_id)
    was_in_sync = len(in_sync) < len(partition.in_sync_replicas)
    if in_sync:
        partition.in_sync_replicas = in_sync
    if partition.leader_id == broker_id:
        _replace_leader(cluster, partition, now_ms)
        return
    if was_in_sync and in_sync and cluster.options.cluster_admin.controller_works_in_steps:
        partition.leader_epoch += 1
        if partition.log is not None:  # the leader is told, and begins this epoch at its log's end
            partition.log.assign_leader_epoch(partition.leader_epoch)
    partition.partition_epoch += was_in_sync
    replicas_changed(cluster, partition)


def let_broker_lag(cluster: ClusterState, broker_id: int, *, now_ms: int) -> None:
    """Stop a broker's fetches from all leaders, also from those that are elected later."""
    cluster.lagging.add(broker_id)
    for partition in _replicas_on(cluster, broker_id):
        hold_back(cluster, partition, now_ms=now_ms)


def let_broker_catch_up(cluster: ClusterState, broker_id: int) -> None:
    """Let a broker fetch again, and be in sync."""
    cluster.lagging.discard(broker_id)
    for partition in _replicas_on(cluster, broker_id):
        if broker_id not in cluster.fenced and partition.leader_id != broker_id:
            catch_up(cluster, partition, broker_id)


def _stop_replica(cluster: ClusterState, partition: Partition, broker_id: int, now_ms: int) -> None:
    """Leave a replica's log as it is; that of a leader is the partition's, until another leads."""
    replica = partition.replicas_apart.get(broker_id)
    if replica is None and broker_id == partition.leader_id:
        replica = Replica(partition, partition.log, cluster.records, fetches=False, now_ms=now_ms)
        add_replica(partition, broker_id, replica)
    elif replica is None:
        replica = separate(partition, broker_id, cluster.records, now_ms=now_ms)
    stop_fetching(replica, now_ms=now_ms)


def _replace_leader(cluster: ClusterState, partition: Partition, now_ms: int) -> None:
    alive = [each for each in partition.replicas if each not in cluster.fenced]
    may_lead = [each for each in alive if each in partition.in_sync_replicas]
    if not may_lead and partition.config.unclean_leader_election_enable:
        may_lead = alive
    if may_lead:
        elect_leader(cluster, partition, may_lead[0], now_ms=now_ms)
    else:
        leave_without_leader(cluster, partition)


def _come_back(cluster: ClusterState, partition: Partition, broker_id: int, now_ms: int) -> None:
    if partition.leader_id == NO_LEADER and _may_lead(partition, broker_id):
        elect_leader(cluster, partition, broker_id, now_ms=now_ms)
    if is_moving(partition):
        resume_fetching(partition, {broker_id})
        resume_move(cluster, partition, now_ms)  # all replicas are in sync when the move ends
        replicas_changed(cluster, partition)
    elif partition.leader_id == NO_LEADER:
        replicas_changed(cluster, partition)
    else:
        # Replicas that came back earlier have waited for a leader.
        waited = partition.leader_id == broker_id
        catch_up(cluster, partition, None if waited else broker_id)


def _may_lead(partition: Partition, broker_id: int) -> bool:
    is_clean = broker_id in partition.in_sync_replicas
    return is_clean or partition.config.unclean_leader_election_enable
