"""aiokafka's producer fails after its transactional id expired; a new producer continues.

The story: docs/stories/expired-id.md; confluent-kafka: examples/test_expired_transactional_id.py.
"""

import pytest
from aiokafka import AIOKafkaProducer

from mockbroker import Cluster


@pytest.mark.asyncio
@pytest.mark.mockbroker(topics={"orders": 1}, config={"log.retention.ms": "-1"})
async def test_a_new_instance_gets_a_new_producer_id(mockbroker: Cluster) -> None:
    settings = mockbroker.client_config("aiokafka", transactional_id="orders-svc")
    first = AIOKafkaProducer(**settings)
    await first.start()
    async with first.transaction():
        await first.send_and_wait("orders", b"order-1")
    before = mockbroker.transaction("orders-svc").producer_id
    await first.stop()
    expired = await mockbroker.aio.advance("8d")
    assert expired.transactional_ids == ("orders-svc",)
    second = AIOKafkaProducer(**settings)
    await second.start()
    async with second.transaction():
        await second.send_and_wait("orders", b"order-2")
    await second.stop()
    assert mockbroker.transaction("orders-svc").producer_id != before
    visible = mockbroker.records("orders", isolation="read_committed")
    assert [record.value for record in visible] == [b"order-1", b"order-2"]
    mockbroker.assert_exactly_once("orders")
