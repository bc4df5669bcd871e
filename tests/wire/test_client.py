"""One blocking connection to one broker."""

import pytest

from mockbroker import Cluster
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.wire import WireClient


def test_a_request_is_answered_in_the_version_it_was_asked_in() -> None:
    with (
        Cluster(brokers=2, topics={"orders": 2}) as cluster,
        WireClient(cluster.bootstrap_servers) as client,
    ):
        for version in (1, 9, 12):
            answer = client.ask(MetadataRequest(topics=None), version, MetadataResponse)
            assert [(t.name, len(t.partitions)) for t in answer.topics] == [("orders", 2)]
            assert len(answer.brokers) == 2


def test_answers_come_in_the_order_of_the_questions() -> None:
    with Cluster(topics={"orders": 1}) as cluster, WireClient(cluster.bootstrap_servers) as client:
        client.send(MetadataRequest(topics=[]), 9)
        client.send(MetadataRequest(topics=None), 12)
        assert not client.receive(9, MetadataResponse).topics
        assert len(client.receive(12, MetadataResponse).topics) == 1


def test_it_knows_what_the_broker_serves() -> None:
    with Cluster(kafka="2.4") as cluster, WireClient(cluster.bootstrap_servers) as client:
        assert client.versions(ApiKey.FETCH) == range(12)
        assert client.versions(ApiKey.DESCRIBE_TRANSACTION_STATE) == range(0)


def test_a_broker_that_hangs_up_is_told() -> None:
    with (
        Cluster(kafka="2.4") as cluster,
        WireClient(cluster.bootstrap_servers) as client,
        pytest.raises(ConnectionError, match="the broker hung up"),
    ):
        client.ask(MetadataRequest(topics=None), 12, MetadataResponse)


def test_a_client_that_hung_up_asks_no_more() -> None:
    with Cluster() as cluster:
        with WireClient(cluster.bootstrap_servers) as client:
            pass
        with pytest.raises(OSError, match="Bad file descriptor"):
            client.send(MetadataRequest(topics=None), 9)


def test_nobody_who_listens_is_an_error() -> None:
    with Cluster() as cluster:
        address = cluster.bootstrap_servers
    with pytest.raises(ConnectionRefusedError):
        WireClient(address)
