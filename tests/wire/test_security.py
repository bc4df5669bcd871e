"""Connections with TLS and SASL, by the settings of Kafka's clients."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockbroker import ClientAccess, Cluster, Release
from mockbroker.errors import SettingsError
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.wire.client import WireClient, WireError
from mockbroker.wire.cluster import WireCluster
from mockbroker.wire.sasl_client import unsecured_token
from mockbroker.wire.security import PLAINTEXT, Security, security_of, security_of_file

MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
UNSECURED = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
LISTENERS = {
    "listeners": "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0,SASL_SSL://127.0.0.1:0",
    "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
    **{
        f"listener.name.{name}.plain.sasl.jaas.config": f'{MODULE} required user_alice="se=c,ret";'
        for name in ("sasl_plaintext", "sasl_ssl")
    },
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(tls=True, config=LISTENERS, topics={"orders": 2}) as started:
        started.users.add("al,ice", "se=c,ret", mechanism="SCRAM-SHA-256")
        started.users.add("al,ice", "se=c,ret", mechanism="SCRAM-SHA-512")
        yield started


def jaas(user: str, password: str = "se=c,ret") -> str:
    return f'{MODULE} required username="{user}" password="{password}";'


def java(cluster: Cluster, access: ClientAccess) -> dict[str, str]:
    return cluster.client_config("java", access)


def access(user: str, mechanism: str, listener: str = "SASL_PLAINTEXT") -> ClientAccess:
    return ClientAccess(user, "se=c,ret", mechanism, listener=listener)


@pytest.mark.parametrize("listener", ["SASL_PLAINTEXT", "SASL_SSL"])
@pytest.mark.parametrize(
    ("user", "mechanism"),
    [("alice", "PLAIN"), ("al,ice", "SCRAM-SHA-256"), ("al,ice", "SCRAM-SHA-512")],
)
def test_a_client_authenticates_with_the_settings_of_javas_clients(
    cluster: Cluster, user: str, mechanism: str, listener: str
) -> None:
    settings = java(cluster, access(user, mechanism, listener))
    security = security_of(settings)
    with WireCluster(settings["bootstrap.servers"], security=security) as client:
        assert len(client.topic("orders").leaders) == 2
    assert security_of(security.options()) == security
    assert "se=c" not in repr(security)


def test_settings_of_librdkafka_are_understood_too(cluster: Cluster) -> None:
    settings = cluster.client_config("confluent", access("alice", "PLAIN", "SASL_SSL"))
    with WireClient(settings["bootstrap.servers"], security=security_of(settings)) as client:
        assert client.versions(ApiKey.FETCH)


def test_an_unsecured_token_is_accepted(cluster: Cluster) -> None:
    servers = java(cluster, access("alice", "PLAIN"))["bootstrap.servers"]
    settings = {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.jaas.config": f'{UNSECURED} required unsecuredLoginStringClaim_sub="alice";',
    }
    with WireClient(servers, security=security_of(settings)):
        pass


def test_a_token_comes_from_a_file_and_a_wrong_one_is_refused(
    cluster: Cluster, tmp_path: Path
) -> None:
    servers = java(cluster, access("alice", "PLAIN"))["bootstrap.servers"]
    (tmp_path / "token").write_text(unsecured_token("alice", 0) + "\n")
    security = security_of(
        {
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "OAUTHBEARER",
            "sasl.oauthbearer.token.endpoint.url": (tmp_path / "token").as_uri(),
        }
    )
    with pytest.raises(WireError, match="refuses the login by OAUTHBEARER"):
        WireClient(servers, security=security)


@pytest.mark.parametrize("kafka", ["0.11", "1.0", "4.4"])
def test_brokers_of_all_releases_authenticate(kafka: Release) -> None:
    listeners = {
        "listeners": "SASL_PLAINTEXT://127.0.0.1:0",
        "sasl.enabled.mechanisms": "SCRAM-SHA-256",
    }
    with Cluster(kafka=kafka, config=listeners) as cluster:
        cluster.users.add("alice", "se=c,ret")
        settings = java(cluster, access("alice", "SCRAM-SHA-256"))
        servers = settings["bootstrap.servers"]
        with WireClient(servers, security=security_of(settings)) as client:
            assert client.versions(ApiKey.FETCH)
        settings["sasl.jaas.config"] = jaas("alice", "wrong")
        with pytest.raises(WireError, match="refuses the login by SCRAM") as refused:
            WireClient(servers, security=security_of(settings))
        assert "wrong" not in str(refused.value)


def test_a_cluster_that_refuses_a_login_is_not_waited_for(cluster: Cluster) -> None:
    settings = java(cluster, access("alice", "SCRAM-SHA-256"))
    with (
        WireCluster(settings["bootstrap.servers"], security=security_of(settings)) as client,
        pytest.raises(WireError, match=r"refuses the login by SCRAM-SHA-256: Authentication fail"),
    ):
        client.topic("orders")


def test_an_authority_that_is_not_trusted_is_named(cluster: Cluster) -> None:
    settings = java(cluster, access("alice", "PLAIN", "SASL_SSL"))
    for name in ("ssl.truststore.type", "ssl.truststore.certificates"):
        del settings[name]
    with pytest.raises(WireError, match=r"TLS handshake failed: .* \(check security.protocol"):
        WireClient(settings["bootstrap.servers"], security=security_of(settings))


def test_a_handshake_that_a_broker_cuts_is_worth_another_attempt() -> None:
    cut = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            accepted, _ = server.accept()
            accepted.recv(1)
            accepted.shutdown(socket.SHUT_WR)
            cut.wait()
            accepted.close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            with pytest.raises(ConnectionError, match="in the TLS handshake: check security"):
                WireClient(
                    f"127.0.0.1:{server.getsockname()[1]}",
                    security=security_of({"security.protocol": "SSL"}),
                )
        finally:
            cut.set()
            thread.join()


def test_a_client_shows_its_certificate() -> None:
    config = {"ssl.client.auth": "required"}
    with Cluster(tls=True, config=config, topics={"orders": 1}) as cluster:
        alice = ClientAccess(certificate=cluster.certificates.issue("alice"))
        settings = java(cluster, alice)
        security = security_of(settings)
        with WireCluster(cluster.bootstrap_servers, security=security) as client:
            assert client.topic("orders")
        assert security_of(security.options()) == security


def test_stores_are_files_too(tmp_path: Path) -> None:
    with Cluster(tls=True) as cluster:
        (tmp_path / "ca.pem").write_text(cluster.ca_pem or "")
        for name in ("ssl.ca.location", "ssl.truststore.location"):
            settings = {
                "security.protocol": "SSL",
                name: str(tmp_path / "ca.pem"),
                "ssl.truststore.type": "PEM",
            }
            with WireClient(cluster.bootstrap_servers, security=security_of(settings)) as client:
                assert client.versions(ApiKey.FETCH)


def test_a_file_of_kafkas_tools_is_read(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text(
        "# of the team\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
        f"sasl.jaas.config={jaas('alice')}\nrequest.timeout.ms=1000\n"
    )
    login = security_of_file(file).login
    assert login is not None
    assert (login.user, login.password) == ("alice", "se=c,ret")
    with pytest.raises(SettingsError, match="it cannot be read"):
        security_of_file(tmp_path / "gone")


def test_without_settings_a_connection_is_plain() -> None:
    assert security_of({"client.id": "x"}) == PLAINTEXT == Security()


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"security.protocol": "TLS"}, "the protocols are PLAINTEXT, SSL"),
        ({"security.protocol": "SASL_SSL"}, "sasl.mechanism=GSSAPI: the mechanisms are PLAIN"),
        ({"sasl.mechanism": "PLAIN"}, "PLAIN needs username and password in it, or sasl.username"),
        (
            {"sasl.mechanism": "PLAIN", "sasl.jaas.config": "secret"},
            r"sasl.jaas.config=\(hidden\): it needs exactly one login module",
        ),
        ({"sasl.mechanism": "OAUTHBEARER"}, "needs a file with a token"),
    ],
)
def test_a_wrong_setting_is_named_without_secrets(settings: dict[str, str], why: str) -> None:
    given = {"security.protocol": "SASL_PLAINTEXT"} | settings
    with pytest.raises(SettingsError, match=why) as refused:
        security_of(given)
    assert "secret" not in str(refused.value)
