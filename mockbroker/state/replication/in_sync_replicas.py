"""Whether enough replicas of a partition are in sync for a write that wants all of them."""

from mockbroker.state.release.options import Options
from mockbroker.state.topic.topic import Partition


def has_enough_replicas(options: Options, partition: Partition) -> bool:
    """Tell whether as many replicas are in sync as `min.insync.replicas` asks for with acks=-1."""
    least = partition.config.min_insync_replicas
    if options.min_insync_replicas_within_replicas:
        least = min(least, len(partition.replicas))
    return len(partition.in_sync_replicas) >= least
