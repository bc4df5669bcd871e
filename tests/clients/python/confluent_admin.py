"""Admin client of confluent-kafka for the scenarios."""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, cast

from confluent_kafka import TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)
from confluent_kafka.cimpl import NewPartitions, NewTopic

from tests.clients.python.confluent_errors import named_errors
from tests.clients.support.deadline import TIMEOUT_S
from tests.clients.support.matrix_client import GroupState


class ConfluentAdmin:
    """Implementation of `Admin`."""

    def __init__(self, bootstrap_servers: str) -> None:
        # its answers are futures of nothing in particular
        self._client: Any = AdminClient({"bootstrap.servers": bootstrap_servers, "log_level": 0})

    def create_topic(self, topic: str, partitions: int, configs: Mapping[str, str]) -> None:
        new_topic = NewTopic(
            topic, num_partitions=partitions, replication_factor=1, config=dict(configs)
        )
        only(self._client.create_topics([new_topic]))

    def topics(self) -> list[str]:
        return list(self._client.list_topics(timeout=TIMEOUT_S).topics)

    def partition_count(self, topic: str) -> int:
        return len(self._client.list_topics(topic, timeout=TIMEOUT_S).topics[topic].partitions)

    def topic_config(self, topic: str, name: str) -> str:
        entries = only(self._client.describe_configs([ConfigResource(ResourceType.TOPIC, topic)]))
        return cast("dict[str, ConfigEntry]", entries)[name].value or ""

    def alter_topic_config(self, topic: str, name: str, value: str) -> None:
        entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
        resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
        only(self._client.incremental_alter_configs([resource]))

    def create_partitions(self, topic: str, total: int) -> None:
        only(self._client.create_partitions([NewPartitions(topic, total)]))

    def groups(self) -> list[str]:
        listing = self._client.list_consumer_groups().result(TIMEOUT_S)
        assert listing.errors == []
        return [group.group_id for group in listing.valid]

    def group_state(self, group: str) -> GroupState:
        described = only(self._client.describe_consumer_groups([group]))
        return GroupState(described.state.name, len(described.members))

    def delete_group(self, group: str) -> None:
        only(self._client.delete_consumer_groups([group]))

    def delete_records(self, topic: str, partition: int, before_offset: int) -> int:
        before = TopicPartition(topic, partition, before_offset)
        return int(only(self._client.delete_records([before])).low_watermark)

    def delete_topic(self, topic: str) -> None:
        only(self._client.delete_topics([topic]))


def only(answers: Mapping[Any, Future[Any]]) -> Any:
    """Return the only result, when it is complete."""
    (answer,) = answers.values()
    with named_errors():
        return answer.result(TIMEOUT_S)
