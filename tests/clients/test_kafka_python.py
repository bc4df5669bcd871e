# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
"""kafka-python (which is not typed for its users: hence the basic check)."""

from collections.abc import Iterator

import pytest
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic

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
    admin = KafkaAdminClient(bootstrap_servers=bootstrap_servers)
    try:
        admin.create_topics(
            [NewTopic(topic, PARTITION_COUNT, -1, topic_configs=dict(TOPIC_CONFIGS))]
        )
    finally:
        admin.close()


def produce(bootstrap_servers: str, topic: str, partitions: Partitions, compression: str) -> None:
    producer = KafkaProducer(
        bootstrap_servers=bootstrap_servers,
        compression_type=None if compression == "none" else compression,
        linger_ms=20,
    )
    try:
        answers = [
            producer.send(
                topic,
                partition=partition,
                key=record.key,
                value=record.value,
                timestamp_ms=record.timestamp_ms,
                headers=list(record.headers),
            )
            for partition, record in in_sending_order(partitions)
        ]
        producer.flush(TIMEOUT_S)
        for answer in answers:
            answer.get(TIMEOUT_S)
    finally:
        producer.close(TIMEOUT_S)


def consume(bootstrap_servers: str, topic: str, count: int) -> dict[int, list[Record]]:
    consumer = KafkaConsumer(bootstrap_servers=bootstrap_servers, group_id=None)
    try:
        consumer.assign([TopicPartition(topic, partition) for partition in range(PARTITION_COUNT)])
        consumer.seek_to_beginning()
        return collect(lambda: poll(consumer), count)
    finally:
        consumer.close()


def poll(consumer: KafkaConsumer) -> Iterator[tuple[int, Record]]:
    for partition, messages in consumer.poll(timeout_ms=1000).items():
        for message in messages:
            yield (
                partition.partition,
                Record(
                    key=message.key,
                    value=message.value,
                    timestamp_ms=message.timestamp,
                    headers=tuple(message.headers),
                ),
            )


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_ten_thousand_records_come_back_equal(
    bootstrap_servers: str, topic: str, compression: str
) -> None:
    partitions = sample_partitions()
    create_topic(bootstrap_servers, topic)
    produce(bootstrap_servers, topic, partitions, compression)
    assert first_difference(partitions, consume(bootstrap_servers, topic, RECORD_COUNT)) is None
    assert stored_compressions(bootstrap_servers, topic) == {compression: RECORD_COUNT}
