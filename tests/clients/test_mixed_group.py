"""Different clients in one group agree on a common protocol, and share the partitions."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from kafka import KafkaConsumer
from kafka.coordinator.assignors.range import RangePartitionAssignor

from tests.clients.support.deadline import TIMEOUT_S, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

PARTITIONS: Final = 6
MEMBERS: Final = 3
POLL_S: Final = 0.01


class Group:
    """Two consumers of confluent-kafka and one of kafka-python, polled in turn by one thread."""

    def __init__(self, bootstrap_servers: str, topic: str) -> None:
        group_id = f"group-of-{topic}"
        self.values: Counter[str] = Counter()
        self.confluent = [self._confluent(bootstrap_servers, group_id, topic) for _ in range(2)]
        self.kafka_python = KafkaConsumer(
            bootstrap_servers=bootstrap_servers,
            group_id=group_id,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            heartbeat_interval_ms=100,
            session_timeout_ms=10_000,
            partition_assignment_strategy=[RangePartitionAssignor],
        )
        # One that joins before it knows the topic joins again, and may forget what it is assigned.
        self.kafka_python.partitions_for_topic(topic)
        self.kafka_python.subscribe([topic])

    @staticmethod
    def _confluent(bootstrap_servers: str, group_id: str, topic: str) -> Consumer:
        settings: dict[str, Any] = {
            "bootstrap.servers": bootstrap_servers,
            "group.id": group_id,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "heartbeat.interval.ms": 100,
            "session.timeout.ms": 10_000,
            "partition.assignment.strategy": "range",
        }
        consumer = Consumer(settings)
        consumer.subscribe([topic])
        return consumer

    def poll(self) -> None:
        """Let each client do what it does in a poll."""
        for consumer in self.confluent:
            message = consumer.poll(POLL_S)
            if message is not None and message.error() is None:
                self.values[(message.value() or b"").decode()] += 1
        polled = self.kafka_python.poll(timeout_ms=int(POLL_S * 1000))
        for records in polled.values():
            self.values.update(record.value.decode() for record in records)

    def shares(self) -> list[set[int]]:
        """Say which partitions each member has."""
        return [
            *({each.partition for each in consumer.assignment()} for consumer in self.confluent),
            {each.partition for each in self.kafka_python.assignment()},
        ]

    def is_shared(self) -> bool:
        """Poll, and tell whether everybody has its part of the whole."""
        self.poll()
        shares = self.shares()
        return all(len(share) == PARTITIONS // MEMBERS for share in shares) and set.union(
            *shares
        ) == set(range(PARTITIONS))

    def close(self) -> None:
        """Leave."""
        for consumer in self.confluent:
            consumer.close()
        self.kafka_python.close()


@pytest.fixture
def group(bootstrap_servers: str, topic: str) -> Iterator[Group]:
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    admin.create_topics([NewTopic(topic, num_partitions=PARTITIONS)])[topic].result(TIMEOUT_S)
    members = Group(bootstrap_servers, topic)
    yield members
    members.close()


def test_two_kinds_of_clients_share_a_topic(
    group: Group, bootstrap_servers: str, topic: str
) -> None:
    wait_until(group.is_shared)
    producer = Producer({"bootstrap.servers": bootstrap_servers})
    expected = Counter(
        f"{partition}-{index}" for partition in range(PARTITIONS) for index in range(9)
    )
    for value in expected:
        producer.produce(topic, value.encode(), partition=int(value.partition("-")[0]))
    producer.flush(TIMEOUT_S)

    def has_all() -> bool:
        group.poll()
        return group.values >= expected

    wait_until(has_all)
    assert group.values == expected
