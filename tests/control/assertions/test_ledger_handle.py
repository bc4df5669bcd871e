"""The ledger of a cluster: on, off, full, and begun in the middle."""

import pytest

from mockbroker import Cluster
from mockbroker.control.assertions.failure import ClusterAssertionError
from mockbroker.wire import WireProducer


def produce(cluster: Cluster, count: int) -> None:
    with WireProducer(cluster.bootstrap_servers) as producer:
        for number in range(count):
            producer.produce("orders", b"%d" % number, base_sequence=-1)


def test_a_ledger_is_turned_on_and_off() -> None:
    with Cluster(topics={"orders": 1}, ledger_rows_max=0) as cluster:
        ledger = cluster.ledger
        assert (ledger.is_on, ledger.rows, ledger.rows_max, ledger.is_full) == (False, 0, 0, False)
        produce(cluster, 2)
        ledger.start()
        assert (ledger.is_on, ledger.rows_max) == (True, 1_000_000)
        produce(cluster, 1)
        assert ledger.rows == 1
        cluster.assert_exactly_once("orders")
        ledger.stop()
        assert not cluster.keeps_ledger
        with pytest.raises(RuntimeError, match="the ledger is off"):
            cluster.assert_no_loss()


def test_a_full_ledger_says_so_and_a_new_one_begins() -> None:
    with Cluster(topics={"orders": 1}, ledger_rows_max=2) as cluster:
        produce(cluster, 3)
        assert (cluster.ledger.is_full, cluster.ledger.rows) == (True, 2)
        with pytest.raises(ClusterAssertionError, match="room for 2 rows"):
            cluster.assert_no_loss()
        cluster.ledger.start(rows_max=5)
        produce(cluster, 3)
        assert (cluster.ledger.is_full, cluster.ledger.rows, cluster.ledger.rows_max) == (
            False,
            3,
            5,
        )
        cluster.assert_exactly_once("orders")


def test_a_full_ledger_begins_again_when_the_cluster_is_reset() -> None:
    with Cluster(topics={"orders": 1}, ledger_rows_max=2) as cluster:
        produce(cluster, 3)
        cluster.reset()
        produce(cluster, 1)
        assert (cluster.ledger.is_full, cluster.ledger.rows) == (False, 1)


def test_a_ledger_without_room_is_refused() -> None:
    with Cluster() as cluster, pytest.raises(ValueError, match="rows_max=0: allowed are"):
        cluster.ledger.start(rows_max=0)
