"""Observation of Spark's clients: the proxy of real Kafka sees the same requests as the journal."""

import pytest

from mockbroker import API, Cluster
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.wire import WireClient
from tests.clients.spark.asked import Asking, asked_by_role, role_of
from tests.clients.spark.recording_proxy import recording_proxy


def test_a_proxy_records_each_request_once() -> None:
    with recording_proxy() as proxy, Cluster(journal=True) as cluster:
        proxy.forward_to(int(cluster.bootstrap_servers.rpartition(":")[2]))
        with WireClient(f"127.0.0.1:{proxy.port}") as client:
            for version in (1, 12):
                client.ask(MetadataRequest(topics=None), version, MetadataResponse)
        assert proxy.askings() == [
            Asking(each.client_id or "", each.api.title, each.version or 0)
            for each in cluster.journal.find(API.METADATA, kind="request")
            if each.api is not None
        ]
        assert not proxy.askings()


@pytest.mark.parametrize(
    ("client_id", "role"),
    [
        ("consumer-spark-kafka-relation-5f-executor-3", "consumer on an executor"),
        ("consumer-spark-kafka-source-5f--9-driver-0-2", "consumer on the driver"),
        ("adminclient-12", "admin client"),
        ("sink-orders-5f", "Spark's producer"),
        ("task-orders-5f-1", "a task's own producer"),
    ],
)
def test_a_client_id_determines_the_role(client_id: str, role: str) -> None:
    assert role_of(client_id) == role


def test_a_client_of_unknown_role_is_refused() -> None:
    with pytest.raises(AssertionError, match="'console-producer'"):
        role_of("console-producer")


def test_requests_of_the_test_and_periodic_ones_are_left_out() -> None:
    askings = [
        Asking("rdkafka", "Metadata", 13),
        Asking("sink-old", "Produce", 11),
        Asking("sink-new", "Produce", 11),
        Asking("sink-new", "Produce", 11),
        Asking("sink-new", "Heartbeat", 4),
    ]
    assert asked_by_role(askings, but={"sink-old"}) == {"Spark's producer": {"Produce": [11]}}
