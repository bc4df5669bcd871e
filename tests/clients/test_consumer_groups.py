"""Clients whose groups use the consumer protocol (KIP-848)."""

from collections.abc import Callable, Iterator

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from mockbroker import Cluster
from tests.clients.support.deadline import TIMEOUT_S, wait_until
from tests.clients.support.java import programs, run_java

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

SOON = {
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "100",
    "group.consumer.assignment.interval.ms": "0",
}
"""Configs with which members hear of changes sooner than after seconds."""
TOPIC = "shared-topic"
PARTITIONS = 2


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=3, config=SOON) as running:
        admin = AdminClient({"bootstrap.servers": running.bootstrap_servers})
        made = admin.create_topics([NewTopic(TOPIC, num_partitions=PARTITIONS)])
        made[TOPIC].result(TIMEOUT_S)
        producer = Producer({"bootstrap.servers": running.bootstrap_servers})
        for partition in range(PARTITIONS):
            producer.produce(TOPIC, b"value", partition=partition)
        producer.flush(TIMEOUT_S)
        yield running


def member(cluster: Cluster, group: str, instance_id: str | None = None) -> Consumer:
    config = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": group,
        "group.protocol": "consumer",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
    if instance_id is not None:
        config["group.instance.id"] = instance_id
    consumer = Consumer(config)
    consumer.subscribe([TOPIC])
    return consumer


def polled(condition: Callable[[], bool], *members: Consumer) -> Callable[[], bool]:
    """Poll all members, and return whether a condition holds."""

    def is_so() -> bool:
        for each in members:
            message = each.poll(0.02)
            assert message is None or message.error() is None, message.error()
        return condition()

    return is_so


def test_librdkafka_shares_partitions_and_loses_a_member(cluster: Cluster) -> None:
    one, two = member(cluster, "shared"), member(cluster, "shared")
    wait_until(polled(lambda: len(one.assignment()) == len(two.assignment()) == 1, one, two))
    two.close()
    wait_until(polled(lambda: len(one.assignment()) == PARTITIONS, one))
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    described = admin.describe_consumer_groups(["shared"])["shared"].result(TIMEOUT_S)
    assert (described.state.name, len(described.members), described.type.name) == (
        "STABLE",
        1,
        "CONSUMER",
    )
    one.close()


def test_a_static_member_of_librdkafka_returns_to_its_partition(cluster: Cluster) -> None:
    one, two = member(cluster, "static", "i-1"), member(cluster, "static", "i-2")
    wait_until(polled(lambda: len(one.assignment()) == len(two.assignment()) == 1, one, two))
    (before,) = two.assignment()
    two.close()
    again = member(cluster, "static", "i-2")
    wait_until(polled(lambda: len(again.assignment()) == 1, one, again))
    (after,) = again.assignment()
    assert after.partition == before.partition
    assert len(one.assignment()) == 1
    one.close()
    again.close()


@pytest.mark.java
def test_java_shares_restarts_matches_and_migrates(cluster: Cluster) -> None:
    printed = run_java(
        programs("clients-4.4.0"), "ConsumerGroups", cluster.bootstrap_servers, TOPIC
    )
    assert printed.split("\n")[:7] == [
        "shared 2",
        "one is left with 2",
        "back true",
        "matched 2",
        "both have 1",
        "upgraded with 2",
        "downgraded with 2",
    ]
