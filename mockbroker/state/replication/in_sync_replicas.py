"""Check of `min.insync.replicas` for writes with acks=-1."""

from mockbroker.state.release.options import Options
from mockbroker.state.topic.topic import Partition


def has_enough_replicas(options: Options, partition: Partition) -> bool:
    """Return whether a partition has the in-sync replicas that acks=-1 requires."""
    least = partition.config.min_insync_replicas
    if options.min_insync_replicas_within_replicas:
        least = min(least, len(partition.replicas))
    return len(partition.in_sync_replicas) >= least
