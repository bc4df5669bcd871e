"""The log of a new leader: its own becomes the partition's, and the others separate from it."""

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_copy import copy_of_log
from mockbroker.state.log.log_observer import Unobserved
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.replication.replicas.log_following import diverging_offset
from mockbroker.state.replication.replicas.replica import (
    Replica,
    add_replica,
    fetch_all,
    separate,
    set_replicas_apart,
)
from mockbroker.state.topic.topic import Partition


def take_over_log(
    cluster: ClusterState, partition: Partition, broker_id: int, *, is_altered: bool, now_ms: int
) -> PartitionLog:
    """Make a replica's log that of its partition, and return it.

    If the election alters it, or if it differs from the last leader's, the other replicas get logs
    of their own before, with what they have.
    """
    before = cluster.log_of(partition, now_ms)
    fetch_all(partition)
    own = partition.replicas_apart.get(broker_id)
    log = before if own is None else own.opened(before, now_ms)
    if log is not before or is_altered:
        _separate_others(cluster, partition, broker_id, now_ms)
    apart = dict(partition.replicas_apart)
    apart.pop(broker_id, None)
    for replica in apart.values():
        if replica.log is log:
            replica.log = copy_of_log(log, now_ms=now_ms)
    if log is not before:
        _replace(cluster, partition, before, log)
        if all(replica.log is not before for replica in apart.values()):
            before.delete()
    if broker_id != partition.leader_id:
        log.producers.verifications.clear()  # only a leader has them
    set_replicas_apart(partition, apart)
    return log


def log_to_alter(
    cluster: ClusterState, partition: Partition, broker_id: int, *, now_ms: int
) -> PartitionLog:
    """Return the log of one replica, which no other replica shares, to change it."""
    log = cluster.log_of(partition, now_ms)
    if broker_id == partition.leader_id:
        fetch_all(partition)
        _separate_others(cluster, partition, broker_id, now_ms)
        return log
    replica = separate(partition, broker_id, cluster.records, now_ms=now_ms)
    if replica.fetches:
        replica.fetch()
    return replica.opened(log, now_ms)


def _separate_others(
    cluster: ClusterState, partition: Partition, broker_id: int, now_ms: int
) -> None:
    """Give all replicas but one a log of their own, if they shared the last leader's."""
    for each in partition.replicas:
        if each == broker_id or each in partition.replicas_apart:
            continue
        if each in cluster.fenced:  # it was away when its partition was created
            made = Replica(partition, None, cluster.records, fetches=False, now_ms=now_ms)
            add_replica(partition, each, made)
        else:
            made = separate(partition, each, cluster.records, now_ms=now_ms)
            made.fetches = each not in cluster.lagging


def _replace(
    cluster: ClusterState,
    partition: Partition,
    before: PartitionLog,
    log: PartitionLog,
) -> None:
    """Open a log in the place of another, and report the records that are lost with that."""
    agreed = diverging_offset(before, log)
    reporter = cluster.observation.reporter
    if reporter is not None and agreed < before.log_end_offset:
        reporter.log_truncated(partition.topic_partition, before.log_end_offset, agreed)
    before.segments.share()
    log.segments.charge()
    before.observation, log.observation = Unobserved(), cluster.observation
    before.followers = ()
    partition.log = log
    cluster.logs[partition] = log
