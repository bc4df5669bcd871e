# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
"""aiokafka (which is not typed for its users: hence the basic check)."""

import asyncio
from collections.abc import Awaitable

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from tests.clients.support.deadline import TIMEOUT_S
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


async def create_topic(bootstrap_servers: str, topic: str) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap_servers)
    await admin.start()
    try:
        new_topic = NewTopic(topic, PARTITION_COUNT, 1, topic_configs=dict(TOPIC_CONFIGS))
        answer = await admin.create_topics([new_topic])
        assert answer.topic_errors == [(topic, 0, None)]
    finally:
        await admin.close()


async def produce(
    bootstrap_servers: str, topic: str, partitions: Partitions, compression: str
) -> None:
    async with AIOKafkaProducer(
        bootstrap_servers=bootstrap_servers,
        compression_type=None if compression == "none" else compression,
        linger_ms=20,
        request_timeout_ms=15_000,  # or stopping it waits without end for records that are refused
    ) as producer:
        answers: list[Awaitable[object]] = [
            await producer.send(
                topic,
                partition=partition,
                key=record.key,
                value=record.value,
                timestamp_ms=record.timestamp_ms,
                headers=list(record.headers),
            )
            for partition, record in in_sending_order(partitions)
        ]
        await asyncio.gather(*answers)


async def consume(bootstrap_servers: str, topic: str, count: int) -> dict[int, list[Record]]:
    received: dict[int, list[Record]] = {}
    async with AIOKafkaConsumer(bootstrap_servers=bootstrap_servers, group_id=None) as consumer:
        consumer.assign([TopicPartition(topic, partition) for partition in range(PARTITION_COUNT)])
        await consumer.seek_to_beginning()
        for _ in range(count):
            message = await consumer.getone()
            received.setdefault(message.partition, []).append(
                Record(
                    key=message.key,
                    value=message.value,
                    timestamp_ms=message.timestamp,
                    headers=tuple(message.headers),
                )
            )
    return received


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_ten_thousand_records_come_back_equal(
    bootstrap_servers: str, topic: str, compression: str
) -> None:
    async def read_back() -> dict[int, list[Record]]:
        async with asyncio.timeout(TIMEOUT_S):
            await create_topic(bootstrap_servers, topic)
            await produce(bootstrap_servers, topic, partitions, compression)
            return await consume(bootstrap_servers, topic, RECORD_COUNT)

    partitions = sample_partitions()
    assert first_difference(partitions, asyncio.run(read_back())) is None
    assert stored_compressions(bootstrap_servers, topic) == {compression: RECORD_COUNT}
