"""aiokafka never abandons a batch, so its own ABORT marker cannot overtake the batch.

The story: docs/stories/late-batch.md; confluent-kafka does: examples/test_late_batch.py.
"""

import asyncio
from collections.abc import Callable

import pytest
from aiokafka import AIOKafkaProducer

from mockbroker import API, Cluster, Release


@pytest.mark.asyncio
@pytest.mark.parametrize("kafka", ["2.8", "4.4"])
async def test_an_abort_waits_for_the_batch_in_flight(
    make_mockbroker: Callable[..., Cluster], kafka: Release
) -> None:
    broker = make_mockbroker(topics={"orders": 1}, kafka=kafka)
    slow = broker.fault(API.PRODUCE, topic="orders").hold().once()
    producer = AIOKafkaProducer(**broker.client_config("aiokafka"), transactional_id="orders-svc")
    await producer.start()
    await producer.begin_transaction()
    await producer.send("orders", b"slow")
    await broker.aio.wait_held(slow)
    aborted = asyncio.ensure_future(producer.abort_transaction())
    await asyncio.wait({aborted}, timeout=0.2)
    assert not aborted.done()
    await broker.aio.run(slow.release)
    await aborted
    await producer.stop()
    assert broker.hanging_transactions() == []
    assert broker.records("orders", isolation="read_committed") == []
