"""confluent-kafka, on librdkafka."""

from concurrent.futures import Future
from typing import cast

import pytest
from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tests.clients.support.deadline import TIMEOUT_S, collect
from tests.clients.support.records import (
    COMPRESSIONS,
    PARTITION_COUNT,
    RECORD_COUNT,
    TOPIC_CONFIGS,
    Partitions,
    Record,
    first_difference,
    in_sending_order,
    sample_partitions,
)
from tests.clients.support.stored_batches import stored_compressions

pytestmark = pytest.mark.slow


def create_topic(bootstrap_servers: str, topic: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    new_topic = NewTopic(topic, num_partitions=PARTITION_COUNT, config=dict(TOPIC_CONFIGS))
    created = cast("dict[str, Future[None]]", admin.create_topics([new_topic]))  # pyright: ignore[reportUnknownMemberType]
    created[topic].result(TIMEOUT_S)


def produce(bootstrap_servers: str, topic: str, partitions: Partitions, compression: str) -> None:
    refusals: list[KafkaError] = []

    def on_delivery(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            refusals.append(error)

    producer = Producer(
        {
            "bootstrap.servers": bootstrap_servers,
            "compression.type": compression,
            "linger.ms": 20,
            "on_delivery": on_delivery,
        }
    )
    for partition, record in in_sending_order(partitions):
        producer.produce(
            topic,
            partition=partition,
            key=record.key,
            value=record.value,
            timestamp=record.timestamp_ms,
            headers=list(record.headers),
        )
    assert producer.flush(TIMEOUT_S) == 0
    assert refusals == []


def consume(bootstrap_servers: str, topic: str, count: int) -> dict[int, list[Record]]:
    consumer = Consumer(
        {"bootstrap.servers": bootstrap_servers, "group.id": "unused", "enable.auto.commit": False}
    )
    try:
        consumer.assign(
            [TopicPartition(topic, partition, 0) for partition in range(PARTITION_COUNT)]
        )
        return collect(lambda: map(received, consumer.consume(1000, timeout=1.0)), count)
    finally:
        consumer.close()


def received(message: Message) -> tuple[int, Record]:
    assert message.error() is None, message.error()
    partition = message.partition()
    assert partition is not None
    return partition, Record(
        key=message.key(),
        value=message.value(),
        timestamp_ms=message.timestamp()[1],
        headers=tuple(cast("list[tuple[str, bytes | None]]", message.headers() or [])),
    )


def test_metadata_of_all_topics_and_of_one(bootstrap_servers: str, topic: str) -> None:
    create_topic(bootstrap_servers, topic)
    for client in (
        AdminClient({"bootstrap.servers": bootstrap_servers}),
        Producer({"bootstrap.servers": bootstrap_servers}),
    ):
        assert topic in client.list_topics(timeout=TIMEOUT_S).topics
        assert len(client.list_topics(topic, TIMEOUT_S).topics[topic].partitions) == PARTITION_COUNT


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_ten_thousand_records_come_back_equal(
    bootstrap_servers: str, topic: str, compression: str
) -> None:
    partitions = sample_partitions()
    create_topic(bootstrap_servers, topic)
    produce(bootstrap_servers, topic, partitions, compression)
    assert first_difference(partitions, consume(bootstrap_servers, topic, RECORD_COUNT)) is None
    stored = stored_compressions(bootstrap_servers, topic)
    # librdkafka leaves a batch as it is when compression would not make it smaller
    assert sum(stored.values()) == RECORD_COUNT
    assert stored[compression] > 0.99 * RECORD_COUNT
