"""A Produce request is applied, but its response is lost, and the client retries."""

import pytest
from confluent_kafka import Producer

from mockbroker import API, Cluster

pytestmark = pytest.mark.mockbroker(brokers=3, topics={"orders": 1}, kafka="3.9")


def producer_of(broker: Cluster) -> Producer:
    return Producer(broker.client_config("confluent", **{"transactional.id": "orders-svc-1"}))


def test_apply_the_produce_but_lose_the_response(mockbroker: Cluster) -> None:
    lost = mockbroker.fault(API.PRODUCE, topic="orders").lose_response().once()
    producer = producer_of(mockbroker)
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce("orders", b"order-1")
    producer.commit_transaction()  # the retry gets the response again
    lost.wait(hits=1, timeout="30s")
    visible = mockbroker.records("orders", isolation="read_committed")
    assert [record.value for record in visible] == [b"order-1"]
    assert mockbroker.journal.count(API.PRODUCE, topic="orders") == 2
    mockbroker.assert_no_duplicates("orders")


def test_without_idempotence_the_record_is_stored_twice(mockbroker: Cluster) -> None:
    mockbroker.fault(API.PRODUCE, topic="orders").lose_response().once()
    producer = Producer(mockbroker.client_config("confluent", **{"enable.idempotence": False}))
    producer.produce("orders", b"order-1")
    assert producer.flush(10) == 0
    assert [record.value for record in mockbroker.records("orders")] == [b"order-1", b"order-1"]
    with pytest.raises(AssertionError, match="order"):
        mockbroker.assert_no_duplicates("orders")
