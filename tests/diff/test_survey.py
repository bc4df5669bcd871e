"""Survey of a broker."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from mockbroker import API, Cluster
from mockbroker.diff.survey import NoBrokerError, all_names, asking, survey
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
)
from tests.conformance.replay import addresses_of


def test_a_survey_has_versions_and_configs() -> None:
    with Cluster(kafka="2.4", config={"num.partitions": "7"}) as cluster:
        (address,) = addresses_of(cluster)
        facts = survey(address, 5)
    assert (facts.broker, facts.host, facts.port) == (1, "127.0.0.1", address[1])
    assert facts.served[ApiKey.FETCH] == range(12)
    assert facts.configs is not None
    assert facts.configs["num.partitions"] == "7"
    assert not facts.has_internal_topics


def test_names_are_listed_as_far_as_the_apis_are_served() -> None:
    with Cluster(kafka="2.4", topics={"orders": 1}) as cluster:
        (address,) = addresses_of(cluster)
        with asking(survey(address, 5), 5) as asker:
            assert list(all_names(asker).topics) == ["orders"]
            assert asker.ask(ListTransactionsRequest(), ListTransactionsResponse, 0) is None


def test_several_brokers_are_refused() -> None:
    with Cluster(brokers=2) as cluster, pytest.raises(NoBrokerError, match="has 2 brokers"):
        survey(addresses_of(cluster)[0], 5)


def test_a_broker_without_described_configs_has_none() -> None:
    with Cluster() as cluster:
        cluster.fault(API.DESCRIBE_CONFIGS).answer("CLUSTER_AUTHORIZATION_FAILED").every_time()
        assert survey(addresses_of(cluster)[0], 5).configs is None


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
    with pytest.raises(NoBrokerError, match="nobody listens at "):
        survey(address, 5)


@contextmanager
def answering(data: bytes) -> Generator[tuple[str, int]]:
    """Listen for one connection, which gets some bytes and is closed."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1 << 10)
                connection.sendall(data)

        thread = threading.Thread(target=answer)
        thread.start()
        yield server.getsockname()
        thread.join()


@pytest.mark.parametrize("data", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0\0\0\2ab"])
def test_something_else_listens(data: bytes) -> None:
    with (
        answering(data) as address,
        pytest.raises(NoBrokerError, match="does not speak Kafka's protocol"),
    ):
        survey(address, 5)
