"""Reading the batches of a range."""

from unittest.mock import patch

import pytest
from confluent_kafka import Producer

from mockbroker import API, Cluster
from mockbroker.protocol.messages.fetch import PartitionData
from mockbroker.spark.batches.batch_plan import batch_rows
from mockbroker.spark.batches.range_reading import BatchRange, read_range
from mockbroker.spark.format_errors import KafkaBatchesError
from mockbroker.wire import WireProducer, partition_reader
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import TopicIdPartition, WireCluster
from mockbroker.wire.partition_reader import PartitionReader
from tests.support.written_topics import write, write_transaction

REPLICATED = {"default.replication.factor": "3"}


def spans(
    cluster: Cluster, start: int, end: int, *, may_lose: bool = False
) -> list[tuple[int, int]]:
    with WireCluster(cluster.bootstrap_servers, patience_s=0.0) as asked:
        (orders,) = asked.topic("orders").partitions
        readings = read_range(asked, BatchRange(orders, start, end), may_lose=may_lose)
        return [
            (row.base_offset, row.last_offset) for reading in readings for row in reading.rows()
        ]


def test_a_range_is_read_in_as_many_answers_as_it_takes() -> None:
    with (
        Cluster(topics={"orders": 1}, journal=True) as cluster,
        patch.object(partition_reader, "_FETCH_BYTES_MAX", 1),
    ):
        write(cluster, "orders", 2, 3, 1)
        assert spans(cluster, 0, 6) == [(0, 1), (2, 4), (5, 5)]
        assert cluster.journal.count(API.FETCH) == 3


def test_a_batch_belongs_to_the_range_of_its_last_offset() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        write(cluster, "orders", 2, 3, 1)
        assert spans(cluster, 0, 4) == [(0, 1)]
        assert spans(cluster, 4, 6) == [(2, 4), (5, 5)]


def test_before_1_0_the_last_stable_offset_is_requested() -> None:
    with (
        Cluster(topics={"orders": 1}, kafka="0.11") as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as producer,
    ):
        write(cluster, "orders", 2)
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"order-1", base_sequence=0)
        (reading,) = read_range(asked, BatchRange(TopicIdPartition("orders", 0), 0, 3))
        assert (reading.last_stable_offset, reading.high_watermark) == (2, 3)


def test_batches_of_and_after_a_transaction_are_read() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        write_transaction(cluster, "orders", 2, is_commit=False)
        write(cluster, "orders", 1)
        assert spans(cluster, 0, 4) == [(0, 1), (2, 2), (3, 3)]


def test_compaction_leaves_the_header_of_a_producers_last_batch() -> None:
    with Cluster(topics={"orders": 1}, config={"log.cleanup.policy": "compact"}) as cluster:
        producer = Producer(
            cluster.client_config("confluent", **{"transactional.id": "orders-svc"})
        )
        producer.init_transactions()
        producer.begin_transaction()
        producer.produce("orders", b"order-1", b"key")
        producer.flush()
        producer.abort_transaction()
        assert cluster.partition("orders", 0).compact() == 1
        (kept, marker) = batch_rows(cluster.bootstrap_servers, ["orders"])
        assert (kept.base_offset, kept.last_offset, kept.record_count) == (0, 0, 0)
        assert (kept.base_sequence, marker.marker) == (0, "ABORT")


def test_reading_ends_if_no_batches_are_left_before_the_end() -> None:
    nothing = PartitionData(high_watermark=2, last_stable_offset=2, log_start_offset=0)
    wanted = BatchRange(TopicIdPartition("orders", 0), 0, 2)
    asked = WireCluster("127.0.0.1:1", patience_s=0.0)
    with patch.object(PartitionReader, "fetch", return_value=nothing):
        assert list(read_range(asked, wanted)) == []
        with pytest.raises(KafkaBatchesError, match="up to offset 3, and its high watermark is 2"):
            list(read_range(asked, wanted._replace(end=3)))


def test_a_leader_that_moves_during_reading_is_followed() -> None:
    with (
        Cluster(brokers=3, topics={"orders": 1}, config=REPLICATED) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
        patch.object(partition_reader, "_FETCH_BYTES_MAX", 1),
    ):
        write(cluster, "orders", 2, 2, 2, 2)
        (orders,) = asked.topic("orders").partitions
        found: list[int] = []
        for reading in read_range(asked, BatchRange(orders, 0, 8)):
            found += [row.base_offset for row in reading.rows()]
            cluster.partition("orders", 0).elect()
        assert found == [0, 2, 4, 6]


def test_deleted_records_are_reported_or_skipped() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        write(cluster, "orders", 2, 3, 1)
        cluster.partition("orders", 0).delete_records(3)
        why = "orders-0: offsets 0 to 2 are missing: the log begins at 3"
        with pytest.raises(KafkaBatchesError, match=why):
            spans(cluster, 0, 6)
        assert spans(cluster, 0, 6, may_lose=True) == [(2, 4), (5, 5)]


def test_a_log_that_lost_its_tail_is_reported_or_skipped() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        write(cluster, "orders", 2, 3, 1)
        cluster.partition("orders", 0).lose_tail(4)
        with pytest.raises(
            KafkaBatchesError, match="orders-0: offsets 3 to 5 are missing: the log"
        ):
            spans(cluster, 3, 6)
        assert spans(cluster, 3, 6, may_lose=True) == []
        with pytest.raises(KafkaBatchesError, match="up to offset 6, and its high watermark is 2"):
            spans(cluster, 0, 6)


def test_a_topic_that_is_deleted_during_reading_is_named() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
        patch.object(partition_reader, "_FETCH_BYTES_MAX", 1),
    ):
        write(cluster, "orders", 2, 3, 1)
        (orders,) = asked.topic("orders").partitions
        readings = read_range(asked, BatchRange(orders, 0, 6))
        next(readings)
        cluster.recreate_topic("orders")
        with pytest.raises(WireError, match="topic orders was deleted and created again"):
            list(readings)
