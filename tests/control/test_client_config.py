"""Client settings for a cluster, with each client's names."""

import pytest

from mockbroker import Cluster
from mockbroker.control.client_config import CLIENTS, client_config

SERVERS = "127.0.0.1:1,127.0.0.1:2"


@pytest.mark.parametrize(
    ("client", "settings"),
    [
        ("confluent", {"bootstrap.servers": SERVERS}),
        ("aiokafka", {"bootstrap_servers": SERVERS}),
        ("kafka-python", {"bootstrap_servers": SERVERS.split(",")}),
        ("java", {"bootstrap.servers": SERVERS}),
        ("spark", {"kafka.bootstrap.servers": SERVERS}),
    ],
)
def test_each_client_has_its_own_setting_names(client: str, settings: dict[str, object]) -> None:
    assert client_config(client, SERVERS, {}) == settings
    assert client_config(client, SERVERS, {"x": 1}) == settings | {"x": 1}
    assert client in CLIENTS


def test_an_unknown_client_is_refused() -> None:
    with pytest.raises(
        ValueError, match="client 'kafkajs' is unknown; the clients are confluent, "
    ):
        client_config("kafkajs", SERVERS, {})


def test_a_cluster_fills_in_its_address() -> None:
    with Cluster() as cluster:
        found = cluster.config("confluent", **{"group.id": "g"})
        assert found == {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "g"}
