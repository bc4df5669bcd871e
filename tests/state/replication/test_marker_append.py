"""Transaction markers: the partitions that accept them, and their events."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import MarkerAppended
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.replication.marker_append import append_end_txn_marker
from mockbroker.state.replication.replication import catch_up, stop_following
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import NO_LEADER, Partition
from tests.state.cluster_building import new_cluster

COMMIT = EndTxnMarker(7, 0, 0, is_commit=True)


def held_by_3(cluster: ClusterState) -> Partition:
    configs = [("min.insync.replicas", "2")]
    wanted = NewTopic(name="orders", assignments=[(0, (1, 2, 3))], configs=configs)
    (partition,) = cluster.create_topic(wanted).partitions
    return partition


def mark(cluster: ClusterState, partition: Partition) -> None:
    append_end_txn_marker(cluster, partition, COMMIT, transaction_version=0, now_ms=5)


def test_a_marker_is_appended_and_reported() -> None:
    cluster = new_cluster()
    partition = held_by_3(cluster)
    events: list[object] = []
    cluster.observation.reporter = EventReporter(events.append)
    mark(cluster, partition)
    (marked,) = events
    assert isinstance(marked, MarkerAppended)
    assert (marked.marker, marked.offset, marked.log.log_end_offset) == (COMMIT, 0, 1)


def test_a_marker_needs_a_leader() -> None:
    cluster = new_cluster()
    partition = held_by_3(cluster)
    partition.leader_id = NO_LEADER
    with pytest.raises(ApiError) as refused:
        mark(cluster, partition)
    assert refused.value.code is ErrorCode.LEADER_NOT_AVAILABLE


def test_a_marker_needs_enough_replicas() -> None:
    cluster = new_cluster()
    partition = held_by_3(cluster)
    partition.in_sync_replicas = (1,)
    with pytest.raises(ApiError) as refused:
        mark(cluster, partition)
    assert refused.value.code is ErrorCode.NOT_ENOUGH_REPLICAS
    assert partition.log is None


def test_a_marker_needs_the_newest_record_format() -> None:
    cluster = new_cluster()
    partition = held_by_3(cluster)
    partition.config = partition.config._replace(record_version=1)
    with pytest.raises(ApiError) as refused:
        mark(cluster, partition)
    assert refused.value.code is ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT


def test_no_marker_is_appended_while_replicas_lag() -> None:
    cluster = new_cluster()
    partition = held_by_3(cluster)
    stop_following(cluster, partition, 2, now_ms=5)
    with pytest.raises(ApiError) as refused:
        mark(cluster, partition)
    assert refused.value.code is ErrorCode.REQUEST_TIMED_OUT
    catch_up(cluster, partition)
    mark(cluster, partition)
    assert cluster.log_of(partition, 5).offsets == (0, 1, 1)
