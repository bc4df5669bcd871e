"""Checkpoint of log start offsets: what a broker remembers of deletions after it was killed.

Kafka writes it every minute since its start (`log.flush.start.offset.checkpoint.interval.ms`), and
at a controlled stop. Here a timer runs only after a deletion, since otherwise nothing changes.
Deletions by retention need none: the segments are gone.
"""

from functools import partial
from typing import Final

from mockbroker.state.cluster_state import ClusterState

LOG_START_CHECKPOINT_TIMER: Final = "log-start-offset-checkpoint"


def checkpoint_later(cluster: ClusterState, *, now_ms: int) -> None:
    """Schedule the next checkpoint, because a log start offset has moved."""
    if LOG_START_CHECKPOINT_TIMER not in cluster.timers:
        name = "log.flush.start.offset.checkpoint.interval.ms"
        interval_ms = max(1, cluster.configs.broker_integer(name))
        due_ms = now_ms + interval_ms - (now_ms - cluster.started_ms) % interval_ms
        cluster.timers.schedule(LOG_START_CHECKPOINT_TIMER, due_ms, partial(_write, cluster))


def _write(cluster: ClusterState, _now_ms: int) -> None:
    for partition in cluster.logs:
        for log in partition.own_logs(cluster.fenced):
            log.checkpointed_start_offset = log.log_start_offset
