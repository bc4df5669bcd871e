"""A replica that copied only the remaining log does not know an idle producer.

The story: docs/stories/replica-without-state.md.
"""

from collections.abc import Callable

import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError as AiokafkaError
from confluent_kafka import KafkaException, Producer

from mockbroker import API, ERR, Cluster, Release

TWO_REPLICAS = {"default.replication.factor": "2"}


@pytest.mark.parametrize(("kafka", "is_refused"), [("2.4", True), ("2.8", False), ("4.4", False)])
def test_confluent_kafka_fails_if_the_broker_refuses_unknown_producers(
    make_mockbroker: Callable[..., Cluster], kafka: Release, is_refused: bool
) -> None:
    broker = make_mockbroker(brokers=2, topics={"orders": 1}, kafka=kafka, config=TWO_REPLICAS)
    producer = Producer(broker.client_config("confluent", **{"enable.idempotence": True}))
    producer.produce("orders", b"order-1")
    assert producer.flush(10) == 0
    partition = broker.partition("orders", 0)
    partition.delete_records()
    partition.elect(producer_state="from_log")
    producer.produce("orders", b"order-2")
    if is_refused:
        with pytest.raises(KafkaException, match="risking duplication"):
            producer.flush(10)
    else:
        assert producer.flush(10) == 0
    assert (ERR.UNKNOWN_PRODUCER_ID in broker.journal.errors(API.PRODUCE)) == is_refused


@pytest.mark.asyncio
@pytest.mark.parametrize(("kafka", "is_refused"), [("2.4", True), ("4.4", False)])
async def test_aiokafka_continues_if_the_broker_accepts_unknown_producers(
    make_mockbroker: Callable[..., Cluster], kafka: Release, is_refused: bool
) -> None:
    broker = make_mockbroker(brokers=2, topics={"orders": 1}, kafka=kafka, config=TWO_REPLICAS)
    producer = AIOKafkaProducer(**broker.client_config("aiokafka"), enable_idempotence=True)
    await producer.start()
    await producer.send_and_wait("orders", b"order-1")
    partition = broker.partition("orders", 0)
    await broker.aio.run(partition.delete_records)
    await broker.aio.run(partition.elect, producer_state="from_log")
    if is_refused:
        with pytest.raises(AiokafkaError, match="UnknownProducerId"):
            await producer.send_and_wait("orders", b"order-2")
    else:
        await producer.send_and_wait("orders", b"order-2")
    await producer.stop()
