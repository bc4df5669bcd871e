"""A look inside a cluster, and its addresses."""

import pytest

from mockbroker import Cluster


def test_a_function_sees_the_state_and_the_time() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        names = cluster.look(lambda state, now_ms: ([topic.name for topic in state.topics], now_ms))
    assert names[0] == ["orders"]
    assert names[1] > 0
    with pytest.raises(RuntimeError, match="not running"):
        cluster.look(lambda _state, _now_ms: None)


def test_clients_are_told_the_address_that_a_test_gives() -> None:
    with Cluster(brokers=2) as cluster:
        cluster.advertise("mapped.example:32000")
        assert cluster.bootstrap_servers == "mapped.example:32000,mapped.example:32001"
        cluster.advertise("[::1]:7", broker=2)
        assert cluster.bootstrap_servers == "mapped.example:32000,[::1]:7"
        with pytest.raises(LookupError, match="no broker 3, there are 1, 2"):
            cluster.advertise("a:1", broker=3)
        with pytest.raises(ValueError, match="'a' is not written as host:port"):
            cluster.advertise("a")


def test_a_cluster_without_a_door_has_no_url() -> None:
    with Cluster() as cluster, pytest.raises(RuntimeError, match="no admin port"):
        _ = cluster.admin_url
    with Cluster(admin_port=0) as cluster:
        assert cluster.admin_url.startswith("http://127.0.0.1:")
