"""Clients lose rights while they work, and manage ACLs with Kafka's own tools."""

from collections.abc import Iterator
from typing import Any

import confluent_kafka.admin
import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from mockbroker import Cluster
from tests.clients.support.command_line_tools import Tools
from tests.clients.support.deadline import TIMEOUT_S

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

ADMIN: Any = confluent_kafka.admin
"""What is public there, and not declared as exported."""
CONFIGS = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={"orders": 1}, config=CONFIGS) as running:
        yield running


def deny(cluster: Cluster, resource: str, name: str, operation: str) -> None:
    """Deny an operation to every client by a request of an admin client.

    The client calls the cluster BROKER.
    """
    admin = ADMIN.AdminClient(cluster.client_config("confluent"))
    acl = ADMIN.AclBinding(
        ADMIN.ResourceType[resource],
        name,
        ADMIN.ResourcePatternType.LITERAL,
        "User:*",
        "*",
        ADMIN.AclOperation[operation],
        ADMIN.AclPermissionType.DENY,
    )
    for future in admin.create_acls([acl]).values():
        future.result(TIMEOUT_S)


def begun(cluster: Cluster) -> Producer:
    """Begin a transaction with one record."""
    producer = Producer(cluster.client_config("confluent", **{"transactional.id": "mine"}))
    producer.init_transactions(TIMEOUT_S)
    producer.begin_transaction()
    producer.produce("orders", b"first")
    assert producer.flush(TIMEOUT_S) == 0
    return producer


def refusal(failure: BaseException) -> KafkaError:
    error = failure.args[0]
    assert isinstance(error, KafkaError)
    return error


def test_a_right_revoked_within_a_transaction_refuses_the_next_record(cluster: Cluster) -> None:
    producer = begun(cluster)
    deny(cluster, "TOPIC", "orders", "WRITE")
    errors: list[KafkaError | None] = []
    producer.produce("orders", b"second", on_delivery=lambda error, _: errors.append(error))
    producer.flush(TIMEOUT_S)
    assert [error and error.code() for error in errors] == [KafkaError.TOPIC_AUTHORIZATION_FAILED]
    producer.abort_transaction(TIMEOUT_S)
    assert cluster.records("orders", isolation="read_committed") == []


def test_a_right_to_the_transactional_id_revoked_before_the_commit_is_fatal(
    cluster: Cluster,
) -> None:
    producer = begun(cluster)
    deny(cluster, "TRANSACTIONAL_ID", "mine", "WRITE")
    with pytest.raises(KafkaException) as refused:
        producer.commit_transaction(TIMEOUT_S)
    error = refusal(refused.value)
    assert error.code() == KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert cluster.records("orders", isolation="read_committed") == []


def test_a_group_whose_right_is_revoked_takes_no_offsets_of_a_transaction(
    cluster: Cluster,
) -> None:
    consumer = Consumer(cluster.client_config("confluent", **{"group.id": "readers"}))
    producer = begun(cluster)
    deny(cluster, "GROUP", "readers", "READ")
    with pytest.raises(KafkaException) as refused:
        producer.send_offsets_to_transaction(
            [TopicPartition("orders", 0, 1)], consumer.consumer_group_metadata(), TIMEOUT_S
        )
    consumer.close()
    assert refusal(refused.value).code() == KafkaError.GROUP_AUTHORIZATION_FAILED
    producer.abort_transaction(TIMEOUT_S)


def test_an_idempotent_producer_without_any_right_to_write_gets_no_id(cluster: Cluster) -> None:
    deny(cluster, "TOPIC", "*", "WRITE")
    deny(cluster, "BROKER", "kafka-cluster", "IDEMPOTENT_WRITE")
    producer = Producer(cluster.client_config("confluent", **{"enable.idempotence": True}))
    with pytest.raises(KafkaException) as refused:
        producer.poll(TIMEOUT_S)
    error = refusal(refused.value)
    assert error.fatal()
    assert error.code() == KafkaError.CLUSTER_AUTHORIZATION_FAILED


@pytest.mark.java
def test_kafka_acls_adds_lists_and_removes(tools: Tools, cluster: Cluster) -> None:
    command = ("kafka-acls", "--bootstrap-server", cluster.bootstrap_servers)
    who = ("--allow-principal", "User:alice", "--operation", "Read", "--topic", "orders")
    entry = "(principal=User:alice, host=*, operation=READ, permissionType=ALLOW)"
    assert entry in tools.output_of(*command, "--add", *who)
    listed = tools.output_of(*command, "--list")
    assert "ResourcePattern(resourceType=TOPIC, name=orders, patternType=LITERAL)" in listed
    assert entry in listed
    tools.output_of(*command, "--remove", "--force", *who)
    assert tools.output_of(*command, "--list").strip() == ""
