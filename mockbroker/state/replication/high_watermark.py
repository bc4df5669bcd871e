"""Limits of the high watermark: in-sync replicas and `min.insync.replicas`."""

from mockbroker.state.observation import Observation
from mockbroker.state.release.options import Options
from mockbroker.state.topic.topic import NO_LEADER, Partition


def update_high_watermark(options: Options, partition: Partition, observation: Observation) -> None:
    """Advance the high watermark as far as allowed when replicas, leaders or configs changed.

    While all in-sync replicas follow their leader, it follows the log end without this function.
    """
    log = partition.log
    if log is None or partition.leader_id == NO_LEADER:
        return
    lagging = [
        replica
        for broker_id, replica in partition.replicas_apart.items()
        if broker_id in partition.in_sync_replicas
        and broker_id != partition.leader_id
        and not replica.fetches
    ]
    ends = [replica.log_end_offset for replica in lagging]
    before = log.high_watermark
    is_unknown = not all(replica.is_known_to_leader for replica in lagging)
    if is_unknown or partition.high_watermark_lags or is_held_by_minimum(options, partition):
        log.hold_high_watermark()
    elif ends:
        log.hold_high_watermark()
        log.advance_high_watermark(min(ends))
    else:
        log.follows_log_end = True
        log.advance_high_watermark(log.log_end_offset)
    after = log.high_watermark
    if observation.reporter is not None and before != after:
        observation.reporter.high_watermark_moved(log.topic_partition, before, after)


def is_held_by_minimum(options: Options, partition: Partition) -> bool:
    """Return whether too few replicas are in sync for any record to be committed (KIP-966)."""
    return options.high_watermark_needs_min_insync_replicas and not has_enough_replicas(
        options, partition
    )


def has_enough_replicas(options: Options, partition: Partition) -> bool:
    """Return whether a partition has the in-sync replicas that acks=-1 requires."""
    least = partition.config.min_insync_replicas
    if options.min_insync_replicas_within_replicas:
        least = min(least, len(partition.replicas))
    return len(partition.in_sync_replicas) >= least
