"""Clients beyond a quota are told so, and wait."""

from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, ThrottleEvent, TopicPartition

from mockbroker import Cluster
from tests.clients.support.command_line_tools import Tools
from tests.clients.support.deadline import wait_until

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(120)]

TOPIC = "orders"
BYTES_PER_S = 5000
VALUE = b"x" * 70_000
"""Stored at once, it is throttled for four seconds: 70,000 bytes are 5,000 in each of 14."""


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={TOPIC: 1}) as running:
        yield running


def set_quota(tools: Tools, cluster: Cluster, *options: str) -> None:
    for_alice = ("--entity-type", "clients", "--entity-name", "alice")
    command = ("kafka-configs", "--bootstrap-server", cluster.bootstrap_servers, "--alter")
    tools.output_of(*command, *for_alice, *options)


def test_a_producer_hears_of_its_throttling_until_the_quota_is_gone(
    tools: Tools, cluster: Cluster
) -> None:
    set_quota(tools, cluster, "--add-config", f"producer_byte_rate={BYTES_PER_S}")
    throttled: list[ThrottleEvent] = []
    config: dict[str, Any] = {"client.id": "alice", "throttle_cb": throttled.append}
    producer = Producer(cluster.client_config("confluent", **config))
    producer.produce(TOPIC, VALUE)
    assert producer.flush(10) == 0
    wait_until(lambda: producer.poll(0.1) >= 0 and bool(throttled))
    assert 3.5 < throttled[0].throttle_time < 4.5
    set_quota(tools, cluster, "--delete-config", "producer_byte_rate")
    throttled.clear()
    producer.produce(TOPIC, VALUE)
    assert producer.flush(10) == 0
    producer.poll(0.1)
    assert all(each.throttle_time == 0 for each in throttled)


def test_a_consumer_beyond_its_quota_gets_its_records_later(tools: Tools, cluster: Cluster) -> None:
    other = Producer(cluster.client_config("confluent", **{"linger.ms": 0}))
    for value in (b"1", b"2"):
        other.produce(TOPIC, value * 30_000)
        assert other.flush(10) == 0
    set_quota(tools, cluster, "--add-config", f"consumer_byte_rate={BYTES_PER_S}")
    throttled: list[ThrottleEvent] = []
    settings: dict[str, Any] = {"group.id": "g", "auto.offset.reset": "earliest"}
    settings |= {"client.id": "alice", "throttle_cb": throttled.append}
    settings |= {
        "fetch.message.max.bytes": 1000,
        "fetch.max.bytes": 1000,
        "message.max.bytes": 1000,
    }
    consumer = Consumer(cluster.client_config("confluent", **settings))
    consumer.assign([TopicPartition(TOPIC, 0, 0)])
    values: list[bytes] = []

    def polled() -> bool:
        record = consumer.poll(0.1)
        if record is not None and record.error() is None:
            values.append((record.value() or b"")[:1])
        return bool(throttled)

    wait_until(polled)
    assert values == [b"1"]
    cluster.clock.advance("12s")  # what was fetched before does not count any more
    wait_until(lambda: polled() and len(values) > 1)
    assert values == [b"1", b"2"]
    consumer.close()
