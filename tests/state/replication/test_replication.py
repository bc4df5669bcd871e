"""Replicas, the high watermark and elections."""

from typing import Final

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import HighWatermarkMoved
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.replication.broker import BrokerState
from mockbroker.state.replication.broker_control import fence_broker, unfence_broker
from mockbroker.state.replication.client_election import ElectionType, elect_by_type
from mockbroker.state.replication.high_watermark import is_held_by_minimum
from mockbroker.state.replication.leader_election import elect_leader
from mockbroker.state.replication.replication import (
    catch_up,
    caught_up,
    leave_in_sync_replicas,
    stop_following,
)
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import NO_LEADER, Partition
from tests.state.cluster_building import new_cluster
from tests.state.written_partition import write

NOW_MS: Final = 1_000
MINIMUM: Final = ("min.insync.replicas", "2")
UNCLEAN: Final = ("unclean.leader.election.enable", "true")


def led_by_1(
    cluster: ClusterState, *configs: tuple[str, str | None]
) -> tuple[Partition, PartitionLog]:
    wanted = NewTopic(name="orders", assignments=[(0, (1, 2, 3))], configs=configs)
    (partition,) = cluster.create_topic(wanted).partitions
    return partition, cluster.log_of(partition, NOW_MS)


def end_of(partition: Partition) -> int:
    assert partition.log is not None
    return partition.log.log_end_offset


def kill(cluster: ClusterState, *broker_ids: int) -> None:
    for broker_id in broker_ids:
        fence_broker(cluster, broker_id, BrokerState.KILLED, now_ms=NOW_MS)


def test_a_replica_that_lags_holds_the_high_watermark() -> None:
    cluster = new_cluster()
    partition, log = led_by_1(cluster)
    write(cluster, partition, 2)
    stop_following(cluster, partition, 2, now_ms=NOW_MS)
    write(cluster, partition, 3)
    assert log.offsets == (0, 2, 5)
    assert partition.in_sync_replicas == (1, 2, 3)
    assert "replica 2 lags: orders-0: 0, 2, 2" in cluster.as_text()
    catch_up(cluster, partition, 2)
    assert log.offsets == (0, 5, 5)
    write(cluster, partition)
    assert log.high_watermark == 6


def test_the_shortest_in_sync_log_limits_the_high_watermark() -> None:
    cluster = new_cluster()
    partition, log = led_by_1(cluster)
    stop_following(cluster, partition, 2, now_ms=NOW_MS)
    write(cluster, partition)
    stop_following(cluster, partition, 3, now_ms=NOW_MS)
    write(cluster, partition)
    assert log.offsets == (0, 0, 2)
    leave_in_sync_replicas(cluster, partition, 2, now_ms=NOW_MS)
    assert (log.high_watermark, partition.in_sync_replicas) == (1, (1, 3))
    leave_in_sync_replicas(cluster, partition, 3, now_ms=NOW_MS)
    assert (log.high_watermark, partition.in_sync_replicas) == (2, (1,))
    catch_up(cluster, partition)
    assert sorted(partition.in_sync_replicas) == [1, 2, 3]


@pytest.mark.parametrize(("release", "high_watermark"), [("4.4", 1), ("3.9", 1), ("2.8", 2)])
def test_nothing_is_committed_with_too_few_in_sync(release: str, high_watermark: int) -> None:
    cluster = new_cluster(release)
    partition, log = led_by_1(cluster, MINIMUM)
    write(cluster, partition)
    for broker_id in (2, 3):
        leave_in_sync_replicas(cluster, partition, broker_id, now_ms=NOW_MS)
    assert is_held_by_minimum(cluster.options, partition) == (high_watermark == 1)
    write(cluster, partition)
    assert log.high_watermark == high_watermark
    catch_up(cluster, partition, 2)
    assert log.high_watermark == 2


def test_changes_are_reported() -> None:
    cluster = new_cluster()
    partition, _log = led_by_1(cluster)
    stop_following(cluster, partition, 2, now_ms=NOW_MS)
    write(cluster, partition)
    events: list[object] = []
    woken: list[Partition] = []
    cluster.observation.reporter = EventReporter(events.append)
    cluster.appended = woken.append
    revision = cluster.topics.revision
    catch_up(cluster, partition)
    assert events == [HighWatermarkMoved("orders", 0, 0, 1)]
    assert woken == [partition]
    assert cluster.topics.revision > revision


# Elections


def test_a_leader_that_lagged_has_less_of_the_log() -> None:
    cluster = new_cluster()
    partition, log = led_by_1(cluster)
    write(cluster, partition, 2)
    stop_following(cluster, partition, 2, now_ms=NOW_MS)
    write(cluster, partition, 3)
    kill(cluster, 1)
    log = cluster.log_of(partition, NOW_MS)
    assert (partition.leader_id, log.offsets) == (2, (0, 2, 2))
    assert log.end_offset_for_epoch(0) == (0, 2)
    write(cluster, partition, 1)
    assert log.offsets == (0, 3, 3)
    assert log.end_offset_for_epoch(0) == (0, 2)


def test_a_truncated_log_is_truncated_for_all() -> None:
    cluster = new_cluster()
    partition, log = led_by_1(cluster)
    write(cluster, partition, 2)
    stop_following(cluster, partition, 3, now_ms=NOW_MS)
    write(cluster, partition, 3)
    elect_leader(cluster, partition, 2, log_end_offset=0, now_ms=NOW_MS)
    assert log.offsets == (0, 0, 0)
    assert not partition.replicas_apart[3].fetches
    assert partition.replicas_apart[3].log_end_offset == 2


def test_a_new_leader_does_not_know_its_followers_offsets() -> None:
    cluster = new_cluster()
    partition, log = led_by_1(cluster)
    write(cluster, partition, 2)
    write(cluster, partition, 2)
    elect_leader(cluster, partition, 2, high_watermark=2, now_ms=NOW_MS)
    assert (log.offsets, partition.high_watermark_lags) == ((0, 2, 4), True)
    write(cluster, partition)
    assert log.high_watermark == 2
    catch_up(cluster, partition)
    assert log.high_watermark == 5


def test_without_in_sync_replicas_only_an_unclean_election_has_a_leader() -> None:
    cluster = new_cluster()
    partition, _log = led_by_1(cluster)
    leave_in_sync_replicas(cluster, partition, 2, now_ms=NOW_MS)
    leave_in_sync_replicas(cluster, partition, 3, now_ms=NOW_MS)
    kill(cluster, 1)
    assert partition.leader_id == NO_LEADER
    assert caught_up(cluster, partition) == (1,)


def test_an_unclean_leader_is_alone_in_sync_with_its_log() -> None:
    cluster = new_cluster()
    partition, _log = led_by_1(cluster, UNCLEAN)
    write(cluster, partition)
    leave_in_sync_replicas(cluster, partition, 2, now_ms=NOW_MS)
    leave_in_sync_replicas(cluster, partition, 3, now_ms=NOW_MS)
    write(cluster, partition)
    kill(cluster, 1)
    assert (partition.leader_id, partition.in_sync_replicas) == (2, (2,))
    assert cluster.log_of(partition, NOW_MS).offsets == (0, 1, 1)
    unfence_broker(cluster, 1, now_ms=NOW_MS)
    assert sorted(partition.in_sync_replicas) == [1, 2]


def test_a_restarted_broker_may_become_unclean_leader() -> None:
    cluster = new_cluster()
    partition, _log = led_by_1(cluster, UNCLEAN)
    write(cluster, partition)
    kill(cluster, 3, 2)
    write(cluster, partition)
    kill(cluster, 1)
    unfence_broker(cluster, 3, now_ms=NOW_MS)
    assert (partition.leader_id, end_of(partition)) == (3, 1)


def test_a_client_triggers_an_unclean_election() -> None:
    cluster = new_cluster()
    partition, _log = led_by_1(cluster)
    write(cluster, partition)
    kill(cluster, 3, 2)
    write(cluster, partition)
    kill(cluster, 1)
    with pytest.raises(ApiError) as refused:
        elect_by_type(cluster, partition, ElectionType.UNCLEAN, now_ms=NOW_MS)
    assert refused.value.code is ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE
    unfence_broker(cluster, 2, now_ms=NOW_MS)
    assert partition.leader_id == NO_LEADER
    elect_by_type(cluster, partition, ElectionType.UNCLEAN, now_ms=NOW_MS)
    assert (partition.leader_id, end_of(partition)) == (2, 1)
    with pytest.raises(ApiError) as refused:
        elect_by_type(cluster, partition, ElectionType.UNCLEAN, now_ms=NOW_MS)
    assert refused.value.code is ErrorCode.ELECTION_NOT_NEEDED


def test_without_a_leader_no_replica_catches_up() -> None:
    cluster = new_cluster()
    partition, _log = led_by_1(cluster)
    kill(cluster, 2, 3, 1)
    before = cluster.as_text()
    catch_up(cluster, partition)
    assert cluster.as_text() == before
