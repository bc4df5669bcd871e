"""Raw batches of a partition, wherever its leader is."""

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from mockbroker import API, ERR, Cluster, Release
from mockbroker.protocol.messages.fetch import PartitionData
from mockbroker.protocol.records.batch import batch_spans, build_batch, parse_batch_header, stamp
from mockbroker.protocol.records.message_set import LegacyRecord, encode_message
from mockbroker.protocol.records.record import Record
from mockbroker.wire import WireProducer, partition_reader
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import TopicIdPartition, WireCluster
from mockbroker.wire.partition_reader import PartitionReader, stored_batches
from tests.support.written_topics import write

REPLICATED = {"default.replication.factor": "3"}
ORDERS = TopicIdPartition("orders", 0)


@pytest.mark.parametrize("kafka", ["0.11", "2.4", "3.9", "4.4"])
def test_batches_of_every_release_are_fetched(kafka: Release) -> None:
    with (
        Cluster(kafka=kafka, topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        write(cluster, "orders", 3, 4)
        cluster.partition("orders", 0).delete_records(3)
        (orders,) = asked.topic("orders").partitions
        data = PartitionReader(asked, orders).fetch(3)
        assert (data.high_watermark, data.log_start_offset) == (7, 3)
        assert len(list(batch_spans(bytes(data.records or b"")))) == 1


@pytest.fixture
def short_fetches() -> Iterator[None]:
    """Have the leader wait less for records that do not come."""
    with patch.object(partition_reader, "_FETCH_WAIT_MS", 1):
        yield


@pytest.mark.usefixtures("short_fetches")
def test_readers_of_committed_records_get_no_open_transaction() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as producer,
    ):
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"open", base_sequence=0)
        assert not PartitionReader(asked, ORDERS, is_committed=True).fetch(0).records
        assert PartitionReader(asked, ORDERS).fetch(0).records


def test_a_new_leader_is_found_after_a_fetch_ahead() -> None:
    with (
        Cluster(brokers=3, topics={"orders": 1}, config=REPLICATED) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        write(cluster, "orders", 3)
        (orders,) = asked.topic("orders").partitions
        reader = PartitionReader(asked, orders)
        assert reader.fetch(0).records
        for disturb in (cluster.kill, lambda _: cluster.partition("orders", 0).elect()):
            reader.fetch_ahead(0)
            disturb(cluster.partition("orders", 0).leader)
            assert reader.fetch(0).records
            disturb(cluster.partition("orders", 0).leader)
            reader.fetch_ahead(0)
            assert reader.fetch(0).records


def test_a_fetch_ahead_is_dropped_for_another_offset() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
        patch.object(partition_reader, "_FETCH_BYTES_MAX", 1),
    ):
        write(cluster, "orders", 1, 1)
        reader = PartitionReader(asked, ORDERS)
        reader.fetch_ahead(1)
        assert bytes(reader.fetch(0).records or b"")[:8] == bytes(8)


def test_a_closed_connection_is_retried() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        write(cluster, "orders", 3)
        cluster.fault(API.FETCH).lose_response().times(1)
        assert PartitionReader(asked, ORDERS).fetch(0).records
        cluster.assert_all_faults_fired()


@pytest.mark.usefixtures("short_fetches")
def test_a_throttled_fetch_is_retried_after_the_throttle_time() -> None:
    with (
        Cluster(topics={"orders": 1}, journal=True) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        cluster.fault(API.FETCH).throttle("1ms").times(2)
        assert not PartitionReader(asked, ORDERS).fetch(0).records
        assert cluster.journal.count(API.FETCH) == 3


def test_reading_ends_when_the_topic_is_recreated() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        write(cluster, "orders", 3)
        (orders,) = asked.topic("orders").partitions
        cluster.recreate_topic("orders")
        with pytest.raises(WireError, match="orders was deleted and created again"):
            PartitionReader(asked, orders).fetch(0)


def test_an_offset_out_of_range_is_passed_on_and_other_errors_are_raised() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
    ):
        reader = PartitionReader(asked, ORDERS)
        assert reader.fetch(9).error_code == ERR.OFFSET_OUT_OF_RANGE
        cluster.fault(API.FETCH).answer(ERR.TOPIC_AUTHORIZATION_FAILED).times(1)
        with pytest.raises(WireError, match=r"orders-0: TOPIC_AUTHORIZATION_FAILED .* to Fetch v"):
            reader.fetch(0)


def test_stored_batches_continue_where_the_log_begins_now() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
        patch.object(partition_reader, "_FETCH_BYTES_MAX", 1),
    ):
        write(cluster, "orders", 1, 1, 1, 1)
        batches = stored_batches(asked, ORDERS, 0, 4)
        assert parse_batch_header(next(batches)).base_offset == 0
        cluster.partition("orders", 0).delete_records(2)
        assert [parse_batch_header(each).base_offset for each in batches] == [2, 3]


def test_stored_batches_behind_messages_of_an_older_format_are_read() -> None:
    older = encode_message(LegacyRecord(offset=7, magic=1, value=b"older"))
    newer = bytearray(build_batch([Record(value=b"newer")]))
    stamp(newer, 0, 8, 0)
    log = {7: older, 8: bytes(newer)}

    def fetch(_: PartitionReader, offset: int) -> PartitionData:
        return PartitionData(records=log[offset])

    with (
        Cluster() as cluster,
        WireCluster(cluster.bootstrap_servers) as asked,
        patch.object(PartitionReader, "fetch", fetch),
    ):
        assert list(stored_batches(asked, ORDERS, 7, 9)) == [newer]
