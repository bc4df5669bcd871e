"""One committed and one aborted transaction on the releases that have no scenarios of their own."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from mockbroker import Cluster, Release
from tests.clients.python.confluent_client import ConfluentClient
from tests.clients.python.kafka_python_client import KafkaPythonClient
from tests.clients.support.client_program import ClientProgram, client_program
from tests.clients.support.java import java_command, programs
from tests.clients.support.transactional_client import TransactionalClient

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

TIMEOUT_MS = 60_000
releases = pytest.mark.parametrize("kafka", ["1.0", "2.5", "3.6"])


def check_transactions(client: TransactionalClient, kafka: Release) -> None:
    """Commit a transaction with an offset, abort another, and commit a third one."""
    with (
        Cluster(kafka=kafka, topics={"orders": 1}) as cluster,
        closing(client.open(cluster.bootstrap_servers, "orders-svc", TIMEOUT_MS)) as producer,
    ):
        for value in ("kept", "gone", "kept too"):
            producer.begin()
            producer.send("orders", 0, value)
            if value == "gone":
                producer.abort()
            else:
                producer.send_offsets("group", "orders", 0, len(value))
                producer.commit()
        stored = cluster.records("orders", isolation="read_committed")
        assert [record.value for record in stored] == [b"kept", b"kept too"]
        cluster.assert_no_open_transactions()


@releases
@pytest.mark.parametrize("client", [ConfluentClient(), KafkaPythonClient()])
def test_a_python_client_commits_and_aborts(client: TransactionalClient, kafka: Release) -> None:
    check_transactions(client, kafka)


def java_client(version: str, folder: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    command = java_command(programs(f"clients-{version}"), "Client")
    with client_program(command, folder.mktemp(f"java-{version}")) as started:
        yield started


@pytest.fixture(scope="module")
def java_2_4(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    yield from java_client("2.4.1", tmp_path_factory)


@pytest.fixture(scope="module")
def java_4_4(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientProgram]:
    yield from java_client("4.4.0", tmp_path_factory)


@pytest.mark.java
@releases
def test_java_of_2_4_commits_and_aborts(java_2_4: ClientProgram, kafka: Release) -> None:
    check_transactions(java_2_4, kafka)


# Java's client of 4.x needs a broker of 2.1 or newer.
@pytest.mark.java
@pytest.mark.parametrize("kafka", ["2.5", "3.6"])
def test_java_of_4_4_commits_and_aborts(java_4_4: ClientProgram, kafka: Release) -> None:
    check_transactions(java_4_4, kafka)
