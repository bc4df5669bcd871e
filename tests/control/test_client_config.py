"""Client settings for a cluster, with each client's names."""

import pytest

from mockbroker import ClientAccess, Cluster
from mockbroker.control.client_config import CLIENTS, ClientNeeds, client_config

SERVERS = "127.0.0.1:1,127.0.0.1:2"
NEEDS = ClientNeeds(SERVERS)
PACKAGE = "org.apache.kafka.common.security"
LISTENERS = {
    "listeners": "PLAINTEXT://127.0.0.1:0,OUTSIDE://127.0.0.1:0,INSIDE://127.0.0.1:0",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,OUTSIDE:SASL_SSL,INSIDE:SSL",
    "listener.name.outside.sasl.enabled.mechanisms": "SCRAM-SHA-256,PLAIN",
    "listener.name.outside.plain.sasl.jaas.config": (
        f'{PACKAGE}.plain.PlainLoginModule required user_alice="secret";'
    ),
}
ALICE = ClientAccess(user="alice", password='se"cret', listener="outside")


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
    assert client_config(client, NEEDS, {}) == settings
    assert client_config(client, NEEDS, {"x": 1}) == settings | {"x": 1}
    assert client in CLIENTS


def test_an_unknown_client_is_refused() -> None:
    with pytest.raises(
        ValueError, match="client 'kafkajs' is unknown; the clients are confluent, "
    ):
        client_config("kafkajs", NEEDS, {})


def test_a_cluster_fills_in_its_address() -> None:
    with Cluster() as cluster:
        found = cluster.client_config("confluent", **{"group.id": "g"})
        assert found == {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "g"}


def test_the_main_listener_needs_no_more_than_its_addresses() -> None:
    with Cluster(config=LISTENERS, tls=True, brokers=2) as cluster:
        found = cluster.client_config("confluent")
        assert found == {"bootstrap.servers": cluster.bootstrap_servers}
        assert found["bootstrap.servers"].count(",") == 1


def test_java_gets_the_authority_and_the_login() -> None:
    with Cluster(config=LISTENERS, tls=True) as cluster:
        found = cluster.client_config("java", ALICE)
        found.pop("bootstrap.servers")
        assert found == {
            "security.protocol": "SASL_SSL",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.certificates": cluster.ca_pem,
            "sasl.mechanism": "SCRAM-SHA-256",
            "sasl.jaas.config": (
                f'{PACKAGE}.scram.ScramLoginModule required username="alice" password="se\\"cret";'
            ),
        }


def test_a_mechanism_can_be_chosen() -> None:
    with Cluster(config=LISTENERS, tls=True) as cluster:
        found = cluster.client_config("spark", ALICE._replace(mechanism="PLAIN"))
        assert "plain.PlainLoginModule" in found["kafka.sasl.jaas.config"]
        assert cluster.client_config("kafka-python", ALICE)["sasl_plain_username"] == "alice"


@pytest.mark.parametrize("client", ["confluent", "aiokafka", "java"])
def test_a_client_may_show_a_certificate(client: str) -> None:
    with Cluster(config=LISTENERS, tls=True) as cluster:
        issued = cluster.certificates.issue("alice")
        access = ClientAccess(certificate=issued, listener="INSIDE")
        with_one = cluster.client_config(client, access)
        without = cluster.client_config(client, access._replace(certificate=None))
        if client == "aiokafka":
            assert with_one["ssl_context"] is not without["ssl_context"]
            return
        added = {name: with_one[name] for name in with_one.keys() - without.keys()}
        assert issued.certificate_pem in added.values()
        assert issued.key_pem in added.values()


def test_a_listener_with_sasl_needs_a_user() -> None:
    with (
        Cluster(config=LISTENERS, tls=True) as cluster,
        pytest.raises(ValueError, match=r'OUTSIDE uses SASL: give ClientAccess\(user="alice"'),
    ):
        cluster.client_config("java", ClientAccess(listener="OUTSIDE"))


def test_an_unknown_listener_is_named_with_the_others() -> None:
    with (
        Cluster() as cluster,
        pytest.raises(LookupError, match="no listener SSL; the listeners are PLAINTEXT"),
    ):
        cluster.client_config("java", ClientAccess(listener="SSL"))
