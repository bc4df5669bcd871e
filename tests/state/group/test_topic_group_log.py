"""The log of groups in the partitions of `__consumer_offsets`."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.coordinator.log_records import BatchWriter
from mockbroker.state.group.group_log_record import GroupLogRecord, GroupRecord
from mockbroker.state.group.topic_group_log import TopicGroupLog, WrittenRecords
from mockbroker.state.replication.leader_election import elect_leader
from tests.state.group.coordinator_building import coordinating, end_transaction, home_of, offset

GONE = GroupRecord("readers", None)


def log_of(cluster: ClusterState, broker_id: int | None = None) -> TopicGroupLog:
    return TopicGroupLog(home_of(cluster).leader_id if broker_id is None else broker_id, cluster)


def test_records_are_read_back_as_they_were_appended() -> None:
    cluster = coordinating()
    log = log_of(cluster)
    assert log.append(0, [offset(5), GONE], coordinator_epoch=0, now_ms=0) == 0
    assert log.append(0, [offset(6)], coordinator_epoch=0, now_ms=0, writer=BatchWriter(9, 0)) == 2
    end_transaction(cluster, 9, is_commit=True)
    plain, transactional, marker = log.read(0)
    assert isinstance(plain, WrittenRecords)
    assert (plain.producer_id, plain.base_offset, plain.records[1]) == (-1, 0, GONE)
    assert isinstance(transactional, WrittenRecords)
    assert (transactional.producer_id, transactional.base_offset) == (9, 2)
    assert not isinstance(marker, WrittenRecords)
    assert (marker.producer_id, marker.is_commit) == (9, True)


@pytest.mark.parametrize(
    ("release", "records", "sequence"),
    [("4.4", [GONE], 0), ("3.9", [GONE], -1), ("3.9", [offset(5)], 0), ("2.4", [offset(5)], 0)],
)
def test_the_sequences_of_batches_depend_on_the_release(
    release: str, records: list[GroupLogRecord], sequence: int
) -> None:
    cluster = coordinating(release)
    log_of(cluster).append(0, records, coordinator_epoch=0, now_ms=0)
    log = cluster.log_of(home_of(cluster), 0)
    (data,) = log.read(0, max_bytes=1 << 20, up_to_offset=log.log_end_offset).buffers
    assert cluster.records.read_header(data).base_sequence == sequence


def test_a_former_leader_is_not_the_coordinator() -> None:
    cluster = coordinating(brokers=3)
    home = home_of(cluster)
    log = log_of(cluster)
    elect_leader(cluster, home, home.replicas[1], now_ms=0)
    with pytest.raises(ApiError) as refused:
        log.append(0, [GONE], coordinator_epoch=0, now_ms=0)
    assert refused.value.code is ErrorCode.NOT_COORDINATOR
    assert cluster.log_of(home, 0).log_end_offset == 0


def test_too_few_replicas_are_reported_as_an_unavailable_coordinator() -> None:
    cluster = coordinating()
    home_of(cluster).in_sync_replicas = ()
    with pytest.raises(ApiError) as refused:
        log_of(cluster).append(0, [GONE], coordinator_epoch=0, now_ms=0)
    assert refused.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE


def test_superseded_records_are_deleted_up_to_open_transactions() -> None:
    cluster = coordinating()
    log, partition_log = log_of(cluster), cluster.log_of(home_of(cluster), 0)
    for value in range(3):
        log.append(0, [offset(value)], coordinator_epoch=0, now_ms=0)
    log.append(0, [offset(9)], coordinator_epoch=0, now_ms=0, writer=BatchWriter(9, 0))
    log.append(0, [offset(4)], coordinator_epoch=0, now_ms=0)
    log.delete_superseded(0, 2, 0)
    assert partition_log.log_start_offset == 2
    log.delete_superseded(0, 4, 0)
    assert partition_log.log_start_offset == 3
    end_transaction(cluster, 9, is_commit=False)
    log.delete_superseded(0, None, 0)
    assert partition_log.log_start_offset == partition_log.log_end_offset == 6
    log_of(cluster, 99).delete_superseded(0, None, 0)
