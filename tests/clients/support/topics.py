"""Topics that a test needs and that are not what it tests."""

from collections.abc import Mapping
from concurrent.futures import Future
from functools import cache
from typing import cast

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions, NewTopic

from tests.clients.support.deadline import TIMEOUT_S, wait_until
from tests.clients.support.stored_batches import stored_batches
from tests.clients.support.wire import RefusedError, leaders


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
    created = cast("dict[str, Future[None]]", _admin(bootstrap_servers).create_topics([new_topic]))  # pyright: ignore[reportUnknownMemberType]
    created[topic].result(TIMEOUT_S)
    wait_until(lambda: _is_led(bootstrap_servers, topic, partitions))


def add_partition(bootstrap_servers: str, topic: str) -> None:
    """Add a partition to a topic of one, and see that it is led."""
    added = cast(
        "dict[str, Future[None]]",
        _admin(bootstrap_servers).create_partitions([NewPartitions(topic, 2)]),  # pyright: ignore[reportUnknownMemberType]
    )
    added[topic].result(TIMEOUT_S)
    wait_until(lambda: len(leaders(bootstrap_servers, topic)) == 2)


def _is_led(bootstrap_servers: str, topic: str, partitions: int) -> bool:
    try:
        for partition in range(partitions):
            assert stored_batches(bootstrap_servers, topic, partition) == []
    except RefusedError:  # a real broker answers a moment before all of it knows of the topic
        return False
    return True


@cache
def _admin(bootstrap_servers: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 0})
