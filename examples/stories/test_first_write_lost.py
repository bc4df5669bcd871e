"""A producer's first record is acknowledged, and then lost with the log that held it.

The story: docs/stories/first-write-lost.md.
"""

from collections.abc import Callable

import pytest
from aiokafka import AIOKafkaProducer
from confluent_kafka import Producer

from mockbroker import Cluster, Release


@pytest.mark.parametrize("kafka", ["2.8", "4.4"])
def test_confluent_kafka_does_not_notice_the_loss_but_the_ledger_does(
    make_mockbroker: Callable[..., Cluster], kafka: Release
) -> None:
    broker = make_mockbroker(topics={"payments": 1}, kafka=kafka)
    producer = Producer(broker.client_config("confluent", **{"enable.idempotence": True}))
    producer.produce("payments", b"payment-1")
    assert producer.flush(10) == 0
    broker.partition("payments", 0).elect(log="truncate", log_end_offset=0, producer_state="none")
    producer.produce("payments", b"payment-2")
    assert producer.flush(10) == 0
    assert [record.value for record in broker.records("payments")] == [b"payment-2"]
    with pytest.raises(AssertionError, match="payments"):
        broker.assert_no_loss("payments")


@pytest.mark.asyncio
async def test_aiokafka_does_not_notice_the_loss(make_mockbroker: Callable[..., Cluster]) -> None:
    broker = make_mockbroker(topics={"payments": 1})
    producer = AIOKafkaProducer(**broker.client_config("aiokafka"), enable_idempotence=True)
    await producer.start()
    await producer.send_and_wait("payments", b"payment-1")
    await broker.aio.run(
        broker.partition("payments", 0).elect,
        log="truncate",
        log_end_offset=0,
        producer_state="none",
    )
    await producer.send_and_wait("payments", b"payment-2")
    await producer.stop()
    with pytest.raises(AssertionError, match="payments"):
        broker.assert_no_loss("payments")
