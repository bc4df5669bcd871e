"""Transaction and matrix scenarios with the newest release of Java's client."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from mockbroker import Cluster
from tests.clients.support.client_program import ClientProgram, client_program
from tests.clients.support.group_scenarios import ConsumerProtocolScenarios
from tests.clients.support.java import java_command, programs
from tests.clients.support.matrix_scenarios import MatrixScenarios
from tests.clients.support.transaction_scenarios import Errors, OffsetScenarios

VERSION = "4.4.0"

pytestmark = [pytest.mark.java, pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    command = java_command(programs(f"clients-{VERSION}"), "Client")
    with client_program(command, tmp_path_factory.mktemp(f"java-{VERSION}")) as started:
        yield started


@pytest.fixture(scope="module")
def consumer_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    command = java_command(programs(f"clients-{VERSION}"), "Client", "consumer")
    with client_program(command, tmp_path_factory.mktemp("java-consumer")) as started:
        yield started


class TestMatrix(MatrixScenarios):
    releases = ("4.4", "2.8")
    title = "Java"
    version = VERSION
    fenced = "ProducerFencedException"
    non_empty_group = "GroupNotEmptyException"


class TestConsumerProtocol(ConsumerProtocolScenarios):
    @pytest.fixture
    def client(self, consumer_client: ClientProgram) -> ClientProgram:
        return consumer_client


class TestTransactions(OffsetScenarios):
    errors = Errors(
        fenced_commit="ProducerFencedException",
        fenced_send="InvalidProducerEpochException",
        timed_out_commit="InvalidTxnStateException",
        too_large_send="RecordTooLargeException",
        out_of_order_send="OutOfOrderSequenceException",
    )

    def errors_on(self, release: str) -> Errors:
        if release == "4.4":
            return self.errors
        return replace(self.errors, timed_out_commit="ProducerFencedException")


# Brokers and coordinators that are lost


def read_values(cluster: Cluster) -> list[bytes]:
    return sorted(r.value or b"" for r in cluster.records("orders", isolation="read_committed"))


def test_every_transaction_is_stored_once_despite_killed_brokers(client: ClientProgram) -> None:
    with (
        Cluster(brokers=3, topics={"orders": 1}) as cluster,
        closing(client.open(cluster.bootstrap_servers, "orders-svc", 60_000)) as producer,
    ):
        for number in range(6):
            producer.begin()
            producer.send("orders", 0, f"order-{number}")
            lost = (
                cluster.coordinator_of("orders-svc")
                if number % 2
                else cluster.partition("orders", 0).leader
            )
            cluster.kill(lost)
            producer.commit()
            cluster.start(lost)
        assert read_values(cluster) == [b"order-%d" % number for number in range(6)]
        cluster.assert_no_open_transactions()


@pytest.mark.parametrize("steps", range(3))
def test_a_decided_transaction_ends_once_wherever_its_coordinator_is_lost(
    client: ClientProgram, steps: int
) -> None:
    with (
        Cluster(brokers=3, topics={"orders": 1}) as cluster,
        closing(client.open(cluster.bootstrap_servers, "orders-svc", 60_000)) as producer,
    ):
        transaction = cluster.transaction("orders-svc")
        producer.begin()
        producer.send("orders", 0, "order-0")
        transaction.hold_ending()
        producer.commit()
        for _ in range(steps):
            assert transaction.step() is not None
        cluster.kill(cluster.coordinator_of("orders-svc"))
        transaction.release()
        producer.begin()
        producer.send("orders", 0, "order-1")
        producer.commit()
        assert read_values(cluster) == [b"order-0", b"order-1"]
        cluster.assert_no_open_transactions()
