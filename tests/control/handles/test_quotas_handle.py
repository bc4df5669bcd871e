"""Quotas that a test sets and removes."""

from collections.abc import Iterator

import pytest

from mockbroker import Cluster
from mockbroker.protocol.errors import ApiError
from mockbroker.wire import WireProducer


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={"orders": 1}) as running:
        yield running


def test_quotas_are_set_listed_and_removed(cluster: Cluster) -> None:
    cluster.quotas.set("producer_byte_rate", 1000, user="alice", client_id="<default>")
    cluster.quotas.set("request_percentage", 12.5, client_id="app")
    assert [(each.entity, each.values) for each in cluster.quotas.all()] == [
        ({"user": "alice", "client-id": None}, {"producer_byte_rate": 1000}),
        ({"client-id": "app"}, {"request_percentage": 12.5}),
    ]
    cluster.quotas.set("request_percentage", None, client_id="app")
    cluster.quotas.set("producer_byte_rate", None, user="alice", client_id="<default>")
    assert cluster.quotas.all() == []


def test_what_kafka_refuses_is_refused(cluster: Cluster) -> None:
    with pytest.raises(ApiError, match="Invalid configuration key byte_rate"):
        cluster.quotas.set("byte_rate", 1, user="alice")
    with pytest.raises(ApiError, match="must be greater than 0"):
        cluster.quotas.set("producer_byte_rate", -1, user="alice")
    with pytest.raises(ValueError, match="name a user or a client_id"):
        cluster.quotas.set("producer_byte_rate", 1)


def test_a_client_within_its_quota_works(cluster: Cluster) -> None:
    cluster.quotas.set("producer_byte_rate", 1e6, user="<default>")
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        producer.produce("orders", b"paid", base_sequence=0)
    assert [record.value for record in cluster.records("orders")] == [b"paid"]
