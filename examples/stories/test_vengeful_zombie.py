"""A zombie requests a new epoch by itself, which aborts its successor's transaction.

The story: docs/stories/vengeful-zombie.md.
"""

from collections.abc import Callable

import pytest
from confluent_kafka import KafkaException, Producer
from kafka import KafkaProducer

from mockbroker import API, Cluster, Release


@pytest.mark.parametrize("kafka", ["2.8", "3.9", "4.4"])
def test_the_owner_is_fenced_by_a_producer_that_it_had_replaced(
    make_mockbroker: Callable[..., Cluster], kafka: Release
) -> None:
    broker = make_mockbroker(topics={"orders": 1}, kafka=kafka)
    zombie = KafkaProducer(**broker.client_config("kafka-python"), transactional_id="orders-svc")
    zombie.init_transactions()
    zombie.begin_transaction()
    zombie.send("orders", b"of the zombie")
    zombie.flush()

    owner = Producer(broker.client_config("confluent", **{"transactional.id": "orders-svc"}))
    owner.init_transactions()
    owner.begin_transaction()
    owner.produce("orders", b"of the owner")
    owner.flush()

    asked = broker.fault(API.INIT_PRODUCER_ID, transactional_id="orders-svc").observe()
    zombie.send("orders", b"too late")  # refused, and the zombie requests another epoch
    asked.wait()
    with pytest.raises(KafkaException) as failure:
        owner.commit_transaction()
    assert failure.value.args[0].name() == "_FENCED"
    assert broker.records("orders", isolation="read_committed") == []
    zombie.close()
