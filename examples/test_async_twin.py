"""The same from an async test, with blocking calls awaited through `cluster.aio`."""

import pytest
from aiokafka import AIOKafkaProducer

from mockbroker import API, ERR, Cluster

pytestmark = [pytest.mark.asyncio, pytest.mark.mockbroker(topics={"orders": 1})]


async def test_a_retriable_error_is_retried_in_an_async_test(mockbroker: Cluster) -> None:
    fault = mockbroker.fault(API.END_TXN).answer(ERR.CONCURRENT_TRANSACTIONS).times(3)
    producer = AIOKafkaProducer(
        **mockbroker.client_config("aiokafka"), transactional_id="orders-svc-1"
    )
    await producer.start()
    async with producer.transaction():
        await producer.send_and_wait("orders", b"order-1")
    await mockbroker.aio.wait(fault, hits=3, timeout="30s")
    await producer.stop()
    mockbroker.assert_no_open_transactions()
