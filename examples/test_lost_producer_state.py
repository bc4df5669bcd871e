"""The leader dies, and the new leader has no producer state."""

from collections.abc import Callable

import pytest
from confluent_kafka import Producer

from mockbroker import API, ERR, Cluster, Release


@pytest.mark.parametrize("kafka", ["2.4", "2.8", "4.4"])
def test_kill_leader_elect_replica_without_producer_state(
    make_mockbroker: Callable[..., Cluster], kafka: Release
) -> None:
    broker = make_mockbroker(
        brokers=3, topics={"orders": 1}, kafka=kafka, config={"default.replication.factor": "3"}
    )
    partition = broker.partition("orders", 0)
    producer = Producer(broker.client_config("confluent", **{"enable.idempotence": True}))
    producer.produce("orders", b"order-1")
    assert producer.flush(10) == 0
    broker.kill(partition.leader)
    partition.elect(producer_state="none")
    # librdkafka fails if it is refused after another attempt: let it learn the new leader first.
    producer.list_topics("orders", timeout=10)
    producer.produce("orders", b"order-2")
    assert producer.flush(20) == 0
    # Up to 2.4 an unknown producer is refused, later brokers accept it. A client that implements
    # KIP-360 continues in both cases.
    refused = broker.journal.errors(API.PRODUCE)
    assert refused <= {ERR.NOT_LEADER_OR_FOLLOWER, ERR.UNKNOWN_PRODUCER_ID}
    assert (ERR.UNKNOWN_PRODUCER_ID in refused) == (kafka == "2.4")
    assert [record.value for record in broker.records("orders")] == [b"order-1", b"order-2"]
