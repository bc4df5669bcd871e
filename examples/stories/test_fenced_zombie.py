"""A new instance takes over the transactional id; every request of the old one is fenced.

The story: docs/stories/fenced-zombie.md.
"""

from collections.abc import Callable

import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.errors import ProducerFenced
from confluent_kafka import KafkaException, Producer

from mockbroker import API, Cluster, Release

pytestmark = pytest.mark.mockbroker(brokers=3, topics={"orders": 1})


def instance_of(broker: Cluster) -> Producer:
    producer = Producer(broker.client_config("confluent", **{"transactional.id": "orders-svc"}))
    producer.init_transactions()
    producer.begin_transaction()
    return producer


def test_the_zombie_cannot_commit(mockbroker: Cluster) -> None:
    zombie = instance_of(mockbroker)
    zombie.produce("orders", b"of the zombie")
    zombie.flush()
    owner = instance_of(mockbroker)
    owner.produce("orders", b"of the owner")
    owner.commit_transaction()
    with pytest.raises(KafkaException) as failure:
        zombie.commit_transaction()
    assert failure.value.args[0].fatal()
    visible = mockbroker.records("orders", isolation="read_committed")
    assert [record.value for record in visible] == [b"of the owner"]
    mockbroker.assert_fenced(transactional_id="orders-svc", producer_epoch=0)


@pytest.mark.parametrize(("kafka", "hangs"), [("2.8", True), ("4.4", False)])
def test_a_write_in_flight_reaches_a_leader_without_producer_state(
    make_mockbroker: Callable[..., Cluster], kafka: Release, hangs: bool
) -> None:
    broker = make_mockbroker(brokers=3, topics={"orders": 1}, kafka=kafka)
    under_way = broker.fault(API.PRODUCE, topic="orders").hold().once()
    zombie = instance_of(broker)
    zombie.produce("orders", b"of the zombie")
    zombie.poll(0)
    under_way.wait_held()
    instance_of(broker)  # the partition has the ABORT marker with the newer epoch...
    partition = broker.partition("orders", 0)
    partition.elect(partition.leader, producer_state="none")  # ...but the new leader has no state
    under_way.release()
    under_way.wait_released()
    assert len(broker.hanging_transactions()) == int(hangs)


@pytest.mark.asyncio
async def test_a_zombie_of_aiokafka_cannot_commit(mockbroker: Cluster) -> None:
    def instance() -> AIOKafkaProducer:
        return AIOKafkaProducer(
            **mockbroker.client_config("aiokafka"), transactional_id="orders-svc"
        )

    zombie, owner = instance(), instance()
    await zombie.start()
    await zombie.begin_transaction()
    await zombie.send_and_wait("orders", b"of the zombie")
    await owner.start()
    async with owner.transaction():
        await owner.send_and_wait("orders", b"of the owner")
    with pytest.raises(ProducerFenced):
        await zombie.commit_transaction()
    await zombie.stop()
    await owner.stop()
    visible = mockbroker.records("orders", isolation="read_committed")
    assert [record.value for record in visible] == [b"of the owner"]
