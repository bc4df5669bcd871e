"""The handle of a partition: offsets, elections and deletions."""

from typing import cast
from xml.etree import ElementTree as ET

import pytest

from mockbroker import Cluster
from mockbroker.control.handles.partition_handle import PartitionHandle
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.records.batch import batch_spans, parse_batch_header
from mockbroker.state.replication.leader_election import ProducerState
from mockbroker.wire import WireProducer
from tests.support.notebook import notebook_html
from tests.support.requests import fetch
from tests.support.wire import leader_client

REPLICATED = {"default.replication.factor": "3"}
REPLICATED_BY_2 = {"default.replication.factor": "2"}


def facts_of(partition: PartitionHandle) -> tuple[object, ...]:
    return (
        partition.leader,
        partition.leader_epoch,
        partition.replicas,
        partition.log_start_offset,
        partition.last_stable_offset,
        partition.high_watermark,
        partition.log_end_offset,
    )


def test_a_new_partition_is_empty_and_led_by_its_first_replica() -> None:
    with Cluster(brokers=3, topics={"orders": 1}, config=REPLICATED) as cluster:
        partition = cluster.partition("orders", 0)
        replicas = partition.replicas
        assert facts_of(partition) == (replicas[0], 0, replicas, 0, 0, 0, 0)


def test_the_next_replica_in_turn_is_elected() -> None:
    with Cluster(brokers=3, topics={"orders": 1}, config=REPLICATED) as cluster:
        partition = cluster.partition("orders", 0)
        replicas = partition.replicas
        elected = [partition.elect() for _ in range(3)]
        assert elected == [replicas[1], replicas[2], replicas[0]]
        assert partition.leader == replicas[0]
        assert partition.leader_epoch == 3


def test_a_certain_replica_is_elected() -> None:
    with Cluster(brokers=3, topics={"orders": 1}, config=REPLICATED) as cluster:
        partition = cluster.partition("orders", 0)
        chosen = partition.replicas[2]
        assert partition.elect(to=chosen, producer_state="none") == chosen
        assert (partition.leader, partition.leader_epoch) == (chosen, 1)


def test_the_only_replica_is_elected_again() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        partition = cluster.partition("orders", 0)
        assert partition.elect() == partition.leader == 1
        assert partition.leader_epoch == 1


def test_a_broker_without_a_replica_is_not_elected() -> None:
    with Cluster(brokers=3, topics={"orders": 1}, config=REPLICATED) as cluster:
        partition = cluster.partition("orders", 0)
        before = facts_of(partition)
        with pytest.raises(ValueError, match="broker 9 holds no replica of orders-0; brokers "):
            partition.elect(to=9)
        assert facts_of(partition) == before


def test_an_unknown_producer_state_option_is_refused() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        partition = cluster.partition("orders", 0)
        with pytest.raises(
            ValueError, match="producer_state='some': allowed are full, from_snapshot"
        ):
            partition.elect(producer_state=cast("ProducerState", "some"))
        assert partition.leader_epoch == 0


def test_a_missing_partition_raises_lookup_error() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        absent = cluster.partition("orders", 1)
        with pytest.raises(LookupError, match="there is no partition orders-1"):
            _ = absent.leader
        with pytest.raises(LookupError, match="there is no partition orders-1"):
            absent.elect()
        assert repr(absent) == "<PartitionHandle orders-1: state=there is no partition orders-1>"


def test_records_are_deleted_up_to_an_offset_or_all_of_them() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers) as writer,
    ):
        partition = cluster.partition("orders", 0)
        writer.produce("orders", b"a", b"b", base_sequence=-1)
        writer.produce("orders", b"c", base_sequence=-1)
        assert partition.delete_records(2) == 2
        assert (partition.log_start_offset, partition.log_end_offset) == (2, 3)
        assert partition.delete_records() == 3
        with pytest.raises(ApiError, match="OFFSET_OUT_OF_RANGE"):
            partition.delete_records(4)
        assert (partition.log_start_offset, partition.log_end_offset) == (3, 3)


def test_a_consumer_waiting_at_the_old_leader_gets_an_error_at_once() -> None:
    with Cluster(brokers=2, topics={"orders": 1}, config=REPLICATED_BY_2) as cluster:
        partition = cluster.partition("orders", 0)
        with leader_client(cluster) as consumer:
            consumer.send(fetch(max_wait_ms=30_000), 10)
            partition.elect()
            answer = consumer.receive(10, FetchResponse)
    (told,) = answer.responses[0].partitions
    assert told.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_batch_written_under_a_new_leader_has_its_epoch() -> None:
    with (
        Cluster(brokers=2, topics={"orders": 1}, config=REPLICATED_BY_2) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        partition = cluster.partition("orders", 0)
        for _ in range(3):
            producer.produce("orders", b"a", base_sequence=-1)
            partition.elect()
        with leader_client(cluster) as consumer:
            answer = consumer.ask(fetch(), 10, FetchResponse)
    records = answer.responses[0].partitions[0].records
    assert records is not None
    data = bytes(records)
    epochs = [
        parse_batch_header(data, start).partition_leader_epoch for start, _ in batch_spans(data)
    ]
    assert epochs == [0, 1, 2]


def test_a_partition_is_named_and_may_come_later() -> None:
    with Cluster() as cluster:
        partition = cluster.partition("orders", 0)
        assert "there is no partition orders-0" in repr(partition)
        with pytest.raises(LookupError, match="there is no partition orders-0"):
            partition.elect()
        with pytest.raises(LookupError, match="there is no partition orders-0"):
            partition.leader  # noqa: B018 - it raises


def test_a_partition_is_drawn_in_a_file_and_in_a_notebook() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        for _ in range(4):
            producer.produce("orders", b"paid", base_sequence=-1)
        partition = cluster.partition("orders", 0)
        picture = ET.fromstring(partition.to_svg(1, 3))
        assert [
            each.get("data-first-offset")
            for each in picture.iter()
            if "data-first-offset" in each.attrib
        ] == ["1", "2"]
        assert notebook_html(partition).endswith(f"</table>{partition.to_svg()}")
        assert notebook_html(cluster.partition("orders", 7)).endswith("</table>")
        with pytest.raises(LookupError, match="no partition orders-7"):
            cluster.partition("orders", 7).to_svg()
