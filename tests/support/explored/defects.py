"""Small programs with known defects of the real world, of Kafka or of its clients."""

import asyncio
import time
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any

from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError as AiokafkaError
from confluent_kafka import KafkaException, Producer
from kafka import KafkaConsumer, KafkaProducer
from kafka.errors import KafkaError

from mockbroker.control.cluster_handle import ClusterHandle
from tests.clients.transactors.transactor import Setup, TransactorClient

PATIENCE_S = 20.0
ATTEMPTS = 4
JOINED_S = 4.0
"""Time in which both members have joined, several times as long as it takes."""


def drop_and_bill(client: TransactorClient) -> Callable[[ClusterHandle], None]:
    """Abort a transaction, then commit one, both in two partitions."""

    def program(cluster: ClusterHandle) -> None:
        setup = Setup(request_timeout_ms=500)
        made = client.transactor(cluster.bootstrap_servers, "billing", setup)
        with closing(made) as producer:
            assert producer.init_transactions() is None
            for end in (producer.abort_transaction, producer.commit_transaction):
                assert producer.begin_transaction() is None
                for partition in (0, 1):
                    assert producer.send("orders", partition, "paid") is None
                    assert producer.flush() is None
                assert end() is None

    return program


def give_up_what_is_slow(cluster: ClusterHandle) -> None:
    """Abort a transaction whose batch is not acknowledged soon, and try another partition."""
    settings = {"transactional.id": "billing", "linger.ms": 0, "log_level": 0}
    producer = Producer(cluster.client_config("confluent", **settings))
    producer.init_transactions(PATIENCE_S)
    for number in range(ATTEMPTS):
        producer.begin_transaction()
        producer.produce("orders", b"paid", partition=number % 2)
        if producer.flush(0.5) == 0:
            producer.commit_transaction(PATIENCE_S)
            return
        producer.purge()
        producer.flush(0)
        producer.abort_transaction(PATIENCE_S)
    raise AssertionError("it was never fast")


def bill_with_aiokafka(cluster: ClusterHandle) -> None:
    """Bill three orders; abort and try again after an error."""
    asyncio.run(_bill_with_aiokafka(cluster))


async def _bill_with_aiokafka(cluster: ClusterHandle) -> None:
    settings = cluster.client_config("aiokafka", request_timeout_ms=2_000)
    producer = AIOKafkaProducer(**settings, transactional_id="billing")
    await asyncio.wait_for(producer.start(), PATIENCE_S)
    try:
        for number in range(3):
            await _bill_order(producer, number)
    finally:
        await asyncio.wait_for(producer.stop(), PATIENCE_S)


async def _bill_order(producer: AIOKafkaProducer, number: int) -> None:
    for _ in range(3):
        await producer.begin_transaction()
        try:
            await producer.send_and_wait("bills", b"order-%d" % number, partition=0)
            offsets = {TopicPartition("orders", 0): number + 1}
            await producer.send_offsets_to_transaction(offsets, "billing")
            await producer.commit_transaction()
        except AiokafkaError:
            await producer.abort_transaction()
        else:
            return
    raise AssertionError(f"order {number} was never billed")


def take_turns(cluster: ClusterHandle) -> None:
    """Poll with two members of a group in turn, until each has a partition."""
    settings = {"session_timeout_ms": 6_000, "heartbeat_interval_ms": 200, "group_id": "billing"}
    consumers = [
        KafkaConsumer(
            "orders", **{**cluster.client_config("kafka-python"), **settings, "client_id": name}
        )
        for name in ("first", "second")
    ]
    try:
        ends = time.monotonic() + JOINED_S
        while not all(each.assignment() for each in consumers):
            for each in consumers:
                each.poll(200)
            assert time.monotonic() < ends, "a member got no partition"
    finally:
        for each in consumers:
            each.close()


def replace_what_is_slow(cluster: ClusterHandle) -> None:
    """Start another producer for an instance that is not heard of."""
    settings = cluster.client_config("kafka-python", request_timeout_ms=2_000)
    first = KafkaProducer(**settings, transactional_id="billing", retry_backoff_ms=50)
    try:
        first.init_transactions()
        first.begin_transaction()
        sent = first.send("orders", b"paid", partition=0)
        try:
            sent.get(0.5)
            first.commit_transaction()
        except KafkaError:
            _bill_instead(cluster, sent)
    finally:
        first.close(0)


def _bill_instead(cluster: ClusterHandle, other: Any) -> None:
    settings = {"transactional.id": "billing", "linger.ms": 0, "log_level": 0}
    producer = Producer(cluster.client_config("confluent", **settings))
    producer.init_transactions(PATIENCE_S)
    producer.begin_transaction()
    producer.produce("orders", b"paid")
    producer.flush(PATIENCE_S)
    with suppress(KafkaError):
        other.get(PATIENCE_S)  # what became of the other one
    producer.poll(1.0)
    try:
        producer.commit_transaction(PATIENCE_S)
    except KafkaException as failure:
        raise AssertionError(f"the successor failed: {failure}") from None
