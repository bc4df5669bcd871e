"""A broker's access to the partitions of an internal topic."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.coordinator.coordinator_log import APPEND_REFUSALS, CoordinatorLog
from mockbroker.state.coordinator.log_records import BatchStamps, GroupValueVersions
from mockbroker.state.replication.leader_election import elect_leader
from tests.state.group.coordinator_building import coordinating, home_of, offset


def test_refusals_are_mapped_to_the_clients_next_step() -> None:
    by_answer: dict[ErrorCode, set[str]] = {}
    for refusal, answered in APPEND_REFUSALS.items():
        by_answer.setdefault(answered, set()).add(refusal.name)
    assert by_answer == {
        ErrorCode.COORDINATOR_NOT_AVAILABLE: {
            "UNKNOWN_TOPIC_OR_PARTITION",
            "NOT_ENOUGH_REPLICAS",
            "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
            "REQUEST_TIMED_OUT",
        },
        ErrorCode.NOT_COORDINATOR: {"NOT_LEADER_OR_FOLLOWER", "KAFKA_STORAGE_ERROR"},
        ErrorCode.UNKNOWN_SERVER_ERROR: {"MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE"},
    }


@pytest.mark.parametrize(
    ("broker_id", "index", "epoch", "code"),
    [
        (1, 7, 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (1, 0, 1, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (2, 0, 0, ErrorCode.NOT_LEADER_OR_FOLLOWER),
    ],
)
def test_only_the_present_leader_may_write(
    broker_id: int, index: int, epoch: int, code: ErrorCode
) -> None:
    log = CoordinatorLog("__consumer_offsets", broker_id, coordinating())
    with pytest.raises(ApiError) as refused:
        log.writable(index, epoch)
    assert refused.value.code is code


def test_a_leader_stays_writable_in_epochs_with_the_same_leader() -> None:
    cluster = coordinating()
    log = CoordinatorLog("__consumer_offsets", 1, cluster)
    home_of(cluster).leader_epoch += 1  # up to 2.x, when a replica falls out of sync
    assert log.writable(0, 0) is home_of(cluster)
    elect_leader(cluster, home_of(cluster), 1, now_ms=0)
    with pytest.raises(ApiError) as refused:
        log.writable(0, 0)
    assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_writing_needs_replicas_in_sync() -> None:
    cluster = coordinating()
    log = CoordinatorLog("__consumer_offsets", 1, cluster)
    assert log.writable(0, 0) is home_of(cluster)
    home_of(cluster).in_sync_replicas = ()
    with pytest.raises(ApiError) as refused:
        log.writable(0, 0)
    assert refused.value.code is ErrorCode.NOT_ENOUGH_REPLICAS


def test_all_batches_are_read_across_segments() -> None:
    cluster = coordinating()
    reader = CoordinatorLog("__consumer_offsets", 1, cluster)
    assert list(reader.batches(0)) == []
    assert reader.led_log(0) is None
    log = cluster.log_of(home_of(cluster), 0)
    log.reconfigure(log.config._replace(segment_bytes=200))
    for number in range(5):
        header, data = cluster.records.build_group_records(
            [offset(number)],
            versions=GroupValueVersions(4, 3),
            stamps=BatchStamps(number, 0, 0),
        )
        log.append(header, data, leader_epoch=0, now_ms=0)
    assert len(log.segments) > 1
    assert [cluster.records.read_header(data).base_offset for data in reader.batches(0)] == [
        0, 1, 2, 3, 4,
    ]  # fmt: skip
    assert reader.led_log(0) is log
    assert CoordinatorLog("__consumer_offsets", 2, cluster).led_log(0) is None
