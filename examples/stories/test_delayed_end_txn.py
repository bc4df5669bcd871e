"""A commit that was given up arrives in the next transaction, and commits it.

The story: docs/stories/delayed-end-txn.md.
"""

from collections.abc import Callable

import pytest
from confluent_kafka import KafkaException, Producer

from mockbroker import API, Cluster, Release


@pytest.mark.parametrize("kafka", ["2.8", "4.4"])
def test_a_late_commit_publishes_what_the_application_aborts(
    make_mockbroker: Callable[..., Cluster], kafka: Release
) -> None:
    broker = make_mockbroker(topics={"orders": 1}, kafka=kafka)
    settings = {"transactional.id": "orders-svc", "socket.timeout.ms": 1000}
    producer = Producer(broker.client_config("confluent", **settings))
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce("orders", b"order-1")
    producer.flush()
    late = broker.fault(API.END_TXN).hold().once()
    producer.commit_transaction()

    producer.begin_transaction()
    producer.produce("orders", b"order-2")
    producer.flush()
    late.release()
    with pytest.raises(KafkaException) as failure:
        producer.abort_transaction()  # too late: it is committed
    assert failure.value.args[0].name() == "INVALID_TXN_STATE"
    committed = [record.value for record in broker.records("orders", isolation="read_committed")]
    assert committed == [b"order-1", b"order-2"]
