"""Leader election: epochs, configs, and the producer state of the new leader."""

import pytest

from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.records.batch import build_batch, stamp
from mockbroker.protocol.records.record import Record
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.replication.leader_election import ProducerState, elect_leader, next_leader
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import TRANSACTION_STATE, Partition
from tests.state.cluster_building import new_cluster
from tests.state.log_building import batch_header

NOW_MS = 1_000


def led(cluster: ClusterState) -> Partition:
    topic = cluster.create_topic(NewTopic(name="orders", assignments=[(0, (2, 3, 1))]))
    return topic.partitions[0]


def test_the_leader_epoch_the_partition_epoch_and_the_topics_revision_grow() -> None:
    cluster = new_cluster()
    partition = led(cluster)
    before = cluster.topics.revision
    elect_leader(cluster, partition, 3, now_ms=NOW_MS)
    assert (partition.leader_id, partition.leader_epoch, partition.partition_epoch) == (3, 1, 1)
    assert cluster.topics.revision > before


def test_re_electing_the_leader_begins_a_new_epoch() -> None:
    cluster = new_cluster()
    partition = led(cluster)
    elect_leader(cluster, partition, 2, now_ms=NOW_MS)
    assert (partition.leader_id, partition.leader_epoch) == (2, 1)


def test_the_new_leaders_epoch_begins_at_the_end_of_the_log() -> None:
    cluster = new_cluster()
    partition = led(cluster)
    log = cluster.log_of(partition, NOW_MS)
    log.append(batch_header(records=3), bytearray(100), leader_epoch=0, now_ms=NOW_MS)
    elect_leader(cluster, partition, 3, now_ms=NOW_MS)
    assert partition.log is log
    assert log.log_end_offset == 3
    assert log.end_offset_for_epoch(0) == (0, 3)


def test_the_new_leaders_configs_apply() -> None:
    cluster = new_cluster()
    partition = led(cluster)
    cluster.configs.set_broker_overrides(3, {"log.retention.bytes": "77"})
    elect_leader(cluster, partition, 3, now_ms=NOW_MS)
    assert partition.config.log.retention_bytes == 77
    assert cluster.log_of(partition, NOW_MS).config.retention_bytes == 77


@pytest.mark.parametrize(
    ("leader", "in_sync", "expected"),
    [(2, (1, 2, 3), 3), (3, (1, 2, 3), 1), (1, (1, 2, 3), 2), (2, (2, 1), 1), (2, (2,), 2)],
)
def test_the_next_leader_is_the_next_replica_in_sync(
    leader: int, in_sync: tuple[int, ...], expected: int
) -> None:
    partition = led(new_cluster())
    partition.leader_id = leader
    partition.in_sync_replicas = in_sync
    assert next_leader(partition) == expected


def test_a_leader_that_is_alone_and_out_of_sync_stays() -> None:
    partition = led(new_cluster())
    partition.in_sync_replicas = ()
    assert next_leader(partition) == partition.leader_id


# Producer state of the new leader


def written(
    cluster: ClusterState, partition: Partition, *, deleted_before: int = 0
) -> PartitionLog:
    """Have two producers write two batches each, and delete the first ones."""
    log = cluster.log_of(partition, NOW_MS)
    for producer_id, base_sequence in ((1, 0), (1, 1), (2, 0), (2, 1)):
        header = batch_header(
            producer_id=producer_id, producer_epoch=0, base_sequence=base_sequence
        )
        data = bytearray(build_batch(
            [Record(offset=0, timestamp=header.base_timestamp, value=b"v")],
            producer_id=producer_id, producer_epoch=0, base_sequence=base_sequence,
        ))  # fmt: skip
        info = log.append(header, data, leader_epoch=0, now_ms=NOW_MS)
        stamp(data, 0, info.base_offset, 0)
    log.delete_records(deleted_before)
    return log


@pytest.mark.parametrize(
    ("producer_state", "batches"),
    [
        ("full", {1: 2, 2: 2}),
        ("from_snapshot", {1: 1, 2: 1}),
        ("from_log", {2: 1}),
        ("none", {}),
    ],
)
def test_a_new_leader_has_the_requested_producer_state(
    producer_state: ProducerState, batches: dict[int, int]
) -> None:
    cluster = new_cluster()
    partition = led(cluster)
    log = written(cluster, partition, deleted_before=3)
    elect_leader(cluster, partition, 3, producer_state=producer_state, now_ms=NOW_MS)
    assert {each.producer_id: len(list(each.batches())) for each in log.producers} == batches
    assert (log.log_start_offset, log.log_end_offset) == (3, 4)


# The coordinator


def test_a_transactional_id_moves_to_the_new_coordinator() -> None:
    cluster = new_cluster()
    wanted = internal_topic(TRANSACTION_STATE, cluster.configs)
    topic = cluster.create_topic(wanted)
    cluster.run_pending(NOW_MS)
    index = cluster.transaction_coordinator(1).states.partition_for("svc")
    partition = topic.partitions[index]
    old = cluster.transaction_coordinator(partition.leader_id)
    producer = old.init_producer_id("svc", 60_000, NOW_MS)
    elected = next_leader(partition)
    elect_leader(cluster, partition, elected, now_ms=NOW_MS)
    new = cluster.transaction_coordinator(elected)
    with pytest.raises(ApiError, match="NOT_COORDINATOR"):
        old.transaction_state_of("svc")
    with pytest.raises(ApiError, match="COORDINATOR_LOAD_IN_PROGRESS"):
        new.transaction_state_of("svc")
    cluster.run_pending(NOW_MS)
    loaded = new.transaction_state_of("svc")
    assert loaded is not None
    assert (loaded.producer_id, loaded.producer_epoch) == producer


def test_requests_that_wait_for_the_partition_are_notified() -> None:
    cluster = new_cluster()
    partition = led(cluster)
    woken: list[Partition] = []
    cluster.appended = woken.append
    elect_leader(cluster, partition, 3, now_ms=NOW_MS)
    assert woken == [partition]
