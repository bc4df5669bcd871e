"""Leader election, and what the new leader has of the log and of the producer state.

Rules:

1. Leader epoch and partition epoch grow by one with every election: the re-election of the same
   leader is the same as a restart of its broker.
2. A new leader may lack producer state: a replica that was added by a reassignment has only seen
   the records still in the log (KIP-360), and a replica with damaged state, or of a release that
   stores none, has nothing.
3. The new leader answers from its own log. Records that it lacks are lost: followers truncate their
   logs where they differ (KIP-101), and a leader that was out of sync is at first the only in-sync
   replica.
4. A partition of `__transaction_state` or `__consumer_offsets` is released by its old coordinator
   before the new one loads it.
"""

from typing import Final, Literal, TypeAlias, get_args

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_truncation import set_high_watermark, truncate_to
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.producer.producer_recovery import (
    forget_producers,
    recover_producers,
    take_snapshot,
)
from mockbroker.state.replication.high_watermark import update_high_watermark
from mockbroker.state.replication.replicas.leader_log import take_over_log
from mockbroker.state.replication.replicas.replica import NEVER_FETCHED
from mockbroker.state.replication.replication import caught_up, followers_fetch, hold_back
from mockbroker.state.topic.topic import NO_LEADER, Partition

ProducerState: TypeAlias = Literal["full", "from_snapshot", "from_log", "none"]
"""The producer state of the new leader.

`full`: all; `from_snapshot`: each producer's last batch, as in the snapshot of a stopped broker;
`from_log`: as far as the log shows; `none`: nothing.
"""

PRODUCER_STATES: Final[tuple[ProducerState, ...]] = get_args(ProducerState)


def next_leader(partition: Partition) -> int:
    """Return the next in-sync replica after the leader; the leader if there is no other.

    Replicas are in their order, from the preferred one on.
    """
    replicas = partition.replicas
    start = replicas.index(partition.leader_id) + 1 if partition.leader_id in replicas else 0
    in_turn = replicas[start:] + replicas[:start]
    in_sync = (broker_id for broker_id in in_turn if broker_id in partition.in_sync_replicas)
    return next(in_sync, partition.leader_id)


def elect_leader(
    cluster: ClusterState,
    partition: Partition,
    broker_id: int,
    *,
    producer_state: ProducerState = "full",
    log_end_offset: int | None = None,
    high_watermark: int | None = None,
    now_ms: int,
) -> None:
    """Elect a replica of a partition as its leader.

    It has the log up to `log_end_offset`, or as far as it followed. Its high watermark is
    `high_watermark` until its followers fetch, or the log's own if None. The other replicas that
    fetch follow the new leader at once.
    """
    assert broker_id in partition.replicas, (broker_id, partition.replicas)
    topic = cluster.topics.by_name[partition.topic_partition.topic]
    previous_id = partition.leader_id
    is_altered = producer_state != "full" or log_end_offset is not None
    log = take_over_log(cluster, partition, broker_id, is_altered=is_altered, now_ms=now_ms)
    if log_end_offset is not None:
        truncate_to(log, log_end_offset, cluster.records, now_ms=now_ms)
    partition.leader_id = broker_id
    partition.leader_epoch += 1
    partition.elected_in_epoch = partition.leader_epoch
    partition.partition_epoch += 1
    partition.config = cluster.configs.topic_config(topic.name, broker_id)
    log.reconfigure(partition.config.log)
    log.assign_leader_epoch(partition.leader_epoch)
    _set_producer_state(cluster, log, producer_state, now_ms)
    partition.high_watermark_lags = high_watermark is not None
    if high_watermark is not None:
        set_high_watermark(log, high_watermark)
    hold_back(cluster, partition, now_ms=now_ms)
    former = partition.replicas_apart.get(previous_id)
    if former is not None and not former.fetches:
        former.fetched_in_epoch = NEVER_FETCHED  # it led until now
    followers_fetch(cluster, partition)
    if broker_id not in partition.in_sync_replicas:
        partition.in_sync_replicas = (broker_id,)
        partition.in_sync_replicas = caught_up(cluster, partition)
    update_high_watermark(cluster.options, partition, cluster.observation)
    cluster.topics.changed(topic)
    cluster.leader_elected(partition, previous_id)
    cluster.appended(partition)  # notifies requests that wait at the old leader


def leave_without_leader(cluster: ClusterState, partition: Partition) -> None:
    """Leave a partition without a leader, because no replica that could lead it is available."""
    previous_id = partition.leader_id
    partition.leader_id = NO_LEADER
    partition.leader_epoch += 1
    partition.elected_in_epoch = partition.leader_epoch
    partition.partition_epoch += 1
    cluster.topics.changed(cluster.topics.by_name[partition.topic_partition.topic])
    cluster.leader_elected(partition, previous_id)
    cluster.appended(partition)


def _set_producer_state(
    cluster: ClusterState, log: PartitionLog, producer_state: ProducerState, now_ms: int
) -> None:
    match producer_state:
        case "full":
            pass
        case "from_snapshot":
            snapshot = take_snapshot(log)
            recover_producers(log, cluster.records, now_ms=now_ms, snapshot=snapshot)
        case "from_log":
            recover_producers(log, cluster.records, now_ms=now_ms)
        case "none":
            forget_producers(log)
