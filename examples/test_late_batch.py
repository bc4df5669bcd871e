"""A batch that its client abandoned reaches the log after the ABORT marker."""

from collections.abc import Callable

import pytest
from confluent_kafka import Producer

from mockbroker import API, ERR, Cluster, Release, at


@pytest.mark.parametrize(("kafka", "hangs"), [("2.8", True), ("3.9", False)])
def test_batch_held_until_after_the_abort_marker(
    make_mockbroker: Callable[..., Cluster], kafka: Release, hangs: bool
) -> None:
    broker = make_mockbroker(topics={"orders": 1}, kafka=kafka)
    late = broker.fault(API.PRODUCE, topic="orders").hold(until=at.abort_marker("orders", 0))
    late.on_call(2)
    producer = Producer(
        broker.client_config(
            "confluent",
            **{
                "transactional.id": "orders-svc-1",
                "linger.ms": 0,
            },
        )
    )
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce("orders", b"in-time")
    producer.flush()
    producer.produce("orders", b"late")
    producer.poll(0)
    late.wait_held(timeout="30s")
    producer.purge()  # the client gives up the batch, which is still on the network
    producer.flush()
    producer.abort_transaction()
    late.wait_released(timeout="30s")
    if hangs:
        (transaction,) = broker.hanging_transactions()
        assert (transaction.topic, transaction.partition, transaction.first_offset) == (
            "orders",
            0,
            2,
        )
        with pytest.raises(AssertionError, match="hanging"):
            broker.assert_no_hanging_transactions()
    else:
        broker.assert_no_hanging_transactions()
        assert late.error in {ERR.INVALID_PRODUCER_EPOCH, ERR.INVALID_TXN_STATE}
