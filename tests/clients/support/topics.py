"""Setup of topics for tests that have another subject."""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import cast

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions, NewTopic

from mockbroker.wire.cluster import LATEST, WireCluster
from tests.clients.support.deadline import TIMEOUT_S, wait_until


def create_topic(
    bootstrap_servers: str,
    topic: str,
    *,
    partitions: int = 1,
    configs: Mapping[str, str] | None = None,
) -> None:
    """Create a topic with one replica of each partition, and see that it is led."""
    new_topic = NewTopic(
        topic, num_partitions=partitions, replication_factor=1, config=dict(configs or {})
    )
    admin = _admin(bootstrap_servers)
    created = cast("dict[str, Future[None]]", admin.create_topics([new_topic]))
    created[topic].result(TIMEOUT_S)
    wait_until(lambda: _is_led(bootstrap_servers, topic, partitions))


def add_partition(bootstrap_servers: str, topic: str) -> None:
    """Add a partition to a topic of one, and see that it is led."""
    admin = _admin(bootstrap_servers)
    added = cast("dict[str, Future[None]]", admin.create_partitions([NewPartitions(topic, 2)]))
    added[topic].result(TIMEOUT_S)
    wait_until(lambda: _is_led(bootstrap_servers, topic, 2))


def _is_led(bootstrap_servers: str, topic: str, partitions: int) -> bool:
    """Ask a real cluster, too, which answers a moment before all of it knows of the topic."""
    with WireCluster(bootstrap_servers) as cluster:
        found = cluster.find_topic(topic)
        if found is None or len(found.leaders) != partitions:
            return False
        return all(cluster.offset(each, LATEST) >= 0 for each in found.partitions)


def _admin(bootstrap_servers: str) -> AdminClient:
    """Return a client, which the caller has to keep until it has its results."""
    return AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 0})
