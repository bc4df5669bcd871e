"""The root of the state: brokers, logs, time, and pending work."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.config.configuration_control import (
    ConfigChange,
    ConfigOperation,
    ConfigResource,
    ResourceType,
)
from mockbroker.state.coordinator.log_records import BatchWriter
from mockbroker.state.group.group_log_record import OffsetAndMetadata, OffsetRecord
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.replication.broker import BrokerState
from mockbroker.state.replication.broker_control import fence_broker
from mockbroker.state.topic.internal_topics import coordinator_partition, internal_topic
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, Partition
from tests.state.cluster_building import new_cluster
from tests.state.log_building import batch_header

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


def append(cluster: ClusterState, *, now_ms: int, producer_id: int = -1, records: int = 1) -> None:
    partition = cluster.topics.by_name["orders"].partitions[0]
    is_idempotent = producer_id >= 0
    header = batch_header(
        records=records,
        timestamp_ms=now_ms,
        producer_id=producer_id,
        producer_epoch=0 if is_idempotent else -1,
        base_sequence=0 if is_idempotent else -1,
    )
    cluster.log_of(partition, now_ms).append(header, b"x" * 100, leader_epoch=0, now_ms=now_ms)


def set_config(cluster: ClusterState, kind: ResourceType, name: str, key: str, value: str) -> None:
    cluster.configuration.incremental_alter(
        ConfigResource(type=kind, name=name),
        [ConfigChange(name=key, operation=ConfigOperation.SET, value=value)],
        asked_broker_id=1,
        validate_only=False,
    )


# The cluster


def test_the_same_seed_gives_the_same_cluster() -> None:
    assert new_cluster(seed=5).as_text() == new_cluster(seed=5).as_text()
    assert new_cluster(seed=5).cluster_id != new_cluster(seed=6).cluster_id


def test_the_first_broker_is_the_controller() -> None:
    assert new_cluster(brokers=3).controller_id == 1


def test_a_broker_has_the_endpoint_of_its_listener() -> None:
    cluster = new_cluster()
    revision = cluster.metadata_revision
    cluster.set_endpoint(2, "127.0.0.1", 40_000)
    assert (cluster.brokers[2].host, cluster.brokers[2].port) == ("127.0.0.1", 40_000)
    assert cluster.metadata_revision > revision
    cluster.set_endpoint(2, "127.0.0.1", 40_000, {"INSIDE": ("h", 1)})
    assert cluster.brokers[2].seen_from("INSIDE").host == "h"
    assert cluster.configs.broker_integer("node.id", 2) == 2


def test_settings_of_single_brokers_do_not_affect_others() -> None:
    cluster = new_cluster()
    cluster.configs.set_broker_static(3, {"broker.rack": "c"})
    assert cluster.configs.broker_value("broker.rack", 3) == "c"
    assert cluster.configs.broker_value("broker.rack", 1) is None


def test_memory_is_limited_by_a_setting() -> None:
    cluster = new_cluster(configs={"mockbroker.memory.bytes": "2000000"})
    assert cluster.budget.limit_bytes == 2000000


def test_newer_releases_set_min_insync_replicas_for_all_brokers() -> None:
    new = new_cluster("4.4", configs={"min.insync.replicas": "2"})
    assert new.configs.dynamic_default == {"min.insync.replicas": "2"}
    assert new_cluster("2.4").configs.dynamic_default == {}


# Partitions and logs


def test_a_partition_is_found_by_topic_and_number() -> None:
    cluster = new_cluster()
    topic = cluster.create_topic(NewTopic(name="orders", num_partitions=2))
    assert cluster.partition("orders", 1) is topic.partitions[1]
    assert cluster.partition("orders", 2) is None
    assert cluster.partition("others", 0) is None


def test_a_log_is_opened_when_it_is_first_used() -> None:
    cluster = new_cluster()
    partition = cluster.create_topic(NewTopic(name="orders")).partitions[0]
    assert partition.log is None
    log = cluster.log_of(partition, 0)
    assert cluster.log_of(partition, 0) is partition.log is log
    assert list(cluster.logs) == [partition]


def test_a_deleted_topic_releases_its_memory() -> None:
    cluster = new_cluster()
    topic = cluster.create_topic(NewTopic(name="orders"))
    append(cluster, now_ms=0)
    assert cluster.budget.used_bytes > 0
    cluster.delete_topic(topic)
    assert cluster.budget.used_bytes == 0


# Changed configs


def test_a_changed_topic_config_reaches_its_open_logs() -> None:
    cluster = new_cluster()
    topic = cluster.create_topic(NewTopic(name="orders"))
    other = cluster.create_topic(NewTopic(name="others"))
    log = cluster.log_of(topic.partitions[0], 0)
    set_config(cluster, ResourceType.TOPIC, "orders", "retention.ms", "5")
    assert log.config.retention_ms == topic.partitions[0].config.log.retention_ms == 5
    assert other.partitions[0].config.log.retention_ms == 7 * DAY_MS


def test_a_changed_broker_config_reaches_all_topics_and_producers() -> None:
    cluster = new_cluster(brokers=1)
    topic = cluster.create_topic(NewTopic(name="orders", num_partitions=2))
    log = cluster.log_of(topic.partitions[0], 0)
    set_config(cluster, ResourceType.BROKER, "", "log.retention.ms", "5")
    set_config(cluster, ResourceType.BROKER, "", "producer.id.expiration.ms", "7")
    assert [partition.config.log.retention_ms for partition in topic.partitions] == [5, 5]
    assert log.config.retention_ms == 5
    assert log.producers.options.producer_id_expiration_ms == 7
    assert cluster.log_of(topic.partitions[1], 0).producers.options == log.producers.options


# Pending work


def test_failed_work_does_not_stop_other_pending_work() -> None:
    cluster = new_cluster()
    ran: list[int] = []

    def fail(now_ms: int) -> None:
        raise ZeroDivisionError(now_ms)

    cluster.defer("bad", fail)
    cluster.defer("good", ran.append)
    with pytest.raises(ZeroDivisionError):
        cluster.run_pending(7)
    assert ran == [7]
    assert cluster.run_pending(8) == []


def test_deferred_work_waits_and_runs_in_order() -> None:
    cluster = new_cluster()
    ran: list[tuple[str, int]] = []
    cluster.defer("first", lambda now_ms: ran.append(("first", now_ms)))
    cluster.defer("second", lambda now_ms: ran.append(("second", now_ms)))
    assert "pending first\npending second" in cluster.as_text()
    assert ran == []
    assert cluster.run_pending(7) == ["first", "second"]
    assert ran == [("first", 7), ("second", 7)]
    assert cluster.run_pending(8) == []


def test_an_auto_created_topic_exists_after_the_answer() -> None:
    cluster = new_cluster()
    cluster.create_topic_later(NewTopic(name="orders"))
    assert "orders" not in cluster.topics
    assert cluster.run_pending(0) == ["CreateTopics orders"]
    assert "orders" in cluster.topics


def test_a_topic_that_exists_by_then_is_not_created() -> None:
    cluster = new_cluster()
    cluster.create_topic_later(NewTopic(name="orders", num_partitions=5))
    topic = cluster.create_topic(NewTopic(name="orders", num_partitions=2))
    cluster.run_pending(0)
    assert cluster.topics.get("orders") is topic


def test_a_topic_that_cannot_be_created_later_is_not() -> None:
    cluster = new_cluster()
    cluster.create_topic_later(NewTopic(name="orders", replication_factor=9))
    cluster.run_pending(0)
    assert len(cluster.topics) == 0


def test_no_topic_is_created_later_if_all_brokers_are_away_by_then() -> None:
    cluster = new_cluster()
    cluster.create_topic_later(NewTopic(name="orders"))
    for broker_id in cluster.brokers:
        fence_broker(cluster, broker_id, BrokerState.KILLED, now_ms=0)
    cluster.run_pending(0)
    assert len(cluster.topics) == 0


# State as text


def test_the_text_shows_topics_logs_and_configs() -> None:
    cluster = new_cluster()
    cluster.create_topic(NewTopic(name="orders", configs=[("retention.ms", "5")]))
    append(cluster, now_ms=0)
    text = cluster.as_text()
    assert "topic orders [('retention.ms', '5')]" in text
    assert "orders-0 leader" in text
    assert all(log.as_text() in text for log in cluster.logs.values())


def test_the_text_omits_a_log_that_was_only_opened() -> None:
    cluster = new_cluster()
    cluster.create_topic(NewTopic(name="orders"))
    before = cluster.as_text()
    partition = cluster.partition("orders", 0)
    assert partition is not None
    cluster.log_of(partition, 0)  # as a read or a refused append does
    assert cluster.as_text() == before


def test_a_refusal_does_not_change_the_text() -> None:
    cluster = new_cluster()
    before = cluster.as_text()
    with pytest.raises(ApiError):
        cluster.create_topic(NewTopic(name=""))
    assert cluster.as_text() == before


# Markers


def end(cluster: ClusterState, topic: str, *, is_commit: bool = True) -> None:
    cluster.append_end_txn_marker(
        cluster.topics.by_name[topic].partitions[0],
        EndTxnMarker(7, 0, 0, is_commit),
        transaction_version=0,
        now_ms=0,
    )


@pytest.mark.parametrize("is_commit", [True, False])
def test_a_marker_decides_the_group_offsets_of_a_transaction(is_commit: bool) -> None:
    cluster = new_cluster()
    watched: list[Partition] = []
    cluster.appended = watched.append
    topic = cluster.create_topic(internal_topic(CONSUMER_OFFSETS, cluster.configs))
    cluster.create_topic(NewTopic(name="orders"))
    cluster.run_pending(0)
    log = cluster.log_of(topic.partitions[0], 0)
    guard = log.producers.maybe_start_verification(7, 0, 0, now_ms=0, supports_epoch_bump=False)
    value = OffsetAndMetadata(5, 0, "", 0)
    orders = TopicPartition("orders", 0)
    coordinator = cluster.group_coordinator(topic.partitions[0].leader_id)
    group_id = next(
        name
        for name in map(str, range(1000))
        if coordinator_partition(CONSUMER_OFFSETS, name, cluster.configs) == 0
    )
    coordinator.commit_transactional_offsets(
        group_id, [OffsetRecord(group_id, orders, value)], BatchWriter(7, 0), 0, guard
    )
    offsets = coordinator.offsets_of(group_id)
    end(cluster, "orders", is_commit=is_commit)
    assert offsets.is_unstable(group_id, orders)
    end(cluster, CONSUMER_OFFSETS, is_commit=is_commit)
    assert not offsets.is_unstable(group_id, orders)
    found = offsets.committed(group_id, orders)
    assert (found is not None and found.offset == 5) is is_commit
    assert watched[-1] is topic.partitions[0]


def test_a_marker_needs_replicas_in_sync() -> None:
    cluster = new_cluster()
    topic = cluster.create_topic(NewTopic(name="orders"))
    topic.partitions[0].in_sync_replicas = ()
    before = cluster.as_text()
    with pytest.raises(ApiError) as refused:
        end(cluster, "orders")
    assert refused.value.code is ErrorCode.NOT_ENOUGH_REPLICAS
    assert cluster.as_text() == before
