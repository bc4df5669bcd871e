"""Records of a load that read_committed consumers see."""

from typing import Any
from unittest.mock import patch

import pytest
from confluent_kafka import Producer

from mockbroker import API, Cluster
from mockbroker.journal.record_identity import RecordIdentity
from mockbroker.spark.auditing.visible_records import read_visible, visible_frame, waiting_from
from mockbroker.wire import partition_reader
from mockbroker.wire.client import WireError

pytestmark = pytest.mark.slow


def producer(cluster: Cluster, **settings: object) -> Any:
    names = {name.replace("_", "."): value for name, value in settings.items()}
    return Producer({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0, **names})


def send(sender: Any, *record_ids: str, partition: int = 0) -> None:
    for record_id in record_ids:
        headers = [("other", b"x"), ("mockbroker.record", record_id.encode())]
        sender.produce("orders", b"value", partition=partition, headers=headers)
    assert sender.flush(10) == 0


def seen(cluster: Cluster) -> list[tuple[int, int, str]]:
    found = read_visible(cluster.bootstrap_servers, "orders")
    return [(each.partition, each.offset, each.record_id) for each in found]


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_ids_are_found_in_every_compression(codec: str) -> None:
    with Cluster(topics={"orders": 2}) as cluster:
        sender = producer(cluster, compression_type=codec)
        send(sender, "a", "b", partition=1)
        send(sender, "c")
        assert seen(cluster) == [(0, 0, "c"), (1, 0, "a"), (1, 1, "b")]


@pytest.mark.parametrize("message_format", ["0.9.0", "0.10.2"])
@pytest.mark.parametrize("codec", ["none", "gzip"])
def test_records_of_older_formats_are_found(message_format: str, codec: str) -> None:
    with Cluster(kafka="2.8") as cluster:
        cluster.create_topic("orders", config={"message.format.version": message_format})
        sender = producer(cluster, compression_type=codec, linger_ms=100)
        for values in ("AB", "A"):
            for value in values:
                sender.produce("orders", value)
            assert sender.flush(10) == 0
        found = read_visible(cluster.bootstrap_servers, "orders", identity=RecordIdentity("value"))
        assert [(each.offset, each.record_id) for each in found] == [(0, "A"), (1, "B"), (2, "A")]


def test_records_without_an_id_are_left_out() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        sender = producer(cluster)
        sender.produce("orders", b"of somebody else")
        send(sender, "a")
        assert seen(cluster) == [(0, 1, "a")]


def test_aborted_records_are_not_visible_but_those_beside_them_are() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        first = producer(cluster, transactional_id="one")
        second = producer(cluster, transactional_id="two")
        for sender in (first, second):
            sender.init_transactions(10)
            sender.begin_transaction()
        send(first, "aborted-1")
        send(second, "kept-1")
        first.abort_transaction(10)
        second.commit_transaction(10)
        first.begin_transaction()
        send(first, "kept-2")
        first.commit_transaction(10)
        assert seen(cluster) == [(0, 1, "kept-1"), (0, 4, "kept-2")]


def test_records_behind_an_open_transaction_are_not_visible() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        sender = producer(cluster, transactional_id="one")
        sender.init_transactions(10)
        send(producer(cluster), "before")
        sender.begin_transaction()
        send(sender, "open")
        send(producer(cluster), "behind")
        assert seen(cluster) == [(0, 0, "before")]
        sender.abort_transaction(10)
        assert seen(cluster) == [(0, 0, "before"), (0, 2, "behind")]


def test_only_partitions_with_blocked_readers_are_returned() -> None:
    with Cluster(topics={"orders": 2}) as cluster:
        send(producer(cluster), "before", partition=1)
        assert waiting_from(cluster.bootstrap_servers, ["orders"]) == {}
        sender = producer(cluster, transactional_id="one")
        sender.init_transactions(10)
        sender.begin_transaction()
        send(sender, "open", partition=1)
        assert waiting_from(cluster.bootstrap_servers, ["orders"]) == {("orders", 1): 1}
        sender.abort_transaction(10)
        assert waiting_from(cluster.bootstrap_servers, ["orders"]) == {}


def test_a_log_is_read_from_its_start_offset() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        send(producer(cluster), "a", "b", "c")
        cluster.partition("orders", 0).move_log_start(2)
        assert seen(cluster) == [(0, 2, "c")]


def test_reading_continues_where_the_log_begins_after_retention() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        patch.object(partition_reader, "_FETCH_BYTES_MAX", 1),
    ):
        for record_id in "abcd":
            send(producer(cluster), record_id)
        found = read_visible(cluster.bootstrap_servers, "orders")
        assert next(found).record_id == "a"
        cluster.partition("orders", 0).delete_records(2)
        assert [each.record_id for each in found] == ["c", "d"]


def test_reading_ends_where_a_log_was_truncated() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        patch.object(partition_reader, "_FETCH_BYTES_MAX", 1),
    ):
        for record_id in "abc":
            send(producer(cluster), record_id)
        found = read_visible(cluster.bootstrap_servers, "orders")
        assert next(found).record_id == "a"
        cluster.partition("orders", 0).lose_tail(3)
        assert list(found) == []


def test_a_log_of_many_fetches_is_read_whole() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        sender = producer(cluster, batch_size=100_000)
        for number in range(20):
            headers = [("mockbroker.record", b"%d" % number)]
            sender.produce("orders", bytes(900_000), headers=headers)
            assert sender.flush(10) == 0
        assert [name for _, _, name in seen(cluster)] == [str(number) for number in range(20)]


def test_reading_continues_after_a_leader_election() -> None:
    with Cluster(brokers=2, topics={"orders": 2}) as cluster:
        send(producer(cluster), "a", partition=0)
        send(producer(cluster), "b", partition=1)
        found = read_visible(cluster.bootstrap_servers, "orders")
        assert next(found).record_id == "a"
        cluster.partition("orders", 1).elect()
        assert [each.record_id for each in found] == ["b"]


def test_only_named_partitions_are_read() -> None:
    with Cluster(topics={"orders": 2}) as cluster:
        send(producer(cluster), "a", partition=0)
        send(producer(cluster), "b", partition=1)
        found = read_visible(cluster.bootstrap_servers, "orders", [1])
        assert [each.record_id for each in found] == ["b"]


def test_a_missing_topic_is_named() -> None:
    with Cluster() as cluster:
        with pytest.raises(WireError, match="topic orders does not exist"):
            list(read_visible(cluster.bootstrap_servers, "orders"))
        with pytest.raises(WireError, match="topic orders does not exist"):
            visible_frame(None, cluster.bootstrap_servers, ["orders"])  # type: ignore[arg-type]


def test_a_partition_that_cannot_be_read_is_named() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        send(producer(cluster), "a")
        cluster.fault(API.FETCH).answer("TOPIC_AUTHORIZATION_FAILED").every_time()
        with pytest.raises(WireError, match="orders-0: TOPIC_AUTHORIZATION_FAILED"):
            seen(cluster)
