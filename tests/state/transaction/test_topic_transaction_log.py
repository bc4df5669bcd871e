"""The transaction log in the partitions of its topic."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.clock import ClientClock
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.event_reporter import EventReporter, position_of
from mockbroker.state.events import BatchAppended
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.topic import TRANSACTION_STATE, Partition
from mockbroker.state.transaction.topic_transaction_log import (
    TopicTransactionLog,
    logging_coordinator,
)
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from tests.state.cluster_building import new_cluster

VALUE = TransactionLogValue(5, 1, 60_000, 0, None, 17, -1)
LATER = VALUE._replace(producer_epoch=2)


@pytest.fixture
def cluster() -> ClusterState:
    cluster = new_cluster()
    cluster.create_topic(internal_topic(TRANSACTION_STATE, cluster.configs))
    return cluster


def partition_of(cluster: ClusterState) -> Partition:
    partition = cluster.partition(TRANSACTION_STATE, 0)
    assert partition is not None
    return partition


def log_of(cluster: ClusterState) -> TopicTransactionLog:
    return TopicTransactionLog(partition_of(cluster).leader_id, cluster)


def append(
    log: TopicTransactionLog, value: TransactionLogValue | None, *, coordinator_epoch: int = 0
) -> None:
    log.append(0, "mine", value, coordinator_epoch=coordinator_epoch, now_ms=17)


def test_records_are_read_in_the_order_of_the_appends(cluster: ClusterState) -> None:
    log = log_of(cluster)
    assert list(log.read(0)) == []
    watched: list[Partition] = []
    cluster.appended = watched.append
    for value in (VALUE, LATER, None):
        append(log, value)
    assert list(log.read(0)) == [("mine", VALUE), ("mine", LATER), ("mine", None)]
    assert list(log.read(1)) == []
    assert watched == [partition_of(cluster)] * 3


def test_a_missing_log_is_empty() -> None:
    cluster = new_cluster()
    log = TopicTransactionLog(1, cluster)
    assert list(log.read(0)) == []
    with pytest.raises(ApiError) as refused:
        append(log, VALUE)
    assert refused.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_only_the_leader_appends_and_only_in_its_epoch(cluster: ClusterState) -> None:
    partition = partition_of(cluster)
    other = next(each for each in cluster.brokers if each != partition.leader_id)
    before = cluster.as_text()
    for log, coordinator_epoch in ((TopicTransactionLog(other, cluster), 0), (log_of(cluster), 1)):
        with pytest.raises(ApiError) as refused:
            append(log, VALUE, coordinator_epoch=coordinator_epoch)
        assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert cluster.as_text() == before


def test_without_enough_replicas_nothing_is_appended(cluster: ClusterState) -> None:
    partition_of(cluster).in_sync_replicas = ()
    before = cluster.as_text()
    with pytest.raises(ApiError) as refused:
        append(log_of(cluster), VALUE)
    assert refused.value.code is ErrorCode.NOT_ENOUGH_REPLICAS
    assert cluster.as_text() == before


def test_every_record_takes_one_offset_and_is_reported(cluster: ClusterState) -> None:
    log, partition = log_of(cluster), partition_of(cluster)
    reported: list[object] = []
    cluster.observation.reporter = EventReporter(reported.append)
    for offset, value in enumerate((VALUE, LATER, None)):
        append(log, value)
        assert partition.log is not None
        assert partition.log.log_end_offset == offset + 1
        event = reported.pop()
        assert isinstance(event, BatchAppended)
        assert event.log == position_of(partition)
        assert event.header.record_count == 1
        assert (event.base_offset, event.last_offset) == (offset, offset)
        assert not event.is_duplicate


def test_a_coordinator_has_the_id_of_its_broker(cluster: ClusterState) -> None:
    assert logging_coordinator(2, cluster, cluster).broker_id == 2


def small_cluster() -> ClusterState:
    """Create a cluster with memory for a few thousand records."""
    cluster = new_cluster(brokers=1, configs={"mockbroker.memory.bytes": str(1 << 20)})
    cluster.create_topic(internal_topic(TRANSACTION_STATE, cluster.configs))
    return cluster


def fill(log: TopicTransactionLog) -> None:
    """Append more records than fit."""
    for epoch in range(20_000):
        append(log, VALUE._replace(producer_epoch=epoch))


def test_when_memory_is_short_replaced_records_are_dropped() -> None:
    cluster = small_cluster()
    log = log_of(cluster)
    fill(log)
    assert partition_of(cluster).log is not None
    kept = list(log.read(0))
    assert kept[-1] == ("mine", VALUE._replace(producer_epoch=19_999))
    assert len(kept) < 20_000
    assert cluster.budget.used_bytes <= cluster.budget.limit_bytes


def test_the_latest_record_of_an_id_and_all_later_ones_stay() -> None:
    cluster = small_cluster()
    log = log_of(cluster)
    log.append(0, "idle", VALUE, coordinator_epoch=0, now_ms=17)
    with pytest.raises(ApiError) as refused:
        fill(log)
    assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    kept = list(log.read(0))
    assert kept[0] == ("idle", VALUE)
    log.reclaim(now_ms=17)
    assert list(log.read(0)) == kept


def test_the_next_leader_finds_the_latest_records_by_reading() -> None:
    cluster = small_cluster()
    old = log_of(cluster)
    for value in (VALUE, LATER):
        append(old, value)
    new = log_of(cluster)
    assert len(list(new.read(0))) == 2
    new.reclaim(now_ms=17)
    assert list(new.read(0)) == [("mine", LATER)]
    append(new, None)
    new.reclaim(now_ms=17)
    assert list(new.read(0)) == []


def test_a_leader_that_returns_has_forgotten_what_others_removed() -> None:
    cluster = small_cluster()
    first, second = log_of(cluster), log_of(cluster)
    append(first, VALUE)
    assert list(second.read(0)) == [("mine", VALUE)]
    append(second, None)
    second.reclaim(now_ms=17)
    assert list(first.read(0)) == []
    for value in (VALUE, LATER):
        first.append(0, "other", value, coordinator_epoch=0, now_ms=17)
    first.reclaim(now_ms=17)
    assert list(first.read(0)) == [("other", LATER)]


def test_a_tombstone_is_read_after_its_transactional_id_was_dropped() -> None:
    cluster = small_cluster()
    log = log_of(cluster)
    append(log, VALUE)
    log.append(0, "other", VALUE, coordinator_epoch=0, now_ms=17)
    append(log, None)
    log.reclaim(now_ms=17)
    assert list(log_of(cluster).read(0)) == [("other", VALUE), ("mine", None)]


def test_a_broker_that_does_not_lead_drops_nothing(cluster: ClusterState) -> None:
    log = log_of(cluster)
    for value in (VALUE, LATER):
        append(log, value)
    partition = partition_of(cluster)
    partition.leader_id = next(each for each in cluster.brokers if each != partition.leader_id)
    log.reclaim(now_ms=17)
    assert list(log.read(0)) == [("mine", VALUE), ("mine", LATER)]


def test_records_of_led_partitions_are_dropped_although_another_has_moved(
    cluster: ClusterState,
) -> None:
    log = log_of(cluster)
    moved, led = partition_of(cluster), cluster.partition(TRANSACTION_STATE, 1)
    assert led is not None
    led.leader_id = moved.leader_id
    for index in (0, 1):
        for value in (VALUE, LATER):
            log.append(index, "mine", value, coordinator_epoch=0, now_ms=17)
    moved.leader_id = next(each for each in cluster.brokers if each != moved.leader_id)
    log.reclaim(now_ms=17)
    assert len(list(log.read(0))) == 2
    assert list(log.read(1)) == [("mine", LATER)]


def test_a_log_of_several_segments_is_read_to_its_end(cluster: ClusterState) -> None:
    partition = partition_of(cluster)
    log = log_of(cluster)
    append(log, VALUE)
    assert partition.log is not None
    partition.log.reconfigure(partition.config.log._replace(segment_bytes=500))
    for epoch in range(20):
        append(log, VALUE._replace(producer_epoch=epoch))
    assert len(list(partition.log.segments)) > 2
    assert [value.producer_epoch for _, value in log.read(0) if value] == [1, *range(20)]


def test_the_log_gets_the_time_of_each_append_and_reclaim(cluster: ClusterState) -> None:
    log = log_of(cluster)
    append(log, VALUE)
    found = partition_of(cluster).log
    assert found is not None
    assert (found.segments.active.created_ms, found.segments.active.last_modified_ms) == (17, 17)
    found.reconfigure(found.config._replace(segment_bytes=found.size_bytes + 1))
    log.append(0, "mine", LATER, coordinator_epoch=0, now_ms=18)
    assert (found.segments.active.created_ms, found.segments.active.last_modified_ms) == (18, 18)
    found.reconfigure(found.config._replace(cleanup_delete=True, retention_bytes=0))
    append(log, None)
    log.reclaim(now_ms=19)
    assert found.is_empty
    assert found.segments.active.created_ms == 19


def test_records_of_the_coordinator_are_of_the_time_of_the_broker() -> None:
    clients = ClientClock()
    clients.behind_ms = 5
    cluster = new_cluster(client_clock=clients)
    cluster.create_topic(internal_topic(TRANSACTION_STATE, cluster.configs))
    append(log_of(cluster), VALUE)
    found = partition_of(cluster).log
    assert found is not None
    assert found.segments.active.largest_timestamp_ms == 17
