# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
"""aiokafka's transactional producer."""

import asyncio
from collections.abc import Awaitable, Iterator
from typing import TypeVar

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError

from tests.clients.support.deadline import TIMEOUT_S
from tests.clients.support.transaction_scenarios import Errors, OffsetScenarios
from tests.clients.support.transactional_client import ClientError

pytestmark = pytest.mark.slow

Result = TypeVar("Result")


class AiokafkaProducer:
    def __init__(self, runner: asyncio.Runner, producer: AIOKafkaProducer) -> None:
        self._runner = runner
        self._producer = producer

    def begin(self) -> None:
        self._run(self._producer.begin_transaction())

    def send(self, topic: str, partition: int, value: str) -> None:
        self._run(self._producer.send_and_wait(topic, value.encode(), partition=partition))

    def send_offsets(self, group: str, topic: str, partition: int, offset: int) -> None:
        offsets = {TopicPartition(topic, partition): offset}
        self._run(self._producer.send_offsets_to_transaction(offsets, group))

    def commit(self) -> None:
        self._run(self._producer.commit_transaction())

    def abort(self) -> None:
        self._run(self._producer.abort_transaction())

    def close(self) -> None:
        self._run(self._producer.stop())

    def _run(self, operation: Awaitable[object]) -> None:
        self._runner.run(with_deadline(operation))


class AiokafkaClient:
    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner

    def open(
        self, bootstrap_servers: str, transactional_id: str, timeout_ms: int
    ) -> AiokafkaProducer:
        async def started() -> AIOKafkaProducer:
            producer = AIOKafkaProducer(
                bootstrap_servers=bootstrap_servers,
                transactional_id=transactional_id,
                transaction_timeout_ms=timeout_ms,
            )
            await producer.start()
            return producer

        return AiokafkaProducer(self._runner, self._runner.run(with_deadline(started())))

    def read(
        self, bootstrap_servers: str, topic: str, partition: int, isolation_level: str, last: str
    ) -> list[str]:
        async def values() -> list[str]:
            async with AIOKafkaConsumer(
                bootstrap_servers=bootstrap_servers,
                group_id=None,
                isolation_level=isolation_level,
            ) as consumer:
                consumer.assign([TopicPartition(topic, partition)])
                await consumer.seek_to_beginning()
                received: list[str] = []
                while last not in received:
                    message = await consumer.getone()
                    received.append((message.value or b"").decode())
                return received

        return self._runner.run(with_deadline(values()))


async def with_deadline(operation: Awaitable[Result]) -> Result:
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await operation
    except (KafkaError, AssertionError) as error:
        raise ClientError(type(error).__name__, str(error)) from error


@pytest.fixture
def client() -> Iterator[AiokafkaClient]:
    with asyncio.Runner() as runner:
        yield AiokafkaClient(runner)


class TestTransactions(OffsetScenarios):
    errors = Errors(
        fenced_commit="ProducerFenced",
        fenced_send="ProducerFenced",
        timed_out_commit="ProducerFenced",
        too_large_send="MessageSizeTooLargeError",
        out_of_order_send="OutOfOrderSequenceNumber",
        # sequence numbers of what failed are lost, and epochs are not bumped
        next_after_too_large="OutOfOrderSequenceNumber",
        next_after_out_of_order="OutOfOrderSequenceNumber",
    )
