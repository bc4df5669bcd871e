"""One broker: its state, and the methods of the cluster for it."""

import pytest

from mockbroker import Cluster
from tests.support.wire import metadata_of

REPLICATED = {"default.replication.factor": 3, "min.insync.replicas": 1}


def test_a_broker_is_stopped_and_started() -> None:
    with Cluster(brokers=3, topics=["orders"], config=REPLICATED) as cluster:
        broker = cluster.broker(cluster.partition("orders", 0).leader)
        broker.stop()
        assert (broker.state, broker.is_running) == ("stopped", False)
        assert cluster.partition("orders", 0).leader != broker.broker_id
        broker.start()
        assert broker.is_running
        broker.kill()
        assert broker.state == "killed"
        broker.start(producer_snapshot="none")
        broker.isolate()
        assert broker.state == "isolated"
        broker.rejoin()
        assert broker.is_running


def test_a_broker_lags_crashes_and_catches_up() -> None:
    with Cluster(brokers=3, topics=["orders"], config=REPLICATED) as cluster:
        orders = cluster.partition("orders", 0)
        follower = cluster.broker(orders.replicas[1])
        follower.lag()
        cluster.append("orders", "x")
        assert orders.high_watermark == 0
        follower.catch_up()
        assert orders.high_watermark == 1
        follower.crash()
        assert follower.is_running


def test_a_broker_has_an_address_a_rack_and_a_role() -> None:
    with Cluster(config={"broker.rack": "a"}) as cluster:
        broker = cluster.broker(1)
        assert cluster.bootstrap_servers == f"{broker.host}:{broker.port}"
        assert (broker.rack, broker.is_controller) == ("a", True)
        assert broker.info == cluster.brokers[0]
        assert metadata_of(cluster.bootstrap_servers).brokers[0].port == broker.port


def test_a_broker_that_does_not_exist_is_refused_at_once() -> None:
    with (
        Cluster(brokers=2) as cluster,
        pytest.raises(LookupError, match=r"there is no broker 3; the brokers are \[1, 2\]"),
    ):
        cluster.broker(3)


def test_a_broker_says_what_it_does() -> None:
    with Cluster(topics={"orders": 2}, config={"broker.rack": "a"}) as cluster:
        broker = cluster.broker(1)
        where = f"{broker.host}:{broker.port}"
        assert repr(broker) == (
            f"<BrokerHandle 1: state=running, address={where}, rack=a, is_controller=True, "
            "leads=2 partitions>"
        )
