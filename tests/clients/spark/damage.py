"""Changes of topics during a query, on any cluster or through mockbroker."""

from concurrent.futures import Future
from typing import Protocol, cast

from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from mockbroker import Cluster
from tests.clients.support.deadline import TIMEOUT_S
from tests.clients.support.topics import create_topic


class Damage(Protocol):
    """Ways to lose records."""

    def recreate_topic(self, topic: str, partitions: int) -> None:
        """Delete a topic and create it again."""

    def delete_records(self, topic: str, before_offset: int) -> None:
        """Delete the records before an offset of partition 0."""


class DamageByAdmin:
    """Damage through an admin client, which works on real Kafka, too."""

    def __init__(self, bootstrap_servers: str) -> None:
        self._bootstrap_servers = bootstrap_servers
        self._admin = AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 0})

    def recreate_topic(self, topic: str, partitions: int) -> None:
        """Delete a topic and create it again."""
        deleted = cast("dict[str, Future[None]]", self._admin.delete_topics([topic]))
        deleted[topic].result(TIMEOUT_S)
        create_topic(self._bootstrap_servers, topic, partitions=partitions)

    def delete_records(self, topic: str, before_offset: int) -> None:
        """Delete the records before an offset of partition 0."""
        place = TopicPartition(topic, 0, before_offset)
        deleted = cast("dict[TopicPartition, Future[object]]", self._admin.delete_records([place]))
        deleted[place].result(TIMEOUT_S)


class DamageByEvents:
    """Damage through mockbroker's control methods."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def recreate_topic(self, topic: str, partitions: int) -> None:
        """Delete a topic and create it again."""
        self._cluster.recreate_topic(topic, partitions=partitions)

    def delete_records(self, topic: str, before_offset: int) -> None:
        """Delete the records before an offset of partition 0."""
        self._cluster.partition(topic, 0).delete_records(before_offset)
