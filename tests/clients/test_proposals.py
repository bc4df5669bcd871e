"""Unmodified clients on a cluster with all proposals that can act on its release.

Unknown extensions must not disturb clients: an API with an unusual key, tagged fields in Metadata
and in the records of the transaction log. (aiokafka and kafka-python have no type annotations.)
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from aiokafka import AIOKafkaProducer
from confluent_kafka import Consumer, Producer, TopicPartition
from kafka import KafkaConsumer, KafkaProducer
from kafka import TopicPartition as KafkaPythonPartition

from mockbroker import Cluster, Release
from mockbroker.protocol.codec import decode
from mockbroker.protocol.log_records.transaction_log import TransactionLogValue
from mockbroker.state.release.proposals import proposals_of
from mockbroker.wire import WireProducer
from tests.clients.support.client_program import client_program
from tests.clients.support.go import program
from tests.clients.support.java import java_command, programs

pytestmark = pytest.mark.slow

RELEASES = ["0.11", "2.4", "2.8", "3.9", "4.4"]
TIMEOUT_S = 20


@pytest.mark.parametrize("kafka", RELEASES)
def test_confluent_kafka_commits_aborts_and_reads(kafka: Release) -> None:
    with Cluster(kafka=kafka, topics={"orders": 1}, proposals=proposals_of(kafka)) as cluster:
        servers = {"bootstrap.servers": cluster.bootstrap_servers}
        producer = Producer(servers | {"transactional.id": "orders-svc"})
        producer.init_transactions(TIMEOUT_S)
        for value, is_commit in ((b"committed", True), (b"aborted", False), (b"last", True)):
            producer.begin_transaction()
            producer.produce("orders", value)
            end = producer.commit_transaction if is_commit else producer.abort_transaction
            producer.flush(TIMEOUT_S)
            end(TIMEOUT_S)
        consumer = Consumer(servers | {"group.id": "g", "isolation.level": "read_committed"})
        consumer.assign([TopicPartition("orders", 0, 0)])
        messages = consumer.consume(2, timeout=TIMEOUT_S)
        consumer.close()
    assert [message.value() for message in messages] == [b"committed", b"last"]


@pytest.mark.parametrize("kafka", RELEASES)
def test_kafka_python_commits_and_reads(kafka: Release) -> None:
    with Cluster(kafka=kafka, topics={"orders": 1}, proposals=proposals_of(kafka)) as cluster:
        servers = cluster.bootstrap_servers
        producer = KafkaProducer(bootstrap_servers=servers, transactional_id="orders-svc")
        producer.init_transactions()
        producer.begin_transaction()
        sent = producer.send("orders", b"committed")
        producer.commit_transaction()
        assert sent.get(TIMEOUT_S).offset == 0
        producer.close()
        consumer = KafkaConsumer(
            bootstrap_servers=servers, isolation_level="read_committed", group_id=None
        )
        consumer.assign([KafkaPythonPartition("orders", 0)])
        consumer.seek_to_beginning()
        assert next(consumer).value == b"committed"
        consumer.close()


@pytest.mark.parametrize("kafka", RELEASES)
def test_aiokafka_commits(kafka: Release) -> None:
    async def commit(servers: str) -> int:
        producer = AIOKafkaProducer(bootstrap_servers=servers, transactional_id="orders-svc")
        await producer.start()
        async with producer.transaction():
            sent = await producer.send_and_wait("orders", b"committed")
        await producer.stop()
        offset: int = sent.offset
        return offset

    with Cluster(kafka=kafka, topics={"orders": 1}, proposals=proposals_of(kafka)) as cluster:
        assert asyncio.run(commit(cluster.bootstrap_servers)) == 0
        partition = cluster.partition("orders", 0)
        assert partition.last_stable_offset == partition.log_end_offset == 2


def commits_and_reads(command: Sequence[str | Path], folder: Path) -> None:
    """Have a program in another language commit and read on each release."""
    with client_program(command, folder) as client:
        for kafka in ("2.4", "4.4"):
            with Cluster(
                kafka=kafka, topics={"orders": 1}, proposals=proposals_of(kafka)
            ) as cluster:
                servers = cluster.bootstrap_servers
                producer = client.open(servers, "orders-svc", 60_000)
                producer.begin()
                producer.send("orders", 0, "committed")
                producer.commit()
                producer.close()
                read = client.read(servers, "orders", 0, "read_committed", "committed")
            assert read == ["committed"], kafka


@pytest.mark.java
@pytest.mark.timeout(300)
@pytest.mark.parametrize("release", ["2.4.1", "4.4.0"])
def test_java_commits_and_reads(release: str, tmp_path: Path) -> None:
    commits_and_reads(java_command(programs(f"clients-{release}"), "Client"), tmp_path)


@pytest.mark.go
@pytest.mark.timeout(300)
def test_franz_go_commits_and_reads(tmp_path: Path) -> None:
    commits_and_reads([program("franz-go")], tmp_path)


@pytest.mark.go
@pytest.mark.timeout(300)
def test_sarama_commits_and_reads(tmp_path: Path) -> None:
    commits_and_reads([program("sarama")], tmp_path)


@pytest.mark.parametrize(
    ("proposals", "expected"), [([], [(0, -1), (1, -1)]), (["last-epoch"], [(0, -1), (1, 0)])]
)
def test_a_reader_of_the_transaction_log_finds_the_last_epoch(
    proposals: list[str], expected: list[tuple[int, int]]
) -> None:
    """librdkafka reads the topic like any other; the last epoch is in the value's tagged fields."""
    config = {"transaction.state.log.num.partitions": "1"}
    with (
        Cluster(kafka="2.8", config=config, proposals=proposals) as cluster,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as producer,
    ):
        producer.init_producer_id()
        producer.init_producer_id(keep_id=True)
        consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "g"})
        consumer.assign([TopicPartition("__transaction_state", 0, 0)])
        messages = consumer.consume(2, timeout=TIMEOUT_S)
        consumer.close()
    values = [message.value() or b"" for message in messages]
    versions = [int.from_bytes(value[:2], "big") for value in values]
    assert versions == [1 if proposals else 0] * 2
    read = [
        decode(TransactionLogValue, version, value, 2)
        for version, value in zip(versions, values, strict=True)
    ]
    assert [(value.producer_epoch, value.last_producer_epoch) for value in read] == expected
