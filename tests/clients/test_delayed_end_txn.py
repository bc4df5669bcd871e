"""An EndTxn that clients gave up arrives in their next transaction (KAFKA-17754)."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Final

import pytest

from mockbroker import API, Cluster, Release
from mockbroker.faults.fault import Fault
from mockbroker.protocol.errors import ErrorCode
from tests.clients.transactors.clients import AIOKAFKA, CONFLUENT, JAVA, Clients
from tests.clients.transactors.transactor import Setup, Transactor

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

_SETUP: Final = Setup(request_timeout_ms=500)
_OLD: Final = {"transaction.version": 1}
TITLES: Final = [
    *(pytest.param(title, marks=pytest.mark.java) for title in JAVA),
    CONFLUENT,
    AIOKAFKA,
]
WITHOUT_EPOCHS: Final = [
    *(pytest.param("Java 2.4.1", release, marks=pytest.mark.java) for release in ("2.8", "4.4")),
    *((title, release) for title in (CONFLUENT, AIOKAFKA) for release in ("2.8", "4.4")),
    pytest.param("Java 4.4.0", "2.8", marks=pytest.mark.java),
]
"""Clients and releases of which one does not know transaction.version 2."""


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clients]:
    with ExitStack() as running:
        yield Clients(running, tmp_path_factory.mktemp("clients"))


def running(release: Release, features: dict[str, int] | None = None) -> Cluster:
    return Cluster(kafka=release, features=features or {}, topics={"orders": 2}, journal=True)


def write(producer: Transactor, partition: int, value: str) -> None:
    assert producer.send("orders", partition, value) is None
    assert producer.flush() is None
    assert not producer.reports()


def begun_twice(cluster: Cluster, producer: Transactor, end: str) -> Fault:
    """Have the first end of a transaction given up, and begin the next transaction."""
    assert producer.init_transactions() is None
    assert producer.begin_transaction() is None
    write(producer, 0, "first")
    late = cluster.fault(API.END_TXN).hold().once()
    assert getattr(producer, end)() is None
    assert producer.begin_transaction() is None
    write(producer, 0, "second")
    return late


def committed(cluster: Cluster) -> list[bytes | None]:
    return [record.value for record in cluster.records("orders", isolation="read_committed")]


def open_on(cluster: Cluster, clients: Clients, title: str) -> Transactor:
    return clients[title].transactor(cluster.bootstrap_servers, "orders-svc", _SETUP)


@pytest.mark.parametrize(("title", "release"), WITHOUT_EPOCHS)
def test_a_late_abort_loses_what_the_application_commits(
    clients: Clients, title: str, release: Release
) -> None:
    with (
        running(release) as cluster,
        closing(open_on(cluster, clients, title)) as producer,
    ):
        late = begun_twice(cluster, producer, "abort_transaction")
        late.release()
        assert late.last_error is ErrorCode.NONE
        write(producer, 1, "elsewhere")
        assert producer.commit_transaction() is None
        assert committed(cluster) == [b"elsewhere"]
        assert [each.rule for each in cluster.audit().findings] == ["WRONG_TXN_ENDED"]


@pytest.mark.parametrize("title", TITLES)
def test_a_late_commit_publishes_what_the_application_aborts(clients: Clients, title: str) -> None:
    with (
        running("4.4", _OLD) as cluster,
        closing(open_on(cluster, clients, title)) as producer,
    ):
        late = begun_twice(cluster, producer, "commit_transaction")
        late.release()
        assert committed(cluster) == [b"first", b"second"]
        write(producer, 1, "elsewhere")
        assert producer.abort_transaction() is None
        assert committed(cluster) == [b"first", b"second"]


@pytest.mark.parametrize("title", [CONFLUENT, AIOKAFKA])
def test_up_to_2_8_the_rest_of_the_transaction_hangs_in_its_partition(
    clients: Clients, title: str
) -> None:
    with (
        running("2.8") as cluster,
        closing(open_on(cluster, clients, title)) as producer,
    ):
        late = begun_twice(cluster, producer, "commit_transaction")
        late.release()
        write(producer, 0, "third")
        assert producer.commit_transaction() is None
        assert committed(cluster) == [b"first", b"second"]
        (hanging,) = cluster.hanging_transactions()
        assert hanging.partition == 0


@pytest.mark.java
@pytest.mark.parametrize("end", ["commit_transaction", "abort_transaction"])
def test_with_an_epoch_for_each_transaction_the_late_end_is_fenced(
    clients: Clients, end: str
) -> None:
    with (
        running("4.4") as cluster,
        closing(open_on(cluster, clients, "Java 4.4.0")) as producer,
    ):
        late = begun_twice(cluster, producer, end)
        late.release()
        assert late.last_error is ErrorCode.PRODUCER_FENCED
        write(producer, 1, "elsewhere")
        assert producer.commit_transaction() is None
        assert committed(cluster)[-2:] == [b"second", b"elsewhere"]
        assert cluster.audit(identity="off").is_clean
