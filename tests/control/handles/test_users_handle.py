"""Users of SCRAM that a test adds and removes, and sessions that it ends."""

from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer

from mockbroker import ClientAccess, Cluster
from mockbroker.control.handles.users_handle import ScramUser
from mockbroker.protocol.errors import ApiError
from tests.clients.support.deadline import wait_until

CONFIG = {
    "listeners": "SASL_PLAINTEXT://127.0.0.1:0",
    "sasl.enabled.mechanisms": "SCRAM-SHA-256,SCRAM-SHA-512",
}
ALICE = ClientAccess(user="alice", password="secret")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={"orders": 1}, config=CONFIG, journal=True) as running:
        yield running


def test_credentials_are_added_listed_and_removed(cluster: Cluster) -> None:
    cluster.users.add("bob", "one", mechanism="scram-sha-512", iterations=8192)
    cluster.users.add("alice", "two")
    assert cluster.users.all() == [
        ScramUser("alice", "SCRAM-SHA-256", 4096),
        ScramUser("alice", "SCRAM-SHA-512", 4096),
        ScramUser("bob", "SCRAM-SHA-512", 8192),
    ]
    cluster.users.remove("alice", mechanism="SCRAM-SHA-256")
    cluster.users.remove("bob")
    assert cluster.users.all() == [ScramUser("alice", "SCRAM-SHA-512", 4096)]


def test_what_kafka_refuses_is_refused(cluster: Cluster) -> None:
    with pytest.raises(ApiError, match="Too few iterations"):
        cluster.users.add("alice", "secret", iterations=1)
    with pytest.raises(ApiError, match="RESOURCE_NOT_FOUND"):
        cluster.users.remove("alice")
    with pytest.raises(ValueError, match=r"users of PLAIN are in sasl\.jaas\.config"):
        cluster.users.add("alice", "secret", mechanism="PLAIN")


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_client_authenticates_as_an_added_user(cluster: Cluster, mechanism: str) -> None:
    cluster.users.add("alice", "secret")
    access = ALICE._replace(mechanism=mechanism)
    producer = Producer(cluster.client_config("confluent", access))
    producer.produce("orders", b"paid")
    assert producer.flush(10) == 0


@pytest.mark.slow
def test_a_removed_user_is_refused_when_its_session_ends_within_a_transaction(
    cluster: Cluster,
) -> None:
    cluster.users.add("alice", "secret")
    errors: list[KafkaError] = []
    settings = {"transactional.id": "t", "error_cb": errors.append, "retry.backoff.ms": 10}
    producer = Producer(cluster.client_config("confluent", ALICE, **settings))
    producer.init_transactions(10)
    producer.begin_transaction()
    producer.produce("orders", b"paid")
    assert producer.flush(10) == 0
    cluster.users.remove("alice")
    assert cluster.users.expire_sessions("bob") == 0
    assert cluster.users.expire_sessions("alice") > 0
    with pytest.raises(KafkaException):
        producer.commit_transaction(1)
    refused = KafkaError._AUTHENTICATION  # noqa: SLF001 - the client's own name
    wait_until(lambda: producer.poll(0.1) >= 0 and refused in {each.code() for each in errors})
    assert cluster.transaction("t").state == "Ongoing"
    cluster.users.add("alice", "secret")
    producer.commit_transaction(10)
    cluster.assert_committed("t")


def test_a_credential_is_shown_without_its_secret(cluster: Cluster) -> None:
    cluster.users.add("alice", "secret")

    def shown() -> str:
        return "".join(cluster.look(lambda state, _now_ms: state.clients.as_text()))

    before = shown()
    cluster.users.add("alice", "another")
    assert shown() != before
    assert "hash=" in before
    assert "salted_password" not in before
