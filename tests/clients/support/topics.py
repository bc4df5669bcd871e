"""Topics that a test needs and that are not what it tests."""

from collections.abc import Mapping
from concurrent.futures import Future
from functools import cache
from typing import cast

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tests.clients.support.deadline import TIMEOUT_S


def create_topic(
    bootstrap_servers: str,
    topic: str,
    *,
    partitions: int = 1,
    configs: Mapping[str, str] | None = None,
) -> None:
    """Create a topic with one replica of each partition."""
    new_topic = NewTopic(
        topic, num_partitions=partitions, replication_factor=1, config=dict(configs or {})
    )
    created = cast("dict[str, Future[None]]", _admin(bootstrap_servers).create_topics([new_topic]))  # pyright: ignore[reportUnknownMemberType]
    created[topic].result(TIMEOUT_S)


@cache
def _admin(bootstrap_servers: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 0})
