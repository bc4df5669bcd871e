"""The response to an epoch bump is lost, and the coordinator moves before the retry.

The story: docs/stories/bump-across-failover.md.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from confluent_kafka import KafkaException, Producer

from mockbroker import API, ERR, Cluster


@pytest.mark.parametrize("proposals", [(), ("last-epoch",)])
def test_the_producer_is_treated_as_a_zombie(
    make_mockbroker: Callable[..., Cluster], proposals: tuple[str, ...]
) -> None:
    broker = make_mockbroker(brokers=3, topics={"orders": 1}, kafka="2.8", proposals=proposals)
    producer = Producer(broker.client_config("confluent", **{"transactional.id": "orders-svc"}))
    producer.init_transactions()
    producer.begin_transaction()
    # After this error a client does not know what was appended: it aborts with another epoch.
    broker.fault(API.PRODUCE).answer(ERR.UNKNOWN_PRODUCER_ID).once()
    producer.produce("orders", b"order-1")
    with pytest.raises(KafkaException) as failure:
        producer.commit_transaction()
    assert failure.value.args[0].txn_requires_abort()

    broker.fault(API.INIT_PRODUCER_ID).lose_response().once()
    again = broker.fault(API.INIT_PRODUCER_ID).hold().on_call(2)
    with ThreadPoolExecutor(max_workers=1) as beside:
        aborted = beside.submit(producer.abort_transaction)
        again.wait_held()
        broker.move_coordinator("orders-svc")
        again.release()
        if proposals:
            aborted.result(10)
        else:
            with pytest.raises(KafkaException) as fenced:
                aborted.result(10)
            assert fenced.value.args[0].fatal()
    assert (ERR.PRODUCER_FENCED in broker.journal.errors(API.INIT_PRODUCER_ID)) != bool(proposals)
