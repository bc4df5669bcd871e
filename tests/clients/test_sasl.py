"""Clients authenticate by SASL, and are refused with a wrong password."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiokafka
import aiokafka.abc
import confluent_kafka.admin
import kafka
import pytest
from confluent_kafka import Consumer, KafkaError, Producer

from mockbroker import API, ERR, Cluster
from tests.clients.support.deadline import TIMEOUT_S, wait_until
from tests.clients.support.java import java_command, programs
from tests.clients.support.programs import output_of
from tests.conformance.sasl import unsecured
from tests.conformance.signed_tokens import EXPECTING, KEYS, signed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

ADMIN: Any = confluent_kafka.admin
"""What is public there, and not declared as exported."""
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
PASSWORD = "secret of alice"
OWN = "listener.name.sasl_plaintext."
PACKAGE = "org.apache.kafka.common.security"
CONFIG = {
    "listeners": "SASL_PLAINTEXT://127.0.0.1:0,PLAINTEXT://127.0.0.1:0",
    OWN + "sasl.enabled.mechanisms": ",".join(MECHANISMS),
    OWN + "plain.sasl.jaas.config": (
        f'{PACKAGE}.plain.PlainLoginModule required user_alice="{PASSWORD}";'
    ),
}

AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={"orders": 1}, config=CONFIG, journal=True) as running:
        store_credentials(running)
        yield running


def address(cluster: Cluster, listener: str) -> str:
    (found,) = (each for each in cluster.listeners if each.name == listener)
    return f"{found.host}:{found.port}"


def store_credentials(cluster: Cluster) -> None:
    """Give alice both credentials for SCRAM, by an admin client."""
    admin = ADMIN.AdminClient({"bootstrap.servers": address(cluster, "PLAINTEXT")})
    changes = [
        ADMIN.UserScramCredentialUpsertion(
            "alice", ADMIN.ScramCredentialInfo(mechanism, 4096), PASSWORD.encode()
        )
        for mechanism in (ADMIN.ScramMechanism.SCRAM_SHA_256, ADMIN.ScramMechanism.SCRAM_SHA_512)
    ]
    for change in changes:
        for future in admin.alter_user_scram_credentials([change]).values():
            future.result(TIMEOUT_S)


def confluent_config(cluster: Cluster, mechanism: str, password: str = PASSWORD) -> dict[str, str]:
    return {
        "bootstrap.servers": address(cluster, "SASL_PLAINTEXT"),
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": mechanism,
        "sasl.username": "alice",
        "sasl.password": password,
    }


def python_config(cluster: Cluster, mechanism: str, password: str = PASSWORD) -> dict[str, Any]:
    return {
        "bootstrap_servers": address(cluster, "SASL_PLAINTEXT"),
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": mechanism,
        "sasl_plain_username": "alice",
        "sasl_plain_password": password,
    }


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_confluent_kafka_produces_and_consumes(cluster: Cluster, mechanism: str) -> None:
    producer = Producer(confluent_config(cluster, mechanism))
    producer.produce("orders", b"paid")
    assert producer.flush(TIMEOUT_S) == 0
    reading = {"group.id": "g", "auto.offset.reset": "earliest"}
    consumer = Consumer({**confluent_config(cluster, mechanism), **reading})
    consumer.subscribe(["orders"])
    record = consumer.poll(TIMEOUT_S)
    assert record is not None
    assert record.value() == b"paid"
    consumer.close()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_confluent_kafka_is_told_of_a_wrong_password(cluster: Cluster, mechanism: str) -> None:
    errors: list[KafkaError] = []
    config: dict[str, Any] = confluent_config(cluster, mechanism, "wrong")
    producer = Producer({**config, "error_cb": errors.append})
    codes: set[int] = set()
    for _ in range(100):
        producer.poll(0.1)
        codes = {error.code() for error in errors}
        if KafkaError._AUTHENTICATION in codes:  # noqa: SLF001 - the client's own name
            break
    assert KafkaError._AUTHENTICATION in codes  # noqa: SLF001 - the client's own name
    assert cluster.records("orders") == []


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_kafka_python_produces(cluster: Cluster, mechanism: str) -> None:
    producer = kafka.KafkaProducer(**python_config(cluster, mechanism))
    producer.send("orders", b"paid").get(TIMEOUT_S)
    producer.close()
    assert [record.value for record in cluster.records("orders")] == [b"paid"]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_aiokafka_produces_in_a_transaction(cluster: Cluster, mechanism: str) -> None:
    async def produce() -> None:
        config = python_config(cluster, mechanism)
        async with (
            aiokafka.AIOKafkaProducer(**config, transactional_id="t") as producer,
            producer.transaction(),
        ):
            await producer.send_and_wait("orders", b"paid")

    asyncio.run(produce())
    cluster.assert_committed("t")


def test_no_journal_has_a_password(cluster: Cluster) -> None:
    producer = Producer(confluent_config(cluster, "PLAIN"))
    producer.produce("orders", b"paid")
    assert producer.flush(TIMEOUT_S) == 0
    entries = list(cluster.journal.complete_entries())
    assert any("SASL_AUTHENTICATE" in repr(entry).upper() for entry in entries)
    assert not any(PASSWORD in repr(entry) for entry in entries)


TOKENS = {
    "listeners": "SASL_PLAINTEXT://127.0.0.1:0",
    "sasl.enabled.mechanisms": "OAUTHBEARER",
    "connections.max.reauth.ms": "3600000",
}


SIGNED = {**EXPECTING, "listeners": TOKENS["listeners"]}


def token_config(cluster: Cluster, **claims: object) -> dict[str, Any]:
    token = unsecured({"sub": "alice", "exp": time.time() + 3600, **claims})
    return {
        "bootstrap.servers": cluster.bootstrap_servers,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "OAUTHBEARER",
        "oauth_cb": lambda _config: (token, time.time() + 3600),
    }


def test_a_client_authenticates_by_a_token_until_it_ends() -> None:
    with Cluster(topics={"orders": 1}, config=TOKENS, journal=True) as cluster:
        producer = Producer(token_config(cluster))
        producer.produce("orders", b"paid")
        assert producer.flush(TIMEOUT_S) == 0
        (asked,) = cluster.journal.find(API.PRODUCE, kind="request")
        assert asked.principal == "User:alice"
        cluster.clock.advance("2h")
        errors: list[KafkaError] = []
        late = Producer({**token_config(cluster), "error_cb": errors.append})
        told = KafkaError._AUTHENTICATION  # noqa: SLF001 - the client's own name
        wait_until(lambda: late.poll(0.1) >= 0 and told in {each.code() for each in errors})


def test_a_client_authenticates_by_a_signed_token(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    keys.write_bytes(KEYS.read_bytes())
    (url,) = (name for name in EXPECTING if name.endswith(".url"))
    config = {**SIGNED, url: keys.as_uri()}

    def producer(cluster: Cluster, token: str, errors: list[KafkaError]) -> Producer:
        return Producer(
            {
                **token_config(cluster),
                "oauth_cb": lambda _config: (token, time.time() + 3600),
                "error_cb": errors.append,
            }
        )

    with Cluster(topics={"orders": 1}, config=config, journal=True) as cluster:
        accepted = producer(cluster, signed(), [])
        accepted.produce("orders", b"paid")
        assert accepted.flush(TIMEOUT_S) == 0
        (asked,) = cluster.journal.find(API.PRODUCE, kind="request")
        assert asked.principal == "User:alice"
        entries = list(cluster.journal.complete_entries())
        secrets = signed().split(".")[1:]
        assert not any(secret in repr(entry) for entry in entries for secret in secrets)
        keys.write_text('{"keys": []}')  # the key is withdrawn
        errors: list[KafkaError] = []
        late = producer(cluster, signed(), errors)
        told = KafkaError._AUTHENTICATION  # noqa: SLF001 - the client's own name
        wait_until(lambda: late.poll(0.1) >= 0 and told in {each.code() for each in errors})


@pytest.mark.java
def test_java_reads_its_signed_token_from_a_file(tmp_path: Path) -> None:
    token = tmp_path / "token.jwt"
    token.write_text(signed())
    settings = {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.jaas.config": f"{PACKAGE}.oauthbearer.OAuthBearerLoginModule required;",
        "sasl.login.callback.handler.class": (
            f"{PACKAGE}.oauthbearer.OAuthBearerLoginCallbackHandler"
        ),
        "sasl.oauthbearer.token.endpoint.url": token.as_uri(),
    }
    file = tmp_path / "client.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    allowed = f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={token.as_uri()}"
    with Cluster(topics={"orders": 1}, config=SIGNED) as cluster:
        where = ("--bootstrap-server", cluster.bootstrap_servers, "--topic", "orders")
        java, *options = java_command(
            *(programs("tools-4.4.0"), "org.apache.kafka.tools.ConsoleProducer", *where),
            *("--command-config", str(file)),
        )
        output_of([java, allowed, *options], standard_input="paid\n")
        assert [record.value for record in cluster.records("orders")] == [b"paid"]


def test_aiokafka_authenticates_by_a_token() -> None:
    class Provider(aiokafka.abc.AbstractTokenProvider):  # type: ignore[misc] # has no types
        async def token(self) -> str:
            return unsecured({"sub": "alice", "exp": time.time() + 3600})

    async def produce(bootstrap_servers: str) -> None:
        async with aiokafka.AIOKafkaProducer(
            bootstrap_servers=bootstrap_servers,
            security_protocol="SASL_PLAINTEXT",
            sasl_mechanism="OAUTHBEARER",
            sasl_oauth_token_provider=Provider(),
        ) as producer:
            await producer.send_and_wait("orders", b"paid")

    with Cluster(topics={"orders": 1}, config=TOKENS) as cluster:
        asyncio.run(produce(cluster.bootstrap_servers))
        assert [record.value for record in cluster.records("orders")] == [b"paid"]


def test_a_fault_strikes_one_principal_at_one_listener(cluster: Cluster) -> None:
    struck = cluster.fault(API.PRODUCE, principal="User:alice", listener="SASL_PLAINTEXT")
    struck.answer(ERR.KAFKA_STORAGE_ERROR).once()
    missed = cluster.fault(API.PRODUCE, principal="User:alice", listener="PLAINTEXT").observe()
    reset = cluster.fault(principal="User:bob").reset_peer()
    for config in (
        {"bootstrap.servers": address(cluster, "PLAINTEXT")},
        confluent_config(cluster, "SCRAM-SHA-256"),
    ):
        producer = Producer({**config, "retry.backoff.ms": 1})
        producer.produce("orders", b"paid")
        assert producer.flush(TIMEOUT_S) == 0
    assert (struck.hits, missed.hits, reset.hits) == (1, 0, 0)
    asked = cluster.journal.find(API.PRODUCE, kind="request")
    assert [each.principal for each in asked] == [None, "User:alice", "User:alice"]


def test_a_held_call_has_its_rights_when_it_is_released() -> None:
    with Cluster(topics={"orders": 1}, config=CONFIG | AUTHORIZER, journal=True) as cluster:
        cluster.acls.allow("all", topic="orders", principal="User:alice")
        held = cluster.fault(API.PRODUCE, principal="User:alice").hold().once()
        producer = Producer(confluent_config(cluster, "PLAIN"))
        producer.produce("orders", b"paid")
        producer.poll(0)
        held.wait_held()
        held.release()
        assert producer.flush(TIMEOUT_S) == 0
        (stored,) = cluster.journal.find(API.PRODUCE, kind="append")
        assert stored.principal == "User:alice"
