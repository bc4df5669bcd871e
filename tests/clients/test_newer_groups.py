"""Clients that request a newer group protocol get an error at once while it is off."""

from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, KafkaError
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from mockbroker import Cluster
from tests.clients.support.deadline import TIMEOUT_S, wait_until
from tests.clients.support.java import programs, run_java

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


@pytest.fixture
def bootstrap_servers() -> Iterator[str]:
    """Serve a cluster without the newer group protocols."""
    with Cluster(features={"group.version": 0, "share.version": 0}) as cluster:
        yield cluster.bootstrap_servers


def create_topic(bootstrap_servers: str, topic: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    admin.create_topics([NewTopic(topic, num_partitions=1)])[topic].result(TIMEOUT_S)


@pytest.mark.java
@pytest.mark.parametrize(
    ("protocol", "said"),
    [
        (
            "consumer",
            (
                "UnsupportedVersionException: The cluster does not support the new CONSUMER group"
                " protocol. Set group.protocol=classic on the consumer configs to revert to the"
                " CLASSIC protocol until the cluster is upgraded."
            ),
        ),
        (
            "share",
            (
                "UnsupportedVersionException: The cluster does not support the share group"
                " protocol. To use share groups, the cluster must have the share group protocol"
                " enabled."
            ),
        ),
    ],
    ids=["consumer", "share"],
)
def test_java_reports_the_disabled_protocol(
    bootstrap_servers: str, topic: str, protocol: str, said: str
) -> None:
    create_topic(bootstrap_servers, topic)
    printed = run_java(programs("clients-4.4.0"), "NewerGroups", bootstrap_servers, topic, protocol)
    assert printed.strip() == said


def test_librdkafka_reports_the_disabled_protocol(bootstrap_servers: str, topic: str) -> None:
    create_topic(bootstrap_servers, topic)
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap_servers,
            "group.id": f"group-of-{topic}",
            "group.protocol": "consumer",
        }
    )
    errors: list[KafkaError] = []

    def has_error() -> bool:
        message = consumer.poll(0.5)
        if message is not None and (error := message.error()) is not None:
            errors.append(error)
        return bool(errors)

    consumer.subscribe([topic])
    wait_until(has_error)
    consumer.close()
    (error,) = errors
    assert error.code() == KafkaError._FATAL  # noqa: SLF001 - it has no other name
    assert "ConsumerGroupHeartbeat fatal error: Broker: API version not supported" in error.str()
