"""A scenario file as the cluster of a test: `lost-ack.yaml`."""

import pytest
from confluent_kafka import Producer

from mockbroker import Cluster


@pytest.mark.mockbroker(scenario="lost-ack.yaml")
def test_after_a_week_a_retry_is_stored_again(mockbroker: Cluster) -> None:
    producer = Producer(mockbroker.client_config("confluent", **{"enable.idempotence": True}))
    producer.produce("orders", b"order-1")
    assert producer.flush(30) == 0
    assert [record.value for record in mockbroker.records("orders")] == [b"order-1", b"order-1"]
