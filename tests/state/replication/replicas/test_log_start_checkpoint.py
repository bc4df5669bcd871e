"""A killed broker remembers the log start of its last checkpoint."""

import pytest

from mockbroker.state.replication.broker import BrokerState
from mockbroker.state.replication.broker_control import (
    fence_broker,
    restart_replicas,
    unfence_broker,
)
from mockbroker.state.replication.replicas.log_start_checkpoint import (
    LOG_START_CHECKPOINT_TIMER,
    checkpoint_later,
)
from tests.state.cluster_building import new_cluster
from tests.state.log.test_log_truncation import NOW_MS
from tests.state.replication.replicas.writer_of_replicas import ReplicaWriter


@pytest.mark.parametrize(
    ("state", "until_ms", "log_start_offset", "known"),
    [
        (BrokerState.KILLED, NOW_MS, 0, [7, 8]),
        (BrokerState.KILLED, 59_999, 0, [7, 8]),
        (BrokerState.KILLED, 60_000, 1, [8]),
        (BrokerState.STOPPED, NOW_MS, 1, [7, 8]),
    ],
)
def test_what_was_deleted_since_is_there_again(
    state: BrokerState, until_ms: int, log_start_offset: int, known: list[int]
) -> None:
    writer = ReplicaWriter()
    writer.write(1, 7)
    writer.write(1, 8)
    writer.log.delete_records(1)
    checkpoint_later(writer.cluster, now_ms=NOW_MS)
    writer.cluster.advance_to(until_ms)
    fence_broker(writer.cluster, 1, state, now_ms=until_ms)
    restart_replicas(writer.cluster, 1, now_ms=until_ms)
    restarted = writer.log_at(1)
    assert restarted.log_start_offset == log_start_offset
    assert [each.producer_id for each in restarted.producers] == known
    unfence_broker(writer.cluster, 1, now_ms=until_ms)
    assert writer.log_at(1).log_start_offset == 1  # taken over from the leader


def test_checkpoints_are_counted_from_the_start_of_the_cluster() -> None:
    cluster = new_cluster(now_ms=59_000)
    checkpoint_later(cluster, now_ms=61_000)
    assert cluster.timers.next_deadline_ms() == 119_000


def test_a_second_deletion_waits_for_the_same_checkpoint() -> None:
    writer = ReplicaWriter()
    for _ in range(2):
        checkpoint_later(writer.cluster, now_ms=NOW_MS)
    assert writer.cluster.timers.next_deadline_ms() == 60_000
    assert LOG_START_CHECKPOINT_TIMER in writer.cluster.timers
    writer.cluster.advance_to(60_000)
    assert LOG_START_CHECKPOINT_TIMER not in writer.cluster.timers
