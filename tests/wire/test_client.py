"""One blocking connection to one broker."""

import socket

import pytest

from mockbroker import Cluster
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.wire import WireClient
from mockbroker.wire.client import WireError


def test_a_request_is_answered_in_its_version() -> None:
    with (
        Cluster(brokers=2, topics={"orders": 2}) as cluster,
        WireClient(cluster.bootstrap_servers) as client,
    ):
        for version in (1, 9, 12):
            answer = client.ask(MetadataRequest(topics=None), version, MetadataResponse)
            assert [(t.name, len(t.partitions)) for t in answer.topics] == [("orders", 2)]
            assert len(answer.brokers) == 2


def test_answers_come_in_the_order_of_the_requests() -> None:
    with Cluster(topics={"orders": 1}) as cluster, WireClient(cluster.bootstrap_servers) as client:
        client.send(MetadataRequest(topics=[]), 9)
        client.send(MetadataRequest(topics=None), 12)
        assert not client.receive(9, MetadataResponse).topics
        assert len(client.receive(12, MetadataResponse).topics) == 1


def test_a_client_returns_the_versions_that_the_broker_serves() -> None:
    with Cluster(kafka="2.4") as cluster, WireClient(cluster.bootstrap_servers) as client:
        assert client.versions(ApiKey.FETCH) == range(12)
        assert client.versions(ApiKey.DESCRIBE_TRANSACTION_STATE) == range(0)


def test_requests_use_the_newest_version_that_both_support() -> None:
    with Cluster(kafka="2.4") as cluster, WireClient(cluster.bootstrap_servers) as client:
        assert client.newest_version(ApiKey.FETCH, range(4, 17)) == 11
        assert client.newest_version(ApiKey.FETCH, range(4, 8)) == 7
        answer = client.ask_newest(MetadataRequest(topics=[]), range(4, 13), MetadataResponse)
        assert len(answer.brokers) == 1


@pytest.mark.parametrize(
    ("api_key", "known", "why"),
    [
        (ApiKey.FETCH, range(12, 17), "serves v0 to v11 of Fetch, and v12 to v16 are known here"),
        (ApiKey.DESCRIBE_QUORUM, range(2), "serves no DescribeQuorum, and v0 to v1 are known"),
    ],
)
def test_a_broker_without_a_common_version_is_named(
    api_key: ApiKey, known: range, why: str
) -> None:
    with (
        Cluster(kafka="2.4") as cluster,
        WireClient(cluster.bootstrap_servers) as client,
        pytest.raises(WireError, match=f"^{client.address} {why}"),
    ):
        client.newest_version(api_key, known)


@pytest.mark.parametrize(
    ("first_bytes", "why"),
    [
        (b"\x15\x03\x03\x00\x02", "the response is not Kafka's: check security.protocol"),
        (b"HTTP/1.1 400 Bad Request", "the response is not Kafka's: check security.protocol"),
        (b"", "no response in 0.05 s"),
    ],
)
def test_another_protocol_is_reported(first_bytes: bytes, why: str) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        WireClient(f"127.0.0.1:{server.getsockname()[1]}", timeout_s=0.05) as client,
        server.accept()[0] as accepted,
    ):
        accepted.sendall(first_bytes)
        with pytest.raises(OSError, match=f"^{client.address} to ApiVersions v0: {why}"):
            client.versions(ApiKey.FETCH)


def test_a_closed_connection_is_reported() -> None:
    with (
        Cluster(kafka="2.4") as cluster,
        WireClient(cluster.bootstrap_servers) as client,
        pytest.raises(
            ConnectionError,
            match="Metadata v12: the broker closed the connection: it does not serve",
        ),
    ):
        client.ask(MetadataRequest(topics=None), 12, MetadataResponse)


def test_a_closed_client_sends_no_more_requests() -> None:
    with Cluster() as cluster:
        with WireClient(cluster.bootstrap_servers) as client:
            pass
        with pytest.raises(OSError, match="Bad file descriptor"):
            client.send(MetadataRequest(topics=None), 9)


def test_an_unreachable_address_is_an_error() -> None:
    with Cluster() as cluster:
        address = cluster.bootstrap_servers
    with pytest.raises(ConnectionRefusedError):
        WireClient(address)
