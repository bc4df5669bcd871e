"""The producer of one transaction."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from mockbroker import API, ERR, Cluster
from mockbroker.spark.sink.byte_columns import byte_column
from mockbroker.spark.sink.row_columns import RoutedRecords, RowTarget
from mockbroker.spark.sink.row_encoding import record_contents
from mockbroker.spark.sink.task_producer import TaskProducer
from mockbroker.spark.sink.transaction_requests import TransactionEndedError, TransactionRequests
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import WireCluster
from tests.support.spark_marks import SPARK_MARKS

pytestmark = SPARK_MARKS

TARGETS = [RowTarget("orders", partition) for partition in range(3)]


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=3, topics={"orders": 3}, journal=True) as cluster:
        yield cluster


@pytest.fixture
def wire(cluster: Cluster) -> Iterator[WireCluster]:
    with WireCluster(cluster.bootstrap_servers, patience_s=5) as wire:
        yield wire


class OneTransaction:
    """A transaction that sends small requests."""

    def __init__(self, wire: WireCluster) -> None:
        self.requests = TransactionRequests(wire)
        self.producer = self.requests.init("sink-a-1", 60_000)
        self.sender = TaskProducer(
            wire, self.requests, self.producer, target=TARGETS.__getitem__, batch_bytes_max=400
        )

    def send(self, ids: range) -> None:
        for number in ids:
            contents = record_contents(None, byte_column([b"%03d" % number] * 2), None)
            place = number % len(TARGETS)
            self.sender.send(RoutedRecords(contents, np.full(2, place)))

    def commit(self) -> None:
        self.sender.flush()
        self.requests.end(self.producer, is_commit=True)


def visible(cluster: Cluster) -> Counter[bytes | None]:
    found = cluster.records("orders", isolation="read_committed")
    return Counter(record.value for record in found)


def assert_all_twice(cluster: Cluster, ids: range) -> None:
    assert visible(cluster) == Counter({b"%03d" % number: 2 for number in ids})
    assert cluster.audit(identity="off").is_clean


def test_rows_are_stored_in_several_requests_and_their_places_are_known(
    cluster: Cluster, wire: WireCluster
) -> None:
    one = OneTransaction(wire)
    one.send(range(100))
    one.commit()
    assert_all_twice(cluster, range(100))
    assert one.sender.ranges == {
        "orders-0": (0, 67, 68),
        "orders-1": (0, 65, 66),
        "orders-2": (0, 65, 66),
    }


def test_a_request_has_no_more_than_its_limit_for_all_partitions_together() -> None:
    with (
        Cluster(brokers=1, topics={"orders": 3}) as cluster,
        WireCluster(cluster.bootstrap_servers, patience_s=5) as wire,
    ):
        one = OneTransaction(wire)
        contents = record_contents(None, byte_column([b"x" * 250] * 12), None)
        cluster.fault(API.PRODUCE, topic="orders").lose_response().on_call(12)
        one.sender.send(RoutedRecords(contents, np.arange(12) % len(TARGETS)))
        one.commit()
        cluster.assert_all_faults_fired()
        assert visible(cluster) == {b"x" * 250: 12}


def test_lost_answers_moved_leaders_and_busy_brokers_change_nothing(
    cluster: Cluster, wire: WireCluster
) -> None:
    one = OneTransaction(wire)
    one.send(range(20))
    cluster.fault(API.PRODUCE, topic="orders").lose_response().on_call(2)
    cluster.fault(API.PRODUCE, topic="orders").drop_request().on_call(5)
    busy = cluster.fault(API.PRODUCE, topic="orders", partition=1)
    busy.answer(ERR.NOT_ENOUGH_REPLICAS).on_call(4)
    one.send(range(20, 60))
    for partition in range(3):
        cluster.partition("orders", partition).elect()
    one.send(range(60, 100))
    one.commit()
    cluster.assert_all_faults_fired()
    assert_all_twice(cluster, range(100))


def test_a_fenced_transaction_is_told(wire: WireCluster) -> None:
    one = OneTransaction(wire)
    one.send(range(20))
    one.requests.init("sink-a-1", 60_000)
    with pytest.raises(TransactionEndedError, match="orders-"):
        one.send(range(20, 100))


def test_a_refused_record_is_told(cluster: Cluster, wire: WireCluster) -> None:
    cluster.fault(API.PRODUCE, topic="orders").answer(ERR.MESSAGE_TOO_LARGE).once()
    one = OneTransaction(wire)
    one.send(range(3))
    with pytest.raises(WireError, match=r"orders-\d: MESSAGE_TOO_LARGE"):
        one.sender.flush()
