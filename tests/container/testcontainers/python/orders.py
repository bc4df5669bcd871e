import json
from collections.abc import Iterator
from urllib.request import Request, urlopen

import pytest
from confluent_kafka import Consumer, Producer
from testcontainers.community.kafka import KafkaContainer


@pytest.fixture(scope="module")
def kafka() -> Iterator[KafkaContainer]:
    container = (
        KafkaContainer("mockbroker:8.0.0")
        .with_kraft()
        .with_exposed_ports(8092)
        .with_env("MOCKBROKER_ADMIN_TOKEN", "secret")
        .with_env("MOCKBROKER_KAFKA_VERSION", "3.9")
        .with_env("MOCKBROKER_TOPICS", "orders:1")
    )
    with container:
        yield container


def command(kafka: KafkaContainer, path: str, document: object) -> dict[str, object]:
    address = f"http://{kafka.get_container_host_ip()}:{kafka.get_exposed_port(8092)}/api/v1/{path}"
    headers = {"Content-Type": "application/json", "Authorization": "Bearer secret"}
    with urlopen(Request(address, json.dumps(document).encode(), headers)) as response:
        return dict(json.load(response))


def test_a_commit_whose_response_is_lost_is_committed_once(kafka: KafkaContainer) -> None:
    fault = {"id": "lost", "match": {"api": "EndTxn"}, "effect": {"lose_response": "after_apply"}}
    command(kafka, "faults", fault)

    bootstrap = {"bootstrap.servers": kafka.get_bootstrap_server(), "log_level": 0}
    producer = Producer({**bootstrap, "transactional.id": "till"})
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce("orders", b"order-1")
    producer.commit_transaction()

    consumer = Consumer({**bootstrap, "group.id": "shop", "auto.offset.reset": "earliest"})
    consumer.subscribe(["orders"])
    (record,) = consumer.consume(1, timeout=30)
    assert record.value() == b"order-1"
    consumer.close()

    port = kafka.get_exposed_port(8092)
    with urlopen(f"http://{kafka.get_container_host_ip()}:{port}/api/v1/faults/lost") as response:
        assert json.load(response)["hits"] == 1
    assert command(kafka, "assertions", {"assertions": [{"name": "exactly-once"}]})["ok"]
