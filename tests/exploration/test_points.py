"""Calls of a run are points that another run finds again."""

import asyncio

import pytest
from aiokafka import AIOKafkaProducer
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from kafka import KafkaProducer

from mockbroker import API, Cluster
from mockbroker.exploration.points import Point, SeenCall, calls_of


def calls_of_a_transaction() -> list[SeenCall]:
    with Cluster(topics={"orders": 1}, journal=True, brokers=2) as cluster:
        producer = Producer(cluster.client_config("confluent", **{"transactional.id": "billing"}))
        producer.init_transactions(10)
        for value in (b"order-1", b"order-2"):
            producer.begin_transaction()
            producer.produce("orders", value)
            producer.commit_transaction(10)
        return calls_of(cluster.journal.complete_entries())


def test_the_calls_of_a_transactional_client_are_counted_by_api_and_owner() -> None:
    found = {str(call.point): call for call in calls_of_a_transaction()}
    first = found["EndTxn 1 of client 'rdkafka', transactional_id 'billing'"]
    second = found["EndTxn 2 of client 'rdkafka', transactional_id 'billing'"]
    assert first.state == second.state == "Ongoing"
    assert (first.next_produce, second.next_produce) == (
        found["Produce 2 of client 'rdkafka', transactional_id 'billing'"].point,
        None,
    )
    assert first.transactional_id == "billing"
    produce = found["Produce 2 of client 'rdkafka', transactional_id 'billing'"]
    assert produce.partitions == (("orders", 0),)
    assert found["InitProducerId 1 of client 'rdkafka', transactional_id 'billing'"].state == ""
    coordinators = found["FindCoordinator 1 of client 'rdkafka', transactional_id 'billing'"]
    assert (coordinators.has_coordinator, produce.has_coordinator) == (False, True)
    assert not any(call.point.client_id == "AddPartitionsManager" for call in found.values())


def test_a_call_of_a_member_has_the_state_of_its_group() -> None:
    group = {"group.id": "billing", "auto.offset.reset": "earliest", "enable.auto.commit": False}
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        cluster.append("orders", "order-1")
        consumer = Consumer(cluster.client_config("confluent", **group))
        consumer.subscribe(["orders"])
        assert consumer.poll(10) is not None
        consumer.commit(asynchronous=False)
        consumer.close()
        calls = calls_of(cluster.journal.complete_entries())
    found = {call.point.api: call for call in calls if call.point.number == 1}
    assert found[API.JOIN_GROUP].group_state == ""
    assert found[API.OFFSET_COMMIT].group_state == "Stable"


def test_the_selectors_of_a_point_are_those_of_a_fault() -> None:
    point = Point(API.END_TXN, "rdkafka", ("transactional_id", "billing"), 1)
    with Cluster() as cluster:
        match = point.match()
        assert match == {"api": "EndTxn", "client_id": "rdkafka", "transactional_id": "billing"}
        cluster.fault(**match).observe().on_call(point.number)
    assert Point(API.METADATA, None, None, 1).match() == {"api": "Metadata"}
    assert str(Point(API.METADATA, None, None, 3)) == "Metadata 3 of client None"


def test_what_differs_in_each_run_is_no_part_of_a_name() -> None:
    names = ["worker-48213", "app-1f0e4b7a-9c3d-4e2b-8a11-0123456789ab-consumer", "producer-1"]
    with Cluster(journal=True) as cluster:
        for name in names:
            AdminClient(cluster.client_config("confluent", **{"client.id": name})).list_topics(
                timeout=10
            )
        calls = calls_of(cluster.journal.complete_entries())
    found = {call.point.client_id for call in calls}
    assert found == {"worker-*", "app-*-consumer", "producer-1"}


def test_the_numbers_that_clients_of_python_count_over_all_runs_are_no_part_of_a_name() -> None:
    found: list[set[str | None]] = []
    for _ in range(2):
        with Cluster(journal=True) as cluster:
            KafkaProducer(bootstrap_servers=cluster.bootstrap_servers).close()
            asyncio.run(connect_with_aiokafka(cluster.bootstrap_servers))
            calls = calls_of(cluster.journal.complete_entries())
        found.append({call.point.client_id for call in calls})
    assert found == [{"kafka-python-producer-*", "aiokafka-producer-*"}] * 2


async def connect_with_aiokafka(bootstrap_servers: str) -> None:
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap_servers)
    await producer.start()
    await producer.stop()


@pytest.mark.parametrize("given", ["1f0e4b7a-9c3d-4e2b-8a11-0123456789ab", "1f0e4b7a", "48213"])
def test_a_transactional_id_that_differs_in_each_run_is_found_again_and_never_named(
    given: str,
) -> None:
    with Cluster(journal=True) as cluster:
        settings = {"transactional.id": f"billing-2026-{given}"}
        Producer(cluster.client_config("confluent", **settings)).init_transactions(10)
        calls = calls_of(cluster.journal.complete_entries())
    (init,) = (each for each in calls if each.point.api is API.INIT_PRODUCER_ID)
    assert init.point.owner == ("transactional_id", "billing-2026-*")
    assert init.transactional_id is None
