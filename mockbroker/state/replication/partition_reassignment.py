"""Reassignment of partitions: begun by a client, completed when the new replicas are in sync.

Rules:

1. A request is validated before anything changes, and answered before the copy: a reassignment with
   a copy is pending work, `ReassignPartition <partition>`. Meanwhile Metadata and
   ListPartitionReassignments show the old and the new replicas.
2. Batches are shared by reference, so a copy takes no time unless it is throttled: by the rates of
   the brokers (`leader.` and `follower.replication.throttled.rate`) for the replicas that the topic
   names (`leader.` and `follower.replication.throttled.replicas`). A throttled copy takes the
   cluster's time for the remaining bytes, and every config change updates its rate.
3. A new replica has the producer state that the log shows when it is copied (KIP-360): producers
   whose records are all deleted by then are unknown to it.
4. With KRaft each step is one change of the partition, which begins a leader epoch only if replicas
   are removed. With ZooKeeper each step of the controller begins one.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.producer.producer_recovery import recover_producers
from mockbroker.state.replication.high_watermark import update_high_watermark
from mockbroker.state.replication.leader_election import elect_leader, leave_without_leader
from mockbroker.state.replication.moving_partitions import Copying
from mockbroker.state.replication.reassignment import (
    Move,
    is_moving,
    move_of,
    plan_from_all,
    plan_from_origin,
)
from mockbroker.state.replication.replicas.replica import drop_replica, merge_equal, separate
from mockbroker.state.replication.replication import caught_up
from mockbroker.state.topic.replica_assignment import check_assignment
from mockbroker.state.topic.topic import NO_LEADER, Partition

_SIDES: Final = ("leader", "follower")
_EVERY: Final = "*"


def alter_reassignment(
    cluster: ClusterState,
    partition: Partition,
    target: Sequence[int] | None,
    *,
    allow_replication_factor_change: bool = True,
    now_ms: int,
) -> None:
    """Begin to move a partition to the brokers of `target`; None cancels a reassignment.

    Raises:
        ApiError: NO_REASSIGNMENT_IN_PROGRESS, INVALID_REPLICA_ASSIGNMENT,
            INVALID_REPLICATION_FACTOR.

    """
    options = cluster.options.cluster_admin
    if target is None:
        if not is_moving(partition):
            raise cluster.options.cluster_admin_refusals.reassignment_not_in_progress.error()
        target = move_of(partition).origin
        planned = plan_from_origin(partition, target)
    else:
        _check_target(cluster, partition, target)
        if not allow_replication_factor_change:
            _check_replication_factor(partition, target)
        plan = plan_from_origin if options.controller_works_in_steps else plan_from_all
        planned = plan(partition, target)
    if options.controller_works_in_steps:
        _begin_in_steps(cluster, partition, planned, now_ms)
    elif planned != move_of(partition):
        _begin_at_once(cluster, partition, planned, now_ms)


def find_for_reassignment(
    cluster: ClusterState, topic: str, index: int, target: Sequence[int] | None
) -> Partition:
    """Return the partition of a reassignment request.

    Raises:
        ApiError: UNKNOWN_TOPIC_OR_PARTITION, or the error of an earlier check in the release.

    """
    refusals = cluster.options.cluster_admin_refusals
    partition = cluster.partition(topic, index)
    if partition is not None:
        return partition
    if cluster.options.cluster_admin.controller_works_in_steps:
        if target is None:
            raise refusals.reassignment_not_in_progress.error()
        _check_target_alive(cluster, (), target)
    if topic not in cluster.topics:
        raise refusals.reassignment_unknown_topic.error(topic)
    raise refusals.reassignment_unknown_partition.error(topic, index)


def moving_partitions(cluster: ClusterState) -> list[Partition]:
    """Return the partitions under reassignment."""
    return [
        partition
        for topic in cluster.topics
        for partition in topic.partitions
        if is_moving(partition)
    ]


# Checks


def _check_target(cluster: ClusterState, partition: Partition, target: Sequence[int]) -> None:
    if cluster.options.cluster_admin.controller_works_in_steps:
        _check_target_alive(cluster, move_of(partition).origin, target)
    else:
        index = partition.topic_partition.partition
        refusals = cluster.options.admin_refusals
        check_assignment({index: target}, sorted(cluster.brokers), None, refusals)


def _check_target_alive(
    cluster: ClusterState, origin: Sequence[int], target: Sequence[int]
) -> None:
    """Validate new replicas as a controller that knows the running brokers."""
    refusals = cluster.options.cluster_admin_refusals
    if not target:
        raise refusals.reassignment_empty.error()
    listed = ", ".join(map(str, target))
    if len(set(target)) < len(target):
        raise refusals.reassignment_repeats_broker.error(listed)
    if min(target) < 0:
        raise refusals.reassignment_negative_broker.error(listed)
    adding = [each for each in target if each not in origin]
    alive = sorted(broker.node_id for broker in cluster.alive_brokers)
    if not set(alive) >= set(adding):
        raise refusals.reassignment_unknown_broker.error(
            ", ".join(map(str, adding)), ", ".join(map(str, alive))
        )


def _check_replication_factor(partition: Partition, target: Sequence[int]) -> None:
    now = len(move_of(partition).target)
    if len(target) != now:
        raise ApiError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"The replication factor is changed from {now} to {len(target)}",
        )


# With KRaft: one complete change at a time (`PartitionChangeBuilder`)


def _begin_at_once(cluster: ClusterState, partition: Partition, move: Move, now_ms: int) -> None:
    in_sync = tuple(each for each in partition.in_sync_replicas if each in move.replicas)
    _change_at_once(cluster, partition, move, in_sync, now_ms)


def _change_at_once(
    cluster: ClusterState,
    partition: Partition,
    move: Move,
    in_sync: tuple[int, ...],
    now_ms: int,
) -> None:
    """Apply one change of a partition; it completes the move if all target replicas are in sync."""
    before = set(partition.replicas)
    left = tuple(each for each in in_sync if each not in move.removing)
    awaited = set(move.target)
    if cluster.options.cluster_admin.moves_await_added_replicas:
        awaited |= set(move.adding)
    if (move.adding or move.removing) and awaited <= set(left):
        in_sync, move = left, Move(move.target, (), ())
    assert in_sync, (partition.topic_partition, move)
    leader_id = partition.leader_id
    if leader_id not in in_sync:
        leader_id = _leader_of(cluster, move.replicas, in_sync)
    loses_replicas = not before <= set(move.replicas)
    _set_replicas(partition, move, in_sync)
    if leader_id != partition.leader_id or loses_replicas:
        _elect(cluster, partition, leader_id, now_ms)
    else:
        partition.partition_epoch += 1
        update_high_watermark(cluster.options, partition, cluster.observation)
        cluster.topics.changed(cluster.topics.by_name[partition.topic_partition.topic])
    _go_on(cluster, partition, now_ms)


# With ZooKeeper: step by step (`KafkaController.onPartitionReassignment`)


def _begin_in_steps(cluster: ClusterState, partition: Partition, move: Move, now_ms: int) -> None:
    dropped = [each for each in partition.in_sync_replicas if each not in move.replicas]
    in_sync = tuple(each for each in partition.in_sync_replicas if each in move.replicas)
    _set_replicas(partition, move, in_sync)
    if set(move.target) <= set(in_sync):
        _end_in_steps(cluster, partition, move, len(dropped), now_ms)
        return
    partition.leader_epoch += len(dropped)
    _elect(cluster, partition, partition.leader_id, now_ms)
    _go_on(cluster, partition, now_ms)


def _end_in_steps(
    cluster: ClusterState, partition: Partition, move: Move, epochs: int, now_ms: int
) -> None:
    """Move leadership to a target replica, then remove the others from the ISR one by one."""
    target = move.target
    removed = [each for each in partition.in_sync_replicas if each not in target]
    in_sync = tuple(each for each in partition.in_sync_replicas if each in target)
    leader_id = partition.leader_id
    if leader_id not in target:
        leader_id = _leader_of(cluster, target, in_sync)
    _set_replicas(partition, Move(target, (), ()), in_sync)
    partition.leader_epoch += epochs + len(removed)
    _elect(cluster, partition, leader_id, now_ms)
    _go_on(cluster, partition, now_ms)


# The copy


def resume_move(cluster: ClusterState, partition: Partition, now_ms: int) -> None:
    """Resume a reassignment, because a broker that it waited for is back."""
    _go_on(cluster, partition, now_ms)


def _set_replicas(partition: Partition, move: Move, in_sync: tuple[int, ...]) -> None:
    """Set a partition's replicas, and delete the logs of those that are gone."""
    partition.replicas, partition.adding_replicas, partition.removing_replicas = move
    partition.in_sync_replicas = in_sync
    for broker_id in set(partition.replicas_apart).difference(partition.replicas):
        drop_replica(partition, broker_id)


def _leader_of(cluster: ClusterState, replicas: Sequence[int], in_sync: Sequence[int]) -> int:
    alive = (each for each in replicas if each in in_sync and each not in cluster.fenced)
    return next(alive, NO_LEADER)


def _elect(cluster: ClusterState, partition: Partition, leader_id: int, now_ms: int) -> None:
    if leader_id == NO_LEADER:
        leave_without_leader(cluster, partition)
    else:
        elect_leader(cluster, partition, leader_id, now_ms=now_ms)


def _go_on(cluster: ClusterState, partition: Partition, now_ms: int) -> None:
    """Begin a copy, or cancel the one that is no longer needed."""
    copies = cluster.moving.copying
    name = f"ReassignPartition {partition.topic_partition}"
    cluster.timers.cancel(name)
    copies.pop(partition, None)
    if set(caught_up(cluster, partition)) == set(partition.in_sync_replicas):
        return  # all replicas are in sync, or the others are unavailable
    log = partition.log
    copying = Copying(
        name=name,
        resume=partial(_resume, cluster, partition, move_of(partition)),
        remaining_bytes=0 if log is None else log.size_bytes,
        since_ms=now_ms,
    )
    copies[partition] = copying
    cluster.defer(name, copying.resume)


def _resume(cluster: ClusterState, partition: Partition, move: Move, now_ms: int) -> None:
    """Continue a copy at the present rate, and complete the reassignment when it is done."""
    copying = cluster.moving.copying.get(partition)
    if copying is None or move_of(partition) != move:
        return  # cancelled, replaced, or deleted with its topic
    copying.count(now_ms)
    rate = _throttled_rate(cluster, partition)
    if rate is None or not copying.remaining_bytes:
        cluster.timers.cancel(copying.name)
        _catch_up(cluster, partition, move, now_ms)
        return
    copying.bytes_per_second = rate
    cluster.timers.schedule(copying.name, copying.done_at_ms(), copying.resume)


def _catch_up(cluster: ClusterState, partition: Partition, move: Move, now_ms: int) -> None:
    """Bring all replicas in sync, which completes the reassignment."""
    in_sync = caught_up(cluster, partition)
    for broker_id in partition.adding_replicas:
        if broker_id in in_sync:
            _copy_to(cluster, partition, broker_id, now_ms)
    if cluster.options.cluster_admin.controller_works_in_steps and is_moving(partition):
        partition.in_sync_replicas = in_sync
        _end_in_steps(cluster, partition, move, 0, now_ms)
    else:
        _change_at_once(cluster, partition, move, in_sync, now_ms)


def _copy_to(cluster: ClusterState, partition: Partition, broker_id: int, now_ms: int) -> None:
    """Give a new replica the producers that the copied records show (KIP-360)."""
    replica = separate(partition, broker_id, cluster.records, now_ms=now_ms)
    if replica.log is not None:
        recover_producers(replica.log, cluster.records, now_ms=now_ms)
    merge_equal(partition)


def _throttled_rate(cluster: ClusterState, partition: Partition) -> int | None:
    """Return the bytes per second at which new replicas copy; None if unlimited."""
    name, index = partition.topic_partition
    overrides = cluster.configs.topic_overrides.get(name, {})
    rates: list[int] = []
    for side in _SIDES:
        replicas = overrides.get(f"{side}.replication.throttled.replicas", "")
        throttled = {part.strip() for part in replicas.split(",")}
        concerned = (partition.leader_id,) if side == "leader" else partition.adding_replicas
        for broker_id in concerned:
            if _EVERY in throttled or f"{index}:{broker_id}" in throttled:
                rates += _rate(cluster, broker_id, f"{side}.replication.throttled.rate")
    return min(rates, default=None)


def _rate(cluster: ClusterState, broker_id: int, config: str) -> list[int]:
    """Return a broker's rate in a list, which is empty if none is set."""
    configs = cluster.configs
    for layer in (configs.dynamic_by_broker.get(broker_id, {}), configs.dynamic_default):
        text = layer.get(config, "")
        if text.isdecimal() and int(text) > 0:
            return [int(text)]
    return []
