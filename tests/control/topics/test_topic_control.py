"""Topics that a test creates, and what clients read of records that it appends."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from aiokafka import AIOKafkaConsumer
from confluent_kafka import TIMESTAMP_CREATE_TIME, Consumer, Message
from kafka import KafkaConsumer

from mockbroker import ERR, ApiError, AppendedRecord, Cluster, SettingsError

TIMEOUT_S = 20
MOMENT = datetime(2026, 5, 1, 12, tzinfo=UTC)
MOMENT_MS = 1_777_636_800_000


def read(cluster: Cluster, count: int) -> list[Message]:
    """Read committed records of `orders` with librdkafka."""
    settings = {"group.id": "g", "auto.offset.reset": "earliest"}
    consumer = Consumer(cluster.client_config("confluent", **settings))
    try:
        consumer.subscribe(["orders"])
        return consumer.consume(count, timeout=TIMEOUT_S)
    finally:
        consumer.close()


def test_a_topic_is_created_with_partitions_replicas_and_configs() -> None:
    with Cluster(brokers=3) as cluster:
        cluster.create_topic("prices", 2, replication_factor=3, config={"retention.ms": 1000})
        assert len(cluster.partition("prices", 1).replicas) == 3
        retention = cluster.look(
            lambda state, _now_ms: state.configs.topic_values("prices", 1)["retention.ms"]
        )
        assert retention == 1000
        with pytest.raises(LookupError, match="prices-2"):
            _ = cluster.partition("prices", 2).leader


@pytest.mark.parametrize(
    ("create", "code"),
    [
        (lambda cluster: cluster.create_topic("orders"), ERR.TOPIC_ALREADY_EXISTS),
        (lambda cluster: cluster.create_topic("a b"), ERR.INVALID_TOPIC_EXCEPTION),
        (lambda cluster: cluster.create_topic("new", 0), ERR.INVALID_PARTITIONS),
        (
            lambda cluster: cluster.create_topic("new", replication_factor=2),
            ERR.INVALID_REPLICATION_FACTOR,
        ),
        (
            lambda cluster: cluster.create_topic("new", config={"retention.ms": "x"}),
            ERR.INVALID_CONFIG,
        ),
    ],
)
def test_errors_of_a_new_topic_are_kafkas(create: Callable[[Cluster], None], code: ERR) -> None:
    with Cluster(topics=["orders"]) as cluster:
        with pytest.raises(ApiError) as refused:
            create(cluster)
        assert refused.value.code is code
        names = cluster.look(lambda state, _now_ms: list(state.topics.by_name))
        assert "new" not in names


def test_an_unknown_config_of_a_topic_names_the_one_that_was_meant() -> None:
    with Cluster() as cluster:
        with pytest.raises(
            SettingsError,
            match=r"retention\.m=1: topics of Kafka 4\.4 have no such config; did you mean reten",
        ):
            cluster.create_topic("orders", config={"retention.m": 1})
        assert not cluster.look(lambda state, _now_ms: "orders" in state.topics)


def test_a_client_reads_what_was_appended() -> None:
    with Cluster(topics=["orders"]) as cluster:
        where = cluster.append(
            "orders", "paid", key=b"7", headers={"trace": "a", "none": None}, timestamp=MOMENT
        )
        assert where == AppendedRecord("orders", 0, 0, MOMENT_MS)
        cluster.append("orders", json.dumps({"n": 1}), headers=[("h", b"1"), ("h", b"2")])
        cluster.append("orders", None, key="7", timestamp=MOMENT_MS)
        first, second, third = read(cluster, 3)
        assert (first.key(), first.value()) == (b"7", b"paid")
        assert first.headers() == [("trace", b"a"), ("none", None)]
        assert first.timestamp() == (TIMESTAMP_CREATE_TIME, MOMENT_MS)
        assert (second.key(), second.headers()) == (None, [("h", b"1"), ("h", b"2")])
        assert (third.value(), third.timestamp()[1]) == (None, MOMENT_MS)


@pytest.mark.parametrize("kafka", ["0.11", "2.8", "4.4"])
def test_kafka_python_reads_appended_records_of_any_release(
    make_mockbroker: Callable[..., Cluster], kafka: str
) -> None:
    cluster = make_mockbroker(kafka=kafka, topics=["orders"])
    with cluster.begin_transaction("svc") as transaction:
        transaction.append("orders", "one")
        transaction.append("orders", "two")
    with suppress(ZeroDivisionError), cluster.begin_transaction("svc") as transaction:
        transaction.append("orders", "gone")
        raise ZeroDivisionError
    cluster.append("orders", "three")
    consumer = KafkaConsumer(
        "orders",
        **cluster.client_config("kafka-python"),
        auto_offset_reset="earliest",
        isolation_level="read_committed",
        consumer_timeout_ms=TIMEOUT_S * 1000,
    )
    values = [next(consumer).value for _ in range(3)]
    consumer.close()
    assert values == [b"one", b"two", b"three"]
    cluster.assert_exactly_once()
    cluster.assert_no_open_transactions()
    assert len(cluster.records("orders")) == 4


@pytest.mark.asyncio
async def test_records_are_appended_on_the_clusters_own_loop() -> None:
    async with Cluster(topics=["orders"]) as cluster:
        with cluster.begin_transaction("svc") as transaction:
            transaction.append("orders", "one")
        cluster.append("orders", "two")
        consumer = AIOKafkaConsumer(
            "orders",
            **cluster.client_config("aiokafka"),
            auto_offset_reset="earliest",
            isolation_level="read_committed",
        )
        async with asyncio.timeout(TIMEOUT_S):
            await consumer.start()
            values = [(await consumer.getone()).value for _ in range(2)]
            await consumer.stop()
        assert values == [b"one", b"two"]
