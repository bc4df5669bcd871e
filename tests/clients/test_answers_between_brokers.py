"""Unmodified clients, whose transaction ends while the answer about it is between two brokers."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing

import pytest
from confluent_kafka import KafkaError, Message, Producer

from mockbroker import API, Cluster, Fault, Release
from mockbroker.wire import WireProducer
from tests.clients.support.client_program import ClientProgram, ProgramProducer, client_program
from tests.clients.support.java import java_command, programs
from tests.clients.support.transactional_client import ClientError

pytestmark = [pytest.mark.slow]

TIMEOUT_MS = 10_000
VERSION = "4.4.0"


def answer_held(cluster: Cluster) -> Fault:
    return cluster.fault(
        API.ADD_PARTITIONS_TO_TXN, between_brokers=True, topic="orders"
    ).hold_response()


def assert_nothing_is_left(cluster: Cluster) -> None:
    """The partition has the ABORT marker only, and nothing holds back its last stable offset."""
    assert cluster.records("orders") == []
    partition = cluster.partition("orders", 0)
    assert partition.last_stable_offset == partition.log_end_offset > 0
    assert cluster.hanging_transactions() == []


def test_librdkafka_s_batch_is_refused_after_its_transaction_timed_out() -> None:
    reports: list[KafkaError | None] = []

    def report(error: KafkaError | None, _message: Message) -> None:
        reports.append(error)

    settings = {
        "transactional.id": "orders-svc",
        "transaction.timeout.ms": TIMEOUT_MS,
        "log_level": 2,
    }
    with Cluster(kafka="3.9", topics={"orders": 1}) as cluster:
        held = answer_held(cluster)
        producer = Producer(cluster.client_config("confluent", **settings))
        producer.init_transactions(10)
        producer.begin_transaction()
        producer.produce("orders", b"late", on_delivery=report)
        held.wait_held()
        cluster.clock.advance("20s")
        held.release()
        producer.flush(10)
        (error,) = reports
        assert error is not None
        assert error.code() == KafkaError.INVALID_TXN_STATE
        assert_nothing_is_left(cluster)


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    command = java_command(programs(f"clients-{VERSION}"), "Client")
    with client_program(command, tmp_path_factory.mktemp(f"java-{VERSION}")) as started:
        yield started


def sending(producer: ProgramProducer, pool: ThreadPoolExecutor) -> Future[None]:
    producer.begin()
    return pool.submit(producer.send, "orders", 0, "late")


@pytest.mark.java
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("kafka", "error"),
    [("3.9", "InvalidTxnStateException"), ("4.4", "InvalidProducerEpochException")],
)
def test_java_s_batch_is_refused_after_another_instance_took_over(
    java: ClientProgram, kafka: Release, error: str
) -> None:
    with (
        Cluster(kafka=kafka, topics={"orders": 1}) as cluster,
        ThreadPoolExecutor(1) as pool,
        closing(java.open(cluster.bootstrap_servers, "orders-svc", TIMEOUT_MS)) as zombie,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as owner,
    ):
        held = answer_held(cluster)
        sent = sending(zombie, pool)
        held.wait_held()
        while owner.init_producer_id():
            pass
        held.release()
        with pytest.raises(ClientError, match=error):
            sent.result(30)
        assert_nothing_is_left(cluster)


@pytest.mark.java
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kafka", ["3.9", "4.4"])
@pytest.mark.parametrize("effect", ["lose_response", "drop_request", "delay"])
def test_java_stores_its_records_once_despite_lost_and_late_answers(
    java: ClientProgram, kafka: Release, effect: str
) -> None:
    with (
        Cluster(kafka=kafka, topics={"orders": 1}) as cluster,
        closing(java.open(cluster.bootstrap_servers, "orders-svc", TIMEOUT_MS)) as producer,
    ):
        fault = cluster.fault(API.ADD_PARTITIONS_TO_TXN, between_brokers=True)
        arguments = ["50ms"] if effect == "delay" else []
        getattr(fault, effect)(*arguments).times(2)
        for value in ("order-1", "order-2", "order-3"):
            producer.begin()
            producer.send("orders", 0, value)
            producer.commit()
        assert [record.value for record in cluster.records("orders")] == [
            b"order-1",
            b"order-2",
            b"order-3",
        ]
        assert fault.hits == 2
        cluster.assert_no_open_transactions()
