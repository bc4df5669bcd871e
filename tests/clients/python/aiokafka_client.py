"""Client aiokafka for the scenarios; it has no type annotations, hence the basic check."""

import asyncio
from collections.abc import Awaitable
from typing import Any, Final

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from tests.clients.python.aiokafka_admin import AiokafkaAdmin
from tests.clients.python.aiokafka_loop import Loop
from tests.clients.python.samples import checked_digests
from tests.clients.support.matrix_client import BATCH_MAX, Received
from tests.clients.support.records import (
    PARTITION_COUNT,
    RECORD_COUNT,
    TOPIC_CONFIGS,
    Record,
    in_sending_order,
    sample_partitions,
)

_POLL_MS: Final = 100


class AiokafkaProducer:
    """Implementation of `TransactionalProducer`."""

    def __init__(self, loop: Loop, producer: AIOKafkaProducer) -> None:
        self._loop = loop
        self._producer = producer

    def begin(self) -> None:
        self._loop.run(self._producer.begin_transaction())

    def send(self, topic: str, partition: int, value: str) -> None:
        self._loop.run(self._producer.send_and_wait(topic, value.encode(), partition=partition))

    def send_offsets(self, group: str, topic: str, partition: int, offset: int) -> None:
        offsets = {TopicPartition(topic, partition): offset}
        self._loop.run(self._producer.send_offsets_to_transaction(offsets, group))

    def commit(self) -> None:
        self._loop.run(self._producer.commit_transaction())

    def abort(self) -> None:
        self._loop.run(self._producer.abort_transaction())

    def close(self) -> None:
        self._loop.run(self._producer.stop())


class AiokafkaMember:
    """Implementation of `GroupMember`."""

    def __init__(
        self, loop: Loop, consumer: AIOKafkaConsumer, starting: asyncio.Task[None]
    ) -> None:
        self._loop = loop
        self._consumer = consumer
        self._starting = starting

    def poll(self) -> list[Received]:
        return self._loop.run(self._polled())

    async def _polled(self) -> list[Received]:
        await asyncio.wait([self._starting], timeout=_POLL_MS / 1000)
        return await polled(self._consumer) if self._starting.done() else []

    def assignment(self) -> list[int]:
        return sorted(each.partition for each in self._consumer.assignment())

    def commit(self) -> None:
        self._loop.run(self._consumer.commit())

    def close(self) -> None:
        self._loop.run(self._consumer.stop())


class AiokafkaProcessor:
    """Implementation of `Processor`."""

    def __init__(
        self,
        loop: Loop,
        consumer: AIOKafkaConsumer,
        producer: AIOKafkaProducer,
        *,
        group: str,
        target: str,
    ) -> None:
        self._loop = loop
        self._consumer = consumer
        self._producer = producer
        self._group = group
        self._target = target

    def process(self, *, commit: bool) -> list[Received]:
        return self._loop.run(self._processed(commit=commit))

    async def _processed(self, *, commit: bool) -> list[Received]:
        records = await polled(self._consumer, BATCH_MAX)
        if not records:
            return []
        await self._producer.begin_transaction()
        for record in records:
            value = record.value.upper().encode()
            await self._producer.send_and_wait(self._target, value, partition=record.partition)
        offsets = {
            partition: await self._consumer.position(partition)
            for partition in self._consumer.assignment()
        }
        await self._producer.send_offsets_to_transaction(offsets, self._group)
        if commit:
            await self._producer.commit_transaction()
        else:
            await self._producer.abort_transaction()
        return records

    def close(self) -> None:
        self._loop.run(self._stopped())

    async def _stopped(self) -> None:
        await self._consumer.stop()
        await self._producer.stop()


class AiokafkaClient:
    """Implementation of `MatrixClient`."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._loop = Loop(runner)

    def open(
        self, bootstrap_servers: str, transactional_id: str, timeout_ms: int
    ) -> AiokafkaProducer:
        producer = self._loop.run(transactional(bootstrap_servers, transactional_id, timeout_ms))
        return AiokafkaProducer(self._loop, producer)

    def read(
        self, bootstrap_servers: str, topic: str, partition: int, isolation_level: str, last: str
    ) -> list[str]:
        async def values() -> list[str]:
            received: list[str] = []
            async with reader(bootstrap_servers, isolation_level=isolation_level) as consumer:
                consumer.assign([TopicPartition(topic, partition)])
                while last not in received:
                    received.append(as_received(await consumer.getone()).value)
            return received

        return self._loop.run(values())

    def round_trip(self, bootstrap_servers: str, topic: str, compression: str) -> list[str]:
        async def read_back() -> dict[int, list[Record]]:
            await write_samples(bootstrap_servers, topic, compression)
            return await read_samples(bootstrap_servers, topic)

        self.admin(bootstrap_servers).create_topic(topic, PARTITION_COUNT, TOPIC_CONFIGS)
        return checked_digests(self._loop.run(read_back()))

    def join(
        self, bootstrap_servers: str, group: str, topic: str, instance_id: str | None = None
    ) -> AiokafkaMember:
        async def starting() -> tuple[AIOKafkaConsumer, asyncio.Task[None]]:
            consumer = member(bootstrap_servers, group, topic, group_instance_id=instance_id)
            return consumer, asyncio.ensure_future(consumer.start())

        return AiokafkaMember(self._loop, *self._loop.run(starting()))

    def processor(
        self,
        bootstrap_servers: str,
        *,
        transactional_id: str,
        group: str,
        source: str,
        target: str,
    ) -> AiokafkaProcessor:
        async def started() -> tuple[AIOKafkaConsumer, AIOKafkaProducer]:
            producer = await transactional(bootstrap_servers, transactional_id, 60_000)
            consumer = member(bootstrap_servers, group, source)
            await consumer.start()
            return consumer, producer

        consumer, producer = self._loop.run(started())
        return AiokafkaProcessor(self._loop, consumer, producer, group=group, target=target)

    def admin(self, bootstrap_servers: str) -> AiokafkaAdmin:
        return AiokafkaAdmin(self._loop, bootstrap_servers)


async def transactional(
    bootstrap_servers: str, transactional_id: str, timeout_ms: int
) -> AIOKafkaProducer:
    """Return a producer that has its producer id."""
    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap_servers,
        transactional_id=transactional_id,
        transaction_timeout_ms=timeout_ms,
    )
    await producer.start()
    return producer


def reader(bootstrap_servers: str, *topics: str, **settings: object) -> AIOKafkaConsumer:
    """Return a consumer that reads from the start, and does not commit automatically."""
    return AIOKafkaConsumer(
        *topics,
        bootstrap_servers=bootstrap_servers,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        fetch_max_wait_ms=50,
        **settings,
    )


def member(bootstrap_servers: str, group: str, topic: str, **settings: object) -> AIOKafkaConsumer:
    """Return a consumer that joins the group when it starts."""
    return reader(
        bootstrap_servers,
        topic,
        group_id=group,
        heartbeat_interval_ms=100,
        session_timeout_ms=30_000,
        isolation_level="read_committed",
        **settings,
    )


async def polled(consumer: AIOKafkaConsumer, count_max: int | None = None) -> list[Received]:
    """Wait a moment for messages."""
    batches = await consumer.getmany(timeout_ms=_POLL_MS, max_records=count_max)
    return [as_received(message) for messages in batches.values() for message in messages]


def as_received(message: Any) -> Received:
    """Convert messages to the form for group tests."""
    return Received(message.partition, message.offset, message.value.decode())


async def write_samples(bootstrap_servers: str, topic: str, compression: str) -> None:
    """Produce all samples."""
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
            for partition, record in in_sending_order(sample_partitions())
        ]
        await asyncio.gather(*answers)


async def read_samples(bootstrap_servers: str, topic: str) -> dict[int, list[Record]]:
    """Consume all samples."""
    received: dict[int, list[Record]] = {}
    async with reader(bootstrap_servers) as consumer:
        consumer.assign([TopicPartition(topic, partition) for partition in range(PARTITION_COUNT)])
        for _ in range(RECORD_COUNT):
            message = await consumer.getone()
            received.setdefault(message.partition, []).append(as_sample(message))
    return received


def as_sample(message: Any) -> Record:
    """Convert a message to a sample."""
    return Record(
        key=message.key,
        value=message.value,
        timestamp_ms=message.timestamp,
        headers=tuple(message.headers),
    )
