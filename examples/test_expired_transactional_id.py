"""A producer was away for a week, and its transactional id has expired."""

import pytest
from confluent_kafka import KafkaException, Producer

from mockbroker import ERR, Cluster

pytestmark = pytest.mark.mockbroker(brokers=3, topics={"orders": 1}, kafka="3.9")


def test_seven_days_later_the_transactional_id_is_gone(mockbroker: Cluster) -> None:
    producer = Producer(
        mockbroker.client_config("confluent", **{"transactional.id": "orders-svc-1"})
    )
    producer.init_transactions()
    expired = mockbroker.clock.advance("8d")
    assert "orders-svc-1" in expired.transactional_ids
    producer.begin_transaction()
    producer.produce("orders", b"order-1")
    with pytest.raises(KafkaException) as failure:
        producer.commit_transaction()
    error = failure.value.args[0]
    assert error.txn_requires_abort() or error.fatal()
    assert mockbroker.journal.last(error=ERR.INVALID_PRODUCER_ID_MAPPING)
    mockbroker.assert_no_open_transactions()
