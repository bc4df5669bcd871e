"""Clients whose brokers are killed and restarted: every record is stored once."""

import asyncio
import time
from collections.abc import Callable, Iterator

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from confluent_kafka import Consumer, KafkaError, Message, Producer
from confluent_kafka import TopicPartition as ConfluentPartition

from mockbroker import Cluster
from tests.clients.support.deadline import TIMEOUT_S

pytestmark = pytest.mark.slow

TOPICS = {"orders": 1}
RECORDS = 30
QUICK = {
    "reconnect.backoff.max.ms": 100,
    "retry.backoff.ms": 20,
    "topic.metadata.refresh.interval.ms": 500,
}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=3, topics=TOPICS) as cluster:
        yield cluster


def expected() -> list[bytes]:
    return [b"order-%d" % number for number in range(RECORDS)]


def written(cluster: Cluster) -> list[bytes]:
    return [r.value or b"" for r in cluster.records("orders", isolation="read_committed")]


def disturb(cluster: Cluster, number: int) -> None:
    """Kill the leader before every tenth record, and start it again five records later."""
    if number % 10 == 0:
        cluster.kill(cluster.partition("orders", 0).leader)
    elif number % 10 == 5:
        for broker in cluster.brokers:
            if broker.state == "killed":
                cluster.start(broker.broker_id)


def test_confluent_kafka_writes_every_record_once_despite_three_killed_brokers(
    cluster: Cluster,
) -> None:
    producer = Producer(cluster.client_config("confluent", **{"enable.idempotence": True}, **QUICK))
    for number, value in enumerate(expected()):
        disturb(cluster, number)
        producer.produce("orders", value)
        producer.poll(0)
    assert producer.flush(TIMEOUT_S) == 0
    assert written(cluster) == expected()
    assert cluster.partition("orders", 0).leader_epoch == RECORDS // 10


def test_confluent_kafka_commits_though_coordinator_or_leader_is_lost(cluster: Cluster) -> None:
    producer = Producer(
        cluster.client_config("confluent", **{"transactional.id": "orders-svc"}, **QUICK)
    )
    producer.init_transactions(TIMEOUT_S)
    for number, value in enumerate(expected()):
        producer.begin_transaction()
        producer.produce("orders", value)
        producer.flush(TIMEOUT_S)
        if number % 20 == 0:
            cluster.kill(cluster.coordinator_of("orders-svc"))
        else:
            disturb(cluster, number)
        producer.commit_transaction(TIMEOUT_S)
    assert written(cluster) == expected()


def test_a_producer_waits_for_the_only_broker_that_holds_its_partition() -> None:
    with Cluster(topics=TOPICS) as cluster:
        producer = Producer(
            cluster.client_config("confluent", **{"enable.idempotence": True}, **QUICK)
        )
        producer.produce("orders", b"order-0")
        assert producer.flush(TIMEOUT_S) == 0
        cluster.kill(1)
        producer.produce("orders", b"order-1")
        assert producer.flush(0.2) == 1
        cluster.start(1)
        assert producer.flush(TIMEOUT_S) == 0
        assert written(cluster) == [b"order-0", b"order-1"]


async def _aiokafka_writes_and_reads(cluster: Cluster) -> list[bytes]:
    producer = AIOKafkaProducer(
        **cluster.client_config("aiokafka"), enable_idempotence=True, retry_backoff_ms=20
    )
    consumer = AIOKafkaConsumer(
        **cluster.client_config("aiokafka"), auto_offset_reset="earliest", retry_backoff_ms=20
    )
    await producer.start()
    await consumer.start()
    consumer.assign([TopicPartition("orders", 0)])
    read: list[bytes] = []
    try:
        for number, value in enumerate(expected()):
            await cluster.aio.run(disturb, cluster, number)
            await producer.send_and_wait("orders", value)
            read.append((await consumer.getone()).value or b"")
    finally:
        await producer.stop()
        await consumer.stop()
    return read


def test_aiokafka_writes_and_reads_every_record_once_despite_three_killed_brokers(
    cluster: Cluster,
) -> None:
    read = asyncio.run(asyncio.wait_for(_aiokafka_writes_and_reads(cluster), TIMEOUT_S))
    assert read == written(cluster) == expected()


# Records that are lost, and replicas that lag


def test_confluent_kafka_waits_for_a_replica_that_lags(cluster: Cluster) -> None:
    orders = cluster.partition("orders", 0)
    producer = Producer(cluster.client_config("confluent", **{"enable.idempotence": True}, **QUICK))
    producer.produce("orders", b"order-0")
    assert producer.flush(TIMEOUT_S) == 0
    orders.lag(orders.replicas[1])
    producer.produce("orders", b"order-1")
    deadline = time.monotonic() + TIMEOUT_S
    while orders.log_end_offset < 2 and time.monotonic() < deadline:
        producer.poll(0.01)
    assert (orders.high_watermark, orders.log_end_offset, len(producer)) == (1, 2, 1)
    orders.catch_up()
    assert producer.flush(TIMEOUT_S) == 0
    assert written(cluster) == [b"order-0", b"order-1"]


def consumed(consumer: Consumer, count: int) -> list[bytes]:
    read: list[bytes] = []
    deadline = time.monotonic() + TIMEOUT_S
    while len(read) < count and time.monotonic() < deadline:
        message = consumer.poll(0.1)
        if message is not None:
            assert message.error() is None, message.error()
            read.append(message.value() or b"")
    return read


def test_a_consumer_resets_to_the_offset_where_a_new_leaders_log_diverges(
    cluster: Cluster,
) -> None:
    orders = cluster.partition("orders", 0)
    producer = Producer(cluster.client_config("confluent", **{"linger.ms": 0}, **QUICK))
    consumer = Consumer(
        cluster.client_config(
            "confluent", **{"group.id": "readers", "auto.offset.reset": "earliest"}, **QUICK
        )
    )
    consumer.assign([ConfluentPartition("orders", 0, 0)])
    for value in (b"kept", b"lost-1", b"lost-2"):
        producer.produce("orders", value)
        assert producer.flush(TIMEOUT_S) == 0
    assert consumed(consumer, 3) == [b"kept", b"lost-1", b"lost-2"]
    orders.elect(log="truncate", log_end_offset=1)
    for value in (b"new-1", b"new-2", b"new-3"):
        producer.produce("orders", value)
        assert producer.flush(TIMEOUT_S) == 0
    # librdkafka asks where the old leader's epoch ended (KIP-320), and finds that it is offset 1.
    assert consumed(consumer, 3) == [b"new-1", b"new-2", b"new-3"]
    consumer.close()
    assert written(cluster) == [b"kept", b"new-1", b"new-2", b"new-3"]


# The coordinator step by step


def move_coordinator(cluster: Cluster) -> None:
    cluster.move_coordinator("orders-svc")


def kill_coordinator(cluster: Cluster) -> None:
    cluster.kill(cluster.coordinator_of("orders-svc"))


def write_two(producer: Producer, number: int) -> None:
    producer.begin_transaction()
    for partition in range(2):
        producer.produce("orders", b"%d-%d" % (number, partition), partition=partition)
    assert producer.flush(TIMEOUT_S) == 0


@pytest.mark.parametrize("steps", range(4))
@pytest.mark.parametrize("event", [move_coordinator, kill_coordinator])
def test_confluent_kafka_finishes_exactly_once_whenever_its_coordinator_is_lost(
    event: Callable[[Cluster], None], steps: int
) -> None:
    with Cluster(brokers=3, topics={"orders": 2}) as cluster:
        settings = {"transactional.id": "orders-svc", **QUICK}
        producer = Producer(cluster.client_config("confluent", **settings))
        producer.init_transactions(TIMEOUT_S)
        transaction = cluster.transaction("orders-svc")
        write_two(producer, 0)
        transaction.hold_ending()
        producer.commit_transaction(TIMEOUT_S)
        for _ in range(steps):
            assert transaction.step() is not None
        event(cluster)
        transaction.release()
        write_two(producer, 1)
        producer.commit_transaction(TIMEOUT_S)
        assert sorted(written(cluster)) == [b"0-0", b"0-1", b"1-0", b"1-1"]
        cluster.assert_no_open_transactions()


# A leader that is cut off


def test_a_client_at_an_isolated_leader_loses_its_records_with_acks_1(
    cluster: Cluster,
) -> None:
    orders = cluster.partition("orders", 0)
    isolated = orders.leader
    (port,) = [broker.port for broker in cluster.brokers if broker.broker_id == isolated]
    cluster.isolate(isolated)
    alone = {"bootstrap.servers": f"127.0.0.1:{port}"}
    outcomes: dict[bytes, str | None] = {}

    def delivered(error: KafkaError | None, message: Message) -> None:
        outcomes[message.value() or b""] = None if error is None else error.name()

    careless = Producer({**alone, "acks": 1})
    careless.produce("orders", b"careless", on_delivery=delivered)
    assert careless.flush(TIMEOUT_S) == 0
    in_vain = {"acks": "all", "request.timeout.ms": 1_000, "message.timeout.ms": 3_000}
    careful = Producer({**alone, **in_vain})
    careful.produce("orders", b"careful", on_delivery=delivered)
    assert careful.flush(TIMEOUT_S) == 0
    assert outcomes == {b"careless": None, b"careful": "_MSG_TIMED_OUT"}
    cluster.rejoin(isolated)
    assert written(cluster) == []


def test_an_idempotent_producer_writes_everything_once_despite_an_isolated_leader(
    cluster: Cluster,
) -> None:
    settings = {"enable.idempotence": True, "request.timeout.ms": 1_000, "socket.timeout.ms": 2_000}
    producer = Producer(cluster.client_config("confluent", **settings, **QUICK))
    for number, value in enumerate(expected()):
        if number == 10:
            cluster.isolate(cluster.partition("orders", 0).leader)
        producer.produce("orders", value)
        producer.poll(0)
        if number in {5, 9}:
            assert producer.flush(TIMEOUT_S) == 0
    (isolated,) = [each.broker_id for each in cluster.brokers if each.state == "isolated"]
    cluster.rejoin(isolated)
    assert producer.flush(TIMEOUT_S) == 0
    assert written(cluster) == expected()


# Compaction


@pytest.mark.parametrize("isolation", ["read_committed", "read_uncommitted"])
def test_a_consumer_reads_a_compacted_log_from_any_offset(isolation: str) -> None:
    config = {"log.cleanup.policy": "compact"}
    with Cluster(topics=TOPICS, config=config) as cluster:
        producer = Producer(
            cluster.client_config("confluent", **{"transactional.id": "orders-svc"})
        )
        producer.init_transactions(TIMEOUT_S)
        for number in range(6):
            producer.begin_transaction()
            producer.produce("orders", key=b"a", value=b"%d" % number)
            producer.produce("orders", key=b"key-%d" % number, value=b"%d" % number)
            if number % 3 == 2:
                producer.flush(TIMEOUT_S)
                producer.abort_transaction(TIMEOUT_S)
            else:
                producer.commit_transaction(TIMEOUT_S)
        # Of key a all but one of the records that were committed, and all that were aborted.
        assert cluster.partition("orders", 0).compact() == 3 + 2 * 2
        for offset in range(14):
            consumer = Consumer(
                cluster.client_config(
                    "confluent", **{"group.id": "readers", "isolation.level": isolation}
                )
            )
            consumer.assign([ConfluentPartition("orders", 0, offset)])
            assert consumed(consumer, 1) == [
                b"0" if offset < 2 else b"1" if offset < 5 else b"3" if offset < 11 else b"4"
            ]
            consumer.close()
