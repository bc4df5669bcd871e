"""An idempotent producer is idle until retention deletes its records, and then continues.

The story: docs/stories/idle-producer.md.
"""

from collections.abc import Callable

import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError as AiokafkaError
from confluent_kafka import KafkaError, Message, Producer

from mockbroker import Cluster, Release

KEPT_FOR_AN_HOUR = {"log.retention.ms": "3600000"}


@pytest.mark.parametrize("kafka", ["1.1", "2.3", "4.4"])
def test_confluent_kafka_continues_by_itself(
    make_mockbroker: Callable[..., Cluster], kafka: Release
) -> None:
    broker = make_mockbroker(topics={"orders": 1}, kafka=kafka, config=KEPT_FOR_AN_HOUR)
    delivered: list[tuple[KafkaError | None, int | None]] = []

    def note(error: KafkaError | None, message: Message) -> None:
        delivered.append((error, message.offset()))

    producer = Producer(broker.client_config("confluent", **{"enable.idempotence": True}))
    for order in (b"order-1", b"order-2"):
        producer.produce("orders", order, on_delivery=note)
        assert producer.flush(10) == 0
        broker.clock.advance("3h")
    assert delivered == [(None, 0), (None, 1)]


@pytest.mark.asyncio
@pytest.mark.parametrize(("kafka", "goes_on"), [("2.3", False), ("4.4", True)])
async def test_aiokafka_continues_if_the_broker_remembers_the_producer(
    make_mockbroker: Callable[..., Cluster], kafka: Release, goes_on: bool
) -> None:
    broker = make_mockbroker(topics={"orders": 1}, kafka=kafka, config=KEPT_FOR_AN_HOUR)
    producer = AIOKafkaProducer(**broker.client_config("aiokafka"), enable_idempotence=True)
    await producer.start()
    await producer.send_and_wait("orders", b"order-1")
    await broker.aio.advance("3h")
    if goes_on:
        await producer.send_and_wait("orders", b"order-2")
    else:
        with pytest.raises(AiokafkaError, match="UnknownProducerId"):
            await producer.send_and_wait("orders", b"order-2")
    await producer.stop()
